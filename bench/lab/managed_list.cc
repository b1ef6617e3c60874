// SPDX-License-Identifier: MIT
#include "managed_list.h"

#include "bullets.h"

namespace neap::lab {

void ManagedList::GrowSlow(gc::Mutator& m, size_t wanted) {
  const size_t capacity = std::max(2 * capacity_, wanted);
  gc::SlotArray* const grown = m.NewSlots(capacity);  // the old array may have moved: read it now
  gc::Word* const from = slots();
  // `grown` has met no safepoint since it was made, so its slots need no barrier (M2).
  for (size_t i = 0; i < count_; ++i) gc::InitSlot(grown->slots() + i, gc::LoadSlot(from + i));
  array_.set(grown);
  capacity_ = capacity;
  ++grown_;
}

void ManagedList::Truncate(gc::Mutator& m, size_t count) {
  while (count_ > count) {
    const size_t batch = std::min(count_ - count, kBatchSteps);
    gc::SlotArray* const array = array_.get();
    gc::Word* const first = array->slots() + count_ - batch;
    m.LogRange(array, first, batch);
    for (size_t i = 0; i < batch; ++i) gc::InitSlot(first + i, 0);
    count_ -= batch;
    m.Poll();
  }
}

}  // namespace neap::lab
