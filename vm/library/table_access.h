// SPDX-License-Identifier: MIT
//
// An argument of a table function as a sequence: what metamethods say (manual 6.6), and fast when
// there are none. A table without metatable is called plain here. Lua code that runs meanwhile may
// give it one: each access looks again.
#ifndef NEAP_VM_LIBRARY_TABLE_ACCESS_H_
#define NEAP_VM_LIBRARY_TABLE_ACCESS_H_

#include <cstdint>

#include "interpreter/native_call.h"

namespace neap::vm {

// What a function does with the argument; a set. Values that are no tables must have metamethods
// for all of it.
enum SequenceUse : uint8_t { kReads = 1, kWrites = 2, kMeasures = 4 };

class Sequence {
 public:
  Sequence(NativeCall& call, int argument) : call_(call), argument_(argument) {}

  // False: "table expected" is set.
  [[nodiscard]] bool Check(unsigned uses);
  bool IsPlain() const {
    const Value v = call_.arg(argument_);
    return IsTable(v) && AsTable(v)->metatable() == nullptr;
  }
  // Good until the next safepoint; the argument is a table.
  Table* table() const { return AsTable(call_.arg(argument_)); }

  // False: the error is set. Safepoints.
  [[nodiscard]] bool Length(int64_t* length);
  [[nodiscard]] bool Push(int64_t index) {
    if (!IsPlain()) return PushSlow(index);
    call_.Push(RawGetInteger(call_.objects(), table(), index));
    return true;
  }
  // Sets the element to the value on top, and pops it.
  [[nodiscard]] bool SetFromTop(int64_t index);
  // Copies `count` elements from `from` on to `to` on, as if all were read first. `from` and `to`
  // are different, and no index overflows.
  [[nodiscard]] bool Shift(int64_t from, int64_t to, uint64_t count);

 private:
  bool PushSlow(int64_t index);
  // False: not all of it lies in the array part of a plain table. (no safepoint)
  bool ShiftInArray(int64_t from, int64_t to, uint64_t count);

  NativeCall& call_;
  const int argument_;
};

// The elements 1 .. `count` of the plain table that lie in its array part; null: some do not. Good
// until the next safepoint.
inline Word* ElementsOf(Table* table, uint64_t count) {
  ArrayPart* array = table->array.get();
  return array != nullptr && count <= array->length ? array->slots() : nullptr;
}

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_TABLE_ACCESS_H_
