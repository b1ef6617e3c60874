// SPDX-License-Identifier: MIT
//
// Executes a stream of 64-bit operations on a heap and on the shadow graph at the same time, and
// compares the two. Any words are a valid program: operands are taken modulo what exists, so a
// failing program stays valid when operations are cut out of it.
//
//    63   62 61            32 31     24 23     16 15      8 7       0
//   +-------+----------------+---------+---------+---------+---------+
//   | code  | immediate      | d       | b       | a       | code    |
//   +-------+----------------+---------+---------+---------+---------+
//
// a, b and d name registers: handles of the bottom scope, of nested scopes, global handles. The ten
// bits of code are looked up in a table that a mode may weight differently.
#ifndef NEAP_TESTS_FUZZ_HEAP_MACHINE_H_
#define NEAP_TESTS_FUZZ_HEAP_MACHINE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "neap/gc/finalizer.h"
#include "neap/gc/handle.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"
#include "shadow_graph.h"
#include "support/toy_objects.h"

namespace neap::fuzz {

// X(name, weight in 1024ths)
#define NEAP_FUZZ_OPS(X) \
  X(kNewNode, 220)       \
  X(kNewPair, 50)        \
  X(kNewArray, 60)       \
  X(kNewMixed, 24)       \
  X(kNewBytes, 56)       \
  X(kNewText, 20)        \
  X(kNewWeakBox, 16)     \
  X(kNewWeakKeyBox, 10)  \
  X(kNewEphemerons, 12)  \
  X(kNewStationary, 12)  \
  X(kNewBuffer, 8)       \
  X(kNewLargeArray, 2)   \
  X(kNewLargeBytes, 2)   \
  X(kLink, 150)          \
  X(kUnlink, 30)         \
  X(kLoad, 120)          \
  X(kShelve, 70)         \
  X(kUnshelve, 30)       \
  X(kCopyRegister, 16)   \
  X(kDropRegister, 16)   \
  X(kBulkMove, 8)        \
  X(kHash, 12)           \
  X(kIdentity, 4)        \
  X(kPin, 6)             \
  X(kUnpin, 8)           \
  X(kPushScope, 6)       \
  X(kPopScope, 6)        \
  X(kWeakHandle, 8)      \
  X(kRegister, 8)        \
  X(kRunFinalizers, 6)   \
  X(kResizeBuffer, 4)    \
  X(kCachePut, 6)        \
  X(kCacheGet, 6)        \
  X(kPoll, 6)            \
  X(kBlock, 1)           \
  X(kMinor, 2)           \
  X(kMajor, 1)           \
  X(kSetting, 2)

enum class OpCode : uint8_t {
#define NEAP_DECLARE_OP(name, weight) name,
  NEAP_FUZZ_OPS(NEAP_DECLARE_OP)
#undef NEAP_DECLARE_OP
};
const char* OpName(OpCode op);

struct Mode {
  const char* name;
  void (*set)(gc::Options& options);
  // Operations made `boost` times as frequent in this mode.
  std::vector<OpCode> boosted = {};
  uint32_t boost = 8;
  bool changes_settings = false;  // kSetting changes tenure, nursery, procs, GOGC, limit
  bool allocation_may_fail = false;
  bool broken = false;  // the heap is made wrong on purpose: a run that passes is the failure
};
const std::vector<Mode>& Modes();
const Mode* FindMode(const std::string& name);

struct Counts {
  uint64_t ops = 0;
  uint64_t minors = 0;
  uint64_t majors = 0;
  uint64_t compares = 0;
  uint64_t exact_compares = 0;
  uint64_t verifications = 0;
  uint64_t finalized = 0;
  uint64_t weak_cleared = 0;
  uint64_t failed_allocations = 0;
  uint64_t most_live = 0;
};

class HeapMachine {
 public:
  // Compares every `compare_every` operations and after every forced major; verifies the heap's own
  // structures at every `verify_every`th comparison (0: never).
  HeapMachine(const Mode& mode, uint64_t seed, uint64_t compare_every, uint64_t verify_every);
  ~HeapMachine();

  void Execute(uint64_t op);
  // The last comparison, exact.
  void Finish();
  const Counts& counts();
  // What an operation says, for people.
  static std::string Describe(const Mode& mode, uint64_t op);

 private:
  static constexpr size_t kBottomRegisters = 48;
  static constexpr size_t kScopeRegisters = 4;
  static constexpr size_t kGlobalRegisters = 12;
  static constexpr size_t kMaxScopes = 6;
  static constexpr size_t kMaxPins = 8;
  static constexpr size_t kWeakHandles = 16;
  static constexpr size_t kShelves = 4;

  struct Scope {
    explicit Scope(gc::Mutator& m) : scope(m) {}
    gc::HandleScope scope;
    std::array<gc::Handle<gc::Object>, kScopeRegisters> handles;
    std::array<Id, kScopeRegisters> ids{};
  };
  struct PinEntry {
    PinEntry(gc::Mutator& m, gc::Object* object, Id id_in) : pin(m, object), id(id_in) {}
    gc::Pin<gc::Object> pin;
    Id id;
  };
  // A root provider that loses half of its slots at each major cycle, as a pool does.
  struct Cache : gc::RootProvider {
    void VisitRoots(gc::Tracer& tracer) override { tracer.VisitSlots(words.data(), words.size()); }
    static void Cleanup(void* context, uint64_t cycle);
    std::array<gc::Word, 8> words{};
    std::array<Id, 8> ids{};
    uint64_t last_cycle = 0;
  };
  struct Register {
    Id* id;
    gc::Handle<gc::Object>* handle;  // or:
    gc::GlobalHandle* global;
    gc::Object* get() const { return handle != nullptr ? handle->get() : global->get(); }
  };

  // --- Operations --------------------------------------------------------------------------------
  void NewObject(OpCode op, uint32_t a, uint32_t immediate);
  void MakeRoom();
  gc::Object* AllocateFor(Kind kind, uint32_t length);
  void FillBody(gc::Object* object, ShadowObject& shadow);
  void Link(uint32_t a, uint32_t b, uint32_t d, uint32_t immediate);
  void Unlink(uint32_t a, uint32_t immediate);
  void Load(uint32_t a, uint32_t b, uint32_t immediate);
  void Shelve(uint32_t a, uint32_t immediate);
  void Unshelve(uint32_t a, uint32_t immediate);
  void BulkMove(uint32_t a, uint32_t immediate);
  void HashOrIdentity(OpCode op, uint32_t a);
  void PinRegister(uint32_t a);
  void PushScope();
  void UseWeakHandle(uint32_t a, uint32_t immediate);
  void RegisterFinalizer(uint32_t a);
  void ResizeBuffer(uint32_t a, uint32_t immediate);
  void UseCache(OpCode op, uint32_t a, uint32_t immediate);
  void ChangeSetting(uint32_t immediate);
  static void Finalize(gc::Mutator& m, gc::Handle<gc::Object> object, void* context);
  void ObserveFinalizer(gc::Object* object);

  // --- Comparison --------------------------------------------------------------------------------
  enum class Exactness : uint8_t { kAtLeast, kExact };
  void Compare(Exactness exactness);
  void PairRoots();
  void PairUp(Id id, gc::Object* object);
  void PairSlots(Id id);
  bool PairEphemerons();
  void CheckBody(const ShadowObject& shadow, gc::Object* object);
  void CheckWeakSlots(Exactness exactness);
  void CheckWeakWord(Id* target, gc::Word word, bool after_finalizers, Exactness exactness);
  void CheckWeakHandles(Exactness exactness);
  void CheckTotals();

  Register RegisterAt(uint32_t index);
  void SetRegister(const Register& target, Id id, gc::Object* object);
  gc::Word* SlotAt(gc::Object* object, Kind kind, size_t i);
  void StoreSlot(gc::Object* holder, Id holder_id, size_t i, Id target, gc::Object* object);
  void ReleasePins();
  // The cheap check of every load: type and stamp.
  void CheckGlance(Id id, gc::Object* object);
  [[noreturn]] void Fail(const char* what, Id id, const void* address);

  const Mode& mode_;
  const uint64_t compare_every_;
  const uint64_t verify_every_;
  std::array<OpCode, 1024> table_;
  gc::Heap heap_;
  gc::Mutator m_;
  gc::HandleScope scope_;
  ShadowGraph graph_;
  std::array<gc::Handle<gc::Object>, kBottomRegisters> bottom_;
  std::array<Id, kBottomRegisters> bottom_ids_{};
  std::array<gc::GlobalHandle, kGlobalRegisters> globals_;
  std::array<Id, kGlobalRegisters> global_ids_{};
  std::array<gc::GlobalHandle, kShelves> shelves_;
  std::array<Id, kShelves> shelf_ids_{};
  std::array<gc::WeakHandle, kWeakHandles> weak_handles_;
  std::array<Id, kWeakHandles> weak_ids_{};
  std::deque<Scope> scopes_;
  std::deque<PinEntry> pins_;
  Cache cache_;
  int hook_ = 0;
  std::unique_ptr<gc::FinalizerQueue> finalizers_;
  std::vector<Id> paired_;  // worklist of the comparison
  std::vector<Id> tables_;  // ephemeron tables in S
  std::vector<Id> weak_boxes_;
  uint64_t registrations_ = 0;  // finalizers registered and not run
  int64_t buffers_before_ = 0;
  OpCode current_ = OpCode::kPoll;
  Counts counts_;
};

}  // namespace neap::fuzz

#endif  // NEAP_TESTS_FUZZ_HEAP_MACHINE_H_
