// SPDX-License-Identifier: MIT
//
// heap_walk.h. Depth first, from the roots of roots.h, pins and pending finalizers. The value of an
// ephemeron is found when its key is: pairs are looked at again until a round finds nothing new.
#include "neap/gc/heap_walk.h"

#include <vector>

#include "collector.h"
#include "type_table.h"

namespace neap::gc {
namespace {

class Walker final : public Tracer {
 public:
  Walker(Collector& collector, HeapVisitor& visitor)
      : collector_(collector),
        range_(collector.range()),
        visitor_(visitor),
        seen_(range_.block_limit() * kBitmapWordsPerBlock) {}

  void Walk() {
    (void)collector_.roots().Visit(*this, RootSet::Which::kAll);
    collector_.roots().VisitPins([&](Object* object) {
      Word word = ToWord(object);
      VisitSlots(&word, 1);
    });
    collector_.finalizers().VisitPending(*this);
    do {
      Drain();
    } while (FindValues());
    for (const HeapEdge& edge : weak_) {
      if (IsSeen(edge.to)) visitor_.VisitEdge(edge);
    }
    for (const Pair& pair : pairs_) {
      if (pair.is_found && range_.Contains(LoadSlot(pair.value))) {
        visitor_.VisitEdge({ToObject(LoadSlot(pair.key)), pair.value,
                            ToObject(LoadSlot(pair.value)), EdgeKind::kEphemeron});
      }
    }
  }

  void VisitSlots(Word* first, size_t count) override {
    for (size_t i = 0; i < count; ++i) {
      const Word word = LoadSlot(first + i);
      if (range_.Contains(word)) Follow(first + i, word);
    }
  }

  void VisitWeak(Word* slot, Word, Weakness weakness) override {
    const Word word = LoadSlot(slot);
    if (!range_.Contains(word)) return;
    if (weakness != Weakness::kEvenValues && IsValue(word)) return Follow(slot, word);
    weak_.push_back({holder_, slot, ToObject(word), EdgeKind::kWeak});
  }

  void VisitEphemeron(Word* key, Word* value, Word) override {
    const Word word = LoadSlot(key);
    if (!range_.Contains(word) || IsValue(word)) {
      VisitSlots(key, 1);
      return VisitSlots(value, 1);
    }
    weak_.push_back({holder_, key, ToObject(word), EdgeKind::kWeak});
    pairs_.push_back({key, value, false});
  }

 private:
  struct Pair {
    const Word* key;
    const Word* value;
    bool is_found;  // the key was
  };

  static bool IsValue(Word word) { return type_table[ToObject(word)->type()].is_value; }
  bool IsSeen(const Object* object) const {
    return HeapRange::TestBit(seen_.data(), range_.OffsetOf(ToWord(object)));
  }
  void See(Word word) {
    if (IsSeen(ToObject(word))) return;
    const size_t offset = range_.OffsetOf(word);
    seen_[offset >> 9] |= uint64_t{1} << ((offset >> 3) & 63);
    work_.push_back(ToObject(word));
  }
  void Follow(const Word* slot, Word word) {
    visitor_.VisitEdge({holder_, slot, ToObject(word), EdgeKind::kStrong});
    See(word);
  }

  void Drain() {
    while (!work_.empty()) {
      Object* object = work_.back();
      work_.pop_back();
      const TypeInfo& type = type_table[object->type()];
      const size_t off_heap = type.off_heap_bytes == nullptr ? 0 : type.off_heap_bytes(object);
      visitor_.VisitObject(object, ObjectBytesOf(object, type) + off_heap);
      holder_ = object;
      ScanSlots(object, type, *this);
      holder_ = nullptr;
    }
  }

  // True when a value was found that nothing had led to.
  bool FindValues() {
    for (Pair& pair : pairs_) {
      if (pair.is_found || !IsSeen(ToObject(LoadSlot(pair.key)))) continue;
      pair.is_found = true;
      const Word value = LoadSlot(pair.value);
      if (range_.Contains(value)) See(value);
    }
    return !work_.empty();
  }

  Collector& collector_;
  HeapRange& range_;
  HeapVisitor& visitor_;
  std::vector<uint64_t> seen_;  // a bit for 8 bytes
  std::vector<Object*> work_;
  std::vector<HeapEdge> weak_;
  std::vector<Pair> pairs_;
  Object* holder_ = nullptr;  // whose slots are visited; null: roots
};

}  // namespace

void WalkHeap(Mutator& m, HeapVisitor& visitor) {
  Collector& collector = m.heap().collector();
  collector.WhileStopped(m, [&] { Walker(collector, visitor).Walk(); });
}

}  // namespace neap::gc
