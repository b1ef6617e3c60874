// SPDX-License-Identifier: MIT
//
// The vocabulary of the VM's tests: a state with all libraries on a small heap that obeys
// NEAP_DEBUG.
//
//   ScriptState lua;
//   CHECK(lua.Run("assert(1 + 1 == 2)") == "");
//   CHECK(lua.Run("error('no', 0)") == "no");
#ifndef NEAP_TESTS_VM_SCRIPT_FIXTURE_H_
#define NEAP_TESTS_VM_SCRIPT_FIXTURE_H_

#include <string>
#include <string_view>

#include "interpreter/native_call.h"
#include "interpreter/state.h"
#include "library/library.h"
#include "support/heap_fixture.h"

namespace neap::testing {

class ScriptState {
 public:
  explicit ScriptState(const vm::StateOptions& options = {})
      : heap(TinyOptions()), m(heap), state(m, options) {
    NEAP_CHECK(vm::OpenLibraries(state, vm::LibrarySet::kAll), "the libraries open");
  }

  // Runs the chunk; the error's text, or "".
  std::string Run(std::string_view text) {
    if (!state.Load(text, "=test", "t")) return TakeError(state.error());
    if (state.ProtectedCall(0, 0)) return "";
    const vm::Value error = state.FromTop(1);
    state.Pop(1);
    return TakeError(error);
  }
  // A global that holds a string or a number.
  std::string Text(const char* global) {
    state.Push(state.globals_value());
    NEAP_CHECK(state.PushField(state.FromTop(1), global), "reading a global");
    const std::string text = vm::State::TextOf(state.FromTop(1));
    state.Pop(2);
    return text;
  }

  gc::Heap heap;
  gc::Mutator m;
  vm::State state;

 private:
  std::string TakeError(vm::Value error) {
    const bool is_text = vm::IsString(error) || vm::IsNumber(error);
    std::string text = is_text ? vm::State::TextOf(error) : "(no text)";
    state.ClearError();
    return text;
  }
};

}  // namespace neap::testing

#endif  // NEAP_TESTS_VM_SCRIPT_FIXTURE_H_
