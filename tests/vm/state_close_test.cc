// SPDX-License-Identifier: MIT
//
// The end of a state (state_close.cc), from the host. os.exit, from deep inside: tests/cli.
#include <doctest/doctest.h>

#include <string>

#include "vm/script_fixture.h"

namespace neap::testing {
namespace {

// What scripts said with `say`; outlives the state.
std::string said;

vm::NativeResult Say(vm::NativeCall& call) {
  vm::String* ignored = nullptr;
  if (!call.CheckString(1, &ignored)) return call.Failed();
  said += std::string(call.text(1)) + ";";
  return call.Return(0);
}

class ClosingState : public ScriptState {
 public:
  ClosingState() {
    said.clear();
    constexpr vm::NativeEntry kEntries[] = {{"say", Say}, {nullptr, nullptr}};
    state.Push(state.globals_value());
    NEAP_CHECK(vm::SetFunctions(state, kEntries), "test functions");
    state.Pop(1);
  }
};

constexpr const char* kFinalized = R"(
  function finalized(name, more)
    return setmetatable({}, {__gc = function() say(name) if more then more() end end})
  end )";

TEST_CASE("closing runs every finalizer once, the last marked first") {
  ClosingState lua;
  REQUIRE(lua.Run(kFinalized) == "");
  REQUIRE(lua.Run("a = finalized('1') b = finalized('2') c = finalized('3')") == "");
  lua.state.Close();
  CHECK(said == "3;2;1;");
}

TEST_CASE("what finalizers mark while the state closes has no effect") {
  ClosingState lua;
  REQUIRE(lua.Run(kFinalized) == "");
  REQUIRE(lua.Run("a = finalized('1') b = finalized('2', function() finalized('3') "
                  "collectgarbage() end)") == "");
  lua.state.Close();
  CHECK(said == "2;1;");
}

TEST_CASE("an error in a finalizer is a warning, and the others run") {
  ClosingState lua;
  static std::string warned;
  warned.clear();
  lua.state.warn = [](vm::State&, std::string_view message, bool) { warned += message; };
  REQUIRE(lua.Run(kFinalized) == "");
  REQUIRE(lua.Run("a = finalized('1') b = finalized('2', function() error('bad', 0) end)") == "");
  lua.state.Close();
  CHECK(said == "2;1;");
  CHECK(warned == "error in __gc (bad)");
}

}  // namespace
}  // namespace neap::testing
