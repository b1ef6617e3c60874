// SPDX-License-Identifier: MIT
#include "checker.h"

#include <algorithm>
#include <cstring>

#include "neap/gc/type.h"
#include "neap/runtime/check.h"

namespace neap::pool {

const char* ViolationName(Violation::Kind kind) {
  switch (kind) {
    case Violation::Kind::kDoublePut:
      return "put twice";
    case Violation::Kind::kUseAfterPut:
      return "used after put";
    case Violation::Kind::kDirtyPut:
      return "put back dirty";
    case Violation::Kind::kForeignPut:
      return "put but never handed out";
  }
  return "unknown";
}

}  // namespace neap::pool

namespace neap::pool::internal {

namespace {

// Calls visit(first, bytes) for the bytes of a managed object that may be overwritten while it is
// parked: no slot, no length, nothing that the collector or the owner of off-heap memory reads.
template <typename Visit>
void ForEachPlainRangeOfObject(gc::Object* object, Visit visit) {
  const gc::TypeDescriptor& type = gc::GetType(object->type());
  if (type.off_heap_bytes != nullptr || type.drop != nullptr) return;
  auto* base = reinterpret_cast<uint8_t*>(object);
  const size_t end = gc::ObjectBytes(object);
  const bool has_length = type.element_shift != gc::TypeDescriptor::kFixedSize;
  const size_t begin = gc::kHeaderBytes + (has_length ? sizeof(uint64_t) : 0);
  switch (type.layout) {
    case gc::Layout::kNone:
      if (end > begin) visit(base + begin, end - begin);
      return;
    case gc::Layout::kSlots:
      if (type.first_slot_bytes > begin) visit(base + begin, type.first_slot_bytes - begin);
      return;
    case gc::Layout::kBitmap:
      for (size_t at = begin; at < end; at += sizeof(Word)) {
        const size_t word = (at - gc::kHeaderBytes) / sizeof(Word);
        if (word < 64 && (type.slot_bitmap >> word & 1) != 0) continue;
        visit(base + at, sizeof(Word));
      }
      return;
    case gc::Layout::kCustom:
      return;  // only its trace function knows what is a slot
  }
}

template <typename Visit>
void ForEachPlainRange(const WordOptions& options, Word item, Visit visit) {
  if (options.managed) {
    ForEachPlainRangeOfObject(gc::ToObject(item), visit);
  } else if (options.value_bytes != 0) {
    visit(reinterpret_cast<uint8_t*>(item), options.value_bytes);
  }
}

}  // namespace

void FailOn(const Violation& violation) {
  NEAP_CHECK(violation.kind == Violation::Kind::kUseAfterPut,
             "P7: an item is put back once, and clean",
             "pool \"%s\": item %llu %s at %s:%u; last get %s:%u, last put %s:%u", violation.pool,
             static_cast<unsigned long long>(violation.object), ViolationName(violation.kind),
             violation.here.file_name(), violation.here.line(), violation.get.file_name(),
             violation.get.line(), violation.put.file_name(), violation.put.line());
  CheckFailed(__FILE__, __LINE__, "poison is intact", "P7: an item is not used after its Put",
              "pool \"%s\": item %llu changed while it was parked; put at %s:%u, found by the get "
              "at %s:%u",
              violation.pool, static_cast<unsigned long long>(violation.object),
              violation.put.file_name(), violation.put.line(), violation.here.file_name(),
              violation.here.line());
}

Checker::Entry& Checker::EntryFor(gc::Mutator& m, uint64_t id, Word item) {
  auto [found, is_new] = entries_.try_emplace(id);
  if (is_new && options_.managed) {
    found->second.weak = gc::WeakHandle(m, gc::ToObject(item));
    ids_[item] = id;
  }
  return found->second;
}

void Checker::NoteMade(gc::Mutator& m, uint64_t id, Word item, CallPlace here) {
  std::lock_guard lock(mutex_);
  if (!options_.managed) entries_.erase(id);  // the address was freed by its last user
  Entry& entry = EntryFor(m, id, item);
  entry.in = false;
  entry.get = here;
  entry.put = {};
  entry.order = ++gets_;
}

std::optional<Violation> Checker::FindBadPut(uint64_t id, CallPlace here) const {
  std::lock_guard lock(mutex_);
  auto found = entries_.find(id);
  if (found == entries_.end() && options_.own_items_only) {
    return DescribeLocked(Violation::Kind::kForeignPut, id, here);
  }
  if (found == entries_.end() || !found->second.in) return std::nullopt;
  return DescribeLocked(Violation::Kind::kDoublePut, id, here);
}

void Checker::NotePut(gc::Mutator& m, uint64_t id, Word item, CallPlace here) {
  std::lock_guard lock(mutex_);
  Entry& entry = EntryFor(m, id, item);
  entry.in = true;
  entry.put = here;
  entry.saved.clear();
  if (options_.fingerprint) {
    entry.fingerprint = options_.fingerprint(item);
    return;
  }
  ForEachPlainRange(options_, item, [&](uint8_t* first, size_t bytes) {
    entry.saved.insert(entry.saved.end(), first, first + bytes);
    std::memset(first, kPoisonByte, bytes);
  });
}

// Puts the saved bytes back; false when the poison had been overwritten.
bool Checker::Unpoison(Entry& entry, Word item) {
  if (options_.fingerprint) {
    entry.in = false;
    return entry.fingerprint == options_.fingerprint(item);
  }
  bool intact = true;
  size_t position = 0;
  ForEachPlainRange(options_, item, [&](uint8_t* first, size_t bytes) {
    intact &= std::all_of(first, first + bytes, [](uint8_t b) { return b == kPoisonByte; });
    std::memcpy(first, entry.saved.data() + position, bytes);
    position += bytes;
  });
  entry.in = false;
  entry.saved.clear();
  return intact;
}

std::optional<Violation> Checker::NoteGet(gc::Mutator& m, uint64_t id, Word item, CallPlace here) {
  std::lock_guard lock(mutex_);
  Entry& entry = EntryFor(m, id, item);
  std::optional<Violation> violation;
  if (entry.in && !Unpoison(entry, item)) {
    violation = DescribeLocked(Violation::Kind::kUseAfterPut, id, here);
  }
  entry.get = here;
  entry.order = ++gets_;
  return violation;
}

Checker::Entry* Checker::FindByItem(Word item) {
  if (!options_.managed) {
    auto found = entries_.find(item);
    return found == entries_.end() ? nullptr : &found->second;
  }
  auto holds_item = [&](auto known) {
    if (known == ids_.end()) return false;
    auto found = entries_.find(known->second);
    return found != entries_.end() && gc::ToWord(found->second.weak.get()) == item;
  };
  auto known = ids_.find(item);
  if (!holds_item(known)) {
    ids_.clear();
    for (auto& [id, entry] : entries_) ids_[gc::ToWord(entry.weak.get())] = id;
    known = ids_.find(item);
    if (!holds_item(known)) return nullptr;
  }
  return &entries_.find(known->second)->second;
}

void Checker::Forget(Word item) {
  std::lock_guard lock(mutex_);
  Entry* entry = FindByItem(item);
  if (entry == nullptr) return;
  if (entry->in && !options_.fingerprint) Unpoison(*entry, item);
  const uint64_t id = options_.managed ? ids_.find(item)->second : item;
  ids_.erase(item);
  entries_.erase(id);
}

Violation Checker::Describe(Violation::Kind kind, uint64_t id, CallPlace here) const {
  std::lock_guard lock(mutex_);
  return DescribeLocked(kind, id, here);
}

Violation Checker::DescribeLocked(Violation::Kind kind, uint64_t id, CallPlace here) const {
  Violation violation;
  violation.kind = kind;
  violation.pool = options_.name.c_str();
  violation.object = id;
  violation.here = here;
  auto found = entries_.find(id);
  if (found != entries_.end()) {
    violation.get = found->second.get;
    violation.put = found->second.put;
  }
  return violation;
}

std::vector<Unreturned> Checker::FindUnreturned() const {
  std::lock_guard lock(mutex_);
  std::vector<std::pair<uint64_t, Unreturned>> ordered;
  for (const auto& [id, entry] : entries_) {
    if (entry.in) continue;
    const bool dead = options_.managed && entry.weak.get() == nullptr;
    ordered.push_back({entry.order, {.object = id, .get = entry.get, .dead = dead}});
  }
  std::sort(ordered.begin(), ordered.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Unreturned> result;
  for (auto& [order, unreturned] : ordered) result.push_back(unreturned);
  return result;
}

}  // namespace neap::pool::internal
