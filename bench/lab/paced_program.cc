// SPDX-License-Identifier: MIT
#include "paced_program.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "neap/gc/type.h"
#include "neap/runtime/check.h"

namespace neap::lab {
namespace {

constexpr uint64_t kByteArrayHeaderBytes = sizeof(gc::ByteArray);
constexpr uint64_t kWallSleepNs = 1'000'000;

}  // namespace

gc::Options PacedProgram::HeapOptions(const PacedOptions& options) {
  gc::Options heap = options.heap;
  heap.min_heap_bytes /= options.divisor;
  heap.periodic_major_s = 0;  // minutes of the wall clock have no place in either kind of run
  // Thousands of cycles on a shared machine: some hook is always preempted. Report real slowness.
  heap.debug.slow_hook_us = std::max<uint64_t>(heap.debug.slow_hook_us, 50'000);
  return heap;
}

PacedProgram::PacedProgram(const PacedOptions& options)
    : options_(options),
      lab_heap_(HeapOptions(options)),
      clock_(lab_heap_.heap().clock()),
      virtual_(clock_.is_virtual()),
      chunk_length_(options.chunk_bytes / options.divisor - kByteArrayHeaderBytes) {
  NEAP_CHECK(virtual_ || options.divisor == 1, "only the virtual clock runs a scale model");
  MakeLiveSet();
  lab_heap_.Collect();
  major_starts_.reserve(1 << 16);  // the hook should not have to grow it
  hook_ = heap().AddCleanupHook("lab-clock", NoteMajor, this);
  const double chunks_per_ms = options.rate_mb_s * 1e3 / static_cast<double>(options.chunk_bytes);
  interval_ = kTicksPerMs / static_cast<double>(options.divisor) / chunks_per_ms;
  due_ = static_cast<double>(Now()) + interval_;
  if (!virtual_) allocator_ = std::thread([this] { AllocateOnWallClock(); });
}

PacedProgram::~PacedProgram() {
  stop_.store(true);
  if (allocator_.joinable()) {
    gc::BlockingRegion blocking(lab_heap_.mutator());
    allocator_.join();
  }
  heap().RemoveCleanupHook(hook_);
}

void PacedProgram::NoteMajor(void* context, uint64_t) {
  auto* program = static_cast<PacedProgram*>(context);
  program->last_major_ = program->clock_.Now();
  program->major_starts_.push_back(program->last_major_);
}

// The live set is made of chunks, as the source's is of slices: few objects, marking costs little.
void PacedProgram::MakeLiveSet() {
  gc::Mutator& m = lab_heap_.mutator();
  const uint64_t chunks = live_bytes() / (options_.chunk_bytes / options_.divisor);
  live_ = gc::GlobalHandle(m, m.NewSlots(chunks));
  for (uint64_t i = 0; i < chunks; ++i) {
    gc::ByteArray* chunk = m.NewBytes(chunk_length_);
    gc::SlotArray* live = live_.as<gc::SlotArray>();
    m.Store(live, &live->slots()[i], chunk);
  }
}

uint64_t PacedProgram::FromMs(double ms) const {
  const double units_per_ms = virtual_ ? kTicksPerMs / static_cast<double>(options_.divisor) : 1e6;
  return static_cast<uint64_t>(std::llround(ms * units_per_ms));
}

double PacedProgram::ToMs(double units) const {
  return units / (virtual_ ? kTicksPerMs / static_cast<double>(options_.divisor) : 1e6);
}

void PacedProgram::AllocateChunk(gc::Mutator& m) { m.NewBytes(chunk_length_); }

void PacedProgram::WaitUntil(uint64_t time) {
  if (virtual_) return WaitUntilVirtual(time);
  gc::BlockingRegion blocking(lab_heap_.mutator());
  clock_.SleepUntil(time);
}

void PacedProgram::WaitUntilVirtual(uint64_t time) {
  gc::Mutator& m = lab_heap_.mutator();
  for (;;) {
    const uint64_t now = Now();
    if (now >= time) return;
    const auto due = static_cast<uint64_t>(due_);
    if (due >= time) return clock_.Skip(time - now);
    if (due > now) clock_.Skip(due - now);
    AllocateChunk(m);
    if (unevenness_ && factor_major_ != lab_heap_.majors()) {
      factor_major_ = lab_heap_.majors();
      factor_ = unevenness_();
    }
    due_ += unevenness_ ? interval_ * factor_ : interval_;
  }
}

void PacedProgram::AllocateOnWallClock() {
  gc::Mutator m(heap());
  const uint64_t start_ns = MonotonicNanos();
  const double chunks_per_ns =
      options_.rate_mb_s * 1e-3 / static_cast<double>(options_.chunk_bytes);
  uint64_t made = 0;
  while (!stop_.load()) {
    const double due = static_cast<double>(MonotonicNanos() - start_ns) * chunks_per_ns;
    for (; static_cast<double>(made) < due && !stop_.load(); ++made) AllocateChunk(m);
    {
      gc::BlockingRegion blocking(m);
      std::this_thread::sleep_for(std::chrono::nanoseconds(kWallSleepNs));
    }
    // The pool's user plays all its workers on P 0; it should not find this thread there.
    if (m.proc() != 1) m.MoveToProc(1);
  }
}

void PacedProgram::ForgetMajors() { major_starts_.clear(); }

double PacedProgram::MeanPeriod() const {
  if (major_starts_.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(major_starts_.back() - major_starts_.front()) /
         static_cast<double>(major_starts_.size() - 1);
}

double PacedProgram::PeriodSpread() const {
  if (major_starts_.size() < 3) return std::numeric_limits<double>::quiet_NaN();
  uint64_t shortest = UINT64_MAX, longest = 0;
  for (size_t i = 1; i < major_starts_.size(); ++i) {
    const uint64_t period = major_starts_[i] - major_starts_[i - 1];
    shortest = std::min(shortest, period);
    longest = std::max(longest, period);
  }
  return static_cast<double>(longest - shortest) / MeanPeriod();
}

double PacedProgram::MeasurePeriod(uint64_t majors, double patience_ms) {
  ForgetMajors();
  const uint64_t step = FromMs(1);
  const uint64_t give_up = Now() + FromMs(patience_ms);
  while (major_starts_.size() <= majors && Now() < give_up) WaitUntil(Now() + step);
  return MeanPeriod();
}

}  // namespace neap::lab
