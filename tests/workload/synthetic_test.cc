// SPDX-License-Identifier: MIT
//
// The synthetic workload makes what its knobs say, and repeats itself.
#include <doctest/doctest.h>

#include <cstdlib>

#include "workload.h"

namespace neap::workload {
namespace {

Run RunIt(Knobs knobs) {
  knobs.insert(knobs.begin(), {{"frames", "40"}, {"warmup", "10"}, {"rate", "300"}});
  const auto run = RunHere({"synthetic", knobs});
  INFO(run.status().ToString());
  REQUIRE(run.ok());
  return *run;
}

TEST_CASE("the same seed makes the same allocations and collections, another one does not") {
  const Knobs knobs = {{"nursery", "64KiB"}, {"mutations", "50"}, {"reads", "50"}};
  const Run one = RunIt(knobs), two = RunIt(knobs);
  CHECK(one.checksum == two.checksum);
  CHECK(one.alloc_bytes == two.alloc_bytes);
  CHECK(one.minors == two.minors);
  CHECK(one.copied_bytes == two.copied_bytes);
  CHECK(one.promoted_bytes == two.promoted_bytes);
  Knobs other = knobs;
  other.push_back({"seed", "2"});
  CHECK(RunIt(other).alloc_bytes != one.alloc_bytes);
}

TEST_CASE("sizes and rates are what was asked for") {
  const Run run = RunIt({{"size", "256"}, {"references", "2"}, {"lifetime", "exp:16KiB"}});
  // 40 frames of 300 objects of 256 bytes; the list of the living may grow beside them.
  CHECK(run.alloc_objects >= 12'000);
  CHECK(run.alloc_objects <= 12'010);
  CHECK(run.alloc_bytes >= 12'000 * 256);
  CHECK(run.alloc_bytes <= 12'000 * 256 + 600'000);
}

// Collections at every few allocations copy everything that was just made.
TEST_CASE("longer lives cost copies, and immortals stay" *
          doctest::skip(std::getenv("NEAP_DEBUG") != nullptr)) {
  const Knobs heap = {{"size", "64"}, {"nursery", "64KiB"}, {"in-place", "off"}};
  const auto survivors = [&](Knobs more) {
    more.insert(more.begin(), heap.begin(), heap.end());
    const Run run = RunIt(more);
    return run.copied_bytes + run.promoted_bytes;
  };
  const uint64_t short_lived = survivors({{"lifetime", "exp:2KiB"}, {"immortal", "0"}});
  const uint64_t long_lived = survivors({{"lifetime", "exp:256KiB"}, {"immortal", "0"}});
  const uint64_t immortal = survivors({{"lifetime", "exp:2KiB"}, {"immortal", "1"}});
  CHECK(long_lived > 3 * short_lived);
  CHECK(immortal > long_lived);
}

TEST_CASE("a pool takes the place of allocation") {
  const Knobs knobs = {{"size", "128"}, {"lifetime", "exp:4KiB"}, {"immortal", "0"}};
  Knobs pooled = knobs;
  pooled.push_back({"pool", "victim"});
  const Run fresh = RunIt(knobs), run = RunIt(pooled);
  CHECK(run.alloc_objects < fresh.alloc_objects / 10);
  CHECK(run.checksum == fresh.checksum);
}

TEST_CASE("other threads allocate on the same heap") {
  const Run one = RunIt({{"size", "64"}}), three = RunIt({{"size", "64"}, {"threads", "3"}});
  CHECK(three.checksum == one.checksum);
  CHECK(three.alloc_objects > one.alloc_objects);
}

TEST_CASE("Pareto lifetimes without a mean, and sizes up to large objects") {
  const Run run = RunIt({{"lifetime", "pareto:64:0.5"}, {"size", "choice:32/32/20KiB"}});
  CHECK(run.alloc_bytes > 12'000 * 20 * 1024 / 4);
}

}  // namespace
}  // namespace neap::workload
