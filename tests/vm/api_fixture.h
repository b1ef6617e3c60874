// SPDX-License-Identifier: MIT
//
// A Vm on a heap that collects all the time (tiny nursery, NEAP_DEBUG obeyed), and a few words.
//
//   ApiVm vm;
//   CHECK(vm.Say("return 1 + 1") == "2");        // the first result, or "error: ..."
#ifndef NEAP_TESTS_VM_API_FIXTURE_H_
#define NEAP_TESTS_VM_API_FIXTURE_H_

#include <string>
#include <utility>

#include "neap/vm/vm.h"
#include "support/heap_fixture.h"

namespace neap::testing {

inline lua::VmOptions TinyVm(lua::VmOptions options = {}) {
  const uint64_t hard_limit_bytes = options.heap.hard_limit_bytes;
  options.heap = TinyOptions();
  options.heap.hard_limit_bytes = hard_limit_bytes;
  if (!options.hash_seed) options.hash_seed = 1;
  return options;
}

class ApiVm : public lua::Vm {
 public:
  explicit ApiVm(lua::VmOptions options = {}) : Vm(TinyVm(std::move(options))) {}
  explicit ApiVm(gc::Heap& heap, lua::VmOptions options = {}) : Vm(heap, std::move(options)) {}
  explicit ApiVm(gc::Mutator& m, lua::VmOptions options = {}) : Vm(m, std::move(options)) {}

  // What a script returns first, as tostring shows it.
  std::string Say(std::string_view script) {
    const lua::Result<lua::Any> result = Run(script, "=test");
    if (!result.ok()) return "error: " + result.error().message;
    return result->ToDisplay().value();
  }
  template <typename F>
  void Register(std::string_view name, F function) {
    SetFunction(name, std::move(function)).Check();
  }
};

}  // namespace neap::testing

#endif  // NEAP_TESTS_VM_API_FIXTURE_H_
