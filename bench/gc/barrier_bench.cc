// SPDX-License-Identifier: MIT
//
// What the write barrier costs, in instructions: times of two or three instructions drown in noise,
// counts do not. A loop of N stores and one of 2 N run under valgrind; the difference over N is one
// turn of the loop. The same loop with a plain store is subtracted. Two places: a field at a fixed
// offset, and an array element.
//
// For whole programs the share is
//
//   (stores through the inlined test x instructions of the test + instructions of the slow paths)
//   / all instructions
//
// stores are counted by what the program does, slow paths by valgrind (functions Mutator::Log...).
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "benchmarks.h"
#include "child.h"
#include "neap/gc/handle.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"

namespace neap::bench {
namespace {

constexpr uint64_t kSlots = 64;
constexpr int kTreeDepth = 14;
constexpr int kBulletSpawn = 300, kBulletFrames = 100, kBulletWarmFrames = 30;

// An object with a reference at a fixed place, as most objects are.
struct Holder : gc::Object {
  gc::Ref<gc::Object> field;
};

gc::TypeId HolderType() {
  static const gc::TypeId type = gc::RegisterType({.name = "holder",
                                                   .layout = gc::Layout::kBitmap,
                                                   .base_bytes = sizeof(Holder),
                                                   .slot_bitmap = 0b1});
  return type;
}

[[gnu::noinline]] void StoreField(gc::Mutator& m, Holder* holder, gc::Object* value,
                                  uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) m.Store(holder, holder->field.slot(), value);
}

[[gnu::noinline]] void StoreFieldPlainly(Holder* holder, gc::Object* value, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) gc::InitSlot(holder->field.slot(), gc::ToWord(value));
}

[[gnu::noinline]] void StoreIndexed(gc::Mutator& m, gc::SlotArray* holder, gc::Object* value,
                                    uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) m.Store(holder, i % kSlots, gc::ToWord(value));
}

[[gnu::noinline]] void StoreIndexedPlainly(gc::SlotArray* holder, gc::Object* value,
                                           uint64_t count) {
  gc::Word* slots = holder->slots();
  for (uint64_t i = 0; i < count; ++i) gc::InitSlot(&slots[i % kSlots], gc::ToWord(value));
}

// Instructions of one turn of the store loop, or NaN.
double PerStore(const std::string& place, const std::string& kind) {
  const auto once = CountInstructions("stores", {place, kind, "1000000"});
  const auto twice = CountInstructions("stores", {place, kind, "2000000"});
  if (!once || !twice) return std::nan("");
  return (twice->total - once->total) / 1e6;
}

void ReportShare(Board& board, const std::string& program, const std::string& cell,
                 const Arguments& arguments, double stores, double per_store) {
  const auto count = CountInstructions(cell, arguments, "Mutator::Log");
  if (!count) return board.Skip("share in " + program, "valgrind could not run it");
  const double inlined = stores * per_store;
  board.Value("share in " + program, "% of instructions",
              100 * (inlined + count->in_symbol) / count->total, AtMost(2));
  board.Note(program + ": " + Figure(stores) + " stores, slow paths " + Figure(count->in_symbol) +
             " of " + Figure(count->total) + " instructions");
}

// Each node but the leaves stores two references.
double TreeStores(int depth) {
  const auto stores = [](int d) { return 2.0 * ((uint64_t{1} << d) - 1); };
  double sum = stores(depth + 1) + stores(depth);
  for (int d = 4; d <= depth; d += 2) sum += static_cast<double>(1 << (depth - d + 4)) * stores(d);
  return sum;
}

}  // namespace

int StoresCell(const Arguments& arguments) {
  if (arguments.size() < 2) return 2;
  const bool indexed = arguments[0] == "indexed", plain = arguments[1] == "plain";
  const uint64_t count = NumberAt(arguments, 2, 1'000'000);
  gc::Heap heap({.gogc = gc::Options::kGogcOff, .reserve_bytes = size_t{1} << 30, .procs = 1});
  gc::Mutator m(heap);
  gc::HandleScope scope(m);
  const auto array = scope.New(m.NewSlots(kSlots));
  const auto holder = scope.New(m.New<Holder>(HolderType()));
  const auto value = scope.New(m.NewBytes(8));
  if (arguments[1] != "young") {
    heap.Collect(m);
    heap.Collect(m);  // all three are old by now
    if (heap.IsYoung(holder.get()) || heap.IsYoung(array.get())) return 1;
  }
  m.Store(holder.get(), holder->field.slot(), value.get());  // logs the holder
  m.Store(array.get(), &array->slots()[0], value.get());
  if (indexed && plain) StoreIndexedPlainly(array.get(), value.get(), count);
  if (indexed && !plain) StoreIndexed(m, array.get(), value.get(), count);
  if (!indexed && plain) StoreFieldPlainly(holder.get(), value.get(), count);
  if (!indexed && !plain) StoreField(m, holder.get(), value.get(), count);
  const gc::Word stored = indexed ? array->slots()[kSlots - 1] : ToWord(holder->field.get());
  std::printf("RESULT stored=%d\n", stored == value.word());
  const bool logged =
      holder->log_state() == gc::LogState::kLogged && array->log_state() == gc::LogState::kLogged;
  return stored == value.word() && logged ? 0 : 1;
}

void BenchBarrier(Board& board) {
  double per_store = 0;
  for (const std::string place : {"field", "indexed"}) {
    const double plain = PerStore(place, "plain");
    if (std::isnan(plain)) return board.Skip("instructions", "no valgrind here, or it failed");
    const double logged = PerStore(place, "logged"), young = PerStore(place, "young");
    per_store = std::max(per_store, logged - plain);
    board.Value(place + ": a turn of the loop, plain", "instructions", plain);
    board.Value(place + ": added, old and logged", "instructions", logged - plain, AtMost(3));
    board.Value(place + ": added, young", "instructions", young - plain, AtMost(3));
  }
  ReportShare(board, "binary trees", "trees", {std::to_string(kTreeDepth)}, TreeStores(kTreeDepth),
              per_store);
  // A bullet is pushed through the barrier once; survivors are moved under a range log.
  ReportShare(board, "bullets", "bullets",
              {std::to_string(kBulletSpawn), std::to_string(kBulletFrames)},
              double{kBulletSpawn} * (kBulletFrames + kBulletWarmFrames), per_store);
}

}  // namespace neap::bench
