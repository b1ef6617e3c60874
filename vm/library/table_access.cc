// SPDX-License-Identifier: MIT
#include "library/table_access.h"

#include <cstring>

namespace neap::vm {
namespace {

// Elements that memmove moves in the time of one step of fuel, about.
constexpr uint64_t kElementsPerStep = 16;

}  // namespace

bool Sequence::Check(unsigned uses) {
  State& state = call_.state();
  const Value v = call_.arg(argument_);
  if (IsTable(v)) return true;
  Table* metatable = state.MetatableOf(v);
  const auto has = [&](Event event) { return !state.MetamethodOf(metatable, event).is_nil(); };
  const bool usable = metatable != nullptr && ((uses & kReads) == 0 || has(Event::kIndex)) &&
                      ((uses & kWrites) == 0 || has(Event::kNewIndex)) &&
                      ((uses & kMeasures) == 0 || has(Event::kLength));
  return usable || call_.CheckTable(argument_);
}

bool Sequence::Length(int64_t* length) {
  if (!IsPlain()) return call_.state().LengthOf(call_.arg(argument_), length);
  *length = Border(call_.objects(), table());
  return true;
}

bool Sequence::PushSlow(int64_t index) {
  const Value key = call_.objects().NewInteger(index);
  if (key.is_nil()) return call_.state().MemoryError();
  return call_.state().PushIndex(call_.arg(argument_), key);
}

bool Sequence::SetFromTop(int64_t index) {
  State& state = call_.state();
  if (IsPlain()) {
    if (!RawSetInteger(call_.objects(), table(), index, call_.top())) return state.MemoryError();
  } else {
    const Value key = call_.objects().NewInteger(index);
    if (key.is_nil()) return state.MemoryError();
    if (!state.SetIndex(call_.arg(argument_), key, call_.top())) return false;
  }
  call_.Pop();
  return true;
}

bool Sequence::ShiftInArray(int64_t from, int64_t to, uint64_t count) {
  if (!IsPlain() || from < 1 || to < 1) return false;
  ArrayPart* array = table()->array.get();
  if (array == nullptr) return false;
  const uint64_t last = static_cast<uint64_t>(from > to ? from : to) + count - 1;
  if (last > array->length) return false;
  Word* slots = array->slots();
  call_.mutator().LogRange(array, slots + to - 1, count);
  memmove(slots + to - 1, slots + from - 1, count * sizeof(Word));
  return true;
}

bool Sequence::Shift(int64_t from, int64_t to, uint64_t count) {
  if (count == 0) return true;
  if (ShiftInArray(from, to, count)) return call_.state().Spend(count / kElementsPerStep);
  for (uint64_t done = 0; done < count; ++done) {
    // Upwards from the last one on, so that none is overwritten before it is read.
    const auto offset = static_cast<int64_t>(from < to ? count - 1 - done : done);
    if (!Push(from + offset) || !SetFromTop(to + offset)) return false;
    if (!call_.state().Spend(1)) return false;
  }
  return true;
}

}  // namespace neap::vm
