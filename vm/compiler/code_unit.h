// SPDX-License-Identifier: MIT
//
// A compiled function before it meets a heap: what the code generator makes, what a binary chunk
// holds, and what a Prototype keeps for debugging. Immutable once made.
#ifndef NEAP_VM_COMPILER_CODE_UNIT_H_
#define NEAP_VM_COMPILER_CODE_UNIT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "opcode.h"

namespace neap::vm {

// nil, boolean, integer, float, string. Equal constants of one function are one constant; floats
// are equal when their bits are.
using Constant = std::variant<std::monostate, bool, int64_t, double, std::string>;

struct UpvalueInfo {
  std::string name;  // empty: stripped
  bool is_parent_local;
  uint8_t index;  // register or upvalue of the parent
};

struct LocalInfo {
  std::string name;
  uint32_t begin;  // first instruction where it is in scope
  uint32_t end;    // first instruction where it is not any more
  uint8_t slot;
};

// A table constructor whose fields are constant strings, each once (kNewRecord).
struct RecordTemplate {
  std::vector<uint32_t> keys;  // constants, in the order of the registers
};

struct CodeUnit {
  std::vector<Instruction> code;
  std::vector<Constant> constants;
  std::vector<std::unique_ptr<CodeUnit>> children;
  std::vector<RecordTemplate> templates;
  std::vector<UpvalueInfo> upvalues;
  std::vector<LocalInfo> locals;  // in the order of `begin`; empty: stripped
  std::vector<uint32_t> lines;    // of each instruction; empty: stripped
  std::string source;             // chunk name as given to load ("@file", "=name", text); the main
                                  // function's only, empty in children; "=?" when stripped
  uint32_t caches = 0;            // words of inline cache
  uint32_t line = 0;              // of `function`; 0 for a main chunk
  uint32_t last_line = 0;         // of its `end`
  uint8_t parameters = 0;
  uint8_t registers = 2;  // the most in use at a time
  bool is_vararg = false;
};

}  // namespace neap::vm

#endif  // NEAP_VM_COMPILER_CODE_UNIT_H_
