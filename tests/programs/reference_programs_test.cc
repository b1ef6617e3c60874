// SPDX-License-Identifier: MIT
//
// Written programs (program_writer.h) print here what they print in the reference implementation,
// messages of errors included. Program N of a run is that of seed --seed + N: a failing one is
// repeated alone by giving its seed, and it is written into a file.
//
// Debian's lua5.4 is 5.4.4. What it does otherwise than 5.4.8 is not written: calls whose function
// and arguments stand in different lines, and lines of divisions by a constant 0; nor what its
// build adds (a __le made of __lt), nor what the C compiler decides (which argument of math.fmod is
// looked at first), names that it cuts off at a zero byte, nor how utf8.codes words that a text
// begins amid a character.
#include <filesystem>
#include <fstream>
#include <string>

#include "doctest/doctest.h"
#include "programs/program_writer.h"
#include "support/reference_lua.h"
#include "support/seed.h"
#include "vm/api_fixture.h"

namespace neap::testing {
namespace {

constexpr uint64_t kQuickPrograms = 100;
constexpr uint64_t kSlowPrograms = 6000;

// Both run this, with the same names in messages.
constexpr std::string_view kRun = "print(pcall(assert(load(program, '=program'))))";

std::string RunHere(const std::string& program) {
  std::string printed;
  ApiVm vm;
  vm.Register("print", lua::Native([&](lua::Call& call) {
                for (int i = 1; i <= call.count(); ++i) {
                  const lua::Result<std::string> text = call.Get(i).ToDisplay();
                  if (!text.ok()) return call.Fail(text.error());
                  printed += (i > 1 ? "\t" : "") + *text;
                }
                printed += '\n';
                return true;
              }));
  vm.Set("program", program).Check();
  const auto result = vm.Run(kRun, "=run");
  if (!result.ok()) printed += "error: " + result.error().message;
  return printed;
}

std::string RunThere(const ReferenceLua& lua, const std::string& program) {
  return lua.Run("program = io.open(arg[1], 'rb'):read('a') " + std::string(kRun), program);
}

// The first line that differs, of both.
struct Difference {
  std::string here;
  std::string there;
};

Difference FirstDifference(const std::string& here, const std::string& there) {
  size_t line = 0;
  for (size_t i = 0; i < here.size() && i < there.size() && here[i] == there[i]; ++i) {
    if (here[i] == '\n') line = i + 1;
  }
  const auto rest = [&](const std::string& text) {
    return text.substr(line, text.find('\n', line) - line);
  };
  return {rest(here), rest(there)};
}

// A defect of 5.4.4: about once in 3,000 programs it finds no __close in the closing value of a
// generic loop (`closer('loop')`, which has one). 5.4.8 prints what is printed here (compared for
// seeds 5283 and 5571). Such programs are counted and said, not failed.
bool IsLostClosingValue(const Difference& lines) {
  return lines.here.starts_with("close loop") &&
         lines.there.find("attempt to call a nil value") != lines.there.npos;
}

void ComparePrograms(uint64_t first, uint64_t count) {
  const ReferenceLua lua;
  if (!lua.is_installed()) return;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const std::string program = ProgramOfSeed(seed);
    const std::string here = RunHere(program), there = RunThere(lua, program);
    if (here == there) continue;
    const Difference lines = FirstDifference(here, there);
    const auto path =
        std::filesystem::temp_directory_path() / ("neap-program-" + std::to_string(seed) + ".lua");
    std::ofstream(path, std::ios::binary) << program;
    if (IsLostClosingValue(lines)) {
      MESSAGE("--seed=", seed, ": the reference lost a closing value, ", path.string());
      continue;
    }
    FAIL_CHECK("--seed=", seed, ", written to ", path.string(), "\nhere:  ", lines.here,
               "\nthere: ", lines.there);
  }
}

TEST_SUITE_BEGIN("programs/quick");

TEST_CASE("written programs print what they print in the reference implementation") {
  ComparePrograms(Seed(), kQuickPrograms);
}

TEST_SUITE_END();
TEST_SUITE_BEGIN("programs/slow");

TEST_CASE("thousands of written programs print what they print in the reference implementation") {
  ComparePrograms(Seed() + kQuickPrograms, kSlowPrograms);
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
