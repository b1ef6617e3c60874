// SPDX-License-Identifier: MIT
//
// neap: the runtime itself, for scripts. `neap.gc` collects, shows every figure of the heap's
// snapshot, turns its knobs and calls functions after major cycles; vm/library/meta/neap.lua says
// what each does. Knobs belong to the heap: other VMs on it feel them, so a sandbox has none.
//
// A knob is a function: without an argument it says how things stand, with one it sets that and
// returns what was before. While collectgarbage("stop") holds, `gogc` is what "restart" brings
// back.
#include <string>
#include <utility>
#include <vector>

#include "interpreter/native_call.h"
#include "interpreter/userdata_maker.h"
#include "library/base_parts.h"
#include "library/library.h"
#include "library/native_setup.h"
#include "neap/gc/options.h"
#include "neap/gc/stats.h"
#include "profile/snapshot_function.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

using gc::Options;

constexpr const char* kWatchTypeName = "neap.gc.watch";
constexpr char kWatchersKey = 0;  // its address
constexpr char kWatchTag = 0;

// --- on_cycle ------------------------------------------------------------------------------------

// The functions that wait for cycles, by the number that their handle knows.
class CycleWatchers final : public Attachment {
 public:
  static CycleWatchers& Of(State& state) {
    if (Attachment* known = state.FindAttachment(&kWatchersKey)) {
      return *static_cast<CycleWatchers*>(known);
    }
    auto made = std::make_unique<CycleWatchers>();
    CycleWatchers& watchers = *made;
    watchers.told_majors_ = state.heap().majors();
    state.Attach(&kWatchersKey, std::move(made));
    return watchers;
  }

  uint64_t Add(State& state, Value function) {
    functions_.emplace_back(++last_, gc::GlobalHandle(state.mutator(), function.object()));
    return last_;
  }
  bool Remove(uint64_t number) {
    return std::erase_if(functions_, [=](const auto& entry) { return entry.first == number; }) != 0;
  }

  // Cycles that ended since the last call are one call, with the number of the latest. Functions
  // may add and remove watchers: each is found anew by its number.
  void AfterCycle(State& state) override {
    const uint64_t majors = state.heap().majors();
    if (majors == std::exchange(told_majors_, majors)) return;
    std::vector<uint64_t> numbers;
    for (const auto& [number, function] : functions_) numbers.push_back(number);
    for (const uint64_t number : numbers) {
      if (state.error_kind() == ErrorKind::kStop) return;
      for (const auto& [known, function] : functions_) {
        if (known != number) continue;
        state.CallDeferred(Value::FromObject(function.get()),
                           Value::InlineInteger(static_cast<int64_t>(majors)), "on_cycle");
        break;
      }
    }
  }

 private:
  std::vector<std::pair<uint64_t, gc::GlobalHandle>> functions_;
  uint64_t last_ = 0;
  uint64_t told_majors_ = 0;
};

NativeResult OnCycle(NativeCall& call) {
  if (!call.CheckFunction(1)) return call.Failed();
  State& state = call.state();
  Userdata* handle = NewUserdata(state, sizeof(uint64_t), 0);
  if (handle == nullptr) return call.ReturnIf(state.MemoryError());
  call.Push(Value::FromObject(handle));
  handle->tag = reinterpret_cast<uint64_t>(&kWatchTag);
  const Value metatable = RawField(state, state.registry(), kWatchTypeName);
  call.mutator().Store(handle, handle->metatable.slot(), metatable.word());
  *static_cast<uint64_t*>(handle->payload()) = CycleWatchers::Of(state).Add(state, call.arg(1));
  return call.Return(1);
}

// True when the function was still waiting.
NativeResult WatchRemove(NativeCall& call) {
  void* payload = nullptr;
  if (!call.CheckUserdata(1, &kWatchTag, kWatchTypeName, &payload)) return call.Failed();
  const uint64_t number = *static_cast<uint64_t*>(payload);
  return call.ReturnValue(Value::Boolean(CycleWatchers::Of(call.state()).Remove(number)));
}

// --- Collecting and figures ----------------------------------------------------------------------

// Nothing is collected from inside a finalizer or a function that a cycle called for.
NativeResult Collect(NativeCall& call) {
  State& state = call.state();
  if (state.in_finalizer()) return call.ReturnValue(Value::Boolean(false));
  state.heap().Collect(call.mutator());
  state.RunFinalizers();
  if (state.error_kind() == ErrorKind::kStop) return call.Failed();
  return call.ReturnValue(Value::Boolean(true));
}

NativeResult Minor(NativeCall& call) {
  State& state = call.state();
  const bool has_nursery = state.heap().options().nursery != Options::Nursery::kOff;
  if (state.in_finalizer() || !has_nursery) return call.ReturnValue(Value::Boolean(false));
  state.heap().CollectMinor(call.mutator());
  state.RunFinalizers();
  if (state.error_kind() == ErrorKind::kStop) return call.Failed();
  return call.ReturnValue(Value::Boolean(true));
}

NativeResult StatsTable(NativeCall& call) {
  const gc::Stats stats = call.state().heap().Snapshot();
  if (!PushNewTable(call.state())) return call.Failed();
  for (const gc::StatName& name : gc::StatNames()) {
    if (!SetIntegerField(call.state(), name.field, static_cast<int64_t>(stats.*name.value))) {
      return call.Failed();
    }
  }
  return call.Return(1);
}

// --- Knobs ---------------------------------------------------------------------------------------

// An argument that is a number of at least `least` and at most `most`, a size ("64MiB") where that
// makes sense, or the word that means `word_value`.
struct KnobValues {
  const char* word;
  uint64_t word_value;
  int64_t least;
  int64_t most;
  bool is_size;
};

bool RefuseKnob(NativeCall& call, const KnobValues& values) {
  const Value v = call.arg(1);
  const std::string shown = IsString(v)   ? Concat("'", AsString(v)->view(), "'")
                            : IsNumber(v) ? State::TextOf(v)
                                          : Concat("a ", call.state().TypeNameOf(v));
  std::string allowed = Concat(values.least, " to ", values.most);
  if (values.is_size) allowed += " bytes (or text as '64MiB')";
  if (values.word != nullptr) allowed += Concat(", or '", values.word, "'");
  return call.ArgumentError(1, Concat(shown, " is out of range, allowed: ", allowed));
}

bool CheckKnob(NativeCall& call, const KnobValues& values, uint64_t* result) {
  const Value v = call.arg(1);
  int64_t number = -1;
  if (IsString(v)) {
    const std::string text(AsString(v)->view());
    if (values.word != nullptr && text == values.word) {
      *result = values.word_value;
      return true;
    }
    const auto bytes = gc::ParseBytes(text);
    if (!values.is_size || !bytes.ok()) return RefuseKnob(call, values);
    number = *bytes > INT64_MAX ? -1 : static_cast<int64_t>(*bytes);
  } else if (!State::ToIntegerStrict(v, &number)) {
    return RefuseKnob(call, values);
  }
  if (number < values.least || number > values.most) return RefuseKnob(call, values);
  *result = static_cast<uint64_t>(number);
  return true;
}

NativeResult ReturnKnob(NativeCall& call, const KnobValues& values, uint64_t value) {
  const bool is_word = values.word != nullptr && value == values.word_value;
  return call.ReturnIf(is_word ? call.PushString(values.word)
                               : call.PushInteger(static_cast<int64_t>(value)));
}

constexpr int64_t kMaxPercent = 100000;  // the ranges are those of the flags
constexpr int64_t kMaxBytes = int64_t{1} << 46;
constexpr KnobValues kGogcValues = {"off", Options::kGogcOff, 0, kMaxPercent, false};
constexpr KnobValues kLimitValues = {"none", Options::kNoLimit, gc::kMinLimitBytes, kMaxBytes,
                                     true};
constexpr KnobValues kNurseryValues = {"adaptive", 0, 4 << 10, 1 << 30, true};
constexpr KnobValues kTenureValues = {nullptr, 0, 1, 15, false};

NativeResult Gogc(NativeCall& call) {
  CollectorSettings& settings = call.state().collector_settings;
  gc::Heap& heap = call.state().heap();
  const uint64_t before =
      settings.is_stopped ? settings.gogc_before_stop : heap.CurrentOptions().gogc;
  if (call.has(1)) {
    uint64_t percent = 0;
    if (!CheckKnob(call, kGogcValues, &percent)) return call.Failed();
    if (settings.is_stopped) {
      settings.gogc_before_stop = percent;
    } else {
      heap.SetGogc(percent);
    }
  }
  return ReturnKnob(call, kGogcValues, before);
}

NativeResult MemoryLimit(NativeCall& call) {
  gc::Heap& heap = call.state().heap();
  const uint64_t before = heap.CurrentOptions().memory_limit_bytes;
  if (call.has(1)) {
    uint64_t bytes = 0;
    if (!CheckKnob(call, kLimitValues, &bytes)) return call.Failed();
    heap.SetMemoryLimit(bytes);
  }
  return ReturnKnob(call, kLimitValues, before);
}

NativeResult Tenure(NativeCall& call) {
  gc::Heap& heap = call.state().heap();
  const uint64_t before = heap.CurrentOptions().tenure;
  if (call.has(1)) {
    uint64_t tenure = 0;
    if (!CheckKnob(call, kTenureValues, &tenure)) return call.Failed();
    heap.SetTenure(static_cast<uint32_t>(tenure));
  }
  return ReturnKnob(call, kTenureValues, before);
}

// "adaptive", "off", or the bytes per P.
NativeResult Nursery(NativeCall& call) {
  gc::Heap& heap = call.state().heap();
  const Options before = heap.CurrentOptions();
  if (call.has(1)) {
    uint64_t bytes = 0;
    if (!CheckKnob(call, kNurseryValues, &bytes)) return call.Failed();
    const absl::Status status = heap.SetNurseryBytes(call.mutator(), bytes);
    if (!status.ok()) return call.ReturnIf(call.ArgumentError(1, std::string(status.message())));
  }
  if (before.nursery == Options::Nursery::kOff) return call.ReturnIf(call.PushString("off"));
  const bool fixed = before.nursery == Options::Nursery::kFixed;
  return ReturnKnob(call, kNurseryValues, fixed ? before.nursery_bytes : 0);
}

constexpr NativeEntry kFunctions[] = {
    {"collect", Collect},
    {"gogc", Gogc},
    {"memory_limit", MemoryLimit},
    {"minor", Minor},
    {"nursery", Nursery},
    {"on_cycle", OnCycle},
    {"snapshot", TakeHeapSnapshot},
    {"stats", StatsTable},
    {"tenure", Tenure},
    {nullptr, nullptr},
};
constexpr NativeEntry kWatchMethods[] = {{"remove", WatchRemove}, {nullptr, nullptr}};
constexpr NativeEntry kWatchMetamethods[] = {{"__close", WatchRemove}, {nullptr, nullptr}};

}  // namespace

bool OpenNeap(State& state) {
  return MakeMetatable(state, kWatchTypeName, kWatchMethods, kWatchMetamethods) &&
         PushNewTable(state) && SetTextField(state, "version", NEAP_VERSION) &&
         PushNewTable(state) && SetFunctions(state, kFunctions) && SetFieldFromTop(state, "gc");
}

}  // namespace neap::vm
