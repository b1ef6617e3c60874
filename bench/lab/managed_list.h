// SPDX-License-Identifier: MIT
//
// A growable list of references on the managed heap: what a script's array is. One SlotArray that
// doubles, a count on the native side, every store through the write barrier.
//
//   array_ -> | header | length = capacity | slot 0 | ... | slot count-1 | 0 | ... | 0 |
//
// Invariants:
//   L1  Slots at and after count() are empty: a stale reference would keep a dead object alive, and
//       the collector would copy it.
//   L2  Append never reaches a safepoint; MakeRoom may. So a caller makes room first, allocates
//       second, and appends the raw pointer at once.
#ifndef NEAP_BENCH_LAB_MANAGED_LIST_H_
#define NEAP_BENCH_LAB_MANAGED_LIST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "neap/gc/handle.h"
#include "neap/gc/mutator.h"
#include "neap/runtime/check.h"

namespace neap::lab {

class ManagedList {
 public:
  // The array lives in `scope`.
  ManagedList(gc::Mutator& m, gc::HandleScope& scope, size_t capacity = 64)
      : array_(scope.New(m.NewSlots(capacity))), capacity_(capacity) {}

  size_t count() const { return count_; }
  size_t capacity() const { return capacity_; }
  // Arrays that were replaced by larger ones.
  uint64_t grown() const { return grown_; }
  // Raw pointers: valid until the next safepoint.
  gc::SlotArray* array() const { return array_.get(); }
  gc::Word* slots() const { return array_->slots(); }
  template <typename T>
  T* at(size_t i) const {
    return static_cast<T*>(gc::ToObject(gc::LoadSlot(slots() + i)));
  }

  // Room for `more` elements; grows by doubling. (safepoint when it grows)
  void MakeRoom(gc::Mutator& m, size_t more = 1) {
    if (capacity_ - count_ < more) [[unlikely]]
      GrowSlow(m, count_ + more);
  }
  // L2. (no safepoint)
  void Append(gc::Mutator& m, const gc::Object* object) {
    NEAP_DCHECK(count_ < capacity_, "L2: room is made before an append", "count=%zu", count_);
    gc::SlotArray* const array = array_.get();
    m.Store(array, array->slots() + count_, object);
    ++count_;
  }
  // Removes the last element and returns it. Its slot is emptied (L1). (no safepoint)
  template <typename T>
  T* RemoveLast(gc::Mutator& m) {
    gc::SlotArray* const array = array_.get();
    gc::Word* const slot = array->slots() + --count_;
    T* const object = static_cast<T*>(gc::ToObject(gc::LoadSlot(slot)));
    m.Store(array, slot, gc::Word{0});
    return object;
  }
  // Cuts the list to `count`, in batches of kBatchSteps with a poll between. (safepoint)
  void Truncate(gc::Mutator& m, size_t count);

 private:
  void GrowSlow(gc::Mutator& m, size_t wanted);

  gc::Handle<gc::SlotArray> array_;
  size_t capacity_;
  size_t count_ = 0;
  uint64_t grown_ = 0;
};

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_MANAGED_LIST_H_
