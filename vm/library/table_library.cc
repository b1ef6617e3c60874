// SPDX-License-Identifier: MIT
//
// table (manual 6.6). All access goes through Sequence, which knows when metamethods have a say.
#include <cstring>
#include <limits>
#include <string>

#include "library/library.h"
#include "library/string_functions.h"
#include "library/table_access.h"
#include "library/table_additions.h"
#include "library/table_sort.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr unsigned kListUse = kReads | kWrites | kMeasures;

// index - 1 < limit, for positions of any sign.
bool IsWithin(int64_t index, uint64_t limit) { return static_cast<uint64_t>(index) - 1 < limit; }

NativeResult TableInsert(NativeCall& call) {
  Sequence list(call, 1);
  int64_t length;
  if (!list.Check(kListUse) || !list.Length(&length)) return call.Failed();
  // First free one. Lengths from metamethods may wrap around.
  const auto end = static_cast<int64_t>(static_cast<uint64_t>(length) + 1);
  int64_t position = end;
  if (call.count() == 3) {
    if (!call.CheckInteger(2, &position)) return call.Failed();
    if (!IsWithin(position, static_cast<uint64_t>(end))) {
      return call.ReturnIf(call.ArgumentError(2, "position out of bounds"));
    }
    if (position < end) {
      // The last one first: the table grows, if it must, before the others shift.
      if (!list.Push(end - 1) || !list.SetFromTop(end)) return call.Failed();
      const auto count = static_cast<uint64_t>(end - 1 - position);
      if (!list.Shift(position, position + 1, count)) return call.Failed();
    }
  } else if (call.count() != 2) {
    return call.ReturnIf(call.Error("wrong number of arguments to 'insert'"));
  }
  call.Push(call.arg(call.count()));
  return call.ReturnIf(list.SetFromTop(position), 0);
}

NativeResult TableRemove(NativeCall& call) {
  Sequence list(call, 1);
  int64_t length;
  if (!list.Check(kListUse) || !list.Length(&length)) return call.Failed();
  int64_t position = length;
  if (call.has(2)) {
    if (!call.OptInteger(2, &position)) return call.Failed();
    if (position != length && !IsWithin(position, static_cast<uint64_t>(length) + 1)) {
      return call.ReturnIf(call.ArgumentError(2, "position out of bounds"));
    }
  }
  if (!list.Push(position)) return call.Failed();  // the result
  int64_t last = position;
  if (position < length) {
    const auto count = static_cast<uint64_t>(length) - static_cast<uint64_t>(position);
    if (!list.Shift(position + 1, position, count)) return call.Failed();
    last = length;
  }
  call.PushNil();
  return call.ReturnIf(list.SetFromTop(last));
}

// --- move ----------------------------------------------------------------------------------------

struct MoveArguments {
  int64_t first;
  int64_t last;
  int64_t to;
  int target;  // the number of the argument
};

bool CheckMove(NativeCall& call, MoveArguments* move) {
  if (!call.CheckInteger(2, &move->first) || !call.CheckInteger(3, &move->last) ||
      !call.CheckInteger(4, &move->to)) {
    return false;
  }
  move->target = call.is_none_or_nil(5) ? 1 : 5;
  if (!Sequence(call, 1).Check(kReads) || !Sequence(call, move->target).Check(kWrites)) {
    return false;
  }
  if (move->last < move->first) return true;
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  if (move->first <= 0 && move->last >= kMax + move->first) {
    return call.ArgumentError(3, "too many elements to move");
  }
  const int64_t count = move->last - move->first + 1;
  if (move->to <= kMax - count + 1) return true;
  return call.ArgumentError(4, "destination wrap around");
}

// Whether the elements can be copied in ascending order.
bool IsAscending(NativeCall& call, const MoveArguments& move, bool* ascending) {
  *ascending = true;
  if (move.to > move.last || move.to <= move.first) return true;
  *ascending = false;
  if (move.target == 1) return true;
  bool same;
  if (!call.state().Equal(call.arg(1), call.arg(move.target), &same)) return false;
  *ascending = !same;
  return true;
}

bool MoveElements(NativeCall& call, const MoveArguments& move) {
  bool ascending;
  if (!IsAscending(call, move, &ascending)) return false;
  Sequence source(call, 1);
  Sequence target(call, move.target);
  const int64_t last = move.last - move.first;
  for (int64_t done = 0; done <= last; ++done) {
    const int64_t i = ascending ? done : last - done;
    if (!source.Push(move.first + i) || !target.SetFromTop(move.to + i)) return false;
    if (!call.state().Spend(1)) return false;
  }
  return true;
}

NativeResult TableMove(NativeCall& call) {
  MoveArguments move;
  if (!CheckMove(call, &move)) return call.Failed();
  if (move.first <= move.last) {
    const bool within = move.target == 1 && move.to != move.first;
    // Count + 1 may be 2^63 - 1: an unsigned difference.
    const uint64_t count = static_cast<uint64_t>(move.last) - static_cast<uint64_t>(move.first) + 1;
    const bool overlaps = move.to > move.first && move.to <= move.last;
    const bool shifts = within && (overlaps || move.to < move.first);
    Sequence sequence(call, 1);
    if (!(shifts ? sequence.Shift(move.first, move.to, count) : MoveElements(call, move))) {
      return call.Failed();
    }
  }
  return call.ReturnValue(call.arg(move.target));
}

// --- concat --------------------------------------------------------------------------------------

struct Joint {
  int64_t first;
  int64_t last;
};

// The bytes of the elements of a plain table and of the gaps between them; false when an element is
// no string. (no safepoint)
bool MeasureStrings(Table* table, const Joint& joint, uint64_t gap, uint64_t* total) {
  if (joint.first < 1 || joint.first > joint.last) return false;
  const Word* elements = ElementsOf(table, static_cast<uint64_t>(joint.last));
  if (elements == nullptr) return false;
  const auto count = static_cast<uint64_t>(joint.last - joint.first);
  *total = 0;
  for (int64_t i = joint.first; i <= joint.last; ++i) {
    const Value v = Value::FromWord(elements[i - 1]);
    if (!IsString(v)) return false;
    *total += AsString(v)->length;
    if (*total > kMaxStringBytes) return false;
  }
  return !__builtin_add_overflow(*total, count * gap, total) && *total <= kMaxStringBytes;
}

void WriteStrings(const Word* elements, const Joint& joint, std::string_view gap, char* out) {
  for (int64_t i = joint.first; i <= joint.last; ++i) {
    const std::string_view text = AsString(Value::FromWord(elements[i - 1]))->view();
    memcpy(out, text.data(), text.size());
    out += text.size();
    if (i == joint.last || gap.empty()) continue;
    memcpy(out, gap.data(), gap.size());
    out += gap.size();
  }
}

std::string_view GapOf(NativeCall& call) {
  return call.is_none_or_nil(2) ? std::string_view() : call.text(2);
}

// Pushes the result for a plain table of strings. Others: false, and no error is set.
bool JoinStrings(NativeCall& call, const Joint& joint, bool* failed) {
  const Sequence list(call, 1);
  uint64_t total;
  *failed = false;
  if (!list.IsPlain() || !MeasureStrings(list.table(), joint, GapOf(call).size(), &total)) {
    return false;
  }
  String* result = call.objects().NewStringOf(total);
  if (result == nullptr) {
    *failed = true;
    return call.state().MemoryError();
  }
  const Word* elements = ElementsOf(list.table(), static_cast<uint64_t>(joint.last));
  WriteStrings(elements, joint, GapOf(call), result->data());
  call.Push(Value::FromObject(result));
  *failed = !call.state().Spend(static_cast<uint64_t>(joint.last - joint.first));
  return !*failed;
}

// Appends element `index`.
bool AppendElement(NativeCall& call, Sequence& list, int64_t index, std::string* out) {
  if (!list.Push(index)) return false;
  const Value v = call.top();
  if (IsString(v)) {
    out->append(AsString(v)->view());
  } else if (IsNumber(v)) {
    out->append(State::TextOf(v));
  } else {
    return call.Error(Concat("invalid value (", TypeName(TypeOf(v)), ") at index ", index,
                             " in table for 'concat'"));
  }
  call.Pop();
  return true;
}

bool JoinValues(NativeCall& call, const Joint& joint) {
  Sequence list(call, 1);
  RoomCheck room(call.state());
  std::string out;
  for (int64_t i = joint.first; i <= joint.last; ++i) {
    if (!AppendElement(call, list, i, &out)) return false;
    if (i == joint.last) break;  // perhaps the greatest integer
    out.append(GapOf(call));
    if (!room.Allows(out.size()) || !call.state().Spend(1)) return false;
  }
  return call.PushString(out);
}

NativeResult TableConcat(NativeCall& call) {
  Sequence list(call, 1);
  Joint joint{1, 0};
  String* gap;
  if (!list.Check(kReads | kMeasures) || !list.Length(&joint.last) || !call.OptString(2, &gap) ||
      !call.OptInteger(3, &joint.first) || !call.OptInteger(4, &joint.last)) {
    return call.Failed();
  }
  bool failed;
  if (JoinStrings(call, joint, &failed)) return call.Return(1);
  return call.ReturnIf(!failed && JoinValues(call, joint));
}

// --- pack, unpack, create ------------------------------------------------------------------------

NativeResult TablePack(NativeCall& call) {
  const int count = call.count();
  Table* made = call.objects().NewTable(1);
  if (made == nullptr) return call.ReturnIf(call.state().MemoryError());
  call.Push(Value::FromObject(made));
  const auto table = [&] { return AsTable(call.top()); };
  if (!ReserveArray(call.objects(), table(), static_cast<uint64_t>(count))) {
    return call.ReturnIf(call.state().MemoryError());
  }
  for (int i = 1; i <= count; ++i) {
    if (!RawSetInteger(call.objects(), table(), i, call.arg(i))) {
      return call.ReturnIf(call.state().MemoryError());
    }
  }
  call.Push(Value::InlineInteger(count));
  return call.ReturnIf(SetFieldFromTop(call.state(), "n"));
}

// Room on the stack for so many results.
bool CheckUnpack(NativeCall& call, uint64_t count) {
  State& state = call.state();
  if (count <= kMaxStack) {
    if (state.EnsureSlots(static_cast<uint32_t>(count))) return true;
    if (state.error_kind() == ErrorKind::kMemory) return false;
    state.ClearError();
  }
  return call.Error("too many results to unpack");
}

bool PushElements(NativeCall& call, int64_t first, uint64_t count) {
  Sequence list(call, 1);
  for (uint64_t i = 0; i < count; ++i) {
    if (!list.Push(first + static_cast<int64_t>(i))) return false;
  }
  return call.state().Spend(count / 4);
}

NativeResult TableUnpack(NativeCall& call) {
  int64_t first = 1;
  int64_t last;
  if (!call.OptInteger(2, &first)) return call.Failed();
  const bool ok =
      call.is_none_or_nil(3) ? Sequence(call, 1).Length(&last) : call.CheckInteger(3, &last);
  if (!ok) return call.Failed();
  if (first > last) return call.Return(0);
  const uint64_t less_one = static_cast<uint64_t>(last) - static_cast<uint64_t>(first);
  if (!CheckUnpack(call, less_one == UINT64_MAX ? less_one : less_one + 1)) return call.Failed();
  if (!PushElements(call, first, less_one + 1)) return call.Failed();
  return call.Return(static_cast<uint32_t>(less_one + 1));
}

// A size that table.create was given.
bool CheckRoom(NativeCall& call, int i, int64_t* size) {
  if (*size >= 0 && *size <= INT32_MAX) return true;
  return call.ArgumentError(i, "out of range");
}

// table.create of Lua 5.5, which is LuaJIT's table.new.
NativeResult TableCreate(NativeCall& call) {
  int64_t elements;
  int64_t fields = 0;
  if (!call.CheckInteger(1, &elements) || !call.OptInteger(2, &fields) ||
      !CheckRoom(call, 1, &elements) || !CheckRoom(call, 2, &fields)) {
    return call.Failed();
  }
  Table* made = call.objects().NewTable();
  if (made == nullptr) return call.ReturnIf(call.state().MemoryError());
  call.Push(Value::FromObject(made));
  if (!ReserveArray(call.objects(), made, static_cast<uint64_t>(elements)) ||
      !ReserveFields(call.objects(), AsTable(call.top()), static_cast<uint64_t>(fields))) {
    return call.ReturnIf(call.state().MemoryError());
  }
  return call.Return(1);
}

constexpr NativeEntry kFunctions[] = {
    {"concat", TableConcat}, {"create", TableCreate}, {"insert", TableInsert},
    {"move", TableMove},     {"pack", TablePack},     {"remove", TableRemove},
    {"sort", TableSort},     {"unpack", TableUnpack}, {"new", TableCreate},
    {nullptr, nullptr},
};

}  // namespace

bool OpenTable(State& state) {
  Table* table = state.objects().NewTable();
  if (table == nullptr) return state.MemoryError();
  state.Push(Value::FromObject(table));
  return SetFunctions(state, kFunctions) && SetFunctions(state, kTableAdditions);
}

}  // namespace neap::vm
