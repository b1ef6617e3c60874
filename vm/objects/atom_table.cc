// SPDX-License-Identifier: MIT
//
// The set of atoms. A slot is 0 (never used: a probe stops), 1 (an atom died here: a probe goes on)
// or the address of an atom.
//
//   A1  The place of an atom depends on the hash in its header only. The hash moves with the
//       string, so that a collection rewrites addresses in place and never rehashes.
//   A2  Every slot whose atom may still move, or that was filled since the last collection, is
//       listed in young_, once. (A slot is emptied only while a collection settles the table, which
//       drops it from the list; so filling it again cannot list it twice.)
//
// Two VMs never share strings: a string of another VM may be an atom there and not here.
#include "atom_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "neap/runtime/check.h"

namespace neap::vm {
namespace {

// Slots of an empty table. More costs memory for every VM, fewer a few early rebuilds.
constexpr size_t kFirstSlots = 512;  // what the standard library takes, and a little

__extension__ typedef unsigned __int128 Wide;

// Multiplies to 128 bits and folds the halves: every bit of the product depends on all bits below,
// the fold brings the upper ones down.
uint64_t Fold(uint64_t a, uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Odd, with about half of the bits set, unlike each other.
constexpr uint64_t kStep = 0x9fb21c651e98df25u;
constexpr uint64_t kLast = 0xd6e8feb86659fd93u;

uint64_t LoadPart(const char* bytes, size_t count) {
  uint64_t part = 0;
  std::memcpy(&part, bytes, count);
  return part;
}

}  // namespace

AtomTable::AtomTable(gc::Heap& heap, uint64_t seed)
    : heap_(heap), seed_(Fold(seed ^ kLast, kStep) | 1), slots_(kFirstSlots, kEmpty) {
  young_.reserve(kFirstSlots / 2);
  heap_.AddWeakTable(this);
}

AtomTable::~AtomTable() { heap_.RemoveWeakTable(this); }

uint32_t AtomTable::HashText(std::string_view text) const {
  const char* bytes = text.data();
  size_t left = text.size();
  uint64_t hash = seed_ ^ (left * kLast);
  for (; left > 8; bytes += 8, left -= 8) hash = Fold(hash ^ LoadPart(bytes, 8), kStep) + seed_;
  if (left > 0) hash ^= LoadPart(bytes, left);
  hash = Fold(Fold(hash, kStep) ^ seed_, kLast);
  const auto folded = static_cast<uint32_t>(hash ^ (hash >> 32));
  return folded == 0 ? 1 : folded;
}

uint32_t AtomTable::Hash(String* string) {
  const uint32_t stored = string->stored_hash();
  return stored != 0 ? stored : string->InstallHash(HashText(string->view()));
}

String* AtomTable::Find(std::string_view text) const {
  const uint32_t hash = HashText(text);
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask; slots_[i] != kEmpty; i = (i + 1) & mask) {
    if (slots_[i] == kRemoved) continue;
    auto* atom = static_cast<String*>(gc::ToObject(slots_[i]));
    if (atom->stored_hash() == hash && atom->view() == text) return atom;
  }
  return nullptr;
}

String* AtomTable::InternSlow(String* string) {
  const uint32_t hash = Hash(string);
  if ((used_ + 1) * 4 > slots_.size() * 3) Grow();
  const size_t mask = slots_.size() - 1;
  size_t place = SIZE_MAX;
  size_t i = hash & mask;
  for (; slots_[i] != kEmpty; i = (i + 1) & mask) {
    if (slots_[i] == kRemoved) {
      if (place == SIZE_MAX) place = i;
      continue;
    }
    auto* atom = static_cast<String*>(gc::ToObject(slots_[i]));
    if (atom->stored_hash() == hash && atom->view() == string->view()) return atom;
  }
  if (place == SIZE_MAX) {
    place = i;
    ++used_;
  }
  constexpr uint64_t kTypeBits = uint64_t{0xffff} << 16;
  string->set_header((string->header() & ~kTypeBits) | Object::MakeHeader(kAtomType));
  slots_[place] = gc::ToWord(string);
  if (heap_.IsYoung(string)) young_.push_back(static_cast<uint32_t>(place));
  ++live_;
  return string;
}

// Dead places are dropped; the new size leaves at least half of it free.
void AtomTable::Grow() {
  const size_t size = std::bit_ceil(std::max(kFirstSlots, (live_ + 1) * 2));
  NEAP_CHECK(size <= (size_t{1} << 32), "A3: fewer than 2^31 atoms", "live=%zu", live_);
  std::vector<Word> old(size, kEmpty);
  old.swap(slots_);
  young_.clear();
  const size_t mask = size - 1;
  for (const Word word : old) {
    if (word == kEmpty || word == kRemoved) continue;
    size_t i = gc::ToObject(word)->stored_hash() & mask;
    while (slots_[i] != kEmpty) i = (i + 1) & mask;
    slots_[i] = word;
    if (heap_.IsYoung(gc::ToObject(word))) young_.push_back(static_cast<uint32_t>(i));
  }
  used_ = live_;
}

void AtomTable::SettleYoung(Fates& fates) {
  size_t kept = 0;
  for (const uint32_t i : young_) {
    const Word now = fates.After(slots_[i]);
    if (now == 0) {
      slots_[i] = kRemoved;
      --live_;
      continue;
    }
    slots_[i] = now;
    if (fates.IsYoung(now)) young_[kept++] = i;
  }
  young_.resize(kept);
}

void AtomTable::SettleAll(Fates& fates) {
  for (Word& word : slots_) {
    if (word == kEmpty || word == kRemoved) continue;
    word = fates.After(word);
    if (word != 0) continue;
    word = kRemoved;
    --live_;
  }
  std::erase_if(young_,
                [&](uint32_t i) { return slots_[i] == kRemoved || !fates.IsYoung(slots_[i]); });
}

void AtomTable::ForEach(const std::function<void(Word, bool)>& visit) {
  std::vector<bool> listed(slots_.size(), false);
  for (const uint32_t i : young_) listed[i] = true;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i] != kEmpty && slots_[i] != kRemoved) visit(slots_[i], listed[i]);
  }
}

}  // namespace neap::vm
