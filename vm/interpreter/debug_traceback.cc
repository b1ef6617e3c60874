// SPDX-License-Identifier: MIT
//
// Tracebacks, and the words of errors about arguments.
//
// A function is called by its name in a loaded module if it is there, otherwise as its caller
// called it. Long tracebacks show the first ten levels and the last eleven.
#include "interpreter/debug_info.h"
#include "interpreter/state.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr int64_t kFirstLevels = 10;
constexpr int64_t kLastLevels = 11;
constexpr const char* kLoadedModules = "_LOADED";

// The key under which `table` holds the function; "" for none. At depth 2, also "key.key" in the
// tables it holds.
std::string FindKey(Objects& objects, const Table* table, Value function, int depth) {
  Value key;
  Value value;
  while (Next(objects, table, &key, &value) == NextResult::kFound) {
    if (!IsString(key)) continue;
    if (value == function) return std::string(AsString(key)->view());
    if (depth < 2 || !IsTable(value)) continue;
    const std::string inner = FindKey(objects, AsTable(value), function, depth - 1);
    if (!inner.empty()) return Concat(AsString(key)->view(), ".", inner);
  }
  return "";
}

std::string FunctionText(State& state, const Coroutine* co, uint32_t index, const DebugInfo& info) {
  const std::string global = GlobalFunctionName(state, FunctionOf(co, index));
  if (!global.empty()) return Concat("function '", global, "'");
  if (info.name.is_known()) return Concat(info.name.kind, " '", info.name.name, "'");
  if (*info.what == 'm') return "main chunk";
  if (*info.what == 'C') return "?";
  return Concat("function <", info.short_source, ":", info.line_defined, ">");
}

std::string LevelText(State& state, const Coroutine* co, uint32_t index) {
  DebugInfo info;
  DescribeFrame(co, index, &info);
  std::string text = Concat("\n\t", info.short_source, ":");
  if (info.current_line > 0) text += Concat(info.current_line, ":");
  text += Concat(" in ", FunctionText(state, co, index, info));
  if (info.is_tail_call) text += "\n\t(...tail calls...)";
  return text;
}

int64_t LastLevel(const Coroutine* co) {
  uint32_t ignored = 0;
  const int64_t last = int64_t{co->frame_count} - 1;
  return FindFrame(co, last, &ignored) ? last : last - 1;
}

}  // namespace

std::string GlobalFunctionName(State& state, Value function) {
  Objects& objects = state.objects();
  const String* atom = objects.atoms().Find(kLoadedModules);
  if (atom == nullptr) return "";
  const Value loaded = RawGet(objects, state.registry(), Value::FromObject(atom));
  if (!IsTable(loaded)) return "";
  std::string name = FindKey(objects, AsTable(loaded), function, 2);
  if (name.starts_with("_G.")) name.erase(0, 3);
  return name;
}

std::string Traceback(State& state, const Coroutine* of, const std::string* message,
                      int64_t level) {
  std::string text = message != nullptr ? Concat(*message, "\n") : "";
  text += "stack traceback:";
  const int64_t last = LastLevel(of);
  const bool is_long = last - level > kFirstLevels + kLastLevels;
  const int64_t skip_at = is_long ? level + kFirstLevels : -1;
  uint32_t index = 0;
  while (FindFrame(of, level, &index)) {
    if (level == skip_at) {
      const int64_t skipped = last - level - kLastLevels + 1;
      text += Concat("\n\t...\t(skipping ", skipped, " levels)");
      level += skipped;
      continue;
    }
    text += LevelText(state, of, index);
    ++level;
  }
  return text;
}

std::string ArgumentErrorText(State& state, int argument, std::string_view message) {
  const Coroutine* co = state.running();
  uint32_t index = 0;
  if (!FindFrame(co, 0, &index)) return Concat("bad argument #", argument, " (", message, ")");
  NameInfo info = NameOfCall(co, index);
  if (std::string_view(info.kind) == "method") {
    --argument;
    if (argument == 0) return Concat("calling '", info.name, "' on bad self (", message, ")");
  }
  if (!info.is_known()) {
    info.name = GlobalFunctionName(state, FunctionOf(co, index));
    if (info.name.empty()) info.name = "?";
  }
  return Concat("bad argument #", argument, " to '", info.name, "' (", message, ")");
}

}  // namespace neap::vm
