// SPDX-License-Identifier: MIT
//
// The operations. What the comparison demands stands in heap_compare.cc.
#include "heap_machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "neap/runtime/check.h"

namespace neap::fuzz {
namespace {

using gc::Handle;
using gc::Object;
using gc::SlotArray;
using gc::Word;

// Slots of the shelves, the arrays that keep objects alive for long: small, one card, many cards.
constexpr uint32_t kShelfSlots[] = {40, 300, 1500, 9000};

uint64_t Scramble(uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15;
  return x ^ (x >> 29);
}

gc::Options OptionsFor(const Mode& mode, uint64_t seed) {
  gc::Options options;
  options.nursery = gc::Options::Nursery::kFixed;
  options.nursery_bytes = 16 << 10;
  options.min_heap_bytes = 512 << 10;
  options.reserve_bytes = size_t{1} << 30;
  options.huge_pages = false;
  options.periodic_major_s = 0;
  options.procs = 1;
  options.debug.seed = seed | 1;
  mode.set(options);
  return options;
}

gc::TypeId TypeOf(Kind kind) {
  switch (kind) {
    case Kind::kNode:
    case Kind::kStationary:
      return toy::Node::Type();
    case Kind::kPair:
      return toy::Pair::Type();
    case Kind::kArray:
      return SlotArray::Type();
    case Kind::kMixed:
      return toy::Mixed::Type();
    case Kind::kBytes:
      return gc::ByteArray::Type();
    case Kind::kText:
      return toy::Text::Type();
    case Kind::kBuffer:
      return toy::Buffer::Type();
    case Kind::kWeakBox:
      return gc::WeakBox::Type();
    case Kind::kWeakKeyBox:
      return toy::WeakKeyBox::Type();
    case Kind::kEphemerons:
      return gc::EphemeronTable::Type();
  }
  return 0;
}

// Shape of a new object for an opcode: kind, length, number of slots.
struct Shape {
  Kind kind;
  uint32_t length;
  uint32_t slots;
};
Shape ShapeFor(OpCode op, uint32_t immediate) {
  const uint32_t small = immediate % 16;
  switch (op) {
    case OpCode::kNewPair:
      return {Kind::kPair, 0, 2};
    case OpCode::kNewArray: {
      // Now and then a length anywhere below the large ones.
      const uint32_t length = 1 + (immediate % 64 == 0 ? immediate / 64 % 1000 : small);
      return {Kind::kArray, length, length - 1};
    }
    case OpCode::kNewLargeArray: {
      const uint32_t length = 1030 + immediate % 3000;
      return {Kind::kArray, length, length - 1};
    }
    case OpCode::kNewMixed:
      return {Kind::kMixed, small + 2, small + 2};
    case OpCode::kNewBytes:
      return {Kind::kBytes, immediate % 64 == 0 ? immediate / 64 % 8000 : immediate % 100, 0};
    case OpCode::kNewLargeBytes:
      return {Kind::kBytes, 8200 + immediate % 60000, 0};
    case OpCode::kNewText:
      return {Kind::kText, immediate % 60, 0};
    case OpCode::kNewWeakBox:
      return {Kind::kWeakBox, 0, 1};
    case OpCode::kNewWeakKeyBox:
      return {Kind::kWeakKeyBox, 0, 1};
    case OpCode::kNewEphemerons:
      return {Kind::kEphemerons, small / 2 + 1, 2 * (small / 2 + 1)};
    case OpCode::kNewStationary:
      return {Kind::kStationary, 0, 2};
    case OpCode::kNewBuffer:
      return {Kind::kBuffer, 8 + immediate % 20000, 0};
    default:
      return {Kind::kNode, 0, 2};
  }
}

// Ten bits choose the opcode: the low byte and the two highest bits of the word.
size_t OpIndex(uint64_t op) { return (op & 0xff) | (op >> 62 << 8); }

std::array<OpCode, 1024> OpTable(const Mode& mode) {
  struct Weighted {
    OpCode op;
    uint64_t weight;
  };
  std::vector<Weighted> ops;
#define NEAP_ADD_OP(name, weight) ops.push_back({OpCode::name, weight});
  NEAP_FUZZ_OPS(NEAP_ADD_OP)
#undef NEAP_ADD_OP
  uint64_t sum = 0;
  for (Weighted& w : ops) {
    if (std::count(mode.boosted.begin(), mode.boosted.end(), w.op) > 0) w.weight *= mode.boost;
    sum += w.weight;
  }
  std::array<OpCode, 1024> table;
  size_t at = 0;
  uint64_t passed = 0;
  for (const Weighted& w : ops) {
    passed += w.weight;
    while (at < 1024 && at * sum < passed * 1024) table[at++] = w.op;
  }
  return table;
}

}  // namespace

const char* OpName(OpCode op) {
  static const char* const kNames[] = {
#define NEAP_NAME_OP(name, weight) &#name[1],
      NEAP_FUZZ_OPS(NEAP_NAME_OP)
#undef NEAP_NAME_OP
  };
  return kNames[static_cast<size_t>(op)];
}

HeapMachine::HeapMachine(const Mode& mode, uint64_t seed, uint64_t compare_every,
                         uint64_t verify_every)
    : mode_(mode),
      compare_every_(compare_every),
      verify_every_(verify_every),
      table_(OpTable(mode)),
      heap_(OptionsFor(mode, seed)),
      m_(heap_),
      scope_(m_),
      buffers_before_(toy::Buffer::live_count()) {
  for (auto& handle : bottom_) handle = scope_.New<Object>(nullptr);
  for (auto& global : globals_) global = gc::GlobalHandle(m_, nullptr);
  finalizers_ = std::make_unique<gc::FinalizerQueue>(heap_, Finalize, this);
  heap_.AddRootProvider(&cache_);
  hook_ = heap_.AddCleanupHook("fuzz-cache", Cache::Cleanup, &cache_);
  for (size_t i = 0; i < kShelves; ++i) {
    shelf_ids_[i] = graph_.Add(Kind::kArray, kShelfSlots[i], kShelfSlots[i] - 1);
    Object* object = m_.Allocate(SlotArray::Type(), kShelfSlots[i]);
    FillBody(object, graph_[shelf_ids_[i]]);
    shelves_[i] = gc::GlobalHandle(m_, object);
  }
}

HeapMachine::~HeapMachine() {
  ReleasePins();
  while (!scopes_.empty()) scopes_.pop_back();
  heap_.RemoveCleanupHook(hook_);
  heap_.RemoveRootProvider(&cache_);
  finalizers_.reset();
}

void HeapMachine::Fail(const char* what, Id id, const void* address) {
  std::fprintf(stderr,
               "heap_fuzz: %s: shadow object %u (kind %d) at %p, mode %s, operation %llu (%s), "
               "%llu minors, %llu majors\n",
               what, id, id == 0 ? -1 : static_cast<int>(graph_[id].kind), address, mode_.name,
               static_cast<unsigned long long>(counts_.ops), OpName(current_),
               static_cast<unsigned long long>(heap_.minors()),
               static_cast<unsigned long long>(heap_.majors()));
  std::abort();
}

std::string HeapMachine::Describe(const Mode& mode, uint64_t op) {
  char line[100];
  std::snprintf(line, sizeof(line), "%s a=%u b=%u d=%u immediate=%u",
                OpName(OpTable(mode)[OpIndex(op)]), static_cast<unsigned>(op >> 8 & 0xff),
                static_cast<unsigned>(op >> 16 & 0xff), static_cast<unsigned>(op >> 24 & 0xff),
                static_cast<unsigned>(op >> 32 & 0x3fffffff));
  return line;
}

void HeapMachine::Execute(uint64_t op) {
  ++counts_.ops;
  current_ = table_[OpIndex(op)];
  const auto a = static_cast<uint32_t>(op >> 8 & 0xff);
  const auto b = static_cast<uint32_t>(op >> 16 & 0xff);
  const auto d = static_cast<uint32_t>(op >> 24 & 0xff);
  const auto immediate = static_cast<uint32_t>(op >> 32 & 0x3fffffff);
  switch (current_) {
    case OpCode::kLink:
      Link(a, b, d, immediate);
      break;
    case OpCode::kUnlink:
      Unlink(a, immediate);
      break;
    case OpCode::kLoad:
      Load(a, b, immediate);
      break;
    case OpCode::kShelve:
      Shelve(a, immediate);
      break;
    case OpCode::kUnshelve:
      Unshelve(a, immediate);
      break;
    case OpCode::kCopyRegister: {
      const Register from = RegisterAt(b);
      SetRegister(RegisterAt(a), *from.id, from.get());
      break;
    }
    case OpCode::kDropRegister:
      SetRegister(RegisterAt(a), 0, nullptr);
      break;
    case OpCode::kBulkMove:
      BulkMove(a, immediate);
      break;
    case OpCode::kHash:
    case OpCode::kIdentity:
      HashOrIdentity(current_, a);
      break;
    case OpCode::kPin:
      PinRegister(a);
      break;
    case OpCode::kUnpin:
      if (!pins_.empty()) pins_.pop_back();
      break;
    case OpCode::kPushScope:
      PushScope();
      break;
    case OpCode::kPopScope:
      if (!scopes_.empty()) scopes_.pop_back();
      break;
    case OpCode::kWeakHandle:
      UseWeakHandle(a, immediate);
      break;
    case OpCode::kRegister:
      RegisterFinalizer(a);
      break;
    case OpCode::kRunFinalizers:
      if (finalizers_->pending() > 0) finalizers_->Run(m_, 1 + immediate % 8);
      break;
    case OpCode::kResizeBuffer:
      ResizeBuffer(a, immediate);
      break;
    case OpCode::kCachePut:
    case OpCode::kCacheGet:
      UseCache(current_, a, immediate);
      break;
    case OpCode::kPoll:
      m_.Poll();
      break;
    case OpCode::kBlock: {
      gc::BlockingRegion blocking(m_);
      break;
    }
    case OpCode::kMinor:
      heap_.CollectMinor(m_);
      break;
    case OpCode::kMajor:
      // A forced major compares exactly, which is dear: one in 16 of these operations.
      if (immediate % 16 == 0) {
        heap_.Collect(m_);
        Compare(Exactness::kExact);
      }
      break;
    case OpCode::kSetting:
      if (mode_.changes_settings) ChangeSetting(immediate);
      break;
    default:
      NewObject(current_, a, immediate);
  }
  if (counts_.ops % compare_every_ == 0) Compare(Exactness::kAtLeast);
}

void HeapMachine::Finish() {
  heap_.Collect(m_);
  Compare(Exactness::kExact);
}

const Counts& HeapMachine::counts() {
  counts_.minors = heap_.minors();
  counts_.majors = heap_.majors();
  counts_.weak_cleared = heap_.Snapshot().weak_cleared;
  return counts_;
}

// --- Registers and slots -------------------------------------------------------------------------

HeapMachine::Register HeapMachine::RegisterAt(uint32_t index) {
  if (index >= 240) {
    const size_t i = index % kGlobalRegisters;
    return {&global_ids_[i], nullptr, &globals_[i]};
  }
  if (index >= 200 && !scopes_.empty()) {
    Scope& scope = scopes_[index / kScopeRegisters % scopes_.size()];
    const size_t i = index % kScopeRegisters;
    return {&scope.ids[i], &scope.handles[i], nullptr};
  }
  const size_t i = index % kBottomRegisters;
  return {&bottom_ids_[i], &bottom_[i], nullptr};
}

void HeapMachine::SetRegister(const Register& target, Id id, Object* object) {
  *target.id = id;
  if (target.handle != nullptr) {
    target.handle->set(object);
  } else {
    target.global->set(object);
  }
}

Word* HeapMachine::SlotAt(Object* object, Kind kind, size_t i) {
  switch (kind) {
    case Kind::kArray:
      return static_cast<SlotArray*>(object)->slots() + 1 + i;
    case Kind::kMixed:
      return static_cast<toy::Mixed*>(object)->slot(i);
    case Kind::kEphemerons:
      return static_cast<gc::EphemeronTable*>(object)->pairs() + i;
    default:
      // Nodes, pairs and boxes: slots from the first body word on.
      return object->body<Word>() + i;
  }
}

void HeapMachine::StoreSlot(Object* holder, Id holder_id, size_t i, Id target, Object* object) {
  m_.Store(holder, SlotAt(holder, graph_[holder_id].kind, i), object);
  graph_[holder_id].slots[i] = target;
}

void HeapMachine::CheckGlance(Id id, Object* object) {
  const ShadowObject& shadow = graph_[id];
  if (!shadow.used) Fail("a reachable object was forgotten by the model", id, object);
  if (object->type() != TypeOf(shadow.kind)) Fail("an object has another type", id, object);
  uint64_t stamp = shadow.stamp;
  switch (shadow.kind) {
    case Kind::kNode:
    case Kind::kStationary:
      stamp = static_cast<uint64_t>(static_cast<toy::Node*>(object)->key);
      break;
    case Kind::kArray:
      stamp = *static_cast<SlotArray*>(object)->slots();
      break;
    case Kind::kMixed:
      stamp = *static_cast<toy::Mixed*>(object)->raw(0);
      break;
    default:
      break;
  }
  if (stamp != shadow.stamp) Fail("an object is not the one the model knows", id, object);
}

// --- Allocation ----------------------------------------------------------------------------------

Object* HeapMachine::AllocateFor(Kind kind, uint32_t length) {
  switch (kind) {
    case Kind::kStationary:
      return m_.TryAllocateStationary(toy::Node::Type());
    case Kind::kBuffer:
      return toy::Buffer::TryMake(m_, length);
    default:
      return m_.TryAllocate(TypeOf(kind), length);
  }
}

void HeapMachine::FillBody(Object* object, ShadowObject& shadow) {
  switch (shadow.kind) {
    case Kind::kNode:
    case Kind::kStationary:
      static_cast<toy::Node*>(object)->key = static_cast<int64_t>(shadow.stamp);
      break;
    case Kind::kArray:
      static_cast<SlotArray*>(object)->slots()[0] = shadow.stamp;
      break;
    case Kind::kMixed:
      // One raw word looks like a reference to this very object, which soon is elsewhere.
      shadow.raw = gc::ToWord(object);
      *static_cast<toy::Mixed*>(object)->raw(0) = shadow.stamp;
      *static_cast<toy::Mixed*>(object)->raw(1) = shadow.raw;
      break;
    case Kind::kBytes:
    case Kind::kText: {
      uint8_t* data = object->body<uint8_t>() + 8;
      for (uint32_t i = 0; i < shadow.length; ++i) {
        data[i] = static_cast<uint8_t>(Scramble(shadow.stamp + i / 64) >> (i % 8 * 8));
      }
      break;
    }
    case Kind::kBuffer:
      std::memcpy(static_cast<toy::Buffer*>(object)->data, &shadow.stamp, sizeof(shadow.stamp));
      break;
    default:
      break;
  }
  const bool large = gc::ObjectBytes(object) > 8192;
  if (large || shadow.kind == Kind::kStationary || shadow.kind == Kind::kBuffer) {
    shadow.fixed_at = object;
  }
}

// After a failed allocation: the model must not keep a full heap full, or nothing else happens.
void HeapMachine::MakeRoom() {
  for (uint32_t i = 0; i < 256; i += 3) SetRegister(RegisterAt(i), 0, nullptr);
  const size_t shelf = counts_.failed_allocations % kShelves;
  for (size_t i = 0; i < graph_[shelf_ids_[shelf]].slots.size(); ++i) {
    if (graph_[shelf_ids_[shelf]].slots[i] == 0) continue;
    StoreSlot(shelves_[shelf].get(), shelf_ids_[shelf], i, 0, nullptr);
  }
}

void HeapMachine::NewObject(OpCode op, uint32_t a, uint32_t immediate) {
  const Shape shape = ShapeFor(op, immediate);
  Object* object = AllocateFor(shape.kind, shape.length);
  if (object == nullptr) {
    if (!mode_.allocation_may_fail) Fail("an allocation failed", 0, nullptr);
    ++counts_.failed_allocations;
    MakeRoom();
    return;
  }
  const Id id = graph_.Add(shape.kind, shape.length, shape.slots);
  FillBody(object, graph_[id]);
  SetRegister(RegisterAt(a), id, object);
}

// --- The graph -----------------------------------------------------------------------------------

void HeapMachine::Link(uint32_t a, uint32_t b, uint32_t d, uint32_t immediate) {
  const Register holder = RegisterAt(a);
  const Register target = RegisterAt(b);
  if (*holder.id == 0 || *target.id == 0) return;
  const size_t slots = graph_[*holder.id].slots.size();
  if (slots == 0) return;
  size_t i = immediate % slots;
  if (graph_[*holder.id].kind == Kind::kEphemerons) {
    const Register value = RegisterAt(d);
    if (*value.id == 0) return;
    i &= ~size_t{1};
    StoreSlot(holder.get(), *holder.id, i, *target.id, target.get());
    StoreSlot(holder.get(), *holder.id, i + 1, *value.id, value.get());
    return;
  }
  StoreSlot(holder.get(), *holder.id, i, *target.id, target.get());
}

void HeapMachine::Unlink(uint32_t a, uint32_t immediate) {
  const Register holder = RegisterAt(a);
  if (*holder.id == 0 || graph_[*holder.id].slots.empty()) return;
  size_t i = immediate % graph_[*holder.id].slots.size();
  if (graph_[*holder.id].kind == Kind::kEphemerons) {
    i &= ~size_t{1};
    StoreSlot(holder.get(), *holder.id, i + 1, 0, nullptr);
  }
  StoreSlot(holder.get(), *holder.id, i, 0, nullptr);
}

void HeapMachine::Load(uint32_t a, uint32_t b, uint32_t immediate) {
  const Register holder = RegisterAt(b);
  if (*holder.id == 0) return;
  Object* object = holder.get();
  CheckGlance(*holder.id, object);
  const ShadowObject& shadow = graph_[*holder.id];
  if (shadow.slots.empty()) return;
  const size_t i = immediate % shadow.slots.size();
  const Id expected = shadow.slots[i];
  const Word word = gc::LoadSlot(SlotAt(object, shadow.kind, i));
  const bool weak = ShadowGraph::IsWeakKind(shadow.kind) || shadow.kind == Kind::kEphemerons;
  // A weak slot may be empty where the model still has a target: the comparison judges that.
  if (word == 0 && (expected == 0 || weak)) return SetRegister(RegisterAt(a), 0, nullptr);
  if (word == 0 || expected == 0) Fail("a slot is empty or filled wrongly", *holder.id, object);
  Object* target = gc::ToObject(word);
  CheckGlance(expected, target);
  if (shadow.kind == Kind::kWeakKeyBox || shadow.kind == Kind::kEphemerons) {
    graph_.Resurrect(expected);
  }
  SetRegister(RegisterAt(a), expected, target);
}

void HeapMachine::Shelve(uint32_t a, uint32_t immediate) {
  const Register value = RegisterAt(a);
  const size_t shelf = immediate % kShelves;
  const size_t i = immediate / kShelves % graph_[shelf_ids_[shelf]].slots.size();
  StoreSlot(shelves_[shelf].get(), shelf_ids_[shelf], i, *value.id, value.get());
}

void HeapMachine::Unshelve(uint32_t a, uint32_t immediate) {
  const size_t shelf = immediate % kShelves;
  const size_t i = immediate / kShelves % graph_[shelf_ids_[shelf]].slots.size();
  Object* object = gc::ToObject(gc::LoadSlot(SlotAt(shelves_[shelf].get(), Kind::kArray, i)));
  const Id id = graph_[shelf_ids_[shelf]].slots[i];
  if ((object == nullptr) != (id == 0)) Fail("a shelf lost an object", id, object);
  if (id != 0) CheckGlance(id, object);
  SetRegister(RegisterAt(a), id, object);
  if (immediate >> 29 & 1) StoreSlot(shelves_[shelf].get(), shelf_ids_[shelf], i, 0, nullptr);
}

void HeapMachine::BulkMove(uint32_t a, uint32_t immediate) {
  // One half of the bulk moves go to a shelf, the others to whatever array a register holds.
  Id id = *RegisterAt(a).id;
  Object* object = RegisterAt(a).get();
  if (a % 2 == 0) {
    id = shelf_ids_[a / 2 % kShelves];
    object = shelves_[a / 2 % kShelves].get();
  }
  if (id == 0 || graph_[id].kind != Kind::kArray || graph_[id].slots.size() < 2) return;
  std::vector<Id>& ids = graph_[id].slots;
  const size_t count = 1 + immediate % std::min<size_t>(ids.size() - 1, 40);
  const size_t from = (immediate >> 6) % (ids.size() - count + 1);
  const size_t to = (immediate >> 17) % (ids.size() - count + 1);
  Word* slots = SlotAt(object, Kind::kArray, 0);
  m_.LogRange(object, slots + to, count);
  std::memmove(slots + to, slots + from, count * sizeof(Word));
  std::memmove(ids.data() + to, ids.data() + from, count * sizeof(Id));
}

void HeapMachine::HashOrIdentity(OpCode op, uint32_t a) {
  const Register target = RegisterAt(a);
  if (*target.id == 0) return;
  ShadowObject& shadow = graph_[*target.id];
  if (op == OpCode::kHash) {
    const uint32_t hash = m_.Hash(target.get());
    if (hash == 0 || (shadow.hash != 0 && shadow.hash != hash)) {
      Fail("a hash changed", *target.id, target.get());
    }
    shadow.hash = hash;
    return;
  }
  const uint64_t identity = m_.Identity(target.get());
  if (identity == 0 || (shadow.identity != 0 && shadow.identity != identity)) {
    Fail("an identity changed", *target.id, target.get());
  }
  shadow.identity = identity;
}

// --- Roots of other kinds ------------------------------------------------------------------------

void HeapMachine::PinRegister(uint32_t a) {
  const Register target = RegisterAt(a);
  if (*target.id == 0) return;
  if (pins_.size() == kMaxPins) pins_.pop_back();
  pins_.emplace_back(m_, target.get(), *target.id);
}

void HeapMachine::ReleasePins() {
  while (!pins_.empty()) pins_.pop_back();
}

void HeapMachine::PushScope() {
  if (scopes_.size() == kMaxScopes) {
    while (scopes_.size() > 1) scopes_.pop_back();
  }
  Scope& scope = scopes_.emplace_back(m_);
  for (auto& handle : scope.handles) handle = scope.scope.New<Object>(nullptr);
}

void HeapMachine::UseWeakHandle(uint32_t a, uint32_t immediate) {
  const size_t i = immediate % kWeakHandles;
  const Register target = RegisterAt(a);
  if (immediate >> 20 & 1) {
    weak_handles_[i] = *target.id == 0 ? gc::WeakHandle() : gc::WeakHandle(m_, target.get());
    weak_ids_[i] = *target.id;
    return;
  }
  Object* object = weak_handles_[i].get();
  if (object == nullptr) return;  // judged by the comparison
  CheckGlance(weak_ids_[i], object);
  SetRegister(target, weak_ids_[i], object);
}

void HeapMachine::RegisterFinalizer(uint32_t a) {
  const Register target = RegisterAt(a);
  // Only objects that carry their stamp: the finalizer must find out who it got.
  if (*target.id == 0) return;
  const Kind kind = graph_[*target.id].kind;
  if (kind != Kind::kNode && kind != Kind::kStationary && kind != Kind::kArray) return;
  finalizers_->Register(m_, target.get());
  ++graph_[*target.id].registrations;
  ++registrations_;
}

void HeapMachine::Finalize(gc::Mutator& m, Handle<Object> object, void* context) {
  HeapMachine* self = static_cast<HeapMachine*>(context);
  self->ObserveFinalizer(object.get());
  if (self->counts_.finalized % 16 == 0) m.heap().CollectMinor(m);
}

void HeapMachine::ObserveFinalizer(Object* object) {
  const uint64_t stamp = object->type() == SlotArray::Type()
                             ? static_cast<SlotArray*>(object)->slots()[0]
                             : static_cast<uint64_t>(static_cast<toy::Node*>(object)->key);
  const Id id = graph_.Find(stamp);
  if (id == 0) Fail("a finalizer got an object the model does not know", 0, object);
  ShadowObject& shadow = graph_[id];
  CheckGlance(id, object);
  if (shadow.registrations == 0) Fail("a finalizer ran without registration", id, object);
  --shadow.registrations;
  --registrations_;
  ++counts_.finalized;
  // Three in four stay alive, one in four is registered again.
  if (counts_.finalized % 4 != 0) {
    graph_.Resurrect(id);
    SetRegister(RegisterAt(static_cast<uint32_t>(stamp >> ShadowGraph::kIdBits) & 0xff), id,
                object);
  }
  if (counts_.finalized % 4 == 1) {
    finalizers_->Register(m_, object);
    ++graph_[id].registrations;
    ++registrations_;
  }
}

void HeapMachine::ResizeBuffer(uint32_t a, uint32_t immediate) {
  const Register target = RegisterAt(a);
  if (*target.id == 0 || graph_[*target.id].kind != Kind::kBuffer) return;
  const uint32_t bytes = 8 + immediate % 60000;
  static_cast<toy::Buffer*>(target.get())->Resize(m_, bytes);
  graph_[*target.id].length = bytes;
}

void HeapMachine::Cache::Cleanup(void* context, uint64_t cycle) {
  Cache* self = static_cast<Cache*>(context);
  NEAP_CHECK(cycle == self->last_cycle + 1, "a cleanup hook sees every cycle once");
  self->last_cycle = cycle;
  for (size_t i = cycle % 2; i < self->words.size(); i += 2) {
    self->words[i] = 0;
    self->ids[i] = 0;
  }
}

void HeapMachine::UseCache(OpCode op, uint32_t a, uint32_t immediate) {
  const size_t i = immediate % cache_.words.size();
  const Register target = RegisterAt(a);
  if (op == OpCode::kCachePut) {
    cache_.words[i] = gc::ToWord(target.get());
    cache_.ids[i] = *target.id;
    return;
  }
  if (cache_.ids[i] != 0) CheckGlance(cache_.ids[i], gc::ToObject(cache_.words[i]));
  SetRegister(target, cache_.ids[i], gc::ToObject(cache_.words[i]));
  cache_.words[i] = 0;
  cache_.ids[i] = 0;
}

void HeapMachine::ChangeSetting(uint32_t immediate) {
  const uint32_t value = immediate >> 4;
  switch (immediate % 8) {
    case 0:
      heap_.SetTenure(1 + value % 5);
      break;
    case 1:
      NEAP_CHECK(heap_.SetNurseryBytes(m_, size_t{4096} << value % 6).ok(),
                 "a nursery of 4 to 128 KiB is valid");
      break;
    case 2:
      NEAP_CHECK(heap_.SetProcs(m_, 1 + static_cast<int>(value % 4)).ok(), "1 to 4 Ps are valid");
      break;
    case 3:
      m_.MoveToProc(static_cast<int>(value) % heap_.scheduler().procs());
      break;
    case 4:
      heap_.SetGogc(20 + value % 400);
      break;
    case 5:
      heap_.Idle(m_, value % 2 == 0 ? 0 : UINT64_MAX);
      break;
    case 6:
      heap_.DrainEvents();
      break;
    default:
      heap_.SetMemoryLimit(value % 2 == 0 ? gc::Options::kNoLimit : (64 << 20) + value % 1000);
  }
}

}  // namespace neap::fuzz
