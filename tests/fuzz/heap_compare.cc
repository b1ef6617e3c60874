// SPDX-License-Identifier: MIT
//
// The comparison of the heap with the shadow graph.
//
// Both are walked in step from the same roots. What is demanded:
//
//   C1  Every object of S exists: same type, length, stamp, contents, hash; stationary, large and
//       pinned ones at their address; one object for one shadow object.
//   C2  A strong slot is empty in both or leads to the same object.
//   C3  A "before" weak slot may be empty only if its target is not in S (or came back through a
//       finalizer since). An "after" weak slot or ephemeron key may be empty only if its target is
//       not in F. Key and value are emptied together.
//   C4  Exactly, that is right after a forced major cycle: weak slots whose target is not in F are
//       empty; the heap's own count of live bytes is the model's; the memory of dead owners is
//       released; every registered object outside S waits for its finalizer, unless another one
//       reaches it.
#include <cstdlib>
#include <cstring>

#include "heap_machine.h"
#include "neap/runtime/check.h"

namespace neap::fuzz {
namespace {

using gc::Object;
using gc::Word;

uint64_t BytesOf(const ShadowObject& shadow) {
  switch (shadow.kind) {
    case Kind::kNode:
    case Kind::kStationary:
      return sizeof(toy::Node);
    case Kind::kPair:
      return sizeof(toy::Pair);
    case Kind::kArray:
      return 16 + 8 * uint64_t{shadow.length};
    case Kind::kMixed:
    case Kind::kEphemerons:
      return 16 + 16 * uint64_t{shadow.length};
    case Kind::kBytes:
    case Kind::kText:
      return 16 + (uint64_t{shadow.length} + 7) / 8 * 8;
    case Kind::kBuffer:
      return sizeof(toy::Buffer);
    case Kind::kWeakBox:
    case Kind::kWeakKeyBox:
      return 16;
  }
  return 0;
}

// Written a second time, on purpose: the machine's own formula is part of what is tested.
uint8_t ExpectedByte(uint64_t stamp, uint32_t i) {
  uint64_t x = stamp + i / 64;
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15;
  x ^= x >> 29;
  return static_cast<uint8_t>(x >> (i % 8 * 8));
}

}  // namespace

void HeapMachine::CheckBody(const ShadowObject& shadow, Object* object) {
  const Id id = graph_.Find(shadow.stamp);
  CheckGlance(id, object);
  if (gc::ObjectBytes(object) != BytesOf(shadow)) Fail("C1: an object's size changed", id, object);
  if (shadow.hash != 0 && object->stored_hash() != shadow.hash) {
    Fail("C1: an object lost its hash", id, object);
  }
  if (shadow.fixed_at != nullptr && shadow.fixed_at != object) {
    Fail("C1: an object that never moves has moved", id, object);
  }
  if (shadow.kind == Kind::kBytes || shadow.kind == Kind::kText) {
    const uint8_t* data = object->body<uint8_t>() + 8;
    for (uint32_t i = 0; i < shadow.length; ++i) {
      if (data[i] != ExpectedByte(shadow.stamp, i)) Fail("C1: bytes changed", id, object);
    }
  }
  if (shadow.kind == Kind::kMixed && *static_cast<toy::Mixed*>(object)->raw(1) != shadow.raw) {
    Fail("C1: a raw word changed", id, object);
  }
  if (shadow.kind == Kind::kBuffer) {
    const toy::Buffer* buffer = static_cast<toy::Buffer*>(object);
    if (buffer->bytes != shadow.length || buffer->data == nullptr ||
        std::memcmp(buffer->data, &shadow.stamp, sizeof(shadow.stamp)) != 0) {
      Fail("C1: a buffer lost its memory", id, object);
    }
  }
}

void HeapMachine::PairUp(Id id, Object* object) {
  if (id == 0 || object == nullptr) {
    if (id != 0 || object != nullptr) Fail("C2: empty in one and not in the other", id, object);
    return;
  }
  ShadowObject& shadow = graph_[id];
  if (shadow.reached == graph_.epoch()) {
    if (shadow.at != object) Fail("C1: one object of the model is two in the heap", id, object);
    return;
  }
  shadow.reached = graph_.epoch();
  shadow.at = object;
  CheckBody(shadow, object);
  paired_.push_back(id);
}

void HeapMachine::PairSlots(Id id) {
  const ShadowObject& shadow = graph_[id];
  if (shadow.kind == Kind::kEphemerons) return tables_.push_back(id);
  if (ShadowGraph::IsWeakKind(shadow.kind)) {
    const Id target = shadow.slots[0];
    if (target == 0 || graph_[target].kind != Kind::kText) return weak_boxes_.push_back(id);
  }
  for (size_t i = 0; i < shadow.slots.size(); ++i) {
    PairUp(shadow.slots[i], gc::ToObject(gc::LoadSlot(SlotAt(shadow.at, shadow.kind, i))));
  }
}

// One pass over the tables of S; true when a pair brought something new into it.
bool HeapMachine::PairEphemerons() {
  const size_t before = paired_.size();
  for (const Id table : tables_) {
    const ShadowObject& shadow = graph_[table];
    for (size_t i = 0; i < shadow.slots.size(); i += 2) {
      const Id key = shadow.slots[i];
      if (key == 0 || (!graph_.InS(key) && graph_[key].kind != Kind::kText)) continue;
      for (size_t j = i; j < i + 2; ++j) {
        PairUp(shadow.slots[j], gc::ToObject(gc::LoadSlot(SlotAt(shadow.at, shadow.kind, j))));
      }
    }
  }
  return paired_.size() != before;
}

void HeapMachine::PairRoots() {
  for (size_t i = 0; i < kBottomRegisters; ++i) PairUp(bottom_ids_[i], bottom_[i].get());
  for (size_t i = 0; i < kGlobalRegisters; ++i) PairUp(global_ids_[i], globals_[i].get());
  for (size_t i = 0; i < kShelves; ++i) PairUp(shelf_ids_[i], shelves_[i].get());
  for (Scope& scope : scopes_) {
    for (size_t i = 0; i < kScopeRegisters; ++i) PairUp(scope.ids[i], scope.handles[i].get());
  }
  for (const PinEntry& entry : pins_) PairUp(entry.id, entry.pin.get());
  for (size_t i = 0; i < cache_.words.size(); ++i) {
    PairUp(cache_.ids[i], gc::ToObject(cache_.words[i]));
  }
}

void HeapMachine::Compare(Exactness exactness) {
  ++counts_.compares;
  if (verify_every_ != 0 && counts_.compares % verify_every_ == 0) {
    ++counts_.verifications;
    const absl::Status status = heap_.Verify(m_);
    if (!status.ok()) Fail(std::string(status.message()).c_str(), 0, nullptr);
  }
  graph_.StartEpoch();
  tables_.clear();
  weak_boxes_.clear();
  PairRoots();
  do {
    while (!paired_.empty()) {
      const Id id = paired_.back();
      paired_.pop_back();
      PairSlots(id);
    }
  } while (PairEphemerons());
  graph_.CloseF();
  CheckWeakSlots(exactness);
  CheckWeakHandles(exactness);
  if (exactness == Exactness::kExact) CheckTotals();
  for (const Id id : weak_ids_) graph_.Hold(id);
  counts_.most_live = std::max<uint64_t>(counts_.most_live, graph_.Sweep());
}

void HeapMachine::CheckWeakWord(Id* target, Word word, bool after_finalizers, Exactness exactness) {
  if (*target == 0) {
    if (word != 0) Fail("C3: an empty weak slot was filled", 0, gc::ToObject(word));
    return;
  }
  const bool must_live = after_finalizers ? graph_.InF(*target) : graph_.InS(*target);
  if (word == 0) {
    const bool excused = !after_finalizers && graph_[*target].resurrected;
    if (must_live && !excused) Fail("C3: a weak slot lost a live target", *target, nullptr);
    *target = 0;
    return;
  }
  // What an object that waits for its finalizer reaches is alive, to "before" slots as well, from
  // the cycle after the one that found it dead. The minor inside a major counts as one.
  if (exactness == Exactness::kExact && !graph_.InF(*target)) {
    Fail("C4: a weak slot still holds a dead target", *target, gc::ToObject(word));
  }
  if (graph_.InS(*target) && graph_[*target].at != gc::ToObject(word)) {
    Fail("C3: a weak slot leads elsewhere", *target, gc::ToObject(word));
  }
  CheckGlance(*target, gc::ToObject(word));
}

void HeapMachine::CheckWeakSlots(Exactness exactness) {
  for (const Id box : weak_boxes_) {
    ShadowObject& shadow = graph_[box];
    CheckWeakWord(&shadow.slots[0], gc::LoadSlot(SlotAt(shadow.at, shadow.kind, 0)),
                  shadow.kind == Kind::kWeakKeyBox, exactness);
  }
  for (const Id table : tables_) {
    ShadowObject& shadow = graph_[table];
    for (size_t i = 0; i < shadow.slots.size(); i += 2) {
      const Word key = gc::LoadSlot(SlotAt(shadow.at, shadow.kind, i));
      const Word value = gc::LoadSlot(SlotAt(shadow.at, shadow.kind, i + 1));
      if ((key == 0) != (value == 0)) Fail("C3: half a pair is left", table, shadow.at);
      CheckWeakWord(&shadow.slots[i], key, true, exactness);
      if (shadow.slots[i] == 0) shadow.slots[i + 1] = 0;
    }
  }
}

void HeapMachine::CheckWeakHandles(Exactness exactness) {
  for (size_t i = 0; i < kWeakHandles; ++i) {
    if (weak_ids_[i] != 0 && graph_[weak_ids_[i]].kind == Kind::kText) {
      // Whether a weak handle holds a value strongly is not promised either way.
      if (weak_handles_[i].get() == nullptr) weak_ids_[i] = 0;
      continue;
    }
    CheckWeakWord(&weak_ids_[i], gc::ToWord(weak_handles_[i].get()), false, exactness);
  }
}

void HeapMachine::CheckTotals() {
  ++counts_.exact_compares;
  uint64_t bytes = 0;
  int64_t buffers = 0;
  graph_.ForEachInF([&](const ShadowObject& shadow) {
    bytes += BytesOf(shadow);
    if (shadow.kind == Kind::kBuffer) ++buffers;
  });
  const gc::Stats stats = heap_.Snapshot();
  if (stats.marked_bytes != bytes) {
    std::fprintf(stderr, "heap: %llu bytes live, model: %llu\n",
                 static_cast<unsigned long long>(stats.marked_bytes),
                 static_cast<unsigned long long>(bytes));
    Fail("C4: the heap keeps more or less than is reachable", 0, nullptr);
  }
  if (toy::Buffer::live_count() - buffers_before_ != buffers) {
    Fail("C4: memory outside the heap was not released, or too early", 0, nullptr);
  }
  if (finalizers_->pending() < graph_.FinalizableSources() ||
      finalizers_->pending() > registrations_) {
    Fail("C4: an unreachable object does not wait for its finalizer", 0, nullptr);
  }
}

}  // namespace neap::fuzz
