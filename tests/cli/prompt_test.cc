// SPDX-License-Identifier: MIT
//
// The prompt, with lines from a pipe: -i asks for it where no terminal is.
#include <doctest/doctest.h>

#include "run_program.h"

namespace neap::cli_test {
namespace {

// What follows the line of the version on standard output.
ProgramRun Ask(const std::string& input, std::vector<std::string> words = {"-i"},
               const std::vector<std::string>& environment = {}) {
  ProgramRun run = RunNeap(words, environment, input);
  CHECK(run.status == 0);
  CHECK(run.out.starts_with("neap "));
  run.out.erase(0, run.out.find('\n') + 1);
  return run;
}

TEST_CASE("values of expressions are printed, statements are run") {
  const ProgramRun run = Ask("1 + 1, 'x'\n=3\nx = 5\nx\n\nlocal y = 1\ny\n");
  CHECK(run.out == "> 2\tx\n> 3\n> > 5\n> > > nil\n> \n");
  CHECK(run.err == "");
}

TEST_CASE("a chunk goes on in the next lines until it is complete") {
  const ProgramRun run = Ask("for i = 1, 2 do\nprint(i)\nend\nreturn 1 +\n\n2\nreturn 'a\\\nb'\n");
  CHECK(run.out == "> >> >> 1\n2\n> >> >> 3\n> >> a\nb\n> \n");
}

TEST_CASE("input that ends within a chunk is an error of syntax") {
  const ProgramRun run = Ask("for i = 1, 2 do\n");
  CHECK(run.out == "> >> > \n");
  CHECK(run.err == "stdin:1: 'end' expected near <eof>\n");
}

TEST_CASE("errors have no name in front, and the prompt goes on") {
  const ProgramRun run = Ask("error('no')\nx = = 1\nprint('on')\n");
  CHECK(run.err ==
        "stdin:1: no\nstack traceback:\n\t[C]: in function 'error'\n\tstdin:1: in main chunk\n"
        "\t[C]: in ?\nstdin:1: unexpected symbol near '='\n");
  CHECK(run.out == "> > > on\n> \n");
}

TEST_CASE("_PROMPT and _PROMPT2 are the prompts, by tostring") {
  const ProgramRun run = Ask(
      "do\nend\n_PROMPT2 = setmetatable({}, {__tostring = function() return '2 ' end})\ndo\nend\n",
      {"-e", "_PROMPT = '1 ' _PROMPT2 = 12", "-i"});
  CHECK(run.out == "1 121 1 2 1 \n");
}

TEST_CASE("a broken print is told") {
  const ProgramRun run = Ask("print = 1\n2\n");
  CHECK(run.err.starts_with("error calling 'print' ("));
}

TEST_CASE("-i comes after the script, whose globals are there") {
  const std::string script = WriteScratch("before.lua", "before = ...");
  CHECK(Ask("before\n", {"-i", script, "argument"}).out == "> argument\n> \n");
}

TEST_CASE("after Ctrl-C the prompt goes on, and captured variables are whole") {
  const ProgramRun run = Ask(R"(id = io.open("/proc/self/stat"):read("n")
do local v <close> = setmetatable({}, {__close = print}); local x = "kept"
  f = function() return x end
  io.popen("kill -INT " .. id):close() while true do end end
local a, b, c, d <close> = 1, 2, 3, nil
f()
)");
  CHECK(run.out == "> > >> >> > > kept\n> \n");
  CHECK(run.err == "interrupted!\n");
}

TEST_CASE("no history is written without a terminal") {
  const std::string history = ScratchPath("history");
  Ask("1\n", {"-i"}, {"NEAP_HISTORY=" + history});
  CHECK(ReadFile(history) == "");
}

}  // namespace
}  // namespace neap::cli_test
