// SPDX-License-Identifier: MIT
//
// Quicksort as the reference implementation does it: the same comparisons and exchanges in the same
// order for up to kSmallRange elements and for all inputs that do not degenerate, since scripts see
// the order of elements that compare equal. Median of three; the smaller part first, so that the
// depth is logarithmic; a part much smaller than half makes the next pivots arbitrary.
//
// The order need not be one: an `Items` that contradicts itself ends in InvalidOrder() or in any
// order, within the bounds.
//
//   struct Items {
//     bool Less(uint64_t i, uint64_t j, bool* less);   // false: stop, an error is set
//     bool Exchange(uint64_t i, uint64_t j);           // likewise
//     bool InvalidOrder();                             // sets the error, false
//   };
//   Quicksort<Items>(items).Sort(1, n);
#ifndef NEAP_VM_LIBRARY_QUICKSORT_H_
#define NEAP_VM_LIBRARY_QUICKSORT_H_

#include <cstdint>

namespace neap::vm {

template <typename Items>
class Quicksort {
 public:
  explicit Quicksort(Items& items) : items_(items) {}

  // Sorts the elements low .. high. False: the error is set.
  [[nodiscard]] bool Sort(uint64_t low, uint64_t high) { return SortPart(low, high, 0); }

 private:
  // Elements up to which the pivot is the middle in any case.
  static constexpr uint64_t kSmallRange = 100;
  // A part this many times smaller than the rest is a bad sign.
  static constexpr uint64_t kImbalance = 128;

  bool SortPart(uint64_t low, uint64_t high, uint64_t variation) {
    while (low < high) {
      uint64_t pivot = 0;
      if (!Prepare(low, high, variation, &pivot)) return false;
      if (high - low <= 2) return true;
      if (!items_.Exchange(pivot, high - 1) || !Partition(low, high, &pivot)) return false;
      uint64_t smaller;
      if (pivot - low < high - pivot) {
        if (!SortPart(low, pivot - 1, variation)) return false;
        smaller = pivot - low;
        low = pivot + 1;
      } else {
        if (!SortPart(pivot + 1, high, variation)) return false;
        smaller = high - pivot;
        high = pivot - 1;
      }
      if (high > low && (high - low) / kImbalance > smaller) variation = Vary();
    }
    return true;
  }

  // Exchanges the two if the first (`i`) is greater, that is, `j` less.
  bool Order(uint64_t i, uint64_t j) {
    bool less;
    if (!items_.Less(j, i, &less)) return false;
    return !less || items_.Exchange(i, j);
  }

  // Puts the first, the last and the pivot in order; two or three elements are sorted then.
  bool Prepare(uint64_t low, uint64_t high, uint64_t variation, uint64_t* pivot) {
    if (!Order(low, high)) return false;
    if (high - low == 1) return true;
    *pivot = ChoosePivot(low, high, variation);
    bool less;
    if (!items_.Less(*pivot, low, &less)) return false;
    if (less) return items_.Exchange(*pivot, low);
    return Order(*pivot, high);
  }

  static uint64_t ChoosePivot(uint64_t low, uint64_t high, uint64_t variation) {
    if (high - low <= kSmallRange || variation == 0) return low + (high - low) / 2;
    const uint64_t quarter = (high - low) / 4;
    return low + quarter + variation % (2 * quarter);
  }

  // The pivot stands at high - 1, and finally at `*pivot`, between the parts.
  bool Partition(uint64_t low, uint64_t high, uint64_t* pivot) {
    const uint64_t held = high - 1;
    uint64_t i = low;
    uint64_t j = held;
    while (true) {
      bool less;
      while (true) {
        if (!items_.Less(++i, held, &less)) return false;
        if (!less) break;
        if (i == held) return items_.InvalidOrder();
      }
      while (true) {
        if (!items_.Less(held, --j, &less)) return false;
        if (!less) break;
        if (j < i) return items_.InvalidOrder();
      }
      if (j < i) break;
      if (!items_.Exchange(i, j)) return false;
    }
    *pivot = i;
    return items_.Exchange(held, i);
  }

  // Another number each time (a step of Knuth's linear congruential generator), never 0.
  uint64_t Vary() {
    seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
    return (seed_ >> 33) | 1;
  }

  Items& items_;
  uint64_t seed_ = 0;
};

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_QUICKSORT_H_
