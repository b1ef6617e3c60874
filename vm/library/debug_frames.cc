// SPDX-License-Identifier: MIT
//
// debug.getinfo, getlocal, setlocal: interpreter/debug_info.h as tables and values. A description
// is complete before the first table is made: no frame is looked at across a safepoint.
#include <string>

#include "interpreter/debug_info.h"
#include "library/debug_parts.h"
#include "library/native_setup.h"

namespace neap::vm {
namespace {

constexpr std::string_view kInfoOptions = "SlnrutLf";

struct Subject {
  DebugInfo info;
  std::vector<uint32_t> lines;
  bool has_lines = false;
  Value function;  // raw: pushed before the first safepoint
};

bool Wants(const std::string& options, char option) {
  return options.find(option) != std::string::npos;
}

bool SetSource(State& state, const DebugInfo& info) {
  return SetTextField(state, "source", info.source) &&
         SetTextField(state, "short_src", info.short_source) &&
         SetIntegerField(state, "linedefined", info.line_defined) &&
         SetIntegerField(state, "lastlinedefined", info.last_line_defined) &&
         SetTextField(state, "what", info.what);
}

bool SetCounts(State& state, const DebugInfo& info) {
  return SetIntegerField(state, "nups", info.upvalues) &&
         SetIntegerField(state, "nparams", info.parameters) &&
         SetBooleanField(state, "isvararg", info.is_vararg);
}

bool SetName(State& state, const NameInfo& name) {
  if (name.is_known() && !SetTextField(state, "name", name.name)) return false;
  return SetTextField(state, "namewhat", name.kind);
}

bool SetTransfer(State& state, const DebugInfo& info) {
  return SetIntegerField(state, "ftransfer", info.first_transferred) &&
         SetIntegerField(state, "ntransfer", info.transferred);
}

bool SetLines(State& state, const Subject& subject) {
  if (!subject.has_lines) return true;
  if (!PushNewTable(state)) return false;
  for (const uint32_t line : subject.lines) {
    Table* table = AsTable(state.FromTop(1));
    if (!RawSetInteger(state.objects(), table, line, Value::Boolean(true))) {
      return state.MemoryError();
    }
  }
  return SetFieldFromTop(state, "activelines");
}

// The table is on top, the function right below it.
bool FillTable(State& state, const Subject& subject, const std::string& options) {
  const DebugInfo& info = subject.info;
  if (Wants(options, 'S') && !SetSource(state, info)) return false;
  if (Wants(options, 'l') && !SetIntegerField(state, "currentline", info.current_line)) {
    return false;
  }
  if (Wants(options, 'u') && !SetCounts(state, info)) return false;
  if (Wants(options, 'n') && !SetName(state, info.name)) return false;
  if (Wants(options, 'r') && !SetTransfer(state, info)) return false;
  if (Wants(options, 't') && !SetBooleanField(state, "istailcall", info.is_tail_call)) {
    return false;
  }
  if (Wants(options, 'L') && !SetLines(state, subject)) return false;
  if (!Wants(options, 'f')) return true;
  state.Push(state.FromTop(2));
  return SetFieldFromTop(state, "func");
}

void FindLines(Subject* subject) {
  if (!IsLuaClosure(subject->function)) return;
  auto* closure = static_cast<LuaClosure*>(subject->function.object());
  subject->has_lines = true;
  subject->lines = ActiveLines(*closure->prototype->code);
}

// Argument i is a function or a level. False: there is no such level.
bool Describe(const ThreadArgument& thread, Value function, int64_t level, Subject* subject) {
  if (IsFunction(function)) {
    subject->function = function;
    DescribeFunction(function, &subject->info);
  } else {
    uint32_t index = 0;
    if (!FindFrame(thread.co, level, &index)) return false;
    subject->function = FunctionOf(thread.co, index);
    DescribeFrame(thread.co, index, &subject->info);
  }
  FindLines(subject);
  return true;
}

bool CheckOptions(NativeCall& call, int i, std::string* options) {
  String* text = nullptr;
  if (!call.OptString(i, &text)) return false;
  if (text != nullptr) *options = text->view();
  if (options->starts_with('>')) return call.ArgumentError(i, "invalid option '>'");
  return true;
}

// Stores into the stack of a coroutine, which may not run (K2).
void WriteStack(State& state, Coroutine* co, uint32_t index, Value v) {
  if (!co->in_chain()) LogStack(state.mutator(), co);
  co->stack[index] = v.word();
}

NativeResult ReturnParameterName(NativeCall& call, Value function, int64_t n) {
  if (!IsLuaClosure(function)) return call.ReturnValue(Value::Nil());
  auto* closure = static_cast<LuaClosure*>(function.object());
  const std::string name = ParameterName(*closure->prototype->code, n);
  if (name.empty()) return call.ReturnValue(Value::Nil());
  return call.ReturnIf(call.PushString(name));
}

bool CheckFrame(NativeCall& call, const ThreadArgument& thread, int64_t level, uint32_t* index) {
  if (FindFrame(thread.co, level, index)) return true;
  return call.ArgumentError(thread.taken + 1, "level out of range");
}

}  // namespace

NativeResult DebugGetInfo(NativeCall& call) {
  std::string options = "flnSrtu";
  if (!CheckOptions(call, OptThread(call).taken + 2, &options)) return call.Failed();
  const ThreadArgument thread = OptThread(call);
  const int first = thread.taken + 1;
  int64_t level = 0;
  if (!IsFunction(call.arg(first)) && !call.CheckInteger(first, &level)) return call.Failed();
  Subject subject;
  if (!Describe(thread, call.arg(first), level, &subject)) return call.ReturnValue(Value::Nil());
  if (options.find_first_not_of(kInfoOptions) != std::string::npos) {
    return call.ReturnIf(call.ArgumentError(first + 1, "invalid option"));
  }
  call.Push(subject.function);
  return call.ReturnIf(PushNewTable(call.state()) && FillTable(call.state(), subject, options));
}

NativeResult DebugGetLocal(NativeCall& call) {
  const ThreadArgument thread = OptThread(call);
  const int first = thread.taken + 1;
  int64_t n = 0;
  if (!call.CheckInteger(first + 1, &n)) return call.Failed();
  if (IsFunction(call.arg(first))) return ReturnParameterName(call, call.arg(first), n);
  int64_t level = 0;
  uint32_t index = 0;
  if (!call.CheckInteger(first, &level) || !CheckFrame(call, thread, level, &index)) {
    return call.Failed();
  }
  const LocalSlot local = FindLocal(thread.co, index, n);
  if (local.name.empty()) return call.ReturnValue(Value::Nil());
  const Value value = Value::FromWord(thread.co->stack[local.index]);
  call.Push(value);
  if (!call.PushString(local.name)) return call.Failed();
  call.Push(call.top(2));
  return call.Return(2);
}

NativeResult DebugSetLocal(NativeCall& call) {
  const ThreadArgument thread = OptThread(call);
  const int first = thread.taken + 1;
  int64_t level = 0;
  int64_t n = 0;
  uint32_t index = 0;
  if (!call.CheckInteger(first, &level) || !call.CheckInteger(first + 1, &n) ||
      !CheckFrame(call, thread, level, &index) || !call.CheckAny(first + 2)) {
    return call.Failed();
  }
  const LocalSlot local = FindLocal(thread.co, index, n);
  if (local.name.empty()) return call.ReturnValue(Value::Nil());
  WriteStack(call.state(), thread.co, local.index, call.arg(first + 2));
  return call.ReturnIf(call.PushString(local.name));
}

}  // namespace neap::vm
