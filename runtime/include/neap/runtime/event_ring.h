// SPDX-License-Identifier: MIT
//
// A bounded ring of event records, one per P. The owner of the P writes, one drainer at a time
// reads; neither ever waits for the other. A record that does not fit is dropped whole and counted,
// so that a reader can always say how much it did not see.
//
// Record, in 64-bit words:
//
//   word 0   bits 0-15 kind, 16-31 P, 32-63 number of words of the record (>= 2)
//   word 1   time in the clock's unit
//   word 2.. payload; its meaning belongs to the kind (neap/gc/event.h)
//
// Blocking mode (`neap lab --record`): a full ring calls its `full` function, which must drain it;
// nothing is lost but a record that is larger than the whole ring.
#ifndef NEAP_RUNTIME_EVENT_RING_H_
#define NEAP_RUNTIME_EVENT_RING_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace neap {

struct Event {
  uint16_t kind;
  uint16_t proc;
  uint64_t time;
  std::span<const uint64_t> payload;  // valid during the drain callback only
};

class EventRing {
 public:
  // `words`: capacity in 64-bit words, a power of two, at least 64. No memory is taken before the
  // first Emit.
  explicit EventRing(uint16_t proc, size_t words = size_t{1} << 13);

  // Owner of the P only. False (and one more lost) when the record does not fit.
  bool Emit(uint16_t kind, uint64_t time, std::span<const uint64_t> payload);

  // Any one thread at a time (the caller serializes drainers). Oldest first.
  void Drain(const std::function<void(const Event&)>& visit);

  // Records dropped since construction. Any thread.
  uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

  // Called by Emit when the ring is full, before giving up. Set while no one emits.
  void set_full_function(std::function<void()> full) { full_ = std::move(full); }

 private:
  const uint16_t proc_;
  const size_t capacity_words_;
  std::unique_ptr<std::atomic<uint64_t>[]> words_;  // owner writes, drainer reads; allocated once
  std::atomic<uint64_t> head_{0};                   // owner: release; next word to write
  std::atomic<uint64_t> tail_{0};                   // drainer: release; next word to read
  std::atomic<uint64_t> lost_{0};
  std::function<void()> full_;
  std::vector<uint64_t> scratch_;  // drainer only
};

}  // namespace neap

#endif  // NEAP_RUNTIME_EVENT_RING_H_
