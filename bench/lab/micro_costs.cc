// SPDX-License-Identifier: MIT
#include "micro_costs.h"

#include <memory>
#include <vector>

#include "frame_times.h"
#include "lab_heap.h"
#include "managed_bullet.h"
#include "managed_list.h"
#include "neap/gc/handle.h"
#include "neap/runtime/clock.h"

namespace neap::lab {
namespace {

using Bullet = ManagedBullet<6>;
constexpr size_t kPiecesPerRound = 500'000;
constexpr size_t kBatch = 1000;

Shot ShotFor(size_t i) { return {static_cast<double>(i), 2, 3, 4, 5, 6}; }

// Keeps the compiler from dropping work on what `pointer` points to.
void Keep(const void* pointer) { asm volatile("" : : "r"(pointer) : "memory"); }

// CPU nanoseconds a piece of `loop`, which handles kPiecesPerRound pieces.
template <typename Loop>
double Time(Loop loop) {
  const uint64_t start_ns = ThreadCpuNanos();
  loop();
  return static_cast<double>(ThreadCpuNanos() - start_ns) / static_cast<double>(kPiecesPerRound);
}

double TimeAllocate(gc::Mutator& m) {
  const gc::TypeId type = Bullet::Type();
  return Time([&] {
    for (size_t i = 0; i < kPiecesPerRound; ++i) Keep(m.New<Bullet>(type, ShotFor(i)));
  });
}

double TimeOverwrite(gc::Mutator& m) {
  gc::HandleScope scope(m);
  ManagedList bullets(m, scope, 1024);
  for (size_t i = 0; i < 1024; ++i) bullets.Append(m, m.New<Bullet>(Bullet::Type(), ShotFor(i)));
  return Time([&] {
    for (size_t i = 0; i < kPiecesPerRound; ++i) {
      auto* const bullet = bullets.at<Bullet>(i % 1024);
      bullet->fields.Overwrite(ShotFor(i));
      Keep(bullet);
    }
  });
}

double TimeListPair(gc::Mutator& m) {
  gc::HandleScope scope(m);
  ManagedList list(m, scope, kBatch);
  gc::Handle<Bullet> bullet = scope.New(m.New<Bullet>(Bullet::Type(), ShotFor(0)));
  return Time([&] {
    for (size_t done = 0; done < kPiecesPerRound; done += kBatch) {
      m.Poll();
      for (size_t i = 0; i < kBatch; ++i) list.Append(m, bullet.get());
      for (size_t i = 0; i < kBatch; ++i) Keep(list.RemoveLast<Bullet>(m));
    }
  });
}

double TimeIndexPair() {
  std::vector<int32_t> stack;
  stack.reserve(kBatch);
  return Time([&] {
    for (size_t done = 0; done < kPiecesPerRound; done += kBatch) {
      for (size_t i = 0; i < kBatch; ++i) {
        stack.push_back(static_cast<int32_t>(i));
        Keep(stack.data());
      }
      for (size_t i = 0; i < kBatch; ++i) {
        Keep(&stack.back());
        stack.pop_back();
      }
    }
  });
}

double TimeMallocPair() {
  return Time([&] {
    for (size_t i = 0; i < kPiecesPerRound; ++i) {
      auto* const bullet = new BulletFields<6>(ShotFor(i));
      Keep(bullet);
      delete bullet;
    }
  });
}

}  // namespace

MicroCosts MeasureMicroCosts(const gc::Options& options, uint64_t rounds) {
  LabHeap lab_heap(options);
  gc::Mutator& m = lab_heap.mutator();
  TimeAllocate(m);  // the nursery's pages are touched once before anything counts
  std::vector<double> allocate, overwrite, list, index, malloc_pair;
  for (uint64_t round = 0; round < rounds; ++round) {
    allocate.push_back(TimeAllocate(m));
    overwrite.push_back(TimeOverwrite(m));
    list.push_back(TimeListPair(m));
    index.push_back(TimeIndexPair());
    malloc_pair.push_back(TimeMallocPair());
  }
  return {.allocate_ns = Median(allocate),
          .overwrite_ns = Median(overwrite),
          .list_pair_ns = Median(list),
          .index_pair_ns = Median(index),
          .malloc_pair_ns = Median(malloc_pair)};
}

}  // namespace neap::lab
