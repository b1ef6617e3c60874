// SPDX-License-Identifier: MIT
//
// What stands behind a lua::Vm: the state, and what the host's values, functions and types need.
//
// The host works on the native frame on top: its own, which never ends, or that of the native
// function that called it. A Work scope puts temporaries there and takes them away again. All code
// that may run scripts goes through a protected call with a message handler of ours, which notes
// the traceback and passes the error on.
#ifndef NEAP_VM_API_CORE_H_
#define NEAP_VM_API_CORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "interpreter/native_call.h"
#include "interpreter/state.h"
#include "neap/gc/finalizer.h"
#include "neap/vm/vm.h"

namespace neap::lua {

class Core {
 public:
  // Null `heap` and `mutator`: of its own.
  Core(std::unique_ptr<gc::Heap> own_heap, gc::Heap* heap, gc::Mutator* mutator,
       const VmOptions& options);
  ~Core();

  static Core* Of(vm::State& state) { return static_cast<Core*>(state.host); }
  static vm::State& StateOf(Vm& vm) { return vm.core_->state(); }
  vm::State& state() { return *state_; }
  gc::Mutator& mutator() { return state_->mutator(); }
  gc::Heap& heap() { return state_->heap(); }
  // Rules E1 and E4.
  void CheckUse() const {
    NEAP_CHECK(std::this_thread::get_id() == thread_,
               "E1: a Vm and its values are used on the thread that made the Vm");
    NEAP_CHECK(!in_destructor_, "E4: destructors and hooks do not use the Vm");
  }
  void CheckThread() const {
    NEAP_CHECK(std::this_thread::get_id() == thread_,
               "E1: a Vm and its values are used on the thread that made the Vm");
  }
  // Rule E6.
  void CheckIdle() const {
    NEAP_CHECK(is_idle(), "E6: no script of the Vm runs while it idles, collects or is destroyed");
  }
  bool is_idle() const {
    const vm::Coroutine* running = state_->running();
    return running->is_main && running->frame_count == 1;
  }

  // --- Values ------------------------------------------------------------------------------------
  Any Wrap(vm::Value v);
  // Of an Any with this core, or none (E5). (no safepoint)
  vm::Value ValueOf(const Any& any) const;
  // On the frame on top. False: no memory, the error is set. A safepoint.
  [[nodiscard]] bool Push(const Input& input);
  [[nodiscard]] bool PushAll(std::span<const Input> inputs);

  // --- Calls and errors --------------------------------------------------------------------------
  // Below the top: the handler (PushHandler), the function, `arguments`. True: results in place of
  // the function and its arguments; false: the error is state's (TakeError).
  [[nodiscard]] bool CallTop(int arguments);
  void PushHandler() { state_->Push(vm::Value::FromObject(handler_.get())); }
  // Runs a native function of ours with the inputs as arguments, protected. Its results are above
  // stack index `*first`.
  [[nodiscard]] bool RunNative(vm::NativeFunction function, std::span<const Input> inputs,
                               uint32_t* first);
  // The error that the state holds, which is over for it; a stop goes on in outer calls.
  Error TakeError();
  // The same for an error value that was caught already.
  Error MakeError(vm::Value value, vm::ErrorKind kind);
  // Throws it; returns false.
  bool Throw(const Error& error);
  std::string TakeTraceback() { return std::exchange(traceback_, {}); }
  void NoteTraceback(const vm::Coroutine* co, int64_t level);

  // --- Types and objects -------------------------------------------------------------------------
  struct TypeRecord {
    gc::GlobalHandle metatable;
    std::string name;
    std::function<size_t(const void*)> bytes;
  };
  TypeRecord* FindType(const ObjectOps* ops);
  TypeRecord& types(const ObjectOps* ops) { return types_[ops]; }
  // The userdata's payload was constructed: from now on it is an object of the type.
  void Adopt(vm::Userdata* userdata, const ObjectOps* ops);
  // Asks Type::Bytes.
  void Measure(vm::Userdata* userdata);
  // Destroys what is unreachable and waits; true: there was something. (no safepoint)
  bool DestroyPending();
  // Pushes a closure over a copy of `native`. False: the error is set.
  [[nodiscard]] bool PushNative(Native native);

  // A call of a host's function, from its trampoline.
  vm::NativeResult RunHostFunction(vm::NativeCall& call);

  Vm* vm = nullptr;
  std::function<void(std::string_view, bool)> warn;

 private:
  friend class Any;

  void OpenLibraries(Libraries libraries);
  static void Destroy(gc::Mutator& m, gc::Handle<gc::Object> object, void* context);
  static void NoteError(vm::State& state, vm::ErrorKind kind);
  bool HandlesNextError() const;

  const std::thread::id thread_ = std::this_thread::get_id();
  std::unique_ptr<gc::Heap> own_heap_;
  std::unique_ptr<gc::Mutator> own_mutator_;
  std::unique_ptr<gc::FinalizerQueue> destroyer_;
  std::unique_ptr<vm::State> state_;
  gc::GlobalHandle handler_;
  absl::flat_hash_map<const ObjectOps*, TypeRecord> types_;
  std::string traceback_;
  uint64_t values_ = 0;  // Any that hold an object (E3)
  bool in_destructor_ = false;
};

// Temporaries on the frame on top; gone at the end of the scope.
class Work {
 public:
  // `slots`: how many values the scope will push. ok() is false when there is no room: the error is
  // set.
  Work(Core& core, size_t slots) : core_(core) {
    core_.CheckUse();
    const vm::Frame& frame = core_.state().running()->frame();
    NEAP_CHECK((frame.flags & vm::kFrameNative) != 0,
               "E4: destructors and hooks do not use the Vm");
    top_ = frame.top;
    ok_ = slots <= vm::kMaxStack &&
          core_.state().EnsureSlots(static_cast<uint32_t>(slots) + vm::kNativeSlots);
    if (!ok_ && slots > vm::kMaxStack) core_.state().StackError();
  }
  ~Work() {
    core_.state().running()->frame().top = top_;
    // Large stacks count for the heap's limit.
    if (core_.is_idle()) vm::TrimStack(core_.state().running());
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  bool ok() const { return ok_; }
  uint32_t first() const { return top_; }

 private:
  Core& core_;
  uint32_t top_ = 0;
  bool ok_ = false;
};

}  // namespace neap::lua

#endif  // NEAP_VM_API_CORE_H_
