// SPDX-License-Identifier: MIT
//
// The program around source K's pool: a fixed live set, and other allocation that goes on at a
// fixed rate while the pool's user waits. The collector decides when to collect; nothing here asks
// it to.
//
// Two clocks.
//
//   Wall clock     a thread of its own allocates what is due and sleeps a millisecond at a time, on
//                  P 1; the pool's user has P 0. Unit: ns. Sizes as in the source.
//   Virtual clock  one thread plays both parts. Allocating a byte takes one tick, and a wait is a
//                  sequence of chunks, each at the moment it is due, with the clock skipped between
//                  them. The machine so simulated allocates 1,600 MB/s at most: 1 ms is 1.6 million
//                  ticks. A run is a function of its options and nothing else.
//
// On the virtual clock all byte sizes may be divided by one number (the source's live set of 32 MiB
// becomes 2 MiB at 16): a scale model, in which every ratio of the source is kept and only the time
// that it takes to compute is not. A millisecond is divided alike, so rates are in the source's
// units.
//
//   bytes allocated by others
//      ^            /|          /|     G: from the start of a major cycle to the next,
//      |          /  |        /  |        about (goal - live) / rate
//      |        /    |      /    |
//      |      /      |    /      |     T: from the Put of a burst to its next Get
//      +----+--------+--+--------+-> time
//           fill      <- T -> burst
#ifndef NEAP_BENCH_LAB_PACED_PROGRAM_H_
#define NEAP_BENCH_LAB_PACED_PROGRAM_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "lab_heap.h"
#include "neap/gc/handle.h"

namespace neap::lab {

struct PacedOptions {
  gc::Options heap;                 // heap.clock says which clock
  uint64_t divisor = 16;            // of all byte sizes; 1 on the wall clock
  double rate_mb_s = 200;           // other allocation, decimal megabytes
  uint64_t live_bytes = 32 << 20;   // before division
  uint64_t chunk_bytes = 64 << 10;  // before division, header included
  uint64_t buffer_bytes = 4 << 10;  // before division; the pool's buffers
};

class PacedProgram {
 public:
  static constexpr double kTicksPerMs = 1.6e6;  // before division

  // Makes the live set, collects once and starts the other allocation. The heap's clock kind and
  // the divided minimum heap are taken from `options`.
  explicit PacedProgram(const PacedOptions& options);
  ~PacedProgram();
  PacedProgram(const PacedProgram&) = delete;
  PacedProgram& operator=(const PacedProgram&) = delete;

  LabHeap& lab_heap() { return lab_heap_; }
  gc::Heap& heap() { return lab_heap_.heap(); }
  size_t buffer_bytes() const { return options_.buffer_bytes / options_.divisor; }
  uint64_t live_bytes() const { return options_.live_bytes / options_.divisor; }

  // Time in the clock's unit since it started.
  uint64_t Now() const { return clock_.Now(); }
  uint64_t FromMs(double ms) const;
  double ToMs(double units) const;
  // The pool's user sleeps; other allocation goes on.
  void WaitUntil(uint64_t time);

  // Starts of major cycles since the last ForgetMajors, oldest first.
  const std::vector<uint64_t>& major_starts() const { return major_starts_; }
  uint64_t last_major() const { return last_major_; }
  void ForgetMajors();
  // Mean distance between their starts; NaN with fewer than two.
  double MeanPeriod() const;
  // (longest - shortest) / mean of these distances; NaN with fewer than three starts.
  double PeriodSpread() const;
  // Waits for `majors` cycles from now and returns their mean period. NaN when none comes in
  // `patience_ms`.
  double MeasurePeriod(uint64_t majors, double patience_ms);

  // Virtual clock only: the next chunks come `factor()` times as far apart, drawn anew after each
  // major cycle. Null: even again.
  void SetUnevenness(std::function<double()> factor) { unevenness_ = std::move(factor); }

 private:
  static gc::Options HeapOptions(const PacedOptions& options);
  static void NoteMajor(void* context, uint64_t cycle);
  void MakeLiveSet();
  void AllocateChunk(gc::Mutator& m);
  void WaitUntilVirtual(uint64_t time);
  void AllocateOnWallClock();

  const PacedOptions options_;
  LabHeap lab_heap_;
  Clock& clock_;
  const bool virtual_;
  const uint64_t chunk_length_;
  gc::GlobalHandle live_;

  // Virtual clock.
  double due_ = 0;       // when the next chunk is due
  double interval_ = 0;  // between chunks
  double factor_ = 1;    // of the interval, until the next major cycle
  uint64_t factor_major_ = 0;
  std::function<double()> unevenness_;

  // Wall clock.
  std::atomic<bool> stop_{false};
  std::thread allocator_;

  // Written by the cleanup hook, with the world stopped.
  int hook_ = 0;
  uint64_t last_major_ = 0;
  std::vector<uint64_t> major_starts_;
};

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_PACED_PROGRAM_H_
