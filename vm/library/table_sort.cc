// SPDX-License-Identifier: MIT
//
// table.sort over two kinds of elements, with one algorithm (quicksort.h):
//
//   NumberItems   numbers of a plain table without comparison function: sorted outside the heap,
//                 where nothing moves and no Lua code runs, and written back
//   TableItems    everything else: in place, through metamethods, by what the comparison function
//                 or the operator < says
#include "library/table_sort.h"

#include <utility>
#include <vector>

#include "library/quicksort.h"
#include "library/table_access.h"
#include "text/number.h"

namespace neap::vm {
namespace {

constexpr char kInvalidOrder[] = "invalid order function for sorting";

Number NumberIn(Value v) { return IsInteger(v) ? Number(IntegerOf(v)) : Number(v.as_double()); }

bool NumbersLess(Value a, Value b) {
  if (BothInline(a, b)) return a.inline_integer() < b.inline_integer();
  if (a.is_double() && b.is_double()) return a.as_double() < b.as_double();
  return NumberLess(NumberIn(a), NumberIn(b));
}

class NumberItems {
 public:
  explicit NumberItems(NativeCall& call) : call_(call) {}

  // False: the elements are not all numbers without a box. (no safepoint)
  bool Take(const Word* elements, uint64_t count) {
    words_.assign(elements, elements + count);
    for (const Word word : words_) {
      if (!Value::FromWord(word).is_inline_number()) return false;
    }
    return true;
  }
  // Writes them back to where they were taken from; the table may have moved.
  void Put(Table* table) {
    Word* elements = ElementsOf(table, words_.size());
    call_.mutator().LogRange(table->array.get(), elements, words_.size());
    for (size_t i = 0; i < words_.size(); ++i) gc::InitSlot(&elements[i], words_[i]);
  }

  bool Less(uint64_t i, uint64_t j, bool* less) {
    *less = NumbersLess(At(i), At(j));
    if (--until_poll_ > 0) return true;
    until_poll_ = kComparisonsPerPoll;
    call_.mutator().Poll();
    return true;
  }
  bool Exchange(uint64_t i, uint64_t j) {
    std::swap(words_[i - 1], words_[j - 1]);
    return true;
  }
  bool InvalidOrder() { return call_.Error(kInvalidOrder); }  // a NaN is among them

 private:
  // Limits how long this thread keeps a collection waiting.
  static constexpr int kComparisonsPerPoll = 1000;

  Value At(uint64_t i) const { return Value::FromWord(words_[i - 1]); }

  NativeCall& call_;
  std::vector<Word> words_;
  int until_poll_ = kComparisonsPerPoll;
};

class TableItems {
 public:
  explicit TableItems(NativeCall& call)
      : call_(call), sequence_(call, 1), has_order_(!call.is_none_or_nil(2)) {}

  bool Less(uint64_t i, uint64_t j, bool* less) {
    if (!call_.state().Spend(1)) return false;
    if (has_order_) return AskOrder(i, j, less);
    if (!PushBoth(i, j)) return false;
    const Value a = call_.top(2);
    const Value b = call_.top(1);
    bool ok = true;
    if (IsString(a) && IsString(b)) {
      *less = StringCompare(AsString(a), AsString(b)) < 0;
    } else {
      ok = call_.state().Less(a, b, less);
    }
    call_.Pop(2);
    return ok;
  }

  bool Exchange(uint64_t i, uint64_t j) {
    return PushBoth(i, j) && sequence_.SetFromTop(static_cast<int64_t>(i)) &&
           sequence_.SetFromTop(static_cast<int64_t>(j));
  }

  bool InvalidOrder() { return call_.Error(kInvalidOrder); }

 private:
  bool PushBoth(uint64_t i, uint64_t j) {
    return sequence_.Push(static_cast<int64_t>(i)) && sequence_.Push(static_cast<int64_t>(j));
  }

  bool AskOrder(uint64_t i, uint64_t j, bool* less) {
    call_.Push(call_.arg(2));
    if (!PushBoth(i, j) || !call_.Call(2, 1)) return false;
    *less = call_.top().is_truthy();
    call_.Pop();
    return true;
  }

  NativeCall& call_;
  Sequence sequence_;
  const bool has_order_;
};

bool SortTable(NativeCall& call, uint64_t count) {
  TableItems items(call);
  return Quicksort<TableItems>(items).Sort(1, count);
}

// Sorts the table if it is one of numbers; `*done` says so. An error leaves it as it was.
bool SortNumbers(NativeCall& call, uint64_t count, bool* done) {
  const Sequence sequence(call, 1);
  *done = false;
  if (!sequence.IsPlain() || !call.is_none_or_nil(2)) return true;
  const Word* elements = ElementsOf(sequence.table(), count);
  NumberItems items(call);
  if (elements == nullptr || !items.Take(elements, count)) return true;
  *done = true;
  if (!Quicksort<NumberItems>(items).Sort(1, count)) return false;
  items.Put(sequence.table());
  return call.state().Spend(count);
}

}  // namespace

NativeResult TableSort(NativeCall& call) {
  Sequence sequence(call, 1);
  int64_t count;
  if (!sequence.Check(kReads | kWrites | kMeasures) || !sequence.Length(&count)) {
    return call.Failed();
  }
  if (count < 2) return call.Return(0);
  if (count >= INT32_MAX) return call.ReturnIf(call.ArgumentError(1, "array too big"));
  if (!call.is_none_or_nil(2) && !call.CheckFunction(2)) return call.Failed();
  bool done;
  if (!SortNumbers(call, static_cast<uint64_t>(count), &done)) return call.Failed();
  if (!done && !SortTable(call, static_cast<uint64_t>(count))) return call.Failed();
  return call.Return(0);
}

}  // namespace neap::vm
