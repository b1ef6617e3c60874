// SPDX-License-Identifier: MIT
//
// START HERE to embed Lua 5.4: a Vm runs scripts, calls and is called by C++.
//
//   namespace lua = neap::lua;
//   lua::Vm vm({.libraries = lua::Libraries::kSandbox, .instruction_budget = 1'000'000});
//   vm.SetFunction("damage", [](double base, int64_t level) { return base * level; }).Check();
//   const lua::Result<lua::Any> result = vm.Run("return damage(2.5, 4)", "=rules");
//   if (!result.ok()) std::cerr << result.error().ToString() << '\n';
//
// What it is not for: untrusted code without libraries = kSandbox, a hard limit and budgets;
// scripts of one Vm on several threads at once; Lua's C API.
//
// Heap: a Vm has a gc::Heap of its own (options), or shares one with others, with pools and with
// the host's own objects (neap/gc/heap.h). Vms share no values.
//
// Limits. heap.hard_limit_bytes caps what the heap holds, bytes of userdata and of coroutine stacks
// included: allocation beyond it is the Lua error "not enough memory", which scripts may catch; the
// heap goes on. The budgets bound what scripts do: instructions (calls, rounds of loops, and
// comparable pieces of work in libraries) and bytes allocated. They are charged at polls, every
// 1,000 instructions at most; a used-up budget, like an interrupt, ends the running call with
// ErrorKind::kStop. No script can catch that; a native function that is on the way may clean up,
// and whatever it returns, the stop goes on. The next call needs a new budget.
//
//   E1  A Vm, its Any and all it gives away are used on its thread (Interrupt: on any).
//   E2  A Result is asked for what it has.
//   E3  Every Any of a Vm is destroyed before the Vm. (Those in native functions and in objects of
//       the Vm are destroyed by it.)
//   E4  Destructors of objects, hooks and functions like Type::Bytes do not use the Vm.
//   E5  An Any is used with its own Vm.
//   E6  A Vm is destroyed, idles and collects while none of its scripts runs.
//
// A thread that blocks, or computes for long without running scripts, keeps collections of a shared
// heap waiting: it says so with gc::BlockingRegion region(vm.mutator()).
#ifndef NEAP_VM_VM_H_
#define NEAP_VM_VM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"
#include "neap/gc/options.h"
#include "neap/vm/any.h"
#include "neap/vm/native.h"
#include "neap/vm/object_type.h"

namespace neap::lua {

inline constexpr uint64_t kNoBudget = UINT64_MAX;

enum class Libraries : uint8_t {
  kNone,     // not even print
  kSandbox,  // base, coroutine, table, string, math, utf8; without load, loadfile, dofile, require,
             // string.dump; collectgarbage only counts. print writes to stdout: replace it
  kAll,      // io, os, package, debug, too
};

// What chunks may be. Binary ones are checked when they are loaded, but trust them no further than
// you have to.
enum class ChunkKind : uint8_t { kText, kBinary, kAny };

// Every field has a working default.
struct VmOptions {
  Libraries libraries = Libraries::kAll;
  // Of a heap of its own; ignored otherwise. One P is all that a Vm can use.
  gc::Options heap = {.procs = 1};
  uint64_t instruction_budget = kNoBudget;
  uint64_t allocation_budget = kNoBudget;  // bytes
  // Of the hash of strings. A fixed one makes runs repeatable, and collisions predictable to
  // whoever chooses the keys; none: random.
  std::optional<uint64_t> hash_seed = std::nullopt;
  // What warn() says, piece by piece; null: warnings are dropped.
  std::function<void(std::string_view message, bool to_continue)> warn = nullptr;
};

class Vm {
 public:
  // With a heap of its own. InvalidArgument or ResourceExhausted as gc::Heap::Create.
  static absl::StatusOr<std::unique_ptr<Vm>> Create(VmOptions options = {});
  // The same for options known to be valid (checked).
  explicit Vm(VmOptions options = {});
  // On a heap that outlives it. The thread gets a Mutator, so it may have none yet and waits for a
  // P: the heap needs as many procs as threads that use it.
  explicit Vm(gc::Heap& heap, VmOptions options = {});
  // With the thread's own Mutator: several Vms on one thread share it.
  explicit Vm(gc::Mutator& mutator, VmOptions options = {});
  // Runs all __gc metamethods, within what is left of the budgets, and all destructors.
  ~Vm();
  Vm(const Vm&) = delete;
  Vm& operator=(const Vm&) = delete;

  gc::Heap& heap();
  gc::Mutator& mutator();

  // --- Running -----------------------------------------------------------------------------------
  // A function for the chunk. `name` is what messages call it: "@file.lua", "=words", or the text.
  // Errors: kSyntax, kMemory.
  Result<Any> Load(std::string_view chunk, const std::string& name = "=chunk",
                   ChunkKind kind = ChunkKind::kText);
  // Load and call: the first result, or nil.
  Result<Any> Run(std::string_view chunk, const std::string& name = "=chunk");

  // --- Globals and values ------------------------------------------------------------------------
  Any globals();
  Result<Any> Get(std::string_view name);
  Result<void> Set(std::string_view name, const Input& value);
  // A global function, of any callable (native.h).
  template <typename F>
  Result<void> SetFunction(std::string_view name, F function) {
    const Result<Any> made = NewFunction(std::move(function));
    return made.ok() ? Set(name, *made) : made.error();
  }
  // The rest makes values. Error: kMemory.
  Result<Any> Make(const Input& value);
  Result<Any> NewTable(int fields = 0);  // room for so many fields
  // Any callable (native.h).
  template <typename F>
  Result<Any> NewFunction(F function) {
    return NewNative(ToNative(std::move(function)));
  }
  Result<Any> NewNative(Native function);
  // A coroutine that will run the function.
  Result<Any> NewCoroutine(const Any& function);

  // --- C++ types (object_type.h) -----------------------------------------------------------------
  // Before the first New<T>; defining it again changes objects that are made later. Error: kMemory.
  template <typename T>
  Result<void> Define(const Type<T>& type) {
    return DefineType(type.description());
  }
  // A T, constructed in the heap. Errors: kMemory; the type is not defined.
  template <typename T, typename... A>
  Result<Any> New(A&&... arguments) {
    void* memory = nullptr;
    Result<Any> made = AllocateObject(&kObjectOps<T>, &memory);
    if (!made.ok()) return made;
    new (memory) T(std::forward<A>(arguments)...);
    return AdoptObject(&kObjectOps<T>, std::move(*made));
  }

  // --- Budgets, interrupts -----------------------------------------------------------------------
  // From now on; kNoBudget: without end.
  void SetInstructionBudget(uint64_t instructions);
  void SetAllocationBudget(uint64_t bytes);
  // What is left.
  uint64_t instruction_budget() const;
  uint64_t allocation_budget() const;
  // From any thread, while the Vm lives: the script that runs is stopped at its next poll; when
  // none runs, the next one is, unless it is over before.
  void Interrupt();
  // Takes back an interrupt that came too late.
  void ForgetInterrupt();

  // --- Collecting --------------------------------------------------------------------------------
  // For frame loops: what gc::Heap::Idle does until about `deadline_ns` (MonotonicNanos), then
  // pending finalizers and destructors, however long they take. True: nothing is left to do.
  bool Idle(uint64_t deadline_ns);
  // Frees everything unreachable, and runs finalizers and destructors.
  void Collect();

 private:
  friend class Call;
  friend class Core;
  Result<void> DefineType(const TypeDescription& type);
  Result<Any> AllocateObject(const ObjectOps* ops, void** memory);
  Result<Any> AdoptObject(const ObjectOps* ops, Any object);
  explicit Vm(std::unique_ptr<Core> core);

  std::unique_ptr<Core> core_;
};

template <typename T>
bool typed::PushObject(Call& call, T&& object) {
  Result<Any> made = call.vm().New<std::remove_cvref_t<T>>(std::forward<T>(object));
  return made.ok() ? call.Push(*made) : call.Fail(made.error());
}

}  // namespace neap::lua

#endif  // NEAP_VM_VM_H_
