// SPDX-License-Identifier: MIT
#include "roots.h"

#include <algorithm>

#include "neap/runtime/check.h"

namespace neap::gc {

Word* HandleTable::Add(Word value) {
  std::lock_guard lock(mutex_);
  if (free_.empty()) {
    segments_.push_back(std::make_unique<Word[]>(kSegmentWords));
    Word* words = segments_.back().get();
    free_.reserve(segments_.size() * kSegmentWords);
    for (size_t i = kSegmentWords; i-- > 0;) {
      words[i] = kFreeSlot;
      free_.push_back(words + i);
    }
  }
  Word* slot = free_.back();
  free_.pop_back();
  *slot = value;
  ++in_use_;
  return slot;
}

void HandleTable::Remove(Word* slot) {
  std::lock_guard lock(mutex_);
  NEAP_CHECK(*slot != kFreeSlot, "H3: a global handle is destroyed once", "slot=%p", (void*)slot);
  *slot = kFreeSlot;
  free_.push_back(slot);
  --in_use_;
}

void RootSet::Add(Mutator* mutator) {
  std::lock_guard lock(mutex_);
  mutators_.push_back(mutator);
}

void RootSet::Remove(Mutator* mutator) {
  std::lock_guard lock(mutex_);
  std::erase(mutators_, mutator);
}

void RootSet::Add(RootProvider* provider) {
  std::lock_guard lock(mutex_);
  providers_.push_back(provider);
}

void RootSet::Remove(RootProvider* provider) {
  std::lock_guard lock(mutex_);
  std::erase(providers_, provider);
}

void RootSet::Add(WeakTable* table) {
  std::lock_guard lock(mutex_);
  weak_tables_.push_back(table);
}

void RootSet::Remove(WeakTable* table) {
  std::lock_guard lock(mutex_);
  std::erase(weak_tables_, table);
}

size_t RootSet::mutators() const {
  std::lock_guard lock(mutex_);
  return mutators_.size();
}

size_t RootSet::Visit(Tracer& tracer, Which which) {
  std::lock_guard lock(mutex_);
  size_t words = 0;
  for (Mutator* m : mutators_) {
    size_t left = m->handle_count();
    for (size_t i = 0; left > 0; ++i) {
      const size_t count = std::min(left, Mutator::kHandleSegment);
      left -= count;
      tracer.VisitSlots(m->handle_segments_[i], count);
      words += count;
    }
  }
  globals_.ForEachSegment([&](Word* slots, size_t count) {
    tracer.VisitSlots(slots, count);
    words += count;
  });
  for (RootProvider* provider : providers_) {
    if (which == Which::kAll) {
      provider->VisitRoots(tracer);
    } else {
      provider->VisitYoungRoots(tracer);
    }
  }
  return words * sizeof(Word);
}

void RootSet::VisitPins(const std::function<void(Object*)>& visit) {
  std::lock_guard lock(mutex_);
  for (Mutator* m : mutators_) {
    for (Object* object : m->pins_) visit(object);
  }
}

}  // namespace neap::gc
