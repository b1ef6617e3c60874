// SPDX-License-Identifier: MIT
//
// head_ and tail_ count words since the start and never wrap in practice (2^64 words); the place in
// the array is the count modulo the capacity. The owner publishes a record by storing head_ with
// release after its last word; the drainer frees the space by storing tail_ with release after it
// has read the last word. So each word is written only between the drainer's release of its space
// and the owner's release of the record, and read only after it.
//
//      tail_             head_          head_ - tail_ <= capacity
//   ....|-- records ------|....
#include "neap/runtime/event_ring.h"

#include "neap/runtime/check.h"

namespace neap {
namespace {

constexpr size_t kHeaderWords = 2;
constexpr size_t kMinCapacityWords = 64;

constexpr uint64_t PackHeader(uint16_t kind, uint16_t proc, size_t words) {
  return uint64_t{kind} | uint64_t{proc} << 16 | uint64_t{words} << 32;
}

}  // namespace

EventRing::EventRing(uint16_t proc, size_t words) : proc_(proc), capacity_words_(words) {
  NEAP_CHECK(words >= kMinCapacityWords && (words & (words - 1)) == 0,
             "an event ring's capacity is a power of two and at least 64 words", "words=%zu",
             words);
}

bool EventRing::Emit(uint16_t kind, uint64_t time, std::span<const uint64_t> payload) {
  const uint64_t head = head_.load(std::memory_order_relaxed);  // only this thread writes it
  const size_t words = payload.size() + kHeaderWords;
  const auto fits = [&] {
    return words <= capacity_words_ - (head - tail_.load(std::memory_order_acquire));
  };
  // A record larger than the whole ring is lost even when the ring is drained.
  if (!fits() && full_ && words <= capacity_words_) full_();
  if (!fits()) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  if (words_ == nullptr) words_ = std::make_unique<std::atomic<uint64_t>[]>(capacity_words_);
  const auto write = [&](size_t index, uint64_t word) {
    words_[(head + index) & (capacity_words_ - 1)].store(word, std::memory_order_relaxed);
  };
  write(0, PackHeader(kind, proc_, words));
  write(1, time);
  for (size_t i = 0; i < payload.size(); ++i) write(kHeaderWords + i, payload[i]);
  head_.store(head + words, std::memory_order_release);
  return true;
}

void EventRing::Drain(const std::function<void(const Event&)>& visit) {
  // What is emitted from here on waits for the next drain, so that this one ends.
  const uint64_t head = head_.load(std::memory_order_acquire);
  uint64_t tail = tail_.load(std::memory_order_relaxed);  // only drainers write it
  const auto read = [&](size_t index) {
    return words_[(tail + index) & (capacity_words_ - 1)].load(std::memory_order_relaxed);
  };
  while (tail != head) {
    const uint64_t header = read(0);
    const size_t words = header >> 32;
    NEAP_CHECK(words >= kHeaderWords && words <= head - tail,
               "an event record lies whole between tail and head", "words=%zu available=%zu", words,
               static_cast<size_t>(head - tail));
    const uint64_t time = read(1);
    scratch_.clear();
    for (size_t i = kHeaderWords; i < words; ++i) scratch_.push_back(read(i));
    tail += words;
    tail_.store(tail, std::memory_order_release);
    visit({.kind = static_cast<uint16_t>(header),
           .proc = static_cast<uint16_t>(header >> 16),
           .time = time,
           .payload = scratch_});
  }
}

}  // namespace neap
