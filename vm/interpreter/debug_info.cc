// SPDX-License-Identifier: MIT
//
// Frames and functions, described (debug_info.h).
//
// A frame's `pc` is the next instruction, so the one it is at is the one before; a frame that has
// not begun is at its first. Locals are registers: the variable in scope in register n - 1 is local
// n. Registers above, up to what the next frame begins with, are temporary values.
#include "interpreter/debug_info.h"

#include <algorithm>

#include "chunk_id.h"
#include "objects/lua_string.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

uint32_t CurrentPc(const Frame& frame) {
  return frame.pc == frame.code->code ? 0 : static_cast<uint32_t>(frame.pc - frame.code->code - 1);
}

std::string SourceOf(const FunctionCode& code) {
  if (code.source == 0) return "=?";
  return std::string(AsString(Value::FromWord(code.source))->view());
}

// One past the last value of the frame.
uint32_t EndOf(const Coroutine* co, uint32_t index) {
  if (index + 1 < co->frame_count) return co->frames[index + 1].function;
  const Frame& frame = co->frames[index];
  return frame.code == nullptr ? frame.top : frame.base + frame.code->registers;
}

// The name of what is in register `reg`: a hidden variable of a loop when there is no name for it
// but a variable above.
std::string RegisterName(const FunctionCode& code, uint32_t pc, int reg) {
  std::string name = LocalName(code, pc, reg);
  if (!name.empty()) return name;
  for (const LocalInfo& local : code.unit->locals) {
    if (local.begin <= pc && pc < local.end && local.slot > reg) return "(for state)";
  }
  return "";
}

LocalSlot FindExtraArgument(const Frame& frame, int64_t n) {
  const int64_t extra = frame.code != nullptr ? frame.varargs : 0;
  if (n < -extra) return {};
  return {"(vararg)", static_cast<uint32_t>(frame.base - 1 - extra - (n + 1))};
}

void DescribeLua(const FunctionCode& code, DebugInfo* info) {
  const CodeUnit& unit = *code.unit;
  info->source = SourceOf(code);
  info->short_source = ChunkId(info->source);
  info->what = unit.line == 0 ? "main" : "Lua";
  info->line_defined = unit.line;
  info->last_line_defined = unit.line == 0 ? 0 : int64_t{unit.last_line};
  info->upvalues = static_cast<int>(code.unit->upvalues.size());
  info->parameters = code.parameters;
  info->is_vararg = code.is_vararg;
}

}  // namespace

Value FunctionOf(const Coroutine* co, uint32_t index) {
  return Value::FromWord(co->stack[co->frames[index].function]);
}

bool FindFrame(const Coroutine* co, int64_t level, uint32_t* index) {
  if (level < 0 || level >= int64_t{co->frame_count}) return false;
  *index = static_cast<uint32_t>(co->frame_count - 1 - level);
  return *index != 0 || IsFunction(FunctionOf(co, 0));
}

int64_t CurrentLine(const Frame& frame) {
  if (frame.code == nullptr) return -1;
  const auto& lines = frame.code->unit->lines;
  const uint32_t pc = CurrentPc(frame);
  return pc < lines.size() ? int64_t{lines[pc]} : -1;
}

std::string ShortSource(const FunctionCode& code) { return ChunkId(SourceOf(code)); }

std::string PositionAt(const Coroutine* co, int64_t level) {
  uint32_t index = 0;
  if (!FindFrame(co, level, &index)) return "";
  const Frame& frame = co->frames[index];
  if (frame.code == nullptr) return "";
  const int64_t line = CurrentLine(frame);
  return line > 0 ? Concat(ShortSource(*frame.code), ":", line, ": ") : "";
}

void DescribeFunction(Value function, DebugInfo* info) {
  if (IsLuaClosure(function)) {
    auto* closure = static_cast<LuaClosure*>(function.object());
    DescribeLua(*closure->prototype->code, info);
    return;
  }
  info->source = "=[C]";
  info->short_source = "[C]";
  info->what = "C";
  if (IsNativeClosure(function)) {
    info->upvalues = static_cast<NativeClosure*>(function.object())->value_count();
  }
}

void DescribeFrame(const Coroutine* co, uint32_t index, DebugInfo* info) {
  const Frame& frame = co->frames[index];
  DescribeFunction(FunctionOf(co, index), info);
  info->name = NameOfCall(co, index);
  info->current_line = CurrentLine(frame);
  info->is_tail_call = (frame.flags & kFrameTail) != 0;
  const bool is_hooked =
      co->in_hook && index + 1 < co->frame_count && (co->frames[index + 1].flags & kFrameHook) != 0;
  if (!is_hooked) return;
  info->first_transferred = static_cast<int>(co->first_transferred);
  info->transferred = static_cast<int>(co->transferred);
}

LocalSlot FindLocal(const Coroutine* co, uint32_t index, int64_t n) {
  const Frame& frame = co->frames[index];
  if (n < 0) return FindExtraArgument(frame, n);
  if (n == 0 || n > int64_t{EndOf(co, index)} - frame.base) return {};
  const auto slot = static_cast<uint32_t>(frame.base + n - 1);
  if (frame.code == nullptr) return {"(C temporary)", slot};
  std::string name;
  if (n <= kMaxRegisters) {
    name = RegisterName(*frame.code, CurrentPc(frame), static_cast<int>(n - 1));
  }
  return {name.empty() ? "(temporary)" : name, slot};
}

std::string ParameterName(const FunctionCode& code, int64_t n) {
  if (n < 1 || n > code.parameters) return "";
  return LocalName(code, 0, static_cast<int>(n - 1));
}

std::vector<uint32_t> ActiveLines(const FunctionCode& code) {
  const auto& lines = code.unit->lines;
  std::vector<uint32_t> active;
  if (lines.empty()) return active;
  active.assign(lines.begin() + (code.is_vararg ? 1 : 0), lines.end());
  std::sort(active.begin(), active.end());
  active.erase(std::unique(active.begin(), active.end()), active.end());
  return active;
}

}  // namespace neap::vm
