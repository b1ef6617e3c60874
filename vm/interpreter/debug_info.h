// SPDX-License-Identifier: MIT
//
// What is known about functions, frames and variables: for error messages, tracebacks, and the
// debug library. Names come from the bytecode: a value in a register is called after the
// instruction that put it there (debug_names.cc says how).
//
//   level 0 is the running function, 1 its caller, and so on; a coroutine's lowest frame that runs
//   no function (the host's) has no level.
//
// No function here is a safepoint; the results are copies outside the heap.
#ifndef NEAP_VM_INTERPRETER_DEBUG_INFO_H_
#define NEAP_VM_INTERPRETER_DEBUG_INFO_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/coroutine.h"
#include "interpreter/function_code.h"

namespace neap::vm {

class State;

// How a function was called, or what a variable is: kind "global", "local", "field", ...; no kind,
// nothing is known. `name` may be a text of the source with any bytes.
struct NameInfo {
  const char* kind = "";
  std::string name;

  bool is_known() const { return *kind != '\0'; }
  // " (local 'x')", or "".
  std::string InParentheses() const;
};

struct DebugInfo {
  NameInfo name;             // of the function, as it was called
  const char* what = "C";    // "Lua", "C", "main"
  std::string source;        // the chunk name; "=[C]" for native functions
  std::string short_source;  // as messages say it
  int64_t current_line = -1;
  int64_t line_defined = -1;
  int64_t last_line_defined = -1;
  int upvalues = 0;
  int parameters = 0;
  bool is_vararg = true;
  bool is_tail_call = false;
  int first_transferred = 0;  // in call and return hooks: arguments or results, as locals
  int transferred = 0;
};

// --- Frames (debug_info.cc) ----------------------------------------------------------------------

// False: there is no such level.
[[nodiscard]] bool FindFrame(const Coroutine* co, int64_t level, uint32_t* index);
void DescribeFrame(const Coroutine* co, uint32_t index, DebugInfo* info);
// Of a function that does not run (source, what, lines, counts).
void DescribeFunction(Value function, DebugInfo* info);
Value FunctionOf(const Coroutine* co, uint32_t index);
// The line of the instruction the frame is at; -1: native, or stripped.
int64_t CurrentLine(const Frame& frame);
// "chunk:line: " of the Lua function at the level; "" for a native or stripped one. (Runtime errors
// of stripped functions say "?:-1:" instead.)
std::string PositionAt(const Coroutine* co, int64_t level);
// What messages call the chunk of the function.
std::string ShortSource(const FunctionCode& code);

struct LocalSlot {
  std::string name;    // "(temporary)" and the like for values without one; empty: no such local
  uint32_t index = 0;  // in the coroutine's stack
};
// Local `n` of the frame, from 1; negative: an extra argument.
LocalSlot FindLocal(const Coroutine* co, uint32_t index, int64_t n);
// The name of parameter `n` of a Lua function, or "".
std::string ParameterName(const FunctionCode& code, int64_t n);
// Lines with code on them; not of the preparation of extra arguments.
std::vector<uint32_t> ActiveLines(const FunctionCode& code);

// --- Names (debug_names.cc) ----------------------------------------------------------------------

// How the function of frame `index` was called.
NameInfo NameOfCall(const Coroutine* co, uint32_t index);
// What the instruction at `at` calls: the function named in a call, the metamethod of another one.
NameInfo CalledBy(const FunctionCode& code, const Instruction* at);
// The local variable that is in the register at that instruction, or "".
std::string LocalName(const FunctionCode& code, uint32_t pc, int reg);

// For "attempt to ... a nil value (local 'x')": text with a space in front, or "". `at` is the
// instruction that fails (not the next one).
std::string DescribeRegister(const FunctionCode& code, const Instruction* at, int reg);
std::string DescribeUpvalue(const FunctionCode& code, int upvalue);
// A string constant as an operand.
std::string DescribeConstant(const FunctionCode& code, int constant);
// Of the value that the call instruction at `at` cannot call.
std::string DescribeCalled(const FunctionCode& code, const Instruction* at);

// --- Texts (debug_traceback.cc) ------------------------------------------------------------------

// "string.rep": the name of the function as a field of a loaded module; "print" for `_G.print`; "".
std::string GlobalFunctionName(State& state, Value function);
// The frames of `of` from `level` on; `message` is the first line, if there is one.
std::string Traceback(State& state, const Coroutine* of, const std::string* message, int64_t level);
// "bad argument #1 to 'f' (...)" for the native function that runs; methods do not count `self`.
std::string ArgumentErrorText(State& state, int argument, std::string_view message);

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_DEBUG_INFO_H_
