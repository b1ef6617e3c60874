// SPDX-License-Identifier: MIT
//
// Speed of evacuation: a nursery full of 64-byte survivors, collected until they are promoted.
//
//   round:  allocate 100,000 objects (6.4 MB) into an old array, in order or to random places (then
//           the collector, which follows the array, reads memory in random order)
//           minor 1   copied within the young generation
//           minor 2   the same
//           minor 3   promoted
//
// Bytes are the collector's own count (headers included), time is the CPU time of the call, so that
// roots and the scan of the array are in it. The reference copies as many bytes in blocks of 64
// with memcpy: what the machine can do when nothing has to be found.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>

#include "benchmarks.h"
#include "neap/gc/handle.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"
#include "neap/runtime/clock.h"

namespace neap::bench {
namespace {

constexpr uint64_t kSurvivors = 100'000;
constexpr int kWarmRounds = 2, kRounds = 9;

struct Survivor : gc::Object {
  explicit Survivor(uint64_t value) : words{value} {}
  uint64_t words[7];
};
static_assert(sizeof(Survivor) == 64);

gc::TypeId SurvivorType() {
  static const gc::TypeId type =
      gc::RegisterType({.name = "survivor", .base_bytes = sizeof(Survivor)});
  return type;
}

struct Speeds {
  std::vector<double> copy_gbps, promote_gbps, memcpy_gbps;
};

// `order[i]` is the place of the ith object that is allocated.
using Order = std::vector<uint64_t>;

void Fill(gc::Mutator& m, gc::Handle<gc::SlotArray> array, const Order& order) {
  for (const uint64_t place : order) {
    Survivor* survivor = m.New<Survivor>(SurvivorType(), place);
    m.Store(array.get(), &array->slots()[place], survivor);
  }
}

bool Intact(gc::Handle<gc::SlotArray> array) {
  for (uint64_t i = 0; i < kSurvivors; ++i) {
    const auto* survivor = static_cast<Survivor*>(gc::ToObject(array->slots()[i]));
    if (survivor->words[0] != i) return false;
  }
  return true;
}

// One minor collection; GB per second of CPU, of what it copied (`field`).
double Collect(gc::Mutator& m, uint64_t gc::Stats::*field) {
  const uint64_t before = m.heap().Snapshot().*field;
  const uint64_t start_ns = ThreadCpuNanos();
  m.heap().CollectMinor(m);
  const uint64_t cpu_ns = ThreadCpuNanos() - start_ns;
  return static_cast<double>(m.heap().Snapshot().*field - before) / static_cast<double>(cpu_ns);
}

double CopyBlocks(const char* from, char* to) {
  const uint64_t start_ns = ThreadCpuNanos();
  for (uint64_t i = 0; i < kSurvivors; ++i) {
    std::memcpy(to + i * 64, from + i * 64, 64);
    Keep(to);
  }
  return static_cast<double>(kSurvivors * 64) / static_cast<double>(ThreadCpuNanos() - start_ns);
}

// False when an object changed.
bool MeasureRounds(const Order& order, Speeds* speeds) {
  gc::Heap heap({.nursery = gc::Options::Nursery::kFixed,
                 .nursery_bytes = 16 << 20,
                 .tenure = 3,
                 .in_place = false,
                 .procs = 1});
  gc::Mutator m(heap);
  gc::HandleScope scope(m);
  const auto array = scope.New(m.NewSlots(kSurvivors));
  const auto from = std::make_unique<char[]>(kSurvivors * 64);
  const auto to = std::make_unique<char[]>(kSurvivors * 64);
  for (int round = 0; round < kWarmRounds + kRounds; ++round) {
    heap.Collect(m);  // frees the last round and makes the array old
    Fill(m, array, order);
    const double first = Collect(m, &gc::Stats::copied_bytes);
    const double second = Collect(m, &gc::Stats::copied_bytes);
    const double third = Collect(m, &gc::Stats::promoted_bytes);
    const double blocks = CopyBlocks(from.get(), to.get());
    if (!Intact(array)) return false;
    if (round < kWarmRounds) continue;
    speeds->copy_gbps.push_back((first + second) / 2);
    speeds->promote_gbps.push_back(third);
    speeds->memcpy_gbps.push_back(blocks);
  }
  return true;
}

}  // namespace

void BenchCopy(Board& board) {
  Order in_order(kSurvivors);
  std::iota(in_order.begin(), in_order.end(), 0);
  Order shuffled = in_order;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937_64(12345));
  for (const Order* order : {&in_order, &shuffled}) {
    Speeds speeds;
    const std::string name = order == &in_order ? "in order" : "shuffled";
    if (!MeasureRounds(*order, &speeds)) return board.Broken(name, "an object changed by moving");
    board.Value(name + ", copied within the young", "GB/s", Summarize(speeds.copy_gbps),
                AtLeast(1));
    board.Value(name + ", promoted", "GB/s", Summarize(speeds.promote_gbps), AtLeast(1));
    board.Compare(name + ", copied", "GB/s", PairUp(speeds.copy_gbps, speeds.memcpy_gbps),
                  "memcpy of blocks");
  }
}

}  // namespace neap::bench
