// SPDX-License-Identifier: MIT
//
// How scripts end: os.exit from anywhere, finalizers, variables to be closed, Ctrl-C.
#include <doctest/doctest.h>

#include "run_program.h"

namespace neap::cli_test {
namespace {

// Marks an object whose finalizer prints, and a variable whose closing does.
constexpr const char* kMarks = R"(
  kept = setmetatable({}, {__gc = function() print("finalized") end})
  local function closing(name)
    return setmetatable({}, {__close = function(_, e) print("closed " .. name, e) end})
  end
  local variable <close> = closing("main")
)";

ProgramRun RunText(const std::string& text) { return RunNeap({WriteScratch("exit.lua", text)}); }

TEST_CASE("a script that ends runs all finalizers, the last marked first") {
  const ProgramRun run = RunText(R"(
    for i = 1, 3 do _G[i] = setmetatable({}, {__gc = function() print(i) end}) end)");
  CHECK(run.status == 0);
  CHECK(run.out == "3\n2\n1\n");
}

TEST_CASE("what finalizers mark at the end has no effect") {
  const ProgramRun run = RunText(R"(
    setmetatable({}, {__gc = function() print(1) end})
    setmetatable({}, {__gc = function()
      print(2)
      setmetatable({}, {__gc = function() print(3) end})
      collectgarbage()
    end}))");
  CHECK(run.out == "2\n1\n");
}

TEST_CASE("finalizers run after an error, too, and their own errors are warnings") {
  const ProgramRun run = RunText(R"(
    warn("@on")
    kept = setmetatable({}, {__gc = function() print("finalized") error("late", 0) end})
    error("early", 0))");
  CHECK(run.status == 1);
  CHECK(run.out == "finalized\n");
  CHECK(run.err.find(": early\nstack traceback:") != std::string::npos);
  CHECK(run.err.ends_with("\nLua warning: error in __gc (late)\n"));
}

TEST_CASE("os.exit says the status and closes nothing unless it is told to") {
  CHECK(RunText(std::string(kMarks) + "os.exit()").out == "");
  CHECK(RunText("os.exit(true)").status == 0);
  CHECK(RunText("os.exit(false)").status == 1);
  CHECK(RunText("os.exit(7)").status == 7);
  const ProgramRun run = RunText(std::string(kMarks) + "os.exit(3, true)");
  CHECK(run.status == 3);
  CHECK(run.out == "closed main\tnil\nfinalized\n");
}

TEST_CASE("os.exit closes from within coroutines, protected calls, sort and metamethods") {
  const ProgramRun run = RunText(std::string(kMarks) + R"(
    local outer <close> = closing("outer")
    local object = setmetatable({}, {__index = function() os.exit(4, true) end})
    coroutine.wrap(function()
      local inner <close> = closing("coroutine")
      pcall(table.sort, {3, 2, 1}, function() return object.x end)
    end)())");
  CHECK(run.status == 4);
  CHECK(run.out == "closed outer\tnil\nclosed main\tnil\nfinalized\n");
}

TEST_CASE("an error while closing goes to the next variable, and the rest is closed") {
  const ProgramRun run = RunText(std::string(kMarks) + R"(
    local bad <close> = setmetatable({}, {__close = function() error("bad", 0) end})
    os.exit(5, true))");
  CHECK(run.status == 5);
  CHECK(run.out == "closed main\tbad\nfinalized\n");
}

TEST_CASE("closures keep the variables of a coroutine that os.exit left") {
  const ProgramRun run = RunText(R"(
    coroutine.wrap(function()
      local text = "captured"
      kept = setmetatable({}, {__gc = function() print(text, coroutine.isyieldable()) end})
      os.exit(0, true)
    end)())");
  CHECK(run.out == "captured\tfalse\n");
}

TEST_CASE("Ctrl-C stops a script that computes; pcall does not catch it") {
  const ProgramRun run = RunText(R"(
    local id = io.open("/proc/self/stat"):read("n")
    kept = setmetatable({}, {__gc = function() print("finalized") end})
    io.popen("kill -INT " .. id):close()  -- os.execute would have it ignored
    while true do pcall(function() while true do end end) end)");
  CHECK(run.status == 1);
  CHECK(run.out == "finalized\n");
  CHECK(run.err.find("interrupted!") != std::string::npos);
}

TEST_CASE("two Ctrl-C end the process") {
  const ProgramRun run = RunText(R"(
    local id = io.open("/proc/self/stat"):read("n")
    io.popen("kill -INT " .. id .. "; sleep 0.3; kill -INT " .. id):close())");
  CHECK(run.status == -1);
}

}  // namespace
}  // namespace neap::cli_test
