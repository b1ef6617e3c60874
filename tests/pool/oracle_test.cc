// SPDX-License-Identifier: MIT
//
// The oracle against the pool: every operation of long random schedules, in both modes, with
// collections, Ps that come and go, and all retentions that depend on cycles. And the oracle
// against itself: a record that was tampered with must be found out.
#include "neap/pool/oracle.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "pool_fixture.h"
#include "support/random.h"

namespace neap::testing {
namespace {

using pool::Op;
using pool::OpRecord;
using pool::Oracle;
using pool::OracleOptions;
using pool::OracleReport;
using pool::Recorder;
using pool::Retention;

struct Schedule {
  int steps = 4000;
  uint64_t put_percent = 50;
  uint64_t minor_one_in = 150;
  uint64_t major_one_in = 60;
  bool change_procs = false;
};

// Plays a random schedule on a recorded pool and compares the record and the counters.
void PlayAndReplay(Random& random, const OracleOptions& rules, const Schedule& schedule) {
  PoolHeap heap(4);
  Recorder recorder;
  NodePool pool(heap, {.go_exact = rules.go_exact,
                       .steal = rules.steal,
                       .retention = rules.retention,
                       .recorder = &recorder});
  int procs = 4;
  for (int step = 0; step < schedule.steps; ++step) {
    if (schedule.change_procs && random.OneIn(100)) {
      procs = static_cast<int>(random.Between(1, 6));
      heap.SetProcs(procs);
    }
    const int proc = static_cast<int>(random.Below(static_cast<uint64_t>(procs)));
    if (random.Below(100) < schedule.put_percent) {
      pool.Put(proc, step);
    } else {
      pool.Get(proc);
    }
    if (random.OneIn(schedule.minor_one_in)) heap.MinorGC();
    if (random.OneIn(schedule.major_one_in)) heap.FullGC();
  }
  REQUIRE(pool.Broken() == "");
  const OracleReport report = Oracle(rules).Replay(recorder.records());
  INFO(report.first_difference);
  REQUIRE(report.equal);
  const pool::Metrics metrics = pool.metrics();
  CHECK(report.operations == static_cast<uint64_t>(schedule.steps));
  CHECK(report.gets == metrics.gets);
  CHECK(report.misses == metrics.misses);
  CHECK(report.victim_marked_empty == metrics.victim_marked_empty);
  CHECK(report.stranded_private == metrics.stranded_private);
  CHECK(report.swapped_out == metrics.swapped_out);
  // Collections after the last operation are not in the record.
  CHECK(report.evictions + report.swapped_out + report.held ==
        metrics.evictions + metrics.items_held);
}

TEST_SUITE("pool/oracle") {
  TEST_CASE("victim hits and every other place equal the oracle's, operation by operation") {
    Random random;
    for (const bool go_exact : {true, false}) {
      for (const Retention retention :
           {Retention::Victim(1), Retention::Flush(), Retention::Victim(3)}) {
        for (const uint64_t put_percent : {35, 50, 65}) {
          PlayAndReplay(random, {.go_exact = go_exact, .retention = retention},
                        {.put_percent = put_percent});
        }
      }
    }
  }

  TEST_CASE("the same without stealing") {
    Random random;
    PlayAndReplay(random, {.go_exact = true, .steal = false}, {});
    PlayAndReplay(random, {.go_exact = false, .steal = false}, {});
  }

  TEST_CASE("the same while the number of Ps changes") {
    Random random;
    for (int i = 0; i < 4; ++i) {
      PlayAndReplay(random, {.go_exact = true}, {.major_one_in = 150, .change_procs = true});
      PlayAndReplay(random, {.go_exact = false}, {.major_one_in = 150, .change_procs = true});
      PlayAndReplay(random, {.go_exact = false, .retention = Retention::Victim(2)},
                    {.major_one_in = 150, .change_procs = true});
    }
  }

  TEST_CASE("the record is the same with values, and through a thread that moves from P to P") {
    PoolHeap heap(3);
    Random random;
    Recorder recorder;
    pool::Pool<Tracked> values(heap.heap(), {.go_exact = true, .recorder = &recorder});
    for (int step = 0; step < 3000; ++step) {
      heap.m.MoveToProc(static_cast<int>(random.Below(3)));
      if (random.OneIn(2)) {
        values.Put(heap.m, std::make_unique<Tracked>(step));
      } else {
        values.TryGet(heap.m);
      }
      if (random.OneIn(80)) heap.FullGC();
    }
    const OracleReport report = Oracle({.go_exact = true}).Replay(recorder.records());
    INFO(report.first_difference);
    CHECK(report.equal);
    CHECK(report.hits > 100);
    CHECK(report.misses > 10);
  }

  TEST_CASE("a record that was changed in one place is found out") {
    PoolHeap heap(2);
    Recorder recorder;
    NodePool pool(heap, {.go_exact = true, .recorder = &recorder});
    for (int64_t key = 0; key < 20; ++key) pool.Put(static_cast<int>(key % 2), key);
    heap.FullGC();
    for (int i = 0; i < 25; ++i) pool.Get(i % 2);
    const std::vector<OpRecord> honest = recorder.records();
    REQUIRE(Oracle({.go_exact = true}).Replay(honest).equal);
    uint64_t found_out = 0;
    uint64_t tampered = 0;
    for (size_t i = 20; i < honest.size(); ++i) {
      if (honest[i].object == 0) continue;
      ++tampered;
      std::vector<OpRecord> record = honest;
      record[i].object = 0;
      record[i].place = pool::Place::kNone;
      const OracleReport report = Oracle({.go_exact = true}).Replay(record);
      if (!report.equal && report.first_different == i) ++found_out;
    }
    CHECK(tampered == 20);
    CHECK(found_out == tampered);
    // And with the wrong rules the honest record is not explained.
    CHECK_FALSE(Oracle({.go_exact = true, .retention = Retention::Flush()}).Replay(honest).equal);
  }

  TEST_CASE("F-6: j Ps that never get lose exactly j private victims") {
    for (int j = 0; j <= 5; ++j) {
      PoolHeap heap(6);
      NodePool pool(heap, {.go_exact = true});
      for (int proc = 0; proc < 6; ++proc) pool.Put(proc, proc);
      heap.FullGC();
      for (int proc = j; proc < 6; ++proc) CHECK(pool.Get(proc) == proc);
      CHECK(pool.Get(5) == kMiss);
      CHECK(pool.metrics().stranded_private == static_cast<uint64_t>(j));
    }
  }

  TEST_CASE("P9: a record that does not fit is a failed check, not a hole") {
    Recorder recorder(2);
    recorder.Add({});
    recorder.Add({});
    CHECK_THROWS_WITH_AS(recorder.Add({}), doctest::Contains("P9"), CheckFailure);
  }
}

}  // namespace
}  // namespace neap::testing
