// SPDX-License-Identifier: MIT
//
// Finding and adding children of a shape. The key of a child is read from the child itself, so a
// place is one weak word, and a dead child leaves nothing behind but kDead.
//
// Children are forgotten before finalizers: a table that is resurrected keeps its shape, but new
// tables like it get another one. No harm: that two tables have the same shape is never promised.
#include "transitions.h"

#include <algorithm>
#include <bit>

#include "dictionary.h"
#include "objects.h"

namespace neap::vm {
namespace {

Transitions* TransitionsOf(const Shape* shape) { return shape->transitions; }

Shape* ChildAt(Transitions* transitions, uint64_t i) {
  const Word word = gc::LoadSlot(transitions->children() + i);
  return word == Transitions::kDead ? nullptr : static_cast<Shape*>(gc::ToObject(word));
}

uint32_t HashOfTransition(Objects& objects, Word key) {
  return objects.HashOf(Value::FromWord(key));
}

// First free place for a child with this hash; there is one.
Word* FreePlace(Transitions* transitions, uint32_t hash) {
  if (transitions->length <= Transitions::kLinear) {
    return transitions->children() + transitions->taken;
  }
  const uint64_t mask = transitions->length - 1;
  uint64_t i = hash & mask;
  while (transitions->children()[i] != 0) i = (i + 1) & mask;
  return transitions->children() + i;
}

uint32_t CountLive(Transitions* transitions) {
  uint32_t live = 0;
  for (uint64_t i = 0; i < transitions->length; ++i) live += ChildAt(transitions, i) != nullptr;
  transitions->counted = live;
  return live;
}

bool HasRoom(const Transitions* transitions) {
  if (transitions->length <= Transitions::kLinear) return transitions->taken < transitions->length;
  return (uint64_t{transitions->taken} + 1) * 4 <= transitions->length * 3;
}

void Put(Objects& objects, Transitions* transitions, Shape* child) {
  Word* place = FreePlace(transitions, HashOfTransition(objects, child->transition_key));
  objects.mutator().Store(transitions, place, child);
  ++transitions->taken;
  ++transitions->counted;
}

}  // namespace

void TraceTransitions(gc::Object* object, gc::Tracer& tracer) {
  auto* transitions = static_cast<Transitions*>(object);
  for (uint64_t i = 0; i < transitions->length; ++i) {
    tracer.VisitWeak(transitions->children() + i, Transitions::kDead,
                     gc::Tracer::Weakness::kBeforeFinalizers);
  }
}

Shape* FindChild(Objects& objects, const Shape* shape, Word key, WeakMode mode) {
  Transitions* transitions = TransitionsOf(shape);
  if (transitions == nullptr) return nullptr;
  const auto matches = [&](const Shape* child) {
    return child != nullptr && child->transition_key == key && child->weak_mode == mode;
  };
  if (transitions->length <= Transitions::kLinear) {
    for (uint32_t i = 0; i < transitions->taken; ++i) {
      if (Shape* child = ChildAt(transitions, i); matches(child)) return child;
    }
    return nullptr;
  }
  const uint64_t mask = transitions->length - 1;
  for (uint64_t i = HashOfTransition(objects, key) & mask; transitions->children()[i] != 0;
       i = (i + 1) & mask) {
    if (Shape* child = ChildAt(transitions, i); matches(child)) return child;
  }
  return nullptr;
}

// `counted` may be too high since the last collection, never too low: it is counted again only when
// it says that the limit is reached.
bool HasChildren(const Shape* shape, uint32_t limit) {
  Transitions* transitions = TransitionsOf(shape);
  if (transitions == nullptr || transitions->counted < limit) return false;
  return CountLive(transitions) >= limit;
}

bool ReserveChild(Objects& objects, gc::Handle<Shape> shape) {
  Transitions* old = TransitionsOf(shape.get());
  if (old != nullptr && HasRoom(old)) return true;
  const uint64_t live = old == nullptr ? 0 : CountLive(old);
  uint64_t length = std::max<uint64_t>(2, std::bit_ceil(live + 1));
  if (length > Transitions::kLinear) length *= 2;
  gc::Mutator& m = objects.mutator();
  auto* fresh = static_cast<Transitions*>(m.TryAllocate(kTransitionsType, length));
  if (fresh == nullptr) return false;
  old = TransitionsOf(shape.get());
  for (uint64_t i = 0; old != nullptr && i < old->length; ++i) {
    if (Shape* child = ChildAt(old, i); child != nullptr) Put(objects, fresh, child);
  }
  m.Store(shape.get(), reinterpret_cast<Word*>(&shape->transitions), fresh);
  return true;
}

void AddChild(Objects& objects, Shape* shape, Shape* child) {
  Put(objects, TransitionsOf(shape), child);
}

}  // namespace neap::vm
