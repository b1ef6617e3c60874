// SPDX-License-Identifier: MIT
//
// The list of family E: what escapes, and what an allocation costs. The source's compiler decides;
// here a scoped frame allocator decides by the same two-path rule (E1-E6, E10), a report says it of
// Lua (E7), an allocation profile counts (all).
#include "experiments_e.h"

#include <iterator>

namespace neap::lab {
namespace {

constexpr Experiment kExperiments[] = {
    {"E1", "escape", "A point that leaves its function",
     "A 16-byte point is made and returned: 1 allocation of 16 bytes. The source: 4.587 ns.", false,
     RunE1},
    {"E2", "escape", "A point whose address is taken",
     "The address stays in the function: the point is on the frame, 0 allocations.", false, RunE2},
    {"E3", "escape", "Buffers of 1,024 bytes",
     "On the frame, whether the size is a constant or a variable: 0 allocations, equal time.",
     false, RunE3},
    {"E4", "escape", "A buffer of 100,000 bytes",
     "The compiler said that it does not escape, and it is allocated all the same: too large for "
     "the frame. Go rounds it to pages of 8 KiB; we round by ours.",
     false, RunE4},
    {"E5", "escape", "The threshold",
     "65,536 bytes stay on the frame, 65,537 go to the heap: one byte decides.", true, RunE5},
    {"E6", "escape", "A slice of three pointers",
     "Three points and a slice of pointers to them, all on the frame: 0 allocations.", false,
     RunE6},
    {"E7", "escape", "The verdict lines",
     "Nine lines of the compiler's report. Seven have a meaning in Lua, where a conservative "
     "report "
     "gives them; it does not keep anything off the heap yet.",
     true, RunE7},
    {"E8", "escape", "Boxing and formatting",
     "An integer put into an interface is allocated; its digits appended to a reused buffer are "
     "not. Lua boxes only integers beyond 50 bits.",
     false, RunE8},
    {"E9", "escape", "A closure, called or handed on",
     "Called at once, a closure and its variable stay on the frame; handed to a task, both are "
     "allocated.",
     false, RunE9},
    {"E10", "escape", "Zero allocations are not free",
     "A 64 KiB buffer on the frame is zeroed at each call: the source has it 248 times as slow as "
     "a "
     "16-byte allocation.",
     false, RunE10},
    {"E11", "escape", "Allocations per operation do not show survival",
     "Two programs allocate the same; in one everything dies young, in the other everything "
     "becomes old. The collector's time for an object differs several times over.",
     true, RunE11},
};

}  // namespace

std::vector<Experiment> EExperiments() {
  return {std::begin(kExperiments), std::end(kExperiments)};
}

}  // namespace neap::lab
