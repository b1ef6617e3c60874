// SPDX-License-Identifier: MIT
#include "compile_source.h"

#include <algorithm>

#include "code_checker.h"
#include "code_generator.h"
#include "doctest/doctest.h"
#include "liveness.h"
#include "operand_reader.h"
#include "parser.h"
#include "text/concat.h"

namespace neap::testing {
namespace {

constexpr size_t kAnalysedInstructions = 20000;

}  // namespace

std::unique_ptr<vm::CodeUnit> Compile(std::string_view source) {
  CAPTURE(source.substr(0, 1000));
  auto chunk = vm::Parse(source, "=t");
  REQUIRE(chunk.status().message() == "");
  auto unit = vm::GenerateCode(**chunk);
  REQUIRE(unit.status().message() == "");
  REQUIRE(vm::CheckCode(**unit).message() == "");
  if ((*unit)->code.size() < kAnalysedInstructions) REQUIRE(FindLiveAboveLimit(**unit) == "");
  return *std::move(unit);
}

std::string CompileError(std::string_view source) {
  auto chunk = vm::Parse(source, "=t");
  REQUIRE(chunk.status().message() == "");
  return std::string(vm::GenerateCode(**chunk).status().message());
}

std::string Code(const vm::CodeUnit& unit) {
  std::string text;
  for (const vm::Instruction& instruction : unit.code) {
    const bool is_first = &instruction == &unit.code.front();
    const bool is_last = &instruction == &unit.code.back();
    if (is_first && instruction.op == vm::Op::kVarargPrepare) continue;
    if (is_last && instruction.op == vm::Op::kReturn0) continue;
    text += vm::OpName(instruction.op);
    vm::OperandReader reader(instruction);
    while (const auto operand = reader.Next()) text += vm::Concat(" ", operand->value);
    text += "\n";
  }
  return text;
}

std::string Code(std::string_view source) { return Code(*Compile(source)); }

int Count(const vm::CodeUnit& unit, vm::Op op) {
  return static_cast<int>(
      std::count_if(unit.code.begin(), unit.code.end(),
                    [op](const vm::Instruction& instruction) { return instruction.op == op; }));
}

}  // namespace neap::testing
