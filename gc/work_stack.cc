// SPDX-License-Identifier: MIT
#include "work_stack.h"

#include <algorithm>
#include <cstring>

#include "neap/runtime/os_memory.h"

namespace neap::gc {
namespace {

constexpr size_t kStepWords = (256 << 10) / sizeof(Word);

}  // namespace

WorkStack::~WorkStack() {
  if (base_ != nullptr) OsRelease(base_, reserved_bytes_);
}

bool WorkStack::Reserve(size_t words) {
  if (base_ != nullptr) OsRelease(base_, reserved_bytes_);
  base_ = nullptr;
  words = std::max(words, kStepWords);
  reserved_bytes_ = (words * sizeof(Word) + kOsPageBytes - 1) / kOsPageBytes * kOsPageBytes;
  base_ = static_cast<Word*>(OsReserve(reserved_bytes_, kOsPageBytes));
  if (base_ == nullptr || !OsCommit(base_, reserved_bytes_)) return false;
  top_ = ready_ = base_;
  end_ = base_ + reserved_bytes_ / sizeof(Word);
  return true;
}

bool WorkStack::GrowSlow() {
  if (ready_ == end_) return false;
  const size_t step = std::min(kStepWords, static_cast<size_t>(end_ - ready_));
  // The first step comes page by page as it is touched: most pauses need a few pages only.
  if (ready_ != base_) OsPopulate(ready_, step * sizeof(Word) & ~(kOsPageBytes - 1));
  ready_ += step;
  return true;
}

void WorkStack::TakeOldest(size_t count, Word* out) {
  std::memcpy(out, base_, count * sizeof(Word));
  std::memmove(base_, base_ + count, (size() - count) * sizeof(Word));
  top_ -= count;
}

void WorkStack::SetCapacityForTesting(size_t words) {
  end_ = base_ + std::min(words, static_cast<size_t>(end_ - base_));
  ready_ = std::min(ready_, end_);
}

}  // namespace neap::gc
