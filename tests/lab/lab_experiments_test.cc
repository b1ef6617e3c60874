// SPDX-License-Identifier: MIT
//
// The strict criteria of families D, G and K and of B's pools, each experiment at the smallest
// scale it allows. A quick run has fewer repetitions and the same criteria. Timed experiments run
// for their exact rows only.
#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "burst_pool.h"
#include "burst_trials.h"
#include "doctest/doctest.h"
#include "lab.h"
#include "lab_heap.h"
#include "lab_main.h"
#include "paced_program.h"
#include "support/seed.h"

namespace neap::lab {
namespace {

Settings QuickSettings() {
  Settings settings;
  settings.scale = 0.01;
  settings.progress = false;
  settings.isolate = false;
  settings.record = true;
  settings.seed = testing::Seed();
  return settings;
}

// Runs the experiment `id` and requires that every strict criterion passes.
void CheckStrict(const std::string& id) {
  CAPTURE(id);
  std::string unknown;
  const std::vector<const Experiment*> found = SelectExperiments({id}, &unknown);
  REQUIRE(unknown.empty());
  REQUIRE(found.size() == 1);
  Lab lab(QuickSettings());
  lab.Begin(id);
  found[0]->run(lab);
  for (const Row& row : lab.rows()) {
    if (row.criterion_class != Class::kExact && row.criterion_class != Class::kBound) continue;
    INFO(row.quantity << ": " << row.ours << " " << row.criterion << " " << row.reason);
    CHECK(row.verdict == Verdict::kPass);
  }
}

}  // namespace

TEST_CASE("one collection loses nothing, two lose everything") { CheckStrict("G1"); }
TEST_CASE("a pool touched in every cycle never empties") { CheckStrict("G2"); }
TEST_CASE("the victim policy keeps what the flush policy loses on the same trace") {
  CheckStrict("G3");
}
TEST_CASE("a pinned worker misses once in its life, a migrating one as the model says") {
  CheckStrict("G6");
}
TEST_CASE("two idle collections cost one New per P") { CheckStrict("G7"); }
TEST_CASE("gaps far below a period stay warm at low throughput") { CheckStrict("G9"); }
TEST_CASE("a pool holds 40 MB for ever without a guard and drops it with one") {
  CheckStrict("G10");
}
TEST_CASE("stealing does not miss more than not stealing on one trace") { CheckStrict("G11"); }
TEST_CASE("what stays on a frame allocates nothing, what is larger one object") {
  for (const char* id : {"E1", "E2", "E3", "E4", "E5", "E6", "E10"}) CheckStrict(id);
}
TEST_CASE("the report on the Lua file says what the published lines say") { CheckStrict("E7"); }
TEST_CASE("boxes and closures are allocated when they are handed on") {
  for (const char* id : {"E8", "E9"}) CheckStrict(id);
}
TEST_CASE("the same allocations per operation may all die or all survive") { CheckStrict("E11"); }
TEST_CASE("forced collections between bursts lose what the oracle says") { CheckStrict("K1"); }
TEST_CASE("one collection loses the privates of idle Ps and nothing else") { CheckStrict("K2"); }
TEST_CASE("stranded privates are alive and out of reach") { CheckStrict("K3"); }
TEST_CASE("the period is the room between goal and live over the rate") { CheckStrict("K4"); }
TEST_CASE("the same gap is warm beside little allocation and cold beside much") {
  CheckStrict("K7");
}
TEST_CASE("a limit just above the live heap empties pools") { CheckStrict("K9"); }
TEST_CASE("GOGC=400 makes a pool remember four times as long") { CheckStrict("K10"); }
TEST_CASE("an object is a hit after 0 or 1 collections and a miss after 2") { CheckStrict("K11"); }
TEST_CASE("growing the number of Ps loses all in sync.Pool's mode and none in ours") {
  CheckStrict("K12");
}
TEST_CASE("retention by time keeps the hit rate flat") { CheckStrict("K14"); }
TEST_CASE("a busy server's pool refills itself") { CheckStrict("K15"); }

TEST_CASE("all 33 configurations lie on the line (slow)") { CheckStrict("K5"); }
TEST_CASE("uneven periods blur the line as a renewal process does (slow)") { CheckStrict("K13"); }

TEST_CASE("reused buffers are dirty, hoard and leak unless their owner takes care") {
  for (const char* id : {"D1", "D2", "D3", "D6", "D7", "D8", "D9", "D10", "D11", "D12", "D14"}) {
    CheckStrict(id);
  }
}
TEST_CASE("a free list keeps a burst for ever, a collected pool lets it go") { CheckStrict("B19"); }
TEST_CASE("only a replay finds the pierce bug, and its size is the closed form's") {
  CheckStrict("B20");
  CheckStrict("B21");
}

TEST_CASE("allocation counts of the throughput loops are exact") { CheckStrict("G4"); }
TEST_CASE("a miss per pair of collections, whatever New costs") { CheckStrict("G8"); }

TEST_CASE("experiments are selected by id, family, letter and all, in the order of the list") {
  std::string unknown;
  const auto ids = [&](const std::vector<std::string>& names) {
    std::vector<std::string> found;
    for (const Experiment* one : SelectExperiments(names, &unknown)) found.push_back(one->id);
    return found;
  };
  CHECK(ids({"k5", "G1"}) == std::vector<std::string>{"G1", "K5"});
  CHECK(ids({"g"}).size() == 11);
  CHECK(ids({"K"}).size() == 16);
  CHECK(ids({"pacing", "K4"}).size() >= 11);
  CHECK(ids({"all"}).size() == AllExperiments().size());
  CHECK(unknown.empty());
  for (const char* id : {"G1", "G4", "G6", "K1", "K5"}) {
    const std::vector<std::string> headline = ids({});
    CHECK(std::find(headline.begin(), headline.end(), id) != headline.end());
  }
  ids({"G1", "nonsense"});
  CHECK(unknown == "nonsense");
}

TEST_CASE("every experiment has an id of its own, a known family and an explanation") {
  const std::set<std::string> families = {"evict",  "throughput", "bullets", "escape",
                                          "memory", "pacing",     "dirty"};
  std::set<std::string> seen;
  for (const Experiment& experiment : AllExperiments()) {
    CAPTURE(experiment.id);
    CHECK(seen.insert(experiment.id).second);
    CHECK(families.count(experiment.family) == 1);
    CHECK(std::string(experiment.explains).size() > 20);
  }
}

TEST_CASE("an unknown name is exit status 2 and writes no report") {
  std::ostringstream out;
  CHECK(RunLab(QuickSettings(), {"G99"}, OutputFormat::kText, out) == kLabMisuse);
  CHECK(out.str().empty());
}

TEST_CASE("the list names every experiment") {
  std::ostringstream out;
  CHECK(RunLab(QuickSettings(), {"list"}, OutputFormat::kText, out) == kLabPassed);
  for (const Experiment& experiment : AllExperiments()) {
    CHECK(out.str().find(experiment.title) != std::string::npos);
  }
}

TEST_CASE("a run on the virtual clock is the same every time") {
  std::string reports[2];
  for (std::string& report : reports) {
    std::ostringstream out;
    CHECK(RunLab(QuickSettings(), {"K11", "K7"}, OutputFormat::kJson, out) == kLabPassed);
    report = out.str();
  }
  CHECK(reports[0] == reports[1]);
}

TEST_CASE("the oracle notices a pool that loses an object without a reason") {
  // The pool is told to miss one Get in seven; the oracle knows nothing of it. A criterion that
  // compares with the oracle must fail then, or it cannot fail at all.
  gc::Options options = *gc::Options::Preset("go");
  options.procs = 1;
  LabHeap heap(options);
  gc::Mutator& m = heap.mutator();
  pool::Recorder recorder;
  pool::Options<Block> pool_options;
  pool_options.go_exact = true;
  pool_options.recorder = &recorder;
  pool_options.chaos = {.seed = 1, .miss_one_in = 7};
  pool::Pool<Block> pool(heap.heap(), std::move(pool_options));
  for (int i = 0; i < 100; ++i) {
    pool.Put(m, static_cast<Block*>(m.Allocate(BlockType(16))));
  }
  for (int i = 0; i < 100; ++i) pool.TryGet(m);
  CHECK_FALSE(pool::Oracle({.go_exact = true}).Replay(recorder.records()).equal);
}

TEST_CASE("the predicted line has its corners at one and two periods") {
  CHECK(PredictedHitRate(0.5) == 1);
  CHECK(PredictedHitRate(1) == 1);
  CHECK(PredictedHitRate(1.25) == doctest::Approx(0.75));
  CHECK(PredictedHitRate(2) == 0);
  CHECK(PredictedHitRate(3) == 0);
}

TEST_CASE("a heap's mode survives the trip through the arguments of a cell") {
  gc::Options options = *gc::Options::Preset("source");
  options.gogc = 250;
  options.procs = 3;
  options.tenure = 5;
  std::vector<std::string> arguments = {"first"};
  for (const std::string& argument : OptionArguments(options)) arguments.push_back(argument);
  arguments.push_back("a=b");
  gc::Options back;
  CHECK(TakeOptionArguments(arguments, back) == std::vector<std::string>{"first", "a=b"});
  CHECK(back.gogc == 250);
  CHECK(back.procs == 3);
  CHECK(back.tenure == 5);
  CHECK(back.nursery == options.nursery);
  CHECK(back.nursery_bytes == options.nursery_bytes);
  CHECK(back.in_place == options.in_place);
}

}  // namespace neap::lab
