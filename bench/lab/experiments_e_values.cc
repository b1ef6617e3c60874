// SPDX-License-Identifier: MIT
//
// E8, E9 and E11: boxes, closures, and what a count of allocations cannot see. E8 and E9 run the
// same thing natively and as a Lua script under an allocation profile.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "allocation_count.h"
#include "experiments_e.h"
#include "frame_times.h"
#include "interpreter/state.h"
#include "library/library.h"
#include "managed_list.h"
#include "neap/gc/frame_allocator.h"
#include "neap/runtime/check.h"
#include "number_text.h"
#include "profile/allocation_profile.h"

namespace neap::lab {
namespace {

constexpr int kCounted = 1000;

// --- Lua -----------------------------------------------------------------------------------------

// Allocations of `type` (empty: all) that line 2 of the script makes, by round of its loop. Line 1
// is what comes before, line 2 `for i = 1, n do BODY end`.
double AllocationsPerRound(const Lab& lab, const std::string& before, const std::string& body,
                           const std::string& type = "") {
  LabHeap heap(BesidePreset(lab, 1));
  vm::State state(heap.mutator(), {});
  bool is_run = vm::OpenLibraries(state, vm::LibrarySet::kAll);
  vm::AllocationWatch watch(state, {});
  const std::string script = absl::StrCat(before, "\nfor i = 1, ", kCounted, " do ", body, " end");
  is_run = is_run && state.Load(script, "=lab", "t") && state.ProtectedCall(0, 0);
  NEAP_CHECK(is_run, "a script of the lab runs");
  double allocations = 0;
  for (const vm::AllocationRow& row : vm::RowsBySite(watch.Read())) {
    if (row.line == 2 && (type.empty() || row.type == type)) {
      allocations += row.record.allocated.objects;
    }
  }
  return allocations / kCounted;
}

// --- E8 ------------------------------------------------------------------------------------------

struct Box : gc::Object {
  explicit Box(int64_t number) : value(number) {}
  int64_t value;
  static Box* New(gc::Mutator& m, int64_t value) {
    static const gc::TypeId type =
        gc::RegisterType({.name = "box", .layout = gc::Layout::kNone, .base_bytes = sizeof(Box)});
    return m.New<Box>(type, value);
  }
};

// Appends the digits of `number`; the buffer is long enough.
size_t AppendDigits(uint8_t* buffer, size_t length, uint64_t number) {
  uint8_t digits[20];
  size_t count = 0;
  do {
    digits[count++] = static_cast<uint8_t>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  while (count > 0) buffer[length++] = digits[--count];
  return length;
}

// --- E9 ------------------------------------------------------------------------------------------

// A closure is code and the variable that it captured.
struct FrameClosure {
  int64_t* captured;
  void operator()() const { ++*captured; }
};
struct TaskClosure : gc::Object {
  gc::Ref<Box> captured;
  static TaskClosure* New(gc::Mutator& m) {
    static const gc::TypeId type = gc::RegisterType({.name = "task",
                                                     .layout = gc::Layout::kBitmap,
                                                     .base_bytes = sizeof(TaskClosure),
                                                     .slot_bitmap = 1});
    return m.New<TaskClosure>(type);
  }
};

// The task queue holds the closure, the closure the variable: neither may be on a frame.
void HandToTask(gc::Mutator& m, ManagedList& queue) {
  gc::HandleScope scope(m);
  const gc::Handle<Box> captured = scope.New(Box::New(m, 0));
  TaskClosure* const task = TaskClosure::New(m);
  m.Store(task, task->captured.slot(), captured.get());
  queue.Append(m, task);
  ++queue.RemoveLast<TaskClosure>(m)->captured->value;
}

// --- E11 -----------------------------------------------------------------------------------------

struct Survival {
  double allocations_per_op = 0;
  double survived_percent = 0, promoted_percent = 0;
  double gc_ns_per_object = 0;
};

// Allocates points; keeps none, or all.
Survival RunSurvival(const Lab& lab, bool keeps, uint64_t objects) {
  gc::Options options = BesidePreset(lab, 1);
  const auto run = [&](LabHeap& heap) {
    gc::Mutator& m = heap.mutator();
    gc::HandleScope scope(m);
    ManagedList kept(m, scope, keeps ? objects : 1);
    for (uint64_t i = 0; i < objects; ++i) {
      const Box* const box = Box::New(m, static_cast<int64_t>(i));
      if (keeps) kept.Append(m, box);
    }
    heap.heap().CollectMinor(m);
    heap.heap().CollectMinor(m);
  };
  Survival result;
  {
    LabHeap heap(options);
    const uint64_t before = heap.heap().Snapshot().gc_cpu_ns;
    run(heap);
    result.gc_ns_per_object = static_cast<double>(heap.heap().Snapshot().gc_cpu_ns - before) /
                              static_cast<double>(objects);
  }
  LabHeap heap(options);
  gc::AllocationProfiler profiler(heap.mutator(), {});
  run(heap);
  for (const gc::AllocationRecord& record : profiler.Read()) {
    if (std::string(gc::GetType(record.type).name) != "box") continue;
    result.allocations_per_op = record.allocated.objects / static_cast<double>(objects);
    result.survived_percent =
        100 * record.survived_a_minor().objects / record.met_a_minor().objects;
    result.promoted_percent = 100 * record.promoted().objects / record.left_youth().objects;
  }
  return result;
}

}  // namespace

void RunE8(Lab& lab) {
  LabHeap heap(BesidePreset(lab, 1));
  gc::Mutator& m = heap.mutator();
  int64_t number = 1 << 20;
  volatile int64_t unboxed = 0;
  const PerOperation boxing =
      CountAllocations(m, kCounted, [&] { unboxed = Box::New(m, ++number)->value; });
  lab.Exact("an integer in a box (native)", "allocs/op", boxing.allocations, 1, {.source = "1"});
  gc::FrameStack stack(m);
  gc::FrameScope frame(stack);
  const gc::FrameBuffer buffer = frame.Bytes(64);
  const PerOperation appending = CountAllocations(m, kCounted, [&] {
    unboxed =
        static_cast<int64_t>(AppendDigits(buffer.bytes.data(), 0, static_cast<uint64_t>(++number)));
  });
  lab.Exact("its digits in a reused buffer (native)", "allocs/op", appending.allocations, 0,
            {.source = "0"});
  lab.Exact("an integer up to 50 bits passed to a variadic function (Lua)", "allocs/op",
            AllocationsPerRound(lab, "local f = function(...) return ... end", "f(i)"), 0,
            {.source = "1 (0 for 0..255)", .reason = "integers up to 50 bits are values in words"});
  lab.Exact("an integer beyond 50 bits (Lua)", "allocs/op",
            AllocationsPerRound(lab, "local f, big = function(...) return ... end, 1 << 60",
                                "f(big + i)"),
            1, {.reason = "it has a box that no script sees"});
  lab.Say("Uses the heap natively, and the allocation profile of a script.");
}

void RunE9(Lab& lab) {
  LabHeap heap(BesidePreset(lab, 1));
  gc::Mutator& m = heap.mutator();
  gc::FrameStack stack(m);
  volatile int64_t result = 0;
  const PerOperation called = CountAllocations(m, kCounted, [&] {
    gc::FrameScope frame(stack);
    int64_t* const captured = frame.Make<int64_t>(0);
    const FrameClosure* const closure = frame.Make<FrameClosure>(captured);
    (*closure)();
    result = *captured;
  });
  gc::HandleScope scope(m);
  ManagedList queue(m, scope);
  const PerOperation handed = CountAllocations(m, kCounted, [&] { HandToTask(m, queue); });
  lab.Exact("called at once (native frame)", "allocs/op", called.allocations, 0, {.source = "0"});
  lab.AtLeast("handed to a task: closure and captured variable (native)", "allocs/op",
              handed.allocations, 2,
              {.source = ">= 1, and n moved to heap", .criterion_class = Class::kExact});
  const double lua_called =
      AllocationsPerRound(lab, "", "local n = 0 (function() n = n + 1 end)()");
  const double lua_task =
      AllocationsPerRound(lab, "", "local n = 0 coroutine.wrap(function() n = n + 1 end)()");
  lab.AtLeast("handed to a coroutine (Lua)", "allocs/op", lua_task, 2,
              {.criterion_class = Class::kExact});
  lab.Observe("called at once (Lua)", "allocs/op", lua_called,
              {.reason = "the report says that closure and variable stay (E7); the compiler keeps "
                         "nothing off the heap yet"});
  lab.Say("Uses the frame allocator natively, and the allocation profile of a script.");
}

void RunE11(Lab& lab) {
  const uint64_t objects = lab.Repetitions(2'000'000, 100'000);
  std::vector<double> ratios, die_ns, live_ns;
  Survival die, live;
  for (uint64_t round = 0; round < lab.Repetitions(5, 3); ++round) {
    die = RunSurvival(lab, false, objects);
    live = RunSurvival(lab, true, objects);
    die_ns.push_back(die.gc_ns_per_object);
    live_ns.push_back(live.gc_ns_per_object);
    ratios.push_back(live.gc_ns_per_object / std::max(die.gc_ns_per_object, 1e-3));
  }
  Table table{.title = "The same allocations per operation",
              .columns = {"", "allocs/op", "survived a minor", "became old", "GC ns an object"},
              .rows = {}};
  const auto add = [&](const char* name, const Survival& run, const std::vector<double>& ns) {
    table.rows.push_back({name, FixedNumber(run.allocations_per_op, 2),
                          absl::StrCat(FixedNumber(run.survived_percent, 1), " %"),
                          absl::StrCat(FixedNumber(run.promoted_percent, 1), " %"),
                          FixedNumber(Median(ns), 2)});
  };
  add("all die young", die, die_ns);
  add("all are kept", live, live_ns);
  lab.Add(std::move(table));
  lab.Exact("allocations, all die young", "allocs/op", die.allocations_per_op, 1);
  lab.Exact("allocations, all are kept", "allocs/op", live.allocations_per_op, 1);
  lab.TimeAtLeast("GC time for an object, kept / dying young", "ratio", Median(ratios), 5,
                  Spread(ratios), {.source = "far more"});
  lab.Say(
      "Uses the heap. The allocation profile shows what allocs/op cannot: its columns survive "
      "and promote.");
}

}  // namespace neap::lab
