// SPDX-License-Identifier: MIT
//
// A ring of 200,000 messages of 1 KiB: a steady live set of 200 MB in which every message dies old,
// in the order of birth. The worst push is the longest pause that a server would see. Marking
// stands inside the pause in this version, so a push that meets a major cycle waits for all of it.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "benchmarks.h"
#include "child.h"
#include "neap/gc/handle.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"
#include "neap/runtime/clock.h"

namespace neap::bench {
namespace {

constexpr uint64_t kSlots = 200'000, kPushes = 5'000'000, kMessageBytes = 1024;

// The message that push `i` drops was filled by push i - slots.
uint64_t ExpectedSum(uint64_t slots, uint64_t pushes) {
  uint64_t sum = 0;
  for (uint64_t i = slots; i < pushes; ++i) sum += (i - slots) & 127;
  return sum;
}

uint64_t Push(gc::Mutator& m, gc::Handle<gc::SlotArray> ring, uint64_t i) {
  gc::ByteArray* message = m.NewBytes(kMessageBytes);
  std::memset(message->data(), static_cast<int>(i & 127), kMessageBytes);
  gc::Word* slot = &ring->slots()[i % ring->length];
  auto* old = static_cast<gc::ByteArray*>(gc::ToObject(*slot));
  const uint64_t read = old == nullptr ? 0 : old->data()[i % kMessageBytes];
  m.Store(ring.get(), slot, message);
  return read;
}

}  // namespace

int RingCell(const Arguments& arguments) {
  const uint64_t slots = NumberAt(arguments, 0, kSlots);
  const uint64_t pushes = NumberAt(arguments, 1, kPushes);
  gc::Heap heap({.procs = 1});
  gc::Mutator m(heap);
  gc::HandleScope scope(m);
  const auto ring = scope.New(m.NewSlots(slots));
  std::vector<uint32_t> times;
  times.reserve(pushes);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < pushes; ++i) {
    const uint64_t start_ns = MonotonicNanos();
    sum += Push(m, ring, i);
    times.push_back(static_cast<uint32_t>(std::min<uint64_t>(MonotonicNanos() - start_ns, ~0u)));
  }
  std::sort(times.begin(), times.end());
  const gc::Stats stats = heap.Snapshot();
  std::printf(
      "RESULT p50_us=%.3f p999_us=%.3f worst_ms=%.4f minors=%llu majors=%llu gc_s=%.3f "
      "chk=%llu\n",
      times[pushes / 2] * 1e-3, times[pushes - 1 - pushes / 1000] * 1e-3, times.back() * 1e-6,
      static_cast<unsigned long long>(stats.minors), static_cast<unsigned long long>(stats.majors),
      static_cast<double>(stats.gc_cpu_ns) * 1e-9, static_cast<unsigned long long>(sum));
  return sum == ExpectedSum(slots, pushes) ? 0 : 1;
}

void BenchRing(Board& board) {
  const std::string slots = std::to_string(kSlots), pushes = std::to_string(kPushes);
  const ChildRun ours = RunCell("ring", {slots, pushes});
  if (!ours.ok) return board.Broken("ring", "a message was not what was pushed");
  board.Value("worst push, wall", "ms", ours["worst_ms"], Aim(5));
  board.Value("push, median", "us", ours["p50_us"]);
  board.Value("push, p99.9", "us", ours["p999_us"]);
  board.Note("collections: " + Figure(ours["minors"]) + " minor, " + Figure(ours["majors"]) +
             " major, " + Figure(ours["gc_s"]) + " s CPU of " + Figure(ours.cpu_s) +
             " s; the aim is not expected before marking is concurrent");
  std::string no_go;
  const auto cpp = CppPeer("ring");
  const auto go = GoPeer("ring", &no_go);
  const std::pair<std::string, std::string> peers[] = {{"C++ mimalloc", cpp.value_or("")},
                                                       {"Go", go.value_or("")}};
  for (const auto& [name, path] : peers) {
    if (path.empty()) {
      board.Skip("worst push of " + name, "not here");
      continue;
    }
    const ChildRun peer = RunChild({path, slots, pushes});
    if (!peer.ok || peer["chk"] != ours["chk"]) return board.Broken(name, "its sum is wrong");
    board.Compare("worst push, wall", "ms", PairUp({ours["worst_ms"]}, {peer["worst_ms"]}), name);
    board.Compare("push, p99.9", "us", PairUp({ours["p999_us"]}, {peer["p999_us"]}), name);
  }
}

}  // namespace neap::bench
