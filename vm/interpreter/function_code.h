// SPDX-License-Identifier: MIT
//
// The code of a function in a heap: a CodeUnit, and what of it became heap values. Lies outside the
// heap, belongs to a Prototype, and goes with it.
#ifndef NEAP_VM_INTERPRETER_FUNCTION_CODE_H_
#define NEAP_VM_INTERPRETER_FUNCTION_CODE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "compiler/code_unit.h"
#include "compiler/opcode.h"
#include "objects/function.h"

namespace neap::vm {

struct FunctionCode {
  const Instruction* code = nullptr;
  Word* constants = nullptr;
  uint64_t* caches = nullptr;
  uint32_t code_size = 0;
  uint32_t constant_count = 0;
  uint32_t cache_count = 0;
  uint32_t upvalue_count = 0;
  uint8_t parameters = 0;
  uint8_t registers = 2;
  bool is_vararg = false;
  std::unique_ptr<const CodeUnit> unit;  // names, lines, constants as text; never null
  Word source = 0;                       // String: the chunk name; 0: "=?"
  std::vector<Word> children;            // Prototypes
  std::vector<Word> template_shapes;
  Prototype* owner = nullptr;
};

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_FUNCTION_CODE_H_
