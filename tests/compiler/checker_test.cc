// SPDX-License-Identifier: MIT
//
// What the generator makes of any program is sound, and the checker refuses what is not.
#include <algorithm>
#include <string>

#include "code_checker.h"
#include "code_generator.h"
#include "compile_source.h"
#include "doctest/doctest.h"
#include "liveness.h"
#include "parser.h"
#include "program_generator.h"
#include "support/random.h"
#include "support/seed.h"

namespace neap::testing {
namespace {

using vm::CodeUnit;
using vm::Op;

TEST_SUITE_BEGIN("compiler");

TEST_CASE("random programs compile to sound code") {
  Random random(Seed());
  int compiled = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string source = ProgramGenerator(random).Program();
    CAPTURE(source);
    const auto chunk = vm::Parse(source, "=t");
    if (!chunk.ok()) continue;
    const auto unit = vm::GenerateCode(**chunk);
    if (!unit.ok()) continue;
    ++compiled;
    REQUIRE(vm::CheckCode(**unit).message() == "");
    REQUIRE(FindLiveAboveLimit(**unit) == "");
  }
  CHECK(compiled > 500);
}

// The first instruction of this kind.
vm::Instruction& Find(CodeUnit& unit, Op op) {
  const auto found = std::find_if(unit.code.begin(), unit.code.end(),
                                  [op](const vm::Instruction& in) { return in.op == op; });
  REQUIRE(found != unit.code.end());
  return *found;
}

std::string Problem(const CodeUnit& unit) {
  const std::string message(vm::CheckCode(unit).message());
  return message.substr(0, message.find(':'));
}

TEST_CASE("each rule is checked") {
  constexpr std::string_view kSource =
      "local t = {a = 1} for i = 1, 2 do t[i] = i + 1 end for k in t do print(k, ...) end "
      "return t.x < 2, function() return t end";
  const auto broken = [&](Op op, auto change) {
    const auto unit = Compile(kSource);
    change(Find(*unit, op), *unit);
    return Problem(*unit);
  };
  using In = vm::Instruction;
  CHECK(broken(Op::kGetField, [](In& in, CodeUnit&) { in.b = 200; }) == "V1");
  CHECK(broken(Op::kGetGlobal, [](In& in, CodeUnit&) { in.c = 999; }) == "V1");
  CHECK(broken(Op::kGetGlobal, [](In& in, CodeUnit&) { in.b = 1; }) == "V1");
  CHECK(broken(Op::kGetField, [](In&, CodeUnit& unit) { unit.caches = 1; }) == "V1");
  CHECK(broken(Op::kClosure, [](In& in, CodeUnit&) { in.x = 1; }) == "V1");
  CHECK(broken(Op::kNewRecord, [](In& in, CodeUnit&) { in.x = 7; }) == "V1");
  CHECK(broken(Op::kNewRecord, [](In&, CodeUnit& unit) { unit.templates[0].keys[0] = 99; }) ==
        "V1");
  CHECK(broken(Op::kAddK, [](In& in, CodeUnit&) { in.d = 2; }) == "C3");
  CHECK(broken(Op::kAddK, [](In&, CodeUnit& unit) {
          for (auto& constant : unit.constants) constant = std::string("x");
        }) == "C2");
  CHECK(broken(Op::kReturn, [](In&, CodeUnit& unit) { unit.code.back().op = Op::kLoadTrue; }) ==
        "V2");
  CHECK(broken(Op::kGenericLoop, [](In& in, CodeUnit&) { in.sx = -100; }) == "V2");
  CHECK(broken(Op::kVararg, [](In& in, CodeUnit&) { in.b = 2; }) == "V3");
  CHECK(broken(Op::kVarargPrepare, [](In& in, CodeUnit&) { in.op = Op::kReturn0; }) == "V4");
  CHECK(broken(Op::kForPrepare, [](In& in, CodeUnit&) { in.sx -= 1; }) == "V5");
  CHECK(broken(Op::kGenericPrepare, [](In& in, CodeUnit&) { in.sx -= 1; }) == "V5");
  CHECK(broken(Op::kClosure,
               [](In&, CodeUnit& unit) { unit.children[0]->upvalues[0].index = 255; }) == "V6");
}

TEST_CASE("variables are closed on every way out of a function") {
  constexpr std::string_view kSource =
      "local a, x for i = 1, 2 do local b <close> = a x = function() return i + #x end end "
      "do local c <close> = x end return x, ...";
  const auto broken = [&](Op op, auto change) {
    const auto unit = Compile(kSource);
    REQUIRE(Problem(*unit) == "");
    change(Find(*unit, op), *unit);
    return Problem(*unit);
  };
  using In = vm::Instruction;
  CHECK(broken(Op::kReturn, [](In& in, CodeUnit&) { in.c = 0; }) == "V7");
  CHECK(broken(Op::kToBeClosed, [](In&, CodeUnit& unit) {
          for (In& in : unit.code) {
            if (in.op == Op::kClose) in.a = 0, in.op = Op::kLoadNil, in.b = 1;
          }
        }) == "V8");
  CHECK(broken(Op::kVarargPrepare, [](In&, CodeUnit& unit) {
          auto& loop = Find(unit, Op::kForLoop);
          const auto at = static_cast<int32_t>(&loop - unit.code.data());
          loop = In{.op = Op::kJump, .a = 0, .b = 0, .x = 0};
          loop.sx = -at - 1;
        }) != "");
}

TEST_CASE("the elements of a constructor are numbered without overflow") {
  const auto unit = Compile("return {1, 2, ...}");
  REQUIRE(Problem(*unit) == "");
  Find(*unit, Op::kSetList).x = UINT32_MAX;
  CHECK(Problem(*unit) == "V1");
}

TEST_CASE("inline caches belong to one instruction each") {
  const auto unit = Compile("return x.a, y.b");
  REQUIRE(Problem(*unit) == "");
  Find(*unit, Op::kGetField).d = Find(*unit, Op::kGetGlobal).d + 1;
  CHECK(Problem(*unit) == "V9");
}

TEST_CASE("no garbage makes the checker fail itself") {
  Random random(Seed());
  for (int i = 0; i < 20000; ++i) {
    const auto unit = Compile(
        "local t = {a = 1} for i = 1, 2 do t[i] = -i + 1 end "
        "for k in t do print(k, {...}) end return t.x < 2");
    for (uint64_t changes = random.Below(6) + 1; changes > 0; --changes) {
      auto* bytes = reinterpret_cast<unsigned char*>(unit->code.data());
      const uint64_t place = random.Below(unit->code.size() * sizeof(vm::Instruction));
      bytes[place] =
          static_cast<unsigned char>(random.Below(4) == 0 ? random.Below(256) : random.Below(96));
    }
    if (random.Below(8) == 0) unit->code.resize(random.Below(unit->code.size()));
    if (random.Below(8) == 0) unit->registers = static_cast<uint8_t>(random.Below(4));
    if (random.Below(8) == 0) unit->constants.resize(random.Below(3));
    // Either answer is right; what counts is that there is one. Sound code can be analysed.
    if (vm::CheckCode(*unit).ok()) FindLiveAboveLimit(*unit);
  }
}

}  // namespace
}  // namespace neap::testing
