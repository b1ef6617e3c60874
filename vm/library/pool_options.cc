// SPDX-License-Identifier: MIT
//
// pool_options.h. Fields are read without metamethods; a name that is no option is an error, since
// a misspelt bound is no bound.
#include "library/pool_options.h"

#include <string>
#include <string_view>

#include "library/native_setup.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

using pool::Retention;

constexpr std::string_view kRoleNames[kPoolRoles] = {"new", "reset", "is_clean", "on_evict"};
constexpr std::string_view kOptionNames[] = {
    "name",    "new",   "reset",    "is_clean", "on_evict",      "retain",
    "cycles",  "ttl",   "budget",   "max_size", "max_bytes",     "max_item_bytes",
    "prewarm", "steal", "go_exact", "checked",  "account_bytes", "chaos",
};
constexpr std::string_view kChaosNames[] = {"seed", "miss_one_in", "drop_one_in", "shuffle"};

// What chaos = true means: the share that Go's race mode drops.
constexpr uint32_t kDefaultChaos = 4;
constexpr double kNanosPerSecond = 1e9;
constexpr int64_t kMaxCount = int64_t{1} << 48;

class OptionReader {
 public:
  // Options in the table `value`; `prefix` stands in front of their names in messages.
  OptionReader(NativeCall& call, Value value, std::string_view prefix)
      : call_(call), table_(AsTable(value)), prefix_(prefix) {}

  Value Field(std::string_view name) const { return RawField(call_.state(), table_, name); }

  template <size_t kCount>
  bool CheckNames(const std::string_view (&names)[kCount]) {
    Value key;
    Value value;
    while (Next(call_.objects(), table_, &key, &value) == NextResult::kFound) {
      bool known = false;
      for (const std::string_view name : names) {
        known |= IsString(key) && AsString(key)->view() == name;
      }
      if (!known) return Refuse(Concat("unknown option '", prefix_, KeyText(key), "'"));
    }
    return true;
  }
  // Each keeps *result when there is no such option.
  bool Boolean(std::string_view name, bool* result) {
    const Value v = Field(name);
    if (v.is_nil()) return true;
    if (!v.is_boolean()) return RefuseValue(name, v, "true or false");
    *result = v.is_true();
    return true;
  }
  bool Text(std::string_view name, std::string* result) {
    const Value v = Field(name);
    if (v.is_nil()) return true;
    if (!IsString(v)) return RefuseValue(name, v, "a string");
    *result = AsString(v)->view();
    return true;
  }
  bool Count(std::string_view name, int64_t least, int64_t most, uint64_t* result) {
    const Value v = Field(name);
    if (v.is_nil()) return true;
    int64_t count = 0;
    if (!State::ToIntegerStrict(v, &count) || count < least || count > most) {
      return RefuseValue(name, v, Concat("an integer from ", least, " to ", most));
    }
    *result = static_cast<uint64_t>(count);
    return true;
  }
  bool Seconds(std::string_view name, double* result) {
    const Value v = Field(name);
    constexpr double kLeastSeconds = 1 / kNanosPerSecond;
    constexpr double kMostSeconds = 1e9;  // 30 years, and in 64 bits of nanoseconds
    if (v.is_nil()) return true;
    if (!IsNumber(v) || !(NumberOf(v) >= kLeastSeconds) || NumberOf(v) > kMostSeconds) {
      return RefuseValue(name, v, "seconds from 1e-9 to 1e9");
    }
    *result = NumberOf(v);
    return true;
  }
  bool RefuseValue(std::string_view name, Value v, std::string_view allowed) {
    return Refuse(Concat("option '", prefix_, name, "' is ", Shown(v), ", allowed: ", allowed));
  }
  bool Refuse(std::string_view message) { return call_.ArgumentError(1, message); }

 private:
  std::string KeyText(Value key) const {
    return IsString(key) ? std::string(AsString(key)->view()) : Shown(key);
  }
  std::string Shown(Value v) const {
    constexpr size_t kMostBytes = 40;
    if (IsString(v)) return Concat("'", AsString(v)->view().substr(0, kMostBytes), "'");
    if (IsNumber(v)) return State::TextOf(v);
    if (v.is_boolean()) return v.is_true() ? "true" : "false";
    return Concat("a ", call_.state().TypeNameOf(v));
  }

  NativeCall& call_;
  Table* table_;
  std::string_view prefix_;
};

// A parameter of one kind of retention that was given with another.
bool CheckAlone(OptionReader& options, std::string_view name, std::string_view kind,
                std::string_view retain) {
  if (retain == kind || options.Field(name).is_nil()) return true;
  return options.Refuse(
      Concat("option '", name, "' goes with retain='", kind, "', not with '", retain, "'"));
}

bool ReadRetention(OptionReader& options, pool::WordOptions* words) {
  std::string retain = "victim";
  uint64_t cycles = 1;
  uint64_t budget = 0;
  double ttl = 0;
  if (!options.Text("retain", &retain) ||
      !options.Count("cycles", 1, Retention::kMaxGenerations, &cycles) ||
      !options.Count("budget", 1, kMaxCount, &budget) || !options.Seconds("ttl", &ttl) ||
      !CheckAlone(options, "cycles", "victim", retain) ||
      !CheckAlone(options, "ttl", "time", retain) ||
      !CheckAlone(options, "budget", "bytes", retain)) {
    return false;
  }
  if (retain == "victim") {
    words->retention = Retention::Victim(static_cast<uint32_t>(cycles));
  } else if (retain == "flush") {
    words->retention = Retention::Flush();
  } else if (retain == "time") {
    if (ttl == 0) return options.Refuse("retain='time' needs the option 'ttl' (seconds)");
    words->retention = Retention::Time(static_cast<uint64_t>(ttl * kNanosPerSecond));
  } else if (retain == "bytes") {
    if (budget == 0) return options.Refuse("retain='bytes' needs the option 'budget' (bytes)");
    words->retention = Retention::Bytes(budget);
    words->idle_cycles = kIdleCycles;
  } else {
    return options.RefuseValue("retain", options.Field("retain"),
                               "'victim', 'flush', 'time', 'bytes'");
  }
  return true;
}

bool ReadChaos(NativeCall& call, OptionReader& options, pool::Chaos* chaos) {
  const Value v = options.Field("chaos");
  if (v.is_nil() || v == Value::Boolean(false)) return true;
  if (v.is_true()) {
    *chaos = {.miss_one_in = kDefaultChaos, .drop_one_in = kDefaultChaos, .shuffle = true};
    return true;
  }
  if (!IsTable(v)) return options.RefuseValue("chaos", v, "true, false or a table");
  OptionReader parts(call, v, "chaos.");
  uint64_t miss = 0;
  uint64_t drop = 0;
  if (!parts.CheckNames(kChaosNames) || !parts.Count("seed", 0, kMaxCount, &chaos->seed) ||
      !parts.Count("miss_one_in", 0, UINT32_MAX, &miss) ||
      !parts.Count("drop_one_in", 0, UINT32_MAX, &drop) ||
      !parts.Boolean("shuffle", &chaos->shuffle)) {
    return false;
  }
  chaos->miss_one_in = static_cast<uint32_t>(miss);
  chaos->drop_one_in = static_cast<uint32_t>(drop);
  return true;
}

bool CheckFunctions(OptionReader& options, bool checked) {
  for (const std::string_view name : kRoleNames) {
    const Value v = options.Field(name);
    if (!v.is_nil() && !IsFunction(v)) return options.RefuseValue(name, v, "a function");
  }
  if (!checked && !options.Field("is_clean").is_nil()) {
    return options.Refuse("option 'is_clean' goes with checked=true");
  }
  return true;
}

}  // namespace

Value PoolFunctionOption(NativeCall& call, PoolRole role) {
  if (call.is_none_or_nil(1)) return Value::Nil();
  return OptionReader(call, call.arg(1), "").Field(kRoleNames[static_cast<int>(role)]);
}

bool ReadPoolOptions(NativeCall& call, PoolSettings* settings) {
  if (call.is_none_or_nil(1)) return true;
  if (!call.CheckTable(1)) return false;
  OptionReader options(call, call.arg(1), "");
  pool::WordOptions& words = settings->words;
  if (!options.CheckNames(kOptionNames) || !options.Text("name", &words.name) ||
      !options.Boolean("steal", &words.steal) || !options.Boolean("go_exact", &words.go_exact) ||
      !options.Boolean("checked", &words.checked) ||
      !options.Boolean("account_bytes", &words.account_bytes) ||
      !options.Count("max_size", 1, kMaxCount, &words.max_items) ||
      !options.Count("max_bytes", 1, kMaxCount, &words.max_bytes) ||
      !options.Count("max_item_bytes", 1, kMaxCount, &words.max_item_bytes) ||
      !options.Count("prewarm", 0, INT32_MAX, &settings->prewarm) ||
      !ReadRetention(options, &words) || !ReadChaos(call, options, &words.chaos) ||
      !CheckFunctions(options, words.checked)) {
    return false;
  }
  if (settings->prewarm != 0 && options.Field("new").is_nil()) {
    return options.Refuse("option 'prewarm' needs the option 'new'");
  }
  const absl::Status status = pool::ValidateOptions(words);
  return status.ok() || options.Refuse(std::string(status.message()));
}

}  // namespace neap::vm
