// SPDX-License-Identifier: MIT
//
// The operands of an instruction one by one, as the table in opcode.h names them: what the lister
// prints and the checker checks.
//
//   OperandReader reader(instruction);
//   while (std::optional<CodeOperand> operand = reader.Next()) ...
#ifndef NEAP_VM_COMPILER_OPERAND_READER_H_
#define NEAP_VM_COMPILER_OPERAND_READER_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "opcode.h"

namespace neap::vm {

struct CodeOperand {
  enum class Kind : uint8_t {
    kRegister,
    kNumber,  // a count, a flag, an integer: what the instruction makes of it
    kConstant,
    kUpvalue,
    kTemplate,
    kChild,
    kCache,
    kJump,
  };
  Kind kind;
  int64_t value;
};

class OperandReader {
 public:
  explicit OperandReader(Instruction instruction)
      : instruction_(instruction), rest_(OpOperands(instruction.op)) {}

  std::optional<CodeOperand> Next();

 private:
  CodeOperand::Kind RegisterOrNumber(char field) const;
  CodeOperand::Kind WideKind(std::string_view name) const;
  int64_t Field(char field) const;

  const Instruction instruction_;
  std::string_view rest_;
  int position_ = 0;
};

}  // namespace neap::vm

#endif  // NEAP_VM_COMPILER_OPERAND_READER_H_
