// SPDX-License-Identifier: MIT
#include "shadow_graph.h"

#include "neap/runtime/check.h"

namespace neap::fuzz {

Id ShadowGraph::Add(Kind kind, uint32_t length, uint32_t slots) {
  Id id;
  if (free_.empty()) {
    id = static_cast<Id>(objects_.size());
    NEAP_CHECK(id < (Id{1} << kIdBits), "the shadow graph fits in its ids");
    objects_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  ShadowObject& object = objects_[id];
  std::vector<Id> storage = std::move(object.slots);
  storage.assign(slots, 0);
  object = ShadowObject{};
  object.slots = std::move(storage);
  object.kind = kind;
  object.used = true;
  object.length = length;
  object.stamp = (++serial_ << kIdBits) | id;
  ++used_;
  return id;
}

Id ShadowGraph::Find(uint64_t stamp) const {
  const Id id = static_cast<Id>(stamp & ((uint64_t{1} << kIdBits) - 1));
  if (id == 0 || id >= objects_.size()) return 0;
  return objects_[id].used && objects_[id].stamp == stamp ? id : 0;
}

bool ShadowGraph::KeepF(Id id) {
  if (id == 0 || InF(id)) return false;
  objects_[id].kept = epoch_;
  work_.push_back(id);
  return true;
}

// One pass over the tables found so far; true when it found something new.
bool ShadowGraph::CloseEphemeronsF() {
  bool found = false;
  for (const Id table : tables_) {
    const std::vector<Id>& slots = objects_[table].slots;
    for (size_t i = 0; i + 1 < slots.size(); i += 2) {
      const Id key = slots[i];
      if (key == 0) continue;
      if (objects_[key].kind == Kind::kText) found |= KeepF(key);
      if (InF(key)) found |= KeepF(slots[i + 1]);
    }
  }
  return found;
}

void ShadowGraph::CloseF() {
  work_.clear();
  tables_.clear();
  for (Id id = 1; id < objects_.size(); ++id) {
    const ShadowObject& object = objects_[id];
    if (!object.used) continue;
    if (object.registrations > 0) KeepF(id);
    if (InS(id) && object.kind == Kind::kEphemerons) tables_.push_back(id);
  }
  do {
    while (!work_.empty()) {
      const Id id = work_.back();
      work_.pop_back();
      const ShadowObject& object = objects_[id];
      if (object.kind == Kind::kEphemerons) {
        tables_.push_back(id);
        continue;
      }
      for (const Id target : object.slots) {
        const bool weak = IsWeakKind(object.kind) && objects_[target].kind != Kind::kText;
        if (!weak) KeepF(target);
      }
    }
  } while (CloseEphemeronsF());
}

void ShadowGraph::Hold(Id id) {
  if (id == 0 || objects_[id].held == epoch_) return;
  objects_[id].held = epoch_;
  work_.push_back(id);
}

size_t ShadowGraph::Sweep() {
  for (Id id = 1; id < objects_.size(); ++id) {
    if (objects_[id].used && InF(id)) Hold(id);
  }
  while (!work_.empty()) {
    const Id id = work_.back();
    work_.pop_back();
    for (const Id target : objects_[id].slots) Hold(target);
  }
  for (Id id = 1; id < objects_.size(); ++id) {
    ShadowObject& object = objects_[id];
    if (!object.used || object.held == epoch_) continue;
    object.used = false;
    free_.push_back(id);
    --used_;
  }
  return used_;
}

void ShadowGraph::Visit(Id id) {
  if (id == 0 || objects_[id].visited == visit_) return;
  objects_[id].visited = visit_;
  work_.push_back(id);
}

void ShadowGraph::VisitReachable() {
  while (!work_.empty()) {
    const Id next = work_.back();
    work_.pop_back();
    for (const Id target : objects_[next].slots) Visit(target);
  }
}

void ShadowGraph::Resurrect(Id id) {
  ++visit_;
  Visit(id);
  for (size_t i = 0; i < work_.size(); ++i) {
    objects_[work_[i]].resurrected = true;
    for (const Id target : objects_[work_[i]].slots) Visit(target);
  }
  work_.clear();
}

uint64_t ShadowGraph::FinalizableSources() {
  ++visit_;
  const auto waits = [this](Id id) {
    return objects_[id].used && objects_[id].registrations > 0 && !InS(id);
  };
  for (Id id = 1; id < objects_.size(); ++id) {
    if (!waits(id)) continue;
    for (const Id target : objects_[id].slots) Visit(target);
  }
  VisitReachable();
  uint64_t sources = 0;
  for (Id id = 1; id < objects_.size(); ++id) {
    if (waits(id) && objects_[id].visited != visit_) ++sources;
  }
  return sources;
}

}  // namespace neap::fuzz
