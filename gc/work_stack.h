// SPDX-License-Identifier: MIT
//
// A stack of words in address space of its own, so that growing needs no copy and no allocator
// inside a pause. Pages are brought in 256 KiB at a time and kept.
#ifndef NEAP_GC_WORK_STACK_H_
#define NEAP_GC_WORK_STACK_H_

#include <cstddef>
#include <cstdint>

#include "neap/gc/object.h"

namespace neap::gc {

class WorkStack {
 public:
  WorkStack() = default;
  ~WorkStack();
  WorkStack(const WorkStack&) = delete;
  WorkStack& operator=(const WorkStack&) = delete;

  // Reserves room for `words`. False when refused.
  [[nodiscard]] bool Reserve(size_t words);

  // False when the stack is full: the word was not pushed.
  bool Push(Word word) {
    if (top_ == ready_) [[unlikely]] {
      if (!GrowSlow()) return false;
    }
    *top_++ = word;
    return true;
  }
  bool empty() const { return top_ == base_; }
  size_t size() const { return static_cast<size_t>(top_ - base_); }
  Word Pop() { return *--top_; }
  // Takes the oldest `count` words (for sharing work); count <= size().
  void TakeOldest(size_t count, Word* out);
  void Clear() { top_ = base_; }

  // For loops that keep the top in a register: [floor, top) is in use, [top, ready) may be written.
  // Push grows ready.
  Word* floor() const { return base_; }
  Word* top() const { return top_; }
  Word* ready() const { return ready_; }
  void set_top(Word* top) { top_ = top; }
  // Most words that fit; smaller than reserved in tests of overflow.
  void SetCapacityForTesting(size_t words);

 private:
  bool GrowSlow();

  Word* base_ = nullptr;
  Word* top_ = nullptr;
  Word* ready_ = nullptr;  // one past the last word whose page is here
  Word* end_ = nullptr;
  size_t reserved_bytes_ = 0;
};

}  // namespace neap::gc

#endif  // NEAP_GC_WORK_STACK_H_
