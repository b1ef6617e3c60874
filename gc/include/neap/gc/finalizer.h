// SPDX-License-Identifier: MIT
//
// Finalizers: functions that run once, on a mutator, some time after an object became unreachable.
//
// Order of a collection: weak slots "before finalizers" are cleared; then every registered object
// that is unreachable is moved to the pending list of its queue and, with all it reaches, lives on
// (resurrection); then the other weak slots and the ephemerons are cleared. Run calls the functions
// in reverse order of registration, at a point the program chooses: never inside a pause. An object
// may be registered again from its own finalizer.
#ifndef NEAP_GC_FINALIZER_H_
#define NEAP_GC_FINALIZER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "neap/gc/handle.h"
#include "neap/gc/mutator.h"

namespace neap::gc {

class FinalizerState;

// A queue belongs to one embedder (a VM). It must outlive its registrations' use and be destroyed,
// by a thread that holds a P, before the heap; what is still registered or pending is forgotten.
class FinalizerQueue {
 public:
  using Function = void (*)(Mutator& m, Handle<Object> object, void* context);
  FinalizerQueue(Heap& heap, Function function, void* context);
  ~FinalizerQueue();
  FinalizerQueue(const FinalizerQueue&) = delete;
  FinalizerQueue& operator=(const FinalizerQueue&) = delete;

  // Objects found unreachable by a minor wait for the next major cycle, alive, when `only` is true:
  // for languages in which a finalizer tells that a whole cycle is over. At first: false.
  void SetOnlyAtMajors(bool only);
  // An object that was registered several times is finalized once when `once` is true, by the order
  // of its first registration. At first: false.
  void SetOnce(bool once);
  // Calls the queue's function for `object` once it is unreachable. (no safepoint)
  void Register(Mutator& m, Object* object);
  // Number of objects waiting to be finalized; cheap, for polls. (no safepoint)
  size_t pending() const;
  // Runs at most `max` pending finalizers; returns how many ran. Nested calls run nothing. An
  // exception of the function passes through; the rest stays pending.
  size_t Run(Mutator& m, size_t max = SIZE_MAX);
  // Moves every registered object to the pending list (a VM that closes runs them all).
  void QueueAll(Mutator& m);

 private:
  Heap& heap_;
  std::shared_ptr<FinalizerState> state_;
};

}  // namespace neap::gc

#endif  // NEAP_GC_FINALIZER_H_
