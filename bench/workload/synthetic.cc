// SPDX-License-Identifier: MIT
//
// The objects of a thread hang in a list of slots on the managed heap; which slot is whose, and
// when it dies, is known on the native side. Deaths wait in a wheel of buckets:
//
//   time (bytes allocated by this thread) ->
//   | bucket now | +1 | +2 | ... | + kBuckets - 1 |        each kBuckets-th part of the horizon
//
// A death beyond the horizon waits in the last bucket and is put off again when that comes. So an
// object costs a few native instructions to kill, whatever is alive.
#include "synthetic.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <latch>
#include <memory>
#include <thread>

#include "absl/strings/str_cat.h"
#include "frame_loop.h"
#include "heap_traces.h"
#include "managed_list.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"
#include "neap/pool/pool.h"
#include "neap/runtime/debug.h"
#include "synthetic_options.h"

namespace neap::workload {
namespace {

constexpr int64_t kStepsToPoll = 1000;
constexpr size_t kMaxBytes = 64 << 20;  // of one object

//   | header | length | reference 0 ... | number | bytes ... |
// `length` counts the bytes from `number` on.
struct SyntheticObject : gc::Object {
  uint64_t length;
  gc::Word* references() { return reinterpret_cast<gc::Word*>(this) + 2; }
  uint64_t& number(int64_t references_count) {
    return *reinterpret_cast<uint64_t*>(references() + references_count);
  }
};

gc::TypeId TypeWith(int64_t references) {
  const auto count = static_cast<uint32_t>(references);
  return gc::RegisterType({.name = "synthetic",
                           .layout = gc::Layout::kBitmap,
                           .base_bytes = 16 + 8 * count,
                           .element_shift = 0,
                           .slot_bitmap = ((uint64_t{1} << count) - 1) << 1});
}

// When the slots of a thread die.
class DeathWheel {
 public:
  explicit DeathWheel(double mean_lifetime)
      : width_(std::max<uint64_t>(512, HorizonOf(mean_lifetime) / kBuckets)), buckets_(kBuckets) {}

  void Add(uint32_t slot, uint64_t death) {
    const uint64_t bucket = std::clamp(death / width_, now_ + 1, now_ + kBuckets - 1);
    buckets_[bucket % kBuckets].push_back({death, slot});
  }

  // Calls `kill` for each slot that is due at `time`.
  template <typename F>
  void Advance(uint64_t time, F kill) {
    while (now_ < time / width_) {
      ++now_;
      std::vector<Death> due = std::move(buckets_[now_ % kBuckets]);
      buckets_[now_ % kBuckets].clear();
      for (const Death& death : due) {
        if (death.time / width_ <= now_) {
          kill(death.slot);
        } else {
          Add(death.slot, death.time);
        }
      }
    }
  }

 private:
  struct Death {
    uint64_t time;
    uint32_t slot;
  };
  static constexpr uint64_t kBuckets = 4096;
  static uint64_t HorizonOf(double mean) {
    return static_cast<uint64_t>(std::min(std::isfinite(mean) ? 8 * mean : 1e9, 1e12));
  }

  const uint64_t width_;
  uint64_t now_ = 0;  // number of the bucket that holds the present
  std::vector<std::vector<Death>> buckets_;
};

using ObjectPool = pool::Pool<SyntheticObject>;

// One thread's objects and its random numbers.
class Population {
 public:
  Population(gc::Mutator& m, const SyntheticOptions& options, gc::TypeId type, ObjectPool* pool,
             uint64_t seed)
      : m_(m),
        options_(options),
        type_(type),
        pool_(pool),
        random_(seed),
        scope_(m),
        list_(m, scope_),
        wheel_(options.lifetime.mean()) {}

  double Frame() {
    for (int64_t i = 0; i < options_.rate; ++i) Spawn();
    for (int64_t i = 0; i < options_.mutations; ++i) Mutate(i);
    return Read();
  }

 private:
  size_t DrawBytes() {
    const double drawn = options_.size.Draw(random_);
    const double least = 24.0 + 8.0 * static_cast<double>(options_.references);
    return static_cast<size_t>(std::clamp(drawn, least, static_cast<double>(kMaxBytes)));
  }

  // A random living object; null when the slots drawn are empty. Valid until the next safepoint.
  SyntheticObject* Random() {
    constexpr int kTries = 4;
    for (int i = 0; i < kTries && list_.count() > 0; ++i) {
      const auto at =
          static_cast<size_t>(UnitInterval(random_) * static_cast<double>(list_.count()));
      if (auto* object = list_.at<SyntheticObject>(at)) return object;
    }
    return nullptr;
  }

  // A recycled object or a new one, its references empty. A safepoint.
  SyntheticObject* Make(size_t bytes) {
    if (pool_ != nullptr) {
      if (SyntheticObject* object = pool_->TryGet(m_)) return object;
    }
    const uint64_t length = bytes - 16 - 8 * static_cast<uint64_t>(options_.references);
    return static_cast<SyntheticObject*>(m_.Allocate(type_, length));
  }

  void Spawn() {
    const size_t bytes = DrawBytes();
    list_.MakeRoom(m_);
    SyntheticObject* const object = Make(bytes);
    object->number(options_.references) = ++made_;
    for (int64_t i = 0; i < options_.references; ++i) {
      m_.Store(object, object->references() + i, Random());
    }
    const uint32_t slot = TakeSlot(object);
    time_ += bytes;
    if (UnitInterval(random_) >= options_.immortal) {
      wheel_.Add(slot, time_ + static_cast<uint64_t>(options_.lifetime.Draw(random_)));
    }
    wheel_.Advance(time_, [this](uint32_t dead) { Kill(dead); });
  }

  uint32_t TakeSlot(SyntheticObject* object) {
    if (free_.empty()) {
      list_.Append(m_, object);
      return static_cast<uint32_t>(list_.count() - 1);
    }
    const uint32_t slot = free_.back();
    free_.pop_back();
    m_.Store(list_.array(), list_.slots() + slot, object);
    return slot;
  }

  void Kill(uint32_t slot) {
    auto* const object = list_.at<SyntheticObject>(slot);
    for (int64_t i = 0; i < options_.references; ++i) {
      m_.Store(object, object->references() + i, gc::Word{0});
    }
    m_.Store(list_.array(), list_.slots() + slot, gc::Word{0});
    free_.push_back(slot);
    if (pool_ != nullptr) pool_->Put(m_, object);
  }

  void Mutate(int64_t step) {
    if (step % kStepsToPoll == 0) m_.Poll();
    SyntheticObject* const holder = Random();
    if (holder == nullptr || options_.references == 0) return;
    const auto at =
        static_cast<int64_t>(UnitInterval(random_) * static_cast<double>(options_.references));
    m_.Store(holder, holder->references() + at, Random());
  }

  // The sum of the numbers read: what makes the reads observable, and runs comparable.
  double Read() {
    double sum = static_cast<double>(made_);
    for (int64_t i = 0; i < options_.reads; ++i) {
      if (i % kStepsToPoll == 0) m_.Poll();
      if (SyntheticObject* object = Random()) {
        sum += static_cast<double>(object->number(options_.references));
      }
    }
    return sum;
  }

  gc::Mutator& m_;
  const SyntheticOptions& options_;
  const gc::TypeId type_;
  ObjectPool* const pool_;
  workload::Random random_;
  gc::HandleScope scope_;
  lab::ManagedList list_;
  DeathWheel wheel_;
  std::vector<uint32_t> free_;
  uint64_t time_ = 0;  // bytes spawned by this thread
  uint64_t made_ = 0;
};

// The threads beside the measured one: they run frames until told to stop. All have begun when it
// begins, or a short run would be over before them.
class OtherThreads {
 public:
  // run_frames(i, begun, stops): counts `begun` down after the first frame.
  template <typename RunFrames>
  OtherThreads(gc::Mutator& m, int64_t count, RunFrames run_frames) : m_(m), begun_(count) {
    for (int64_t i = 0; i < count; ++i) {
      threads_.emplace_back([this, i, run_frames] { run_frames(i, begun_, stops_); });
    }
    const gc::BlockingRegion region(m_);
    begun_.wait();
  }
  ~OtherThreads() {
    stops_ = true;
    const gc::BlockingRegion region(m_);
    for (std::thread& thread : threads_) thread.join();
  }
  OtherThreads(const OtherThreads&) = delete;
  OtherThreads& operator=(const OtherThreads&) = delete;

 private:
  gc::Mutator& m_;
  std::latch begun_;
  std::atomic<bool> stops_ = false;
  std::vector<std::thread> threads_;
};

std::unique_ptr<ObjectPool> MakePool(gc::Heap& heap, const SyntheticOptions& options) {
  if (!options.pool) return nullptr;
  return std::make_unique<ObjectPool>(
      heap, pool::Options<SyntheticObject>{.name = "synthetic", .retention = *options.pool});
}

}  // namespace

absl::Status CheckSynthetic(const SortedKnobs& knobs) {
  return ReadSyntheticOptions(knobs.rest).status();
}

absl::StatusOr<Run> RunSynthetic(const SortedKnobs& knobs) {
  const absl::StatusOr<SyntheticOptions> read = ReadSyntheticOptions(knobs.rest);
  if (!read.ok()) return read.status();
  const SyntheticOptions& options = *read;
  gc::Options heap_options = knobs.heap;
  heap_options.procs = std::max(heap_options.procs, static_cast<int>(options.threads));
  const absl::StatusOr<std::unique_ptr<gc::Heap>> heap = gc::Heap::Create(heap_options);
  if (!heap.ok()) return heap.status();
  lab::AttachTraces(**heap);
  gc::Mutator m(**heap);
  const gc::TypeId type = TypeWith(options.references);
  const std::unique_ptr<ObjectPool> pool = MakePool(**heap, options);
  const auto seed_of = [&](int64_t thread) {
    return knobs.run.seed + 1000003 * static_cast<uint64_t>(thread);
  };
  const auto run_frames = [&](int64_t index, std::latch& begun, const std::atomic<bool>& stops) {
    gc::Mutator mine(**heap);
    Population population(mine, options, type, pool.get(), seed_of(index + 1));
    population.Frame();
    begun.count_down();
    while (!stops) population.Frame();
  };
  Population population(m, options, type, pool.get(), seed_of(0));
  const OtherThreads others(m, options.threads - 1, run_frames);
  return RunFrames(**heap, knobs.run,
                   [&](int64_t) -> absl::StatusOr<double> { return population.Frame(); });
}

}  // namespace neap::workload
