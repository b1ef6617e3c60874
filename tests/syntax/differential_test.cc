// SPDX-License-Identifier: MIT
//
// Thousands of random chunks, valid and mutated: the parser must accept what the reference
// implementation accepts, and refuse the others with the same words.
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "parser.h"
#include "program_generator.h"
#include "support/random.h"
#include "support/reference_lua.h"

namespace neap::testing {
namespace {

constexpr std::string_view kChunkName = "@chunk.lua";

// Texts go in and out with their lengths before them, since they hold any byte.
constexpr std::string_view kLoadScript = R"lua(
local input <close> = assert(io.open(arg[1], "rb"))
local name = input:read("l")
while true do
  local size = input:read("n", 1)
  if not size then break end
  local source = input:read(size)
  local chunk, message = load(source, name, "t")
  message = chunk and "" or message:gsub("\nstack traceback:.*", "")
  io.write(#message, "\n", message)
end
)lua";

// Runs load() in the main chunk of a script, once for all sources; "" where one is accepted.
std::vector<std::string> LoadAll(const ReferenceLua& lua, const std::vector<std::string>& sources) {
  std::string input(kChunkName);
  input += "\n";
  for (const std::string& source : sources) {
    input += std::to_string(source.size()) + "\n" + source + "\n";
  }
  const std::string output = lua.Run(kLoadScript, input);
  std::vector<std::string> messages;
  for (size_t at = 0; at < output.size();) {
    const size_t line_end = output.find('\n', at);
    const size_t size = std::stoul(output.substr(at, line_end - at));
    messages.push_back(output.substr(line_end + 1, size));
    at = line_end + 1 + size;
  }
  REQUIRE(messages.size() == sources.size());
  return messages;
}

std::string MessageOf(const std::string& source) {
  const auto chunk = vm::Parse(source, kChunkName);
  return chunk.ok() ? "" : std::string(chunk.status().message());
}

// Limits of the reference's code generator, which a parser does not know.
bool IsCodeLimit(const std::string& message) {
  return message.find("too many registers") != std::string::npos ||
         message.find("control structure too long") != std::string::npos;
}

std::string WithoutCallLine(std::string message) {
  const size_t begin = message.find(" (to close '(' at line ");
  if (begin == std::string::npos) return message;
  return message.erase(begin, message.find(')', begin + 13) + 1 - begin);
}

struct Tally {
  int accepted = 0;
  int refused = 0;
};

Tally CompareAll(const ReferenceLua& lua, const std::vector<std::string>& sources) {
  const std::vector<std::string> expected = LoadAll(lua, sources);
  Tally tally;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (IsCodeLimit(expected[i])) continue;
    std::string theirs = expected[i];
    std::string ours = MessageOf(sources[i]);
    ++(theirs.empty() ? tally.accepted : tally.refused);
    // Releases before 5.4.6 give another line where they say what an argument list should close.
    if (lua.release() < 6) {
      theirs = WithoutCallLine(theirs);
      ours = WithoutCallLine(ours);
    }
    CAPTURE(sources[i]);
    CHECK(ours == theirs);
  }
  return tally;
}

TEST_SUITE_BEGIN("syntax");

TEST_CASE("random programs are accepted and refused as by the reference") {
  const ReferenceLua lua;
  if (!lua.is_installed()) return;
  Random random;
  ProgramGenerator generator(random);
  std::vector<std::string> sources;
  for (int i = 0; i < 4000; ++i) sources.push_back(generator.Program());
  const Tally tally = CompareAll(lua, sources);
  MESSAGE("accepted ", tally.accepted, ", refused ", tally.refused);
  CHECK(tally.accepted > 1000);
}

TEST_CASE("mutated programs are refused in the words of the reference") {
  const ReferenceLua lua;
  if (!lua.is_installed()) return;
  Random random;
  ProgramGenerator generator(random);
  std::vector<std::string> sources;
  for (int i = 0; i < 12000; ++i) sources.push_back(generator.MutatedProgram());
  const Tally tally = CompareAll(lua, sources);
  MESSAGE("accepted ", tally.accepted, ", refused ", tally.refused);
  CHECK(tally.refused > 5000);
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
