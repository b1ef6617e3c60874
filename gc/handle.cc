// SPDX-License-Identifier: MIT
#include "neap/gc/handle.h"

#include <utility>

#include "collector.h"

namespace neap::gc {

GlobalHandle::GlobalHandle(Mutator& m, const Object* object)
    : heap_(&m.heap()), slot_(heap_->collector().roots().globals().Add(ToWord(object))) {}

GlobalHandle::GlobalHandle(GlobalHandle&& other) noexcept
    : heap_(other.heap_), slot_(std::exchange(other.slot_, nullptr)) {}

GlobalHandle& GlobalHandle::operator=(GlobalHandle&& other) noexcept {
  if (this == &other) return *this;
  Reset();
  heap_ = other.heap_;
  slot_ = std::exchange(other.slot_, nullptr);
  return *this;
}

void GlobalHandle::set(const Object* object) {
  NEAP_CHECK(slot_ != nullptr, "H5: an empty global handle holds nothing");
  *slot_ = ToWord(object);
}

void GlobalHandle::Reset() {
  if (slot_ != nullptr) heap_->collector().roots().globals().Remove(std::exchange(slot_, nullptr));
}

WeakHandle::WeakHandle(Mutator& m, const Object* object)
    : heap_(&m.heap()), slot_(heap_->collector().roots().weaks().Add(ToWord(object))) {}

WeakHandle::WeakHandle(WeakHandle&& other) noexcept
    : heap_(other.heap_), slot_(std::exchange(other.slot_, nullptr)) {}

WeakHandle& WeakHandle::operator=(WeakHandle&& other) noexcept {
  if (this == &other) return *this;
  Reset();
  heap_ = other.heap_;
  slot_ = std::exchange(other.slot_, nullptr);
  return *this;
}

void WeakHandle::Reset() {
  if (slot_ != nullptr) heap_->collector().roots().weaks().Remove(std::exchange(slot_, nullptr));
}

}  // namespace neap::gc
