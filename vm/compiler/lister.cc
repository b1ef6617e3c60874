// SPDX-License-Identifier: MIT
#include "lister.h"

#include <vector>

#include "operand_reader.h"
#include "quoted_text.h"
#include "text/concat.h"
#include "text/number.h"

namespace neap::vm {
namespace {

constexpr size_t kMaxShownBytes = 40;  // of a string
constexpr size_t kNameColumns = 18;
constexpr size_t kOperandColumns = 16;
constexpr int kExactDigits = 17;  // a float reads back as it was

std::string ConstantText(const Constant& constant) {
  if (const auto* text = std::get_if<std::string>(&constant))
    return QuotedText(*text, kMaxShownBytes);
  std::string text = "nil";
  if (const auto* flag = std::get_if<bool>(&constant)) {
    text = *flag ? "true" : "false";
  } else if (const auto* integer = std::get_if<int64_t>(&constant)) {
    text = std::to_string(*integer);
  } else if (const auto* real = std::get_if<double>(&constant)) {
    text.clear();
    AppendFloat(*real, &text, kExactDigits);
  }
  return text;
}

std::string Padded(std::string text, size_t columns) {
  if (text.size() < columns) text.resize(columns, ' ');
  return text;
}

class Listing {
 public:
  std::string List(const CodeUnit& main) {
    std::vector<const CodeUnit*> units = {&main};
    while (!units.empty()) {
      const CodeUnit& unit = *units.back();
      units.pop_back();
      for (size_t i = unit.children.size(); i > 0; --i) units.push_back(unit.children[i - 1].get());
      AddUnit(unit);
    }
    return std::move(text_);
  }

 private:
  void AddUnit(const CodeUnit& unit) {
    if (!text_.empty()) text_ += "\n";
    text_ += Concat("function ", unit.line, "-", unit.last_line, ", ", unit.parameters,
                    " parameters", unit.is_vararg ? ", vararg" : "", ", ", unit.registers,
                    " registers, ", unit.upvalues.size(), " upvalues, ", unit.constants.size(),
                    " constants, ", unit.caches, " cache words\n");
    for (size_t pc = 0; pc < unit.code.size(); ++pc) AddInstruction(unit, pc);
  }

  void AddInstruction(const CodeUnit& unit, size_t pc) {
    const Instruction instruction = unit.code[pc];
    const std::string line = unit.lines.empty() ? "?" : std::to_string(unit.lines[pc]);
    std::string operands;
    std::string comment;
    OperandReader reader(instruction);
    while (const std::optional<CodeOperand> operand = reader.Next()) {
      operands += Concat(operands.empty() ? "" : " ", operand->value);
      const std::string meaning = Meaning(unit, pc, *operand);
      if (!meaning.empty()) comment += Concat(comment.empty() ? "; " : " ", meaning);
    }
    std::string text = Concat(Padded(Concat("  ", pc, " [", line, "]"), 14),
                              Padded(OpName(instruction.op), kNameColumns));
    if (comment.empty()) {
      text += operands;
    } else {
      text += Concat(Padded(std::move(operands), kOperandColumns), comment);
    }
    while (text.back() == ' ') text.pop_back();
    text_ += Concat(text, "\n");
  }

  static std::string Meaning(const CodeUnit& unit, size_t pc, const CodeOperand& operand) {
    using Kind = CodeOperand::Kind;
    const auto index = static_cast<size_t>(operand.value);
    switch (operand.kind) {
      case Kind::kConstant:
        return ConstantText(unit.constants[index]);
      case Kind::kUpvalue:
        return unit.upvalues[index].name;
      case Kind::kJump:
        return Concat("to ", static_cast<int64_t>(pc) + 1 + operand.value);
      case Kind::kChild:
        return Concat("function ", unit.children[index]->line, "-",
                      unit.children[index]->last_line);
      case Kind::kTemplate: {
        std::string keys;
        for (const uint32_t key : unit.templates[index].keys) {
          keys += Concat(keys.empty() ? "{" : " ", ConstantText(unit.constants[key]));
        }
        return keys + "}";
      }
      default:
        return "";
    }
  }

  std::string text_;
};

}  // namespace

std::string ListCode(const CodeUnit& unit) { return Listing().List(unit); }

}  // namespace neap::vm
