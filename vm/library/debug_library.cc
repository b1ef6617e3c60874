// SPDX-License-Identifier: MIT
//
// The debug library (manual 6.10): hooks, tracebacks, the prompt; the rest is in debug_parts.h.
// Hooks belong to a coroutine; the interpreter calls them.
#include <cstdio>
#include <cstring>
#include <string>

#include "interpreter/debug_info.h"
#include "library/debug_parts.h"
#include "library/library.h"
#include "library/native_setup.h"

namespace neap::vm {
namespace {

constexpr const char* kHookTable = "_HOOKKEY";  // of the registry

NativeResult GetRegistry(NativeCall& call) {
  return call.ReturnValue(call.state().registry_value());
}

uint8_t MaskOf(std::string_view letters, int64_t count) {
  int mask = count > 0 ? kHookCount : 0;
  if (letters.find('c') != std::string_view::npos) mask |= kHookCall;
  if (letters.find('r') != std::string_view::npos) mask |= kHookReturn;
  if (letters.find('l') != std::string_view::npos) mask |= kHookLine;
  return static_cast<uint8_t>(mask);
}

std::string LettersOf(uint8_t mask) {
  std::string letters;
  if (mask & kHookCall) letters += 'c';
  if (mask & kHookReturn) letters += 'r';
  if (mask & kHookLine) letters += 'l';
  return letters;
}

// The interpreter looks at the mask again when it is back from the native call.
void SetHook(State& state, Coroutine* co, Value hook, uint8_t mask, int32_t count) {
  if (mask == 0) hook = Value::Nil();
  if (hook.is_nil()) mask = 0;
  state.mutator().Store(co, &co->hook, hook.word());
  SetHookMask(co, mask);
  co->hook_count = count;
  co->hook_left = count;
}

// Pushes the table of the registry that has the hook of each coroutine, as programs know it from
// the reference implementation: its keys are weak, and it is its own metatable.
bool PushHookTable(State& state) {
  if (!PushRegistryTable(state, kHookTable)) return false;
  if (AsTable(state.FromTop(1))->metatable() != nullptr) return true;
  if (!SetTextField(state, "__mode", "k")) return false;
  Table* table = AsTable(state.FromTop(1));
  return SetMetatable(state.objects(), table, table) || state.MemoryError();
}

// Nothing is read from there again: a coroutine has its hook itself.
bool ShowHook(NativeCall& call) {
  State& state = call.state();
  if (!PushHookTable(state)) return false;
  Table* table = AsTable(state.FromTop(1));
  const ThreadArgument thread = OptThread(call);
  const Value hook = call.arg(thread.taken + 1);
  if (!RawSet(state.objects(), table, Value::FromObject(thread.co), hook)) {
    return state.MemoryError();
  }
  state.Pop(1);
  return true;
}

NativeResult RemoveHook(NativeCall& call) {
  SetHook(call.state(), OptThread(call).co, Value::Nil(), 0, 0);
  const Value shown = RawField(call.state(), call.state().registry(), kHookTable);
  if (IsTable(shown)) {
    const Value thread = Value::FromObject(OptThread(call).co);
    (void)RawSet(call.objects(), AsTable(shown), thread, Value::Nil());  // never fails
  }
  return call.Return(0);
}

NativeResult SetHookFunction(NativeCall& call) {
  const int first = OptThread(call).taken + 1;
  if (call.is_none_or_nil(first)) return RemoveHook(call);
  String* letters = nullptr;
  int64_t count = 0;
  if (!call.CheckString(first + 1, &letters) || !call.CheckFunction(first) ||
      !call.OptInteger(first + 2, &count)) {
    return call.Failed();
  }
  const uint8_t mask = MaskOf(call.text(first + 1), count);
  if (!ShowHook(call)) return call.Failed();
  SetHook(call.state(), OptThread(call).co, call.arg(first), mask, static_cast<int32_t>(count));
  return call.Return(0);
}

NativeResult GetHook(NativeCall& call) {
  const Coroutine* co = OptThread(call).co;
  if (co->hook_mask == 0) return call.ReturnValue(Value::Nil());
  const int32_t count = co->hook_count;
  const std::string letters = LettersOf(co->hook_mask);
  call.Push(Value::FromWord(co->hook));
  return call.ReturnIf(call.PushString(letters) && call.PushInteger(count), 3);
}

NativeResult TracebackOf(NativeCall& call) {
  const ThreadArgument thread = OptThread(call);
  const int first = thread.taken + 1;
  const Value given = call.arg(first);
  const bool is_text = IsString(given) || IsNumber(given);
  if (!is_text && !given.is_nil()) return call.ReturnValue(given);
  int64_t level = thread.co == call.state().running() ? 1 : 0;
  if (!call.OptInteger(first + 1, &level)) return call.Failed();
  const std::string message = is_text ? State::TextOf(given) : "";
  const std::string text = Traceback(call.state(), thread.co, is_text ? &message : nullptr, level);
  return call.ReturnIf(call.PushString(text));
}

// False: end of input, or the line "cont".
bool ReadCommand(gc::Mutator& m, std::string* line) {
  gc::BlockingRegion region(m);
  std::fputs("lua_debug> ", stderr);
  std::fflush(stderr);
  char buffer[250];
  if (std::fgets(buffer, sizeof(buffer), stdin) == nullptr) return false;
  *line = buffer;
  return *line != "cont\n";
}

bool RunCommand(State& state, const std::string& line) {
  if (!state.Load(line, "=(debug command)", "bt")) {
    state.Push(state.error());
    state.ClearError();
    return false;
  }
  return state.ProtectedCall(0, 0);
}

NativeResult Prompt(NativeCall& call) {
  State& state = call.state();
  for (std::string line; ReadCommand(call.mutator(), &line);) {
    if (RunCommand(state, line)) continue;
    if (state.error_kind() == ErrorKind::kStop) return call.Failed();
    if (!state.PushTostring(call.top())) return call.Failed();
    std::fprintf(stderr, "%s\n", AsString(call.top())->data());
    std::fflush(stderr);
    call.Pop(2);
  }
  return call.Return(0);
}

// Kept for old programs: the depth of C calls is bounded elsewhere.
NativeResult SetCStackLimit(NativeCall& call) {
  int64_t limit = 0;
  if (!call.CheckInteger(1, &limit)) return call.Failed();
  constexpr int64_t kLimit = 200;
  return call.ReturnIf(call.PushInteger(kLimit));
}

constexpr NativeEntry kFunctions[] = {
    {"debug", Prompt},
    {"gethook", GetHook},
    {"getinfo", DebugGetInfo},
    {"getlocal", DebugGetLocal},
    {"getmetatable", DebugGetMetatable},
    {"getregistry", GetRegistry},
    {"getupvalue", DebugGetUpvalue},
    {"getuservalue", DebugGetUserValue},
    {"setcstacklimit", SetCStackLimit},
    {"sethook", SetHookFunction},
    {"setlocal", DebugSetLocal},
    {"setmetatable", DebugSetMetatable},
    {"setupvalue", DebugSetUpvalue},
    {"setuservalue", DebugSetUserValue},
    {"traceback", TracebackOf},
    {"upvalueid", DebugUpvalueId},
    {"upvaluejoin", DebugUpvalueJoin},
    {nullptr, nullptr},
};

}  // namespace

bool OpenDebug(State& state) { return PushNewTable(state) && SetFunctions(state, kFunctions); }

}  // namespace neap::vm
