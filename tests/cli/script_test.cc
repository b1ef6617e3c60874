// SPDX-License-Identifier: MIT
//
// Scripts run by the program: options, `arg`, the environment, messages, exit statuses. The layouts
// are those of the stand-alone interpreter of Lua 5.4.
#include <doctest/doctest.h>

#include "run_program.h"

namespace neap::cli_test {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::string kTracebackOfCommandLine =
    "\nstack traceback:\n\t[C]: in function 'error'\n\t(command line):1: in main chunk\n\t[C]: in "
    "?\n";

std::string Program() { return NEAP_PROGRAM; }

TEST_CASE("a script gets its arguments as ... and in arg, with what stands before it") {
  const std::string script = WriteScratch("args.lua", R"(
    print(select('#', ...), ...)
    print(#arg, arg[0], arg[1], arg[2], arg[-1], arg[-2], arg[-3]))");
  ProgramRun run = RunNeap({script, "-e", "--gogc=x"});
  CHECK(run.status == 0);
  CHECK(run.err == "");
  CHECK(run.out ==
        "2\t-e\t--gogc=x\n2\t" + script + "\t-e\t--gogc=x\t" + Program() + "\tnil\tnil\n");
  run = RunNeap({"run", "-W", script, "a"});
  CHECK(run.out == "1\ta\n1\t" + script + "\ta\tnil\t-W\trun\t" + Program() + "\n");
  run = RunNeap({"--", script});
  CHECK(run.out == "0\n0\t" + script + "\tnil\tnil\t--\t" + Program() + "\tnil\n");
}

TEST_CASE("a script may change what it gets as ... before it runs") {
  const std::string script = WriteScratch("dots.lua", "print(...)");
  CHECK(RunNeap({"-e", "arg = {1, 2, 3}", script, "x"}).out == "1\t2\t3\n");
  const ProgramRun run = RunNeap({"-e", "arg = 1", script});
  CHECK(run.status == 1);
  CHECK(run.err == Program() + ": 'arg' is not a table\n");
}

TEST_CASE("without a script, or with -, standard input is the script") {
  CHECK(RunNeap({}, {}, "print(arg[0], ...)").out == Program() + "\n");
  CHECK(RunNeap({"-", "1", "2"}, {}, "#!neap\nprint(arg[0], ...)").out == "-\t1\t2\n");
  CHECK(RunNeap({"-e", "print(1)"}, {}, "print(2)").out == "1\n");
  CHECK(RunNeap({"-v"}, {}, "print(2)").out.find('\n') == RunNeap({"-v"}).out.size() - 1);
  const ProgramRun run = RunNeap({}, {}, "x = = 1");
  CHECK(run.status == 1);
  CHECK(run.err == Program() + ": stdin:1: unexpected symbol near '='\n");
}

TEST_CASE("-e, -l and -W are done in their order, glued or not") {
  const ProgramRun run = RunNeap({"-ex = 1", "-e", "print(x, s)", "-ls=string", "-l", "m=math",
                                  "-W", "-e", "print(s == string, m == math) warn('on')"});
  CHECK(run.status == 0);
  CHECK(run.out == "1\tnil\ntrue\ttrue\n");
  CHECK(run.err == "Lua warning: on\n");
}

TEST_CASE("-l requires a module; -E ignores LUA_PATH") {
  WriteScratch("mymodule.lua", "return {name = ..., 42}");
  const std::string path = "LUA_PATH=" + ScratchPath("?.lua");
  const std::vector<std::string> use = {"-lmymodule", "-e", "print(mymodule.name, mymodule[1])"};
  CHECK(RunNeap(use, {path}).out == "mymodule\t42\n");
  const ProgramRun run = RunNeap({"-E", "-lmymodule"}, {path});
  CHECK(run.status == 1);
  CHECK(Has(run.err, Program() + ": module 'mymodule' not found:\n"));
  CHECK(Has(run.err, "\nstack traceback:\n\t[C]: in function 'require'\n\t[C]: in ?\n"));
}

TEST_CASE("-v says the version of program and language on standard output") {
  const ProgramRun run = RunNeap({"-v"});
  CHECK(run.status == 0);
  CHECK(run.out.starts_with("neap "));
  CHECK(Has(run.out, "  Lua 5.4  ("));
  CHECK(run.err == "");
}

TEST_CASE("LUA_INIT is run before the options; the versioned one comes first; -E ignores both") {
  const std::string file = WriteScratch("init.lua", "print('init', arg[0])");
  const std::vector<std::string> use = {"-e", "print(2)"};
  CHECK(RunNeap(use, {"LUA_INIT=print(1)"}).out == "1\n2\n");
  CHECK(RunNeap(use, {"LUA_INIT=print(1)", "LUA_INIT_5_4=print(0)"}).out == "0\n2\n");
  CHECK(RunNeap(use, {"LUA_INIT=@" + file}).out == "init\t" + Program() + "\n2\n");
  CHECK(RunNeap({"-E", "-e", "print(2)"}, {"LUA_INIT=print(1)"}).out == "2\n");
  const ProgramRun run = RunNeap(use, {"LUA_INIT_5_4=error('no')"});
  CHECK(run.status == 1);
  CHECK(run.out == "");
  CHECK(Has(run.err, Program() + ": LUA_INIT_5_4:1: no\nstack traceback:\n"));
}

TEST_CASE("an error is a message and a traceback on standard error, and status 1") {
  const std::string script = WriteScratch("error.lua", R"(
local function f() error("boom") end
function g() f() end
g())");
  const ProgramRun run = RunNeap({script});
  CHECK(run.status == 1);
  CHECK(run.out == "");
  CHECK(run.err == Program() + ": " + script + ":2: boom\nstack traceback:\n" +
                       "\t[C]: in function 'error'\n\t" + script + ":2: in upvalue 'f'\n\t" +
                       script + ":3: in function 'g'\n\t" + script + ":4: in main chunk\n" +
                       "\t[C]: in ?\n");
}

TEST_CASE("error values that are no strings") {
  const auto error = [](const std::string& text) {
    const ProgramRun run = RunNeap({"-e", text});
    CHECK(run.status == 1);
    return run.err.substr(Program().size() + 2);
  };
  CHECK(error("error({})") == "(error object is a table value)" + kTracebackOfCommandLine);
  CHECK(error("error()") == "(error object is a nil value)" + kTracebackOfCommandLine);
  CHECK(error("error(12)") == "12" + kTracebackOfCommandLine);
  CHECK(error("error('x', 0)") == "x" + kTracebackOfCommandLine);
  CHECK(error("error(setmetatable({}, {__tostring = function() return 'said' end}))") == "said\n");
}

TEST_CASE("a syntax error has no traceback") {
  const ProgramRun run = RunNeap({"-e", "for"});
  CHECK(run.status == 1);
  CHECK(run.err == Program() + ": (command line):1: <name> expected near <eof>\n");
}

TEST_CASE("a file that cannot be opened, an option that does not exist: one line, status 2") {
  ProgramRun run = RunNeap({"/no/such.lua"});
  CHECK(run.status == 2);
  CHECK(run.err == Program() + ": cannot open /no/such.lua: No such file or directory\n");
  struct Bad {
    std::vector<std::string> words;
    const char* problem;
  };
  for (const Bad& bad : {Bad{{"-z"}, "unrecognized option '-z'"},
                         {{"-h"}, "unrecognized option '-h'"},
                         {{"---"}, "unrecognized option '---'"},
                         {{"-vv"}, "unrecognized option '-vv'"},
                         {{"-e"}, "'-e' needs argument"},
                         {{"-l", "-v"}, "'-l' needs argument"},
                         {{"run", "--fast", "x.lua"}, "unrecognized option '--fast'"},
                         {{"--gogc=fast"}, "--gogc: \"fast\" is not allowed"},
                         {{"--nursery", "4", "x.lua"}, "--nursery"},
                         {{"--trace=/no/such/file", "-e", ""}, "--trace: cannot write"}}) {
    run = RunNeap(bad.words);
    INFO(bad.problem);
    CHECK(run.status == 2);
    CHECK(run.out == "");
    CHECK(run.OneLineOfError());
    CHECK(Has(run.err, bad.problem));
  }
}

TEST_CASE("warnings: off at first, switched by control messages, in pieces") {
  const ProgramRun run = RunNeap({"-e", R"(
    warn("unseen") warn("@on") warn("one") warn("two ", "pieces") warn("@unknown")
    warn("@", "on") warn("@off") warn("unseen"))"});
  CHECK(run.err == "Lua warning: one\nLua warning: two pieces\nLua warning: @on\n");
}

TEST_CASE("flags and variables of the heap reach the script's heap") {
  const std::string trace = ScratchPath("script.jsonl");
  const std::string work = "local t for i = 1, 2e5 do t = {i} end";
  const ProgramRun run = RunNeap({"--gogc=50", "--nursery", "64KiB", "--trace", trace, "-e", work},
                                 {"NEAP_DEBUG=gctrace=1"});
  CHECK(run.status == 0);
  const std::vector<std::string> lines = Lines(ReadFile(trace));
  REQUIRE(lines.size() > 2);
  CHECK(Has(lines.front(), "\"command\":\""));
  CHECK(Has(lines.front(), "\"arguments\":["));
  CHECK(Has(lines.back(), "\"event\":\"end\",\"heaps\":1,"));
  CHECK(Has(run.err, "gcm 1 "));
  CHECK(RunNeap({"-e", ""}, {"NEAP_GOGC=x"}).status == 2);
}

TEST_CASE("dump lists the bytecode of a file or of standard input, text or binary") {
  const std::string script = WriteScratch("dumped.lua", "#!neap\nprint('hello')");
  ProgramRun run = RunNeap({"dump", script});
  CHECK(run.status == 0);
  CHECK(run.out.starts_with("function 0-"));
  CHECK(Has(run.out, "_ENV \"print\""));
  CHECK(Has(RunNeap({"dump", "-"}, {}, "return x").out, "function 0-"));
  const std::string binary = ScratchPath("dumped.luac");
  CHECK(RunNeap({"-e", "io.open(arg[1], 'wb'):write(string.dump(loadfile(arg[2])))", "-", binary,
                 script})
            .status == 0);
  CHECK(RunNeap({"dump", binary}).out == run.out);
  CHECK(RunNeap({binary}).out == "hello\n");
  run = RunNeap({"dump", "-"}, {}, "x =");
  CHECK(run.status == 1);
  CHECK(run.err == "neap: stdin:1: unexpected symbol near <eof>\n");
  CHECK(RunNeap({"dump", "/no/such.lua"}).status == 2);
  CHECK(RunNeap({"dump"}).status == 2);
}

TEST_CASE("a script may be called as a command is") {
  const std::string script = WriteScratch("lab", "print('a script')");
  CHECK(RunNeap({script}).out == "a script\n");
  CHECK(RunNeap({"run", script}).out == "a script\n");
}

}  // namespace
}  // namespace neap::cli_test
