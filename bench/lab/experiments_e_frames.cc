// SPDX-License-Identifier: MIT
//
// E1-E6 and E10: the scoped frame allocator (neap/gc/frame_allocator.h) in the place of the
// source's compiler: up to 64 KiB stay on the frame, what is larger is an object of the heap.
// Allocations and bytes come from a profile of the heap, times from the clock.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "allocation_count.h"
#include "experiments_e.h"
#include "frame_times.h"
#include "neap/gc/frame_allocator.h"
#include "neap/runtime/clock.h"
#include "number_text.h"

namespace neap::lab {
namespace {

using gc::FrameBuffer;
using gc::FrameScope;
using gc::FrameStack;

constexpr int kCounted = 1000;  // operations whose allocations are counted

// On the heap: 16 bytes and a header.
struct HeapPoint : gc::Object {
  HeapPoint(double first, double second) : x(first), y(second) {}
  double x, y;
  static HeapPoint* New(gc::Mutator& m, double x, double y) {
    static const gc::TypeId type = gc::RegisterType(
        {.name = "point", .layout = gc::Layout::kNone, .base_bytes = sizeof(HeapPoint)});
    return m.New<HeapPoint>(type, x, y);
  }
};
struct FramePoint {
  double x, y;
};

// What is computed is kept where the optimizer cannot follow.
volatile double sink;
volatile size_t buffer_bytes = 0;

void NewPoint(gc::Mutator& m) { sink = HeapPoint::New(m, 1, 2)->x; }

// The source's functions, by the sum of what they write.
void Sum(FrameStack& stack) {
  FrameScope frame(stack);
  const FramePoint* const point = frame.Make<FramePoint>(1.0, 2.0);
  sink = point->x + point->y;
}

void SumAll(FrameStack& stack) {
  FrameScope frame(stack);
  using Slice = std::array<const FramePoint*, 3>;
  const Slice* const slice =
      frame.Make<Slice>(Slice{frame.Make<FramePoint>(1.0, 2.0), frame.Make<FramePoint>(3.0, 4.0),
                              frame.Make<FramePoint>(5.0, 6.0)});
  double sum = 0;
  for (const FramePoint* point : *slice) sum += point->x + point->y;
  sink = sum;
}

// First and last byte are written, as the source does.
void UseBuffer(FrameStack& stack, size_t bytes) {
  FrameScope frame(stack);
  const FrameBuffer buffer = frame.Bytes(bytes);
  volatile uint8_t* const data = buffer.bytes.data();
  data[0] = 1;
  data[bytes - 1] = 2;
}
void FixedBuffer(FrameStack& stack) { UseBuffer(stack, 1024); }
void VarBuffer(FrameStack& stack) { UseBuffer(stack, buffer_bytes); }

struct Times {
  double ns = 0, spread = 0;
};
template <typename Operation>
Times TimeOf(const Lab& lab, uint64_t operations, Operation operation) {
  std::vector<double> rounds;
  operations = lab.Repetitions(operations, std::max<uint64_t>(operations / 100, 10));
  for (uint64_t round = 0; round < lab.Repetitions(9, 3); ++round) {
    const uint64_t start_ns = ThreadCpuNanos();
    for (uint64_t i = 0; i < operations; ++i) operation();
    rounds.push_back(static_cast<double>(ThreadCpuNanos() - start_ns) /
                     static_cast<double>(operations));
  }
  return {Median(rounds), Spread(rounds)};
}

// Heap, frames, and a scope for both.
class Bench {
 public:
  explicit Bench(const Lab& lab) : heap_(BesidePreset(lab, 1)), stack_(heap_.mutator()) {}
  gc::Mutator& m() { return heap_.mutator(); }
  FrameStack& stack() { return stack_; }

 private:
  LabHeap heap_;
  FrameStack stack_;
};

void NamesFrames(Lab& lab) {
  lab.Say(
      "Uses the frame allocator: the rule is by size, and this program, not a compiler, says "
      "what may end with its scope.");
}

// Bytes that the system gave for each of many large buffers, held at once: on a heap of its own,
// where no free pages wait, and as a difference, so that what else is mapped does not count.
double MappedBytesEach(const Lab& lab, size_t bytes) {
  constexpr int kBuffers = 64;
  gc::Options options = BesidePreset(lab, 1);
  options.nursery = gc::Options::Nursery::kFixed;  // one that grows meanwhile would count
  LabHeap heap(options);
  FrameStack stack(heap.mutator());
  FrameScope frame(stack);
  const auto mapped_with_more = [&] {
    for (int i = 0; i < kBuffers; ++i) (void)frame.Bytes(bytes);
    heap.Collect(2);
    const gc::Stats stats = heap.heap().Snapshot();
    return static_cast<double>(stats.mapped_bytes - stats.metadata_bytes);
  };
  const double before = mapped_with_more();
  return (mapped_with_more() - before) / kBuffers;
}

// One large request: an allocation of its payload, and pages for it.
void CheckLarge(Lab& lab, Bench& bench, size_t bytes, const char* pages_of_source) {
  constexpr double kPage = 4096;  // of large-object space
  buffer_bytes = bytes;
  const PerOperation per =
      CountAllocations(bench.m(), kCounted / 10, [&] { VarBuffer(bench.stack()); });
  const auto payload = static_cast<double>(bytes);
  lab.Exact(absl::StrCat("allocations, ", bytes, " bytes"), "allocs/op", per.allocations, 1,
            {.source = "1"});
  lab.Exact(absl::StrCat("bytes of the object, ", bytes, " bytes"), "B/op", per.bytes,
            static_cast<double>(gc::BytesFor(gc::ByteArray::Type(), bytes)),
            {.reason = "payload, 8 bytes of header and 8 of length, in words"});
  // A page holds the object, and 64 bytes in front that large-object space keeps for itself.
  const double pages = std::ceil((per.bytes + 64) / kPage);
  lab.Exact(absl::StrCat("pages of 4 KiB, ", bytes, " bytes"), "KiB",
            MappedBytesEach(lab, bytes) / 1024, pages * kPage / 1024,
            {.source = pages_of_source,
             .reason = absl::StrCat("payload ", FixedNumber(payload / 1024, 1), " KiB")});
}

}  // namespace

void RunE1(Lab& lab) {
  Bench bench(lab);
  const PerOperation per = CountAllocations(bench.m(), kCounted, [&] { NewPoint(bench.m()); });
  lab.Exact("allocations", "allocs/op", per.allocations, 1, {.source = "1"});
  lab.Exact("payload", "B/op", per.payload, 16, {.source = "16"});
  lab.Observe("with the header", "B/op", per.bytes);
  const Times times = TimeOf(lab, 1'000'000, [&] { NewPoint(bench.m()); });
  lab.Observe("time", "ns/op", times.ns, {.source = "4.587"});
  lab.Say("Uses the heap: this is the function whose point leaves.");
}

void RunE2(Lab& lab) {
  Bench bench(lab);
  const PerOperation per = CountAllocations(bench.m(), kCounted, [&] { Sum(bench.stack()); });
  lab.Exact("allocations", "allocs/op", per.allocations, 0, {.source = "0"});
  const Times times = TimeOf(lab, 1'000'000, [&] { Sum(bench.stack()); });
  lab.Observe("time", "ns/op", times.ns,
              {.source = "0.2303", .reason = "ours opens and closes a scope"});
  NamesFrames(lab);
}

void RunE3(Lab& lab) {
  Bench bench(lab);
  buffer_bytes = 1024;
  const PerOperation fixed =
      CountAllocations(bench.m(), kCounted, [&] { FixedBuffer(bench.stack()); });
  const PerOperation variable =
      CountAllocations(bench.m(), kCounted, [&] { VarBuffer(bench.stack()); });
  lab.Exact("allocations, constant size", "allocs/op", fixed.allocations, 0, {.source = "0"});
  lab.Exact("allocations, variable size", "allocs/op", variable.allocations, 0, {.source = "0"});
  const Times constant = TimeOf(lab, 200'000, [&] { FixedBuffer(bench.stack()); });
  const Times by_size = TimeOf(lab, 200'000, [&] { VarBuffer(bench.stack()); });
  lab.Observe("time, constant size", "ns/op", constant.ns, {.source = "10.19"});
  lab.Observe("time, variable size", "ns/op", by_size.ns, {.source = "10.19"});
  lab.Within(
      "variable / constant", "ratio", by_size.ns / constant.ns, 0.8, 1.2,
      {.source = "1",
       .reason = "gcc 12 clears a size that it knows with one string instruction (rep stos), "
                 "which starts slowly; the variable one calls memset",
       .criterion_class = Class::kShape});
  NamesFrames(lab);
}

void RunE4(Lab& lab) {
  Bench bench(lab);
  CheckLarge(lab, bench, 100'000, "104.0 KiB (pages of 8 KiB)");
  const Times times = TimeOf(lab, 5'000, [&] { VarBuffer(bench.stack()); });
  lab.Observe("time", "ns/op", times.ns, {.source = "4134"});
  NamesFrames(lab);
  lab.Say(
      "The verdict of the source's compiler was \"does not escape\": true of the name, and no "
      "promise about memory.");
}

void RunE5(Lab& lab) {
  Bench bench(lab);
  buffer_bytes = FrameStack::kMaxFrameBytes;
  const PerOperation per =
      CountAllocations(bench.m(), kCounted / 10, [&] { VarBuffer(bench.stack()); });
  lab.Exact("allocations, 65536 bytes", "allocs/op", per.allocations, 0, {.source = "0"});
  lab.Exact("bytes, 65536 bytes", "B/op", per.bytes, 0, {.source = "0"});
  const Times frame = TimeOf(lab, 20'000, [&] { VarBuffer(bench.stack()); });
  CheckLarge(lab, bench, 65'537, "72.00 KiB (pages of 8 KiB)");
  const Times heap = TimeOf(lab, 10'000, [&] { VarBuffer(bench.stack()); });
  lab.Observe("time, 65536 bytes", "ns/op", frame.ns, {.source = "1138"});
  lab.Observe("time, 65537 bytes", "ns/op", heap.ns, {.source = "3446"});
  NamesFrames(lab);
}

void RunE6(Lab& lab) {
  Bench bench(lab);
  const PerOperation per = CountAllocations(bench.m(), kCounted, [&] { SumAll(bench.stack()); });
  lab.Exact("allocations", "allocs/op", per.allocations, 0, {.source = "0"});
  const Times times = TimeOf(lab, 1'000'000, [&] { SumAll(bench.stack()); });
  lab.Observe("time", "ns/op", times.ns, {.source = "1.407"});
  NamesFrames(lab);
}

void RunE10(Lab& lab) {
  Bench bench(lab);
  buffer_bytes = FrameStack::kMaxFrameBytes;
  const PerOperation per =
      CountAllocations(bench.m(), kCounted / 10, [&] { VarBuffer(bench.stack()); });
  lab.Exact("allocations of the 64 KiB buffer", "allocs/op", per.allocations, 0, {.source = "0"});
  const Times zeroed = TimeOf(lab, 20'000, [&] { VarBuffer(bench.stack()); });
  const Times point = TimeOf(lab, 1'000'000, [&] { NewPoint(bench.m()); });
  lab.Observe("64 KiB on the frame", "ns/op", zeroed.ns, {.source = "1140"});
  lab.Observe("16 bytes on the heap", "ns/op", point.ns, {.source = "4.6"});
  lab.TimeAtLeast("64 KiB on the frame / 16 bytes on the heap", "ratio", zeroed.ns / point.ns, 50,
                  std::max(zeroed.spread, point.spread), {.source = "248"});
  lab.Observe("zeroing", "GB/s", 65536 / zeroed.ns);
  NamesFrames(lab);
}

}  // namespace neap::lab
