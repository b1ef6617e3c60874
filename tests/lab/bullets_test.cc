// SPDX-License-Identifier: MIT
//
// The bullet workload and what its experiments compute with: exact where it can be, and never
// timed.
#include "bullets.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bullet_run.h"
#include "bullets_cpp.h"
#include "bullets_managed.h"
#include "byte_buffer.h"
#include "frame_times.h"
#include "lab_heap.h"
#include "locality.h"
#include "managed_list.h"
#include "pierce_run.h"

namespace neap::lab {
namespace {

using Kind = BulletStorageKind;

constexpr Kind kAllKinds[] = {
#define NEAP_LIST_KIND(kind, name) Kind::kind,
    NEAP_LAB_BULLET_STORAGES(NEAP_LIST_KIND)
#undef NEAP_LIST_KIND
};

// A heap on which a frame meets several collections and freed memory is poisoned.
gc::Options StressedOptions() {
  gc::Options options = *gc::Options::Preset("tiny");
  options.procs = 1;
  options.debug.poison = 1;
  return options;
}

TEST_CASE("the generator and the integrator give the published checksums") {
  CHECK(ReferenceChecksum(300) == 2050992545.0);
  CHECK(ReferenceChecksum(1000) == 6838860443.0);
  CHECK(PublishedChecksum(1000) == 6838860443.0);
  CHECK(!PublishedChecksum(1001).has_value());
}

TEST_CASE("every storage in plain C++ gives the published checksum, with 6 and with 20 fields") {
  for (const Kind kind : kAllKinds) {
    if (IsManaged(kind)) continue;
    for (const int fields : {6, 20}) {
      CAPTURE(BulletStorageName(kind));
      CAPTURE(fields);
      const auto storage = MakeCppStorage(kind, fields, 300);
      CHECK(ChecksumOf(*storage, 300) == 2050992545.0);
    }
  }
}

TEST_CASE("every managed storage gives the published checksum on a 4 KiB nursery") {
  for (const Kind kind : kAllKinds) {
    if (!IsManaged(kind)) continue;
    for (const int fields : {6, 20}) {
      CAPTURE(BulletStorageName(kind));
      CAPTURE(fields);
      LabHeap lab_heap(StressedOptions());
      const auto storage = MakeManagedStorage(lab_heap.mutator(), kind, fields, 300);
      CHECK(ChecksumOf(*storage, 300) == 2050992545.0);
      CHECK(lab_heap.heap().Verify(lab_heap.mutator()).ok());
    }
  }
}

TEST_CASE("the heap verifies before and after every collection that bullets cause") {
  for (const Kind kind : kAllKinds) {
    if (!IsManaged(kind)) continue;
    CAPTURE(BulletStorageName(kind));
    gc::Options options = StressedOptions();
    options.debug.verify = 1;
    options.debug.stress_major = 5;
    LabHeap lab_heap(options);
    const auto storage = MakeManagedStorage(lab_heap.mutator(), kind, 6, 40);
    CHECK(ChecksumOf(*storage, 40, 60) == ReferenceChecksum(40, 60));
  }
}

TEST_CASE("a chaotic pool changes no bullet") {
  LabHeap lab_heap(StressedOptions());
  for (const uint64_t seed : {1, 2, 3}) {
    const auto storage = MakeChaoticStorage(lab_heap.mutator(), seed);
    CHECK(ChecksumOf(*storage, 100, 100) == ReferenceChecksum(100, 100));
  }
}

TEST_CASE("a free list makes as many bullets as were ever alive at once") {
  BulletSpec spec{.kind = Kind::kPool, .spawn = 1000};
  spec.options = {"preset=source", "nursery=256KiB"};
  const BulletRun run = RunBullets(spec);
  CHECK(run.checksum == 6838860443.0);
  CHECK(run.made_in_warmup == 27258);
  CHECK(run.made_measured == 2413);
  CHECK(run.max_live == 29671);
  CHECK(run.mean_live_updating == doctest::Approx(29491.7).epsilon(1e-5));
  CHECK(run.mean_live_kept == doctest::Approx(28494.7).epsilon(1e-5));
}

TEST_CASE("fresh bullets are counted one by one, and their collections frame by frame") {
  BulletSpec spec{.kind = Kind::kFresh, .spawn = 300, .frames = 100};
  spec.options = {"preset=source", "nursery=64KiB"};
  const BulletRun run = RunBullets(spec);
  CHECK(run.alloc_objects == 300 * 100 + run.grown_measured);
  CHECK(run.minors > 10);
  uint64_t minors_in_frames = 0;
  for (const FrameSample& frame : run.frames) minors_in_frames += frame.minors;
  CHECK(minors_in_frames == run.minors);
  CHECK(run.lost_events == 0);
}

TEST_CASE("a cell's arguments and output survive the way to another process") {
  BulletSpec spec{
      .kind = Kind::kTypedFifo, .spawn = 77, .fields = 20, .frames = 9, .repetition = 4};
  spec.options = {"preset=source", "nursery=64KiB"};
  const absl::StatusOr<BulletSpec> read = SpecFromArguments(ToArguments(spec));
  REQUIRE(read.ok());
  CHECK(ToArguments(*read) == ToArguments(spec));

  const BulletRun run = RunBullets({.kind = Kind::kCppFresh, .spawn = 20, .frames = 5});
  const std::string text = ToText(run);
  const absl::StatusOr<BulletRun> back = RunFromText(text);
  REQUIRE(back.ok());
  CHECK(ToText(*back) == text);
  CHECK(back->frames.size() == 5);
}

TEST_CASE("a cell refuses arguments that make no sense, and names them") {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"fresh"},
                                             {"nothing", "1", "6", "1", "0"},
                                             {"fresh", "0", "6", "1", "0"},
                                             {"fresh", "1", "7", "1", "0"},
                                             {"fresh", "1", "6", "1", "0", "nursery"},
                                             {"fresh", "1", "6", "1", "0", "nursery=-1"},
                                             {"fresh", "1", "6", "1", "0", "no-such=1"}}) {
    CHECK(!SpecFromArguments(arguments).ok());
  }
  CHECK(!RunFromText("").ok());
  CHECK(!RunFromText("checksum 1\n").ok());
  CHECK(!RunFromText("frame 1 2\n").ok());
  CHECK(!RunFromText("surprise 1\n").ok());
}

TEST_CASE("percentiles take the published ranks") {
  std::vector<FrameSample> frames(600);
  for (size_t i = 0; i < frames.size(); ++i) frames[599 - i].cpu_ns = i * 1'000'000;
  CHECK(MedianMs(frames, &FrameSample::cpu_ns) == 300);
  CHECK(PercentileMs(frames, &FrameSample::cpu_ns, 0.99) == 594);
  CHECK(MaxMs(frames, &FrameSample::cpu_ns) == 599);
  CHECK(PercentileMs({}, &FrameSample::cpu_ns, 0.5) == 0);
}

TEST_CASE("the tail is the worst hundredth, even when times tie") {
  std::vector<FrameSample> frames(600);
  for (FrameSample& frame : frames) frame.cpu_ns = 100;
  for (int i = 0; i < 3; ++i) {
    frames[static_cast<size_t>(i)] = {.cpu_ns = 1100, .minors = 1, .gc_cpu_ns = 500};
  }
  frames[300].majors = 1;
  const FrameTail tail = TailOf(frames);
  CHECK(tail.frames == 6);
  CHECK(tail.with_collection == 3);
  CHECK(tail.gc_share_of_excess == doctest::Approx(0.5));
  CHECK(tail.share_of_others == doctest::Approx(1.0 / 594));
}

TEST_CASE("medians, spreads and lines") {
  CHECK(Median({3, 1, 2}) == 2);
  CHECK(Median({4, 1, 2, 3}) == 2.5);
  CHECK(Spread({1, 2, 3}) == 1);
  const LineFit fit = FitLine({1, 2, 3}, {5, 7, 9});
  CHECK(fit.slope == doctest::Approx(2));
  CHECK(fit.intercept == doctest::Approx(3));
  CHECK(fit.r2 == doctest::Approx(1));
  CHECK(FitLine({1, 2, 3, 4}, {1, -1, 1, -1}).r2 < 0.5);
}

TEST_CASE("locality tells near order from random order") {
  const Locality near = LocalityOf({0, 56, 112, 168});
  CHECK(near.median_step_bytes == 56);
  CHECK(near.share_within_4kib == 1);
  const Locality far = LocalityOf({0, 1'000'000, 56, 2'000'000});
  CHECK(far.median_step_bytes > 900'000);
  CHECK(far.share_within_4kib == 0);
  CHECK(LocalityOf({7}).median_step_bytes == 0);
}

TEST_CASE("a managed list keeps nothing behind its end alive (L1)") {
  LabHeap lab_heap(StressedOptions());
  gc::Mutator& m = lab_heap.mutator();
  gc::HandleScope scope(m);
  ManagedList list(m, scope, 2);
  for (int i = 0; i < 100; ++i) {
    list.MakeRoom(m);
    list.Append(m, BufferObject::New(m));
  }
  CHECK(list.grown() > 0);
  CHECK(list.RemoveLast<BufferObject>(m) != nullptr);
  list.Truncate(m, 10);
  lab_heap.Collect();
  int alive = 0;
  lab_heap.heap().WalkReachable(
      m, [&](gc::Object* object) { alive += object->type() == BufferObject::Type(); });
  CHECK(alive == 10);
}

TEST_CASE("a byte buffer grows 64, 128, ... 4096 and keeps its bytes through collections") {
  LabHeap lab_heap(StressedOptions());
  gc::Mutator& m = lab_heap.mutator();
  gc::HandleScope scope(m);
  BufferHandle buffer = scope.New(BufferObject::New(m));
  CHECK(buffer->capacity() == 0);
  std::string expected;
  std::vector<uint64_t> capacities;
  for (int i = 0; i < 512; ++i) {
    const std::string piece = absl::StrCat(10'000'000 + i);
    Append(m, buffer, piece);
    expected += piece;
    if (capacities.empty() || capacities.back() != buffer->capacity()) {
      capacities.push_back(buffer->capacity());
    }
    if (i % 64 == 0) lab_heap.heap().CollectMinor(m);
  }
  CHECK(capacities == std::vector<uint64_t>{64, 128, 256, 512, 1024, 2048, 4096});
  CHECK(buffer->Text() == expected);
  buffer->Reset();
  CHECK(buffer->Text().empty());
  CHECK(buffer->capacity() == 4096);
}

TEST_CASE("a view shows the next user's bytes, a checked view refuses them") {
  LabHeap lab_heap(StressedOptions());
  gc::Mutator& m = lab_heap.mutator();
  gc::HandleScope scope(m);
  BufferHandle buffer = scope.New(BufferObject::New(m));
  Append(m, buffer, "ada");
  const AliasingView view(scope, buffer);
  const CheckedView checked(scope, buffer);
  lab_heap.heap().CollectMinor(m);
  CHECK(*checked.Text() == "ada");
  buffer->Reset();
  Append(m, buffer, "bob");
  CHECK(view.Text() == "bob");
  CHECK(!checked.Text().ok());
}

TEST_CASE("the pierce bug follows its closed form and a single Get does not see it") {
  LabHeap lab_heap(StressedOptions());
  gc::Mutator& m = lab_heap.mutator();
  const auto damage = [&](PierceStorage storage) {
    return static_cast<double>(RunPierce(m, {.storage = storage}));
  };
  const double fresh = damage(PierceStorage::kFresh);
  CHECK(damage(PierceStorage::kCorrectPool) == fresh);
  const double ratio = damage(PierceStorage::kBuggyPool) / fresh;
  CHECK(ratio == doctest::Approx(PredictedPierceRatio({})).epsilon(0.02));
  CHECK(OneGetLooksRight(m, PierceStorage::kBuggyPool));
}

}  // namespace
}  // namespace neap::lab
