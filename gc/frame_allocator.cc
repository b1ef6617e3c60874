// SPDX-License-Identifier: MIT
//
// frame_allocator.h. Segments are taken in order and never given back before the stack goes; an
// object of the heap over kMaxFrameBytes is a large one, which never moves, so that its bytes can
// be handed out like those of a frame; a handle of the scope keeps it.
#include "neap/gc/frame_allocator.h"

#include "neap/gc/heap.h"
#include "neap/gc/type.h"
#include "poison.h"

namespace neap::gc {

static_assert(FrameStack::kMaxFrameBytes > kMaxNurseryObjectBytes);  // what is larger is stationary

FrameStack::FrameStack(Mutator& m) : mutator_(m), poison_(m.heap().options().debug.poison != 0) {}

FrameStack::~FrameStack() {
  NEAP_CHECK(depth_ == 0, "F2: a frame stack outlives its scopes");
  for (const auto& segment : segments_) UnpoisonMemory(segment.get(), kSegmentBytes);
}

void FrameStack::NextSegment() {
  // Not make_unique, which would zero it.
  if (open_ == segments_.size()) segments_.emplace_back(new char[kSegmentBytes]);
  next_ = segments_[open_++].get();
  end_ = next_ + kSegmentBytes;
  UnpoisonMemory(next_, kSegmentBytes);
}

void FrameStack::Close(size_t open, char* next) {
  if (poison_ && open_ != 0) {
    // The rest of the scope's first segment, or all of the last: overwritten is what a pointer that
    // outlived its scope most likely leads to.
    char* from = open_ == open && next != nullptr ? next : segments_[open_ - 1].get();
    std::memset(from, kPoisonByte, static_cast<size_t>(next_ - from));
  }
  open_ = open;
  next_ = next;
  end_ = open == 0 ? nullptr : segments_[open - 1].get() + kSegmentBytes;
}

FrameBuffer FrameScope::BytesOnHeap(size_t count) {
  ++stack_.counts_.heap_requests;
  auto* array =
      static_cast<ByteArray*>(stack_.mutator_.TryAllocate(ByteArray::Type(), uint64_t{count}));
  if (array == nullptr) return {{}, true};
  stack_.counts_.heap_bytes += ObjectBytes(array);
  (void)handles_.New(array);
  return {{array->data(), count}, true};
}

}  // namespace neap::gc
