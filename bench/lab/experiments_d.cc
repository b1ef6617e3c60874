// SPDX-License-Identifier: MIT
//
// The list of family D: reused objects are dirty.
#include "experiments_d.h"

#include <iterator>

namespace neap::lab {
namespace {

constexpr Experiment kExperiments[] = {
    {"D1", "dirty", "A correct render",
     "Get, reset, write, copy the text out, Put: two requests give their own greetings.", false,
     RunD1},
    {"D2", "dirty", "The leak between requests",
     "Without a reset the second response carries the first one's secret. A reset hook cures it, "
     "checked mode reports it.",
     true, RunD2},
    {"D3", "dirty", "Allocations of a growing buffer",
     "512 writes of 8 bytes into an empty buffer are 7 allocations and 8,128 bytes; into a pooled "
     "one, none.",
     true, RunD3},
    {"D4", "throughput", "Time of a 4 KiB payload",
     "The source: pooling won 1.7 times in one thread and 10 times in ten.", false, RunD4},
    {"D5", "throughput", "Saving against size",
     "The source: a pool saves nothing on 16 bytes and much on 64 KiB.", false, RunD5},
    {"D6", "memory", "A pool shrinks", "Two collections after the last Put nothing is held.", false,
     RunD6},
    {"D7", "memory", "One huge request",
     "A 50 MB buffer among 4 KB ones stays in the pool for as long as it is used each cycle, "
     "unless Put refuses it.",
     false, RunD7},
    {"D8", "dirty", "Copies and views",
     "A copy of the text stays what it was; a view of the bytes shows what the next user writes; "
     "a checked view refuses.",
     false, RunD8},
    {"D9", "memory", "Inner pointers",
     "A parked object keeps what it points to alive: a 1 MiB child for two collections, unless "
     "it "
     "was cleared.",
     false, RunD9},
    {"D10", "memory", "Objects with a resource",
     "A pool drops files without closing them: 100 descriptors leak. An eviction callback or a "
     "finalizer closes them.",
     false, RunD10},
    {"D11", "dirty", "Alternatives to a pool",
     "A bounded free list keeps n through any number of collections and drops the next. Scratch "
     "per request, a shared buffer under a mutex, a slice of the caller: one or no allocation.",
     false, RunD11},
    {"D12", "pacing", "Collections fall",
     "After pooling, collections per 100,000 requests fall to a few percent.", false, RunD12},
    {"D13", "pacing", "What the collector's share predicts",
     "A service that spends a few percent on collections has little to win: the gain stays near "
     "that share.",
     false, RunD13},
    {"D14", "dirty", "Programs that assume a warm pool",
     "Under chaos (random misses, drops and order) no program may print anything else.", false,
     RunD14},
};

}  // namespace

std::vector<Experiment> DExperiments() {
  return {std::begin(kExperiments), std::end(kExperiments)};
}

}  // namespace neap::lab
