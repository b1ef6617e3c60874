// SPDX-License-Identifier: MIT
//
// Completion at the prompt: names by chains, and never a call.
#include "completion.h"

#include <doctest/doctest.h>

#include "vm/script_fixture.h"

namespace neap::testing {
namespace {

using Words = std::vector<std::string>;
using cli::CompletionsOf;

TEST_CASE("globals and keywords are completed, and fields by chains of names") {
  ScriptState lua;
  REQUIRE(lua.Run("a = {b = {c = 1, call = print, call2 = print}}") == "");
  CHECK(CompletionsOf(lua.state, "tos") == Words{"tostring"});
  CHECK(CompletionsOf(lua.state, "wh") == Words{"while"});
  CHECK(CompletionsOf(lua.state, "string.forma") == Words{"string.format"});
  CHECK(CompletionsOf(lua.state, "a.b.c") == Words{"a.b.c", "a.b.call", "a.b.call2"});
  CHECK(CompletionsOf(lua.state, "a.b:c") == Words{"a.b:call", "a.b:call2"});
  CHECK(CompletionsOf(lua.state, "a.") == Words{"a.b"});
  CHECK(CompletionsOf(lua.state, "a.x.y").empty());
  CHECK(CompletionsOf(lua.state, "nothing.").empty());
  CHECK(CompletionsOf(lua.state, "...:.").empty());
}

TEST_CASE("__index tables are followed, in rings, too; functions are not called") {
  ScriptState lua;
  REQUIRE(lua.Run(R"(
    local function boom() error("called") end
    base = {method = print, field = 1}
    object = setmetatable({own = 1}, {__index = base})
    strict = setmetatable({seen = 1}, {__index = boom, __pairs = boom, __len = boom})
    ring = {round = 1}
    setmetatable(ring, {__index = ring})
    text = "x"
    object["no name"] = 1
    object[1] = 2)") == "");
  CHECK(CompletionsOf(lua.state, "object.") ==
        Words{"object.field", "object.method", "object.own"});
  CHECK(CompletionsOf(lua.state, "object:") == Words{"object:method"});
  CHECK(CompletionsOf(lua.state, "strict.s") == Words{"strict.seen"});
  CHECK(CompletionsOf(lua.state, "strict.absent.x").empty());
  CHECK(CompletionsOf(lua.state, "ring.r") == Words{"ring.round"});
  CHECK(CompletionsOf(lua.state, "text:gm") == Words{"text:gmatch"});
  CHECK(CompletionsOf(lua.state, "io.stdout:fl") == Words{"io.stdout:flush"});
}

}  // namespace
}  // namespace neap::testing
