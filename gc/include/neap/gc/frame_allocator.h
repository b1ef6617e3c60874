// SPDX-License-Identifier: MIT
//
// Memory that ends with a scope: small requests stay on a frame and cost no allocation, large ones
// go to the heap.
//
//   gc::FrameStack stack(m);                    // one per thread, for its lifetime
//   {
//     gc::FrameScope frame(stack);
//     gc::FrameBuffer small = frame.Bytes(1024);     // on the frame
//     gc::FrameBuffer large = frame.Bytes(100'000);  // a managed object, kept by the frame
//     Point* p = frame.Make<Point>(1.0, 2.0);        // on the frame
//   }                                           // all three are gone
//
// The rule is by size alone, as a compiler's is for a buffer whose length it cannot know: up to
// kMaxFrameBytes a request stays on the frame. One byte more, and it is an object of the heap,
// which the collector counts, paces by and frees.
//
// Not for data that outlives its scope, and not for references to managed objects: the collector
// does not look into frames (keep references in handles). Thread safety: a FrameStack belongs to
// the thread of its mutator; scopes close in reverse order (checked).
#ifndef NEAP_GC_FRAME_ALLOCATOR_H_
#define NEAP_GC_FRAME_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "neap/gc/handle.h"
#include "neap/gc/mutator.h"

namespace neap::gc {

// Zeroed bytes. They stay where they are until the scope closes, wherever they lie.
struct FrameBuffer {
  std::span<uint8_t> bytes;  // no data: the heap had no room
  bool is_on_heap = false;
};

class FrameStack {
 public:
  // The largest request that stays on a frame: what Go allows a value of unknown size.
  static constexpr size_t kMaxFrameBytes = 64 << 10;

  explicit FrameStack(Mutator& m);
  ~FrameStack();
  FrameStack(const FrameStack&) = delete;
  FrameStack& operator=(const FrameStack&) = delete;

  // What scopes handed out, ever: requests and bytes, by the path they took.
  struct Counts {
    uint64_t frame_requests = 0, frame_bytes = 0;
    uint64_t heap_requests = 0, heap_bytes = 0;
  };
  const Counts& counts() const { return counts_; }
  // Bytes of the segments, which are kept for later scopes.
  size_t capacity_bytes() const { return segments_.size() * kSegmentBytes; }

 private:
  friend class FrameScope;
  // Four of the largest requests: at most a quarter is lost at the end of a segment.
  static constexpr size_t kSegmentBytes = 4 * kMaxFrameBytes;
  static constexpr size_t kAlignment = 16;

  char* Take(size_t bytes) {
    bytes = (bytes + kAlignment - 1) & ~(kAlignment - 1);
    if (static_cast<size_t>(end_ - next_) < bytes) [[unlikely]]
      NextSegment();
    char* memory = next_;
    next_ += bytes;
    return memory;
  }
  void NextSegment();
  void Close(size_t open, char* next);

  Mutator& mutator_;
  std::vector<std::unique_ptr<char[]>> segments_;
  size_t open_ = 0;  // segments in use
  char* next_ = nullptr;
  char* end_ = nullptr;
  uint32_t depth_ = 0;  // open scopes
  const bool poison_;   // debug switch: what is gone is overwritten
  Counts counts_;
};

class FrameScope {
 public:
  explicit FrameScope(FrameStack& stack)
      : stack_(stack),
        handles_(stack.mutator_),
        open_(stack.open_),
        next_(stack.next_),
        depth_(++stack.depth_) {}
  ~FrameScope() {
    NEAP_CHECK(stack_.depth_ == depth_, "F1: frame scopes close in reverse order");
    --stack_.depth_;
    stack_.Close(open_, next_);
  }
  FrameScope(const FrameScope&) = delete;
  FrameScope& operator=(const FrameScope&) = delete;

  // `count` zeroed bytes. A safepoint when they do not stay on the frame.
  FrameBuffer Bytes(size_t count) {
    if (count > FrameStack::kMaxFrameBytes) return BytesOnHeap(count);
    char* memory = Count(count);
    std::memset(memory, 0, count);
    return {{reinterpret_cast<uint8_t*>(memory), count}, false};
  }
  // A value on the frame. It is not destroyed, only forgotten.
  template <typename T, typename... Arguments>
  T* Make(Arguments&&... arguments) {
    static_assert(std::is_trivially_destructible_v<T> && !std::is_base_of_v<Object, T>);
    static_assert(sizeof(T) <= FrameStack::kMaxFrameBytes && alignof(T) <= FrameStack::kAlignment);
    return new (Count(sizeof(T))) T{std::forward<Arguments>(arguments)...};
  }

 private:
  char* Count(size_t bytes) {
    ++stack_.counts_.frame_requests;
    stack_.counts_.frame_bytes += bytes;
    return stack_.Take(bytes);
  }
  FrameBuffer BytesOnHeap(size_t count);

  FrameStack& stack_;
  HandleScope handles_;
  const size_t open_;
  char* const next_;
  const uint32_t depth_;
};

}  // namespace neap::gc

#endif  // NEAP_GC_FRAME_ALLOCATOR_H_
