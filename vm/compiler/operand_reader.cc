// SPDX-License-Identifier: MIT
#include "operand_reader.h"

#include <algorithm>

namespace neap::vm {

int64_t OperandReader::Field(char field) const {
  switch (field) {
    case 'a':
      return instruction_.a;
    case 'b':
      return instruction_.b;
    case 'c':
      return instruction_.c;
    case 'd':
      return instruction_.d;
    default:
      return instruction_.x;
  }
}

// Some letters name no register: they count them, or are a flag.
CodeOperand::Kind OperandReader::RegisterOrNumber(char field) const {
  const Op op = instruction_.op;
  const bool is_count = field == 'a' && (op == Op::kLoop || op == Op::kVarargPrepare);
  const bool is_flag = field == 'c' && (op == Op::kReturn || op == Op::kTailCall);
  const bool is_order = field == 'd';
  return is_count || is_flag || is_order ? CodeOperand::Kind::kNumber
                                         : CodeOperand::Kind::kRegister;
}

CodeOperand::Kind OperandReader::WideKind(std::string_view name) const {
  if (instruction_.op == Op::kClosure) return CodeOperand::Kind::kChild;
  const bool is_jump = name == "sx" && instruction_.op != Op::kLoadInteger;
  return is_jump ? CodeOperand::Kind::kJump : CodeOperand::Kind::kNumber;
}

std::optional<CodeOperand> OperandReader::Next() {
  using Kind = CodeOperand::Kind;
  if (rest_.empty()) return std::nullopt;
  const size_t end = std::min(rest_.find(' '), rest_.size());
  const std::string_view name = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  const char place = "abcd"[position_++];
  if (name == "n") return CodeOperand{Kind::kNumber, Field(place)};
  if (name == "cache") return CodeOperand{Kind::kCache, instruction_.d};
  if (name == "x") return CodeOperand{WideKind(name), instruction_.x};
  if (name == "sx") return CodeOperand{WideKind(name), instruction_.sx};
  const char field = name.back();
  switch (name.front()) {
    case 'K':
      return CodeOperand{Kind::kConstant, Field(field)};
    case 'U':
      return CodeOperand{Kind::kUpvalue, Field(field)};
    case 'T':
      return CodeOperand{Kind::kTemplate, Field(field)};
    default:
      return CodeOperand{RegisterOrNumber(field), Field(field)};
  }
}

}  // namespace neap::vm
