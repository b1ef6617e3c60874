// SPDX-License-Identifier: MIT
#include "interpreter/instructions.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "interpreter/debug_info.h"
#include "interpreter/function_code.h"
#include "interpreter/inline_cache.h"
#include "interpreter/interpreter.h"
#include "interpreter/operations.h"
#include "interpreter/runtime_errors.h"
#include "library/pool_handle.h"
#include "text/concat.h"
#include "text/number.h"

namespace neap::vm {
namespace {

Frame& TopFrame(State& s) { return s.running()->frame(); }
Word* Registers(State& s) { return s.running()->stack + TopFrame(s).base; }

// Runs `allocate` with the registers below `live` as the live ones (rule C1), then all again.
template <typename Allocate>
auto AtPreciseSafepoint(State& s, uint32_t live, Allocate allocate) {
  Frame& frame = TopFrame(s);
  frame.top = frame.base + live;
  auto result = allocate();
  frame.top = frame.base + frame.code->registers;
  return result;
}

// Lets the cache know a field that was found in the table itself.
void TeachOwn(FunctionCode* code, Table* table, const String* name, uint32_t cache) {
  if (table->is_dictionary()) return;
  const int slot = table->shape.get()->Find(name);
  if (slot < 0) return;
  code->cache(cache)[0] =
      CacheWord(table->shape.get()->id(), SlotCode(table, static_cast<uint32_t>(slot)));
}

// ... or in the __index table of its metatable.
void TeachInherited(State& s, FunctionCode* code, Table* table, const String* name,
                    uint32_t cache) {
  const Shape* shape = table->shape.get();
  Table* metatable = shape->metatable;
  if (metatable == nullptr || metatable->is_dictionary()) return;
  // The shape of a dictionary does not say that the field is missing.
  if (shape->is_dictionary || shape->Find(name) >= 0) return;
  const int index_slot = metatable->shape.get()->Find(s.event_name(Event::kIndex));
  if (index_slot < 0 || s.objects().index_epoch() > 0xffff) return;
  const uint32_t index_code = SlotCode(metatable, static_cast<uint32_t>(index_slot));
  const Value holder_value = Value::FromWord(LoadField(metatable, index_code));
  if (!IsTable(holder_value)) return;
  Table* holder = AsTable(holder_value);
  uint64_t second = 0;
  if (!holder->is_dictionary() && holder->shape.get()->Find(name) < 0) {
    // One level up.
    Table* above = holder->metatable();
    if (above == nullptr || above->is_dictionary()) return;
    const int above_slot = above->shape.get()->Find(s.event_name(Event::kIndex));
    if (above_slot < 0) return;
    const uint32_t above_code = SlotCode(above, static_cast<uint32_t>(above_slot));
    const Value above_value = Value::FromWord(LoadField(above, above_code));
    if (!IsTable(above_value)) return;
    second = CacheWord(holder->shape.get()->id(), above_code);
    holder = AsTable(above_value);
  }
  if (holder->is_dictionary() || holder->shape.get() == shape) return;
  const int slot = holder->shape.get()->Find(name);
  if (slot < 0) return;
  code->cache(cache)[0] =
      CacheWord(holder->shape.get()->id(), SlotCode(holder, static_cast<uint32_t>(slot)));
  code->cache(cache)[1] = CacheWord(shape->id(), index_code, s.objects().index_epoch());
  code->cache(cache)[2] = second;
}

// ... or in the __index table of the metatable of strings, or of a userdata.
void TeachMethod(State& s, FunctionCode* code, Table* metatable, const String* name,
                 uint32_t cache) {
  if (metatable == nullptr || metatable->is_dictionary()) return;
  const int index_slot = metatable->shape.get()->Find(s.event_name(Event::kIndex));
  if (index_slot < 0 || s.objects().index_epoch() > 0xffff) return;
  const uint32_t index_code = SlotCode(metatable, static_cast<uint32_t>(index_slot));
  const Value holder_value = Value::FromWord(LoadField(metatable, index_code));
  if (!IsTable(holder_value) || AsTable(holder_value)->is_dictionary()) return;
  Table* holder = AsTable(holder_value);
  const int slot = holder->shape.get()->Find(name);
  if (slot < 0) return;
  code->cache(cache)[0] =
      CacheWord(holder->shape.get()->id(), SlotCode(holder, static_cast<uint32_t>(slot)));
  code->cache(cache)[1] =
      CacheWord(~metatable->shape.get()->id(), index_code, s.objects().index_epoch());
  code->cache(cache)[2] =
      PoolMethodOf(LoadField(holder, SlotCode(holder, static_cast<uint32_t>(slot))));
}

}  // namespace

// --- Fields --------------------------------------------------------------------------------------

Step GetFieldMiss(State& s, Value object, uint32_t constant, uint32_t cache) {
  FunctionCode* code = TopFrame(s).code;
  const Value key = Value::FromWord(code->constants[constant]);
  if (IsTable(object)) {
    const Value own = RawGetAtom(AsTable(object), AsString(key));
    if (!own.is_nil()) {
      TeachOwn(code, AsTable(object), AsString(key), cache);
      return Interpreter::FinishInstruction(s, own);
    }
    TeachInherited(s, code, AsTable(object), AsString(key), cache);
  } else if (IsString(object) || IsUserdata(object)) {
    TeachMethod(s, code, s.MetatableOf(object), AsString(key), cache);
  }
  return Index(s, object, key, RegisterOfObject(TopFrame(s).pc[-1]));
}

namespace {

// A table with this many fields has room for one more in its storage, however it came to them: the
// storage doubles from 4 on, so that only at these counts it may be full.
bool HasRoomBefore(const Table* table, uint32_t slot) {
  const auto inlined = static_cast<uint32_t>(table->inline_fields());
  if (slot < inlined) return true;
  const uint32_t stored = slot - inlined;
  return stored != 0 && !(stored >= 4 && std::has_single_bit(stored));
}

// The field was added and changed the table's shape from `before`: the cache learns the transition.
void TeachAdded(State& s, FunctionCode* code, Table* table, uint32_t before_id, const String* name,
                uint32_t cache) {
  Shape* after = table->shape.get();
  if (after->is_dictionary || after->count == 0 || after->key(after->count - 1) != name) {
    return;
  }
  const uint32_t slot_code = SlotCode(table, after->count - 1);
  if (code->added_shapes.size() > 0xffff) return;
  uint64_t& word = code->cache(cache)[1];
  uint32_t place = CachedExtra(word);
  if (word == 0) {
    place = static_cast<uint32_t>(code->added_shapes.size());
    code->added_shapes.push_back(0);
  }
  s.mutator().Store(code->owner, &code->added_shapes[place], after);
  word = CacheWord(before_id, slot_code, place);
  code->cache(cache)[2] = s.objects().index_epoch();
}

}  // namespace

Step SetFieldMiss(State& s, Value object, uint32_t constant, Value value, uint32_t cache) {
  FunctionCode* code = TopFrame(s).code;
  const Value key = Value::FromWord(code->constants[constant]);
  const Instruction at = TopFrame(s).pc[-1];
  if (!IsTable(object) || AsString(key)->view().substr(0, 2) == "__") {
    return Store(s, object, key, value, RegisterOfObject(at));
  }
  Table* table = AsTable(object);
  const Shape* before = table->shape.get();
  const bool is_new = RawGetAtom(table, AsString(key)).is_nil();
  if (is_new && before->metatable != nullptr &&
      !s.MetamethodOf(before->metatable, Event::kNewIndex).is_nil()) {
    return Store(s, object, key, value, RegisterOfObject(at));
  }
  const uint32_t before_id = before->id();
  const bool had_field = !before->is_dictionary && before->Find(AsString(key)) >= 0;
  gc::HandleScope scope(s.mutator());
  const auto kept = scope.New(table);
  if (!RawSet(s.objects(), table, key, value, KeyOrigin::kConstant)) {
    s.MemoryError();
    return Step::kError;
  }
  table = kept.get();
  const auto* name = AsString(Value::FromWord(code->constants[constant]));
  if (had_field) {
    TeachOwn(code, table, name, cache);
  } else if (!value.is_nil() && before_id != table->shape.get()->id()) {
    // Only when the storage had room: the cached path does not grow it.
    const uint32_t slot = table->shape.get()->count - 1;
    if (!table->is_dictionary() && HasRoomBefore(table, slot)) {
      TeachAdded(s, code, table, before_id, name, cache);
    }
  }
  return Step::kDone;
}

// --- Constructors --------------------------------------------------------------------------------

bool NewTableSlow(State& s, uint32_t a, uint32_t inline_fields, uint32_t elements) {
  Table* table = AtPreciseSafepoint(
      s, a + 1, [&] { return s.objects().NewTable(static_cast<int>(inline_fields)); });
  if (table == nullptr) return s.MemoryError();
  Registers(s)[a] = gc::ToWord(table);
  return elements == 0 || AddArraySlow(s, a, elements);
}

bool AddArraySlow(State& s, uint32_t a, uint32_t elements) {
  Table* table = AsTable(Value::FromWord(Registers(s)[a]));
  const bool ok =
      AtPreciseSafepoint(s, a + 1, [&] { return ReserveArray(s.objects(), table, elements); });
  return ok || s.MemoryError();
}

bool NewRecordSlow(State& s, uint32_t a, uint32_t first, uint32_t record) {
  FunctionCode* code = TopFrame(s).code;
  const std::vector<uint32_t>& keys = code->unit->templates[record].keys;
  const auto count = static_cast<uint32_t>(keys.size());
  const uint32_t live = std::max(a + 1, first + count);
  if (code->template_shapes[record] == 0) {
    Shape* shape = s.objects().root_shape(static_cast<int>(count));
    for (const uint32_t key : keys) {
      bool no_memory = false;
      auto* atom = static_cast<String*>(gc::ToObject(code->constants[key]));
      shape = AtPreciseSafepoint(s, live, [&] {
        return ShapeWithField(s.objects(), shape, atom, KeyOrigin::kConstant, &no_memory);
      });
      if (no_memory) return s.MemoryError();
      if (shape == nullptr) break;  // too many shapes: field by field
    }
    if (shape != nullptr) {
      s.mutator().Store(code->owner, &code->template_shapes[record], shape);
    }
  }
  Table* table =
      AtPreciseSafepoint(s, live, [&] { return s.objects().NewTable(static_cast<int>(count)); });
  if (table == nullptr) return s.MemoryError();
  Word* registers = Registers(s);
  if (code->template_shapes[record] != 0) {
    gc::InitSlot(table->shape.slot(), code->template_shapes[record]);
    for (uint32_t i = 0; i < count; ++i) {
      gc::InitSlot(table->inline_slots() + i, registers[first + i]);
    }
    registers[a] = gc::ToWord(table);
    return true;
  }
  gc::HandleScope scope(s.mutator());
  const auto kept = scope.New(table);
  for (uint32_t i = 0; i < count; ++i) {
    const bool ok = AtPreciseSafepoint(s, live, [&] {
      return RawSet(s.objects(), kept.get(), Value::FromWord(code->constants[keys[i]]),
                    Value::FromWord(Registers(s)[first + i]), KeyOrigin::kConstant);
    });
    if (!ok) return s.MemoryError();
  }
  Registers(s)[a] = gc::ToWord(kept.get());
  return true;
}

bool SetList(State& s, uint32_t a, uint32_t count, uint32_t first) {
  Frame& frame = TopFrame(s);
  if (count == 0) count = frame.top - (frame.base + a + 1);
  // Only in a forged chunk.
  if (!IsTable(Value::FromWord(Registers(s)[a]))) return s.RuntimeError("a list is no table");
  Table* table = AsTable(Value::FromWord(Registers(s)[a]));
  const uint32_t end = first + count;
  const ArrayPart* array = table->array.get();
  if (array == nullptr || array->length < end) {
    frame.top = frame.base + a + 1 + count;
    const bool ok = ReserveArray(s.objects(), table, end);
    frame.top = frame.base + frame.code->registers;
    if (!ok) return s.MemoryError();
  }
  frame.top = frame.base + frame.code->registers;
  const Word* registers = Registers(s);
  table = AsTable(Value::FromWord(registers[a]));
  ArrayPart* part = table->array.get();
  for (uint32_t i = 0; i < count; ++i) {
    s.mutator().Store(part, part->slots() + first + i, registers[a + 1 + i]);
  }
  return true;
}

// --- Closures and varargs ------------------------------------------------------------------------

namespace {

// All in the room that there is, without a safepoint. Null: there is none for the closure; the
// upvalues from `*done` on, which found no room, are 0.
LuaClosure* QuickClosure(State& s, const Frame& frame, Prototype* prototype, size_t* done) {
  const std::vector<UpvalueInfo>& infos = prototype->code->unit->upvalues;
  const size_t count = infos.size();
  *done = 0;
  void* memory = s.mutator().TryBump(LuaClosure::BytesFor(static_cast<int>(count)));
  if (memory == nullptr) return nullptr;
  auto* closure = static_cast<LuaClosure*>(memory);
  closure->set_header(Object::MakeHeader(static_cast<gc::TypeId>(kLuaClosureType + count)));
  gc::InitSlot(closure->prototype.slot(), gc::ToWord(prototype));
  for (size_t i = 0; i < count; ++i) {
    const UpvalueInfo info = infos[i];
    const Upvalue* upvalue =
        info.is_parent_local
            ? FindUpvalueInRoom(s, s.running(), frame.base + info.index)
            : static_cast<LuaClosure*>(gc::ToObject(Registers(s)[-1]))->upvalue(info.index);
    if (upvalue == nullptr) [[unlikely]] {
      for (; i < count; ++i) gc::InitSlot(closure->upvalues() + i, Word{0});
      return closure;
    }
    gc::InitSlot(closure->upvalues() + i, gc::ToWord(upvalue));
    *done = i + 1;
  }
  return closure;
}

}  // namespace

bool MakeClosure(State& s, uint32_t a, uint32_t child) {
  Frame& frame = TopFrame(s);
  Prototype* prototype = frame.code->child(child);
  const std::vector<UpvalueInfo>& infos = prototype->code->unit->upvalues;
  size_t done = 0;
  LuaClosure* closure = QuickClosure(s, frame, prototype, &done);
  if (closure != nullptr && done == infos.size()) [[likely]] {
    Registers(s)[a] = gc::ToWord(closure);
    return true;
  }
  frame.top = frame.base + a + 1;
  if (closure == nullptr) {
    const auto type = static_cast<gc::TypeId>(kLuaClosureType + infos.size());
    closure = static_cast<LuaClosure*>(s.mutator().TryAllocate(type));
    if (closure == nullptr) return s.MemoryError();
    gc::InitSlot(closure->prototype.slot(), gc::ToWord(prototype));
  }
  Registers(s)[a] = gc::ToWord(closure);
  for (size_t i = done; i < infos.size(); ++i) {
    Upvalue* upvalue;
    if (infos[i].is_parent_local) {
      upvalue = FindUpvalue(s, s.running(), frame.base + infos[i].index);
      if (upvalue == nullptr) return s.MemoryError();
    } else {
      auto* enclosing = static_cast<LuaClosure*>(gc::ToObject(Registers(s)[-1]));
      upvalue = enclosing->upvalue(infos[i].index);
    }
    closure = static_cast<LuaClosure*>(gc::ToObject(Registers(s)[a]));
    s.mutator().Store(closure, closure->upvalues() + i, upvalue);
  }
  frame.top = frame.base + frame.code->registers;
  return true;
}

bool Vararg(State& s, uint32_t a, int32_t wanted) {
  Coroutine* co = s.running();
  Frame& frame = co->frame();
  const uint32_t extra = frame.varargs;
  const uint32_t count = wanted < 0 ? extra : static_cast<uint32_t>(wanted);
  const uint32_t to = frame.base + a;
  if (to + count > frame.limit && !RaiseLimit(co, frame, to + count)) return s.StackError();
  // The extra arguments lie between the old function slot and the frame.
  const uint32_t from = frame.base - 1 - extra;
  for (uint32_t i = 0; i < count; ++i) {
    co->stack[to + i] = i < extra ? co->stack[from + i] : Value::kNil;
  }
  if (wanted < 0) frame.top = std::max(to + count, frame.base);
  return true;
}

// --- Numeric for ---------------------------------------------------------------------------------

namespace {

bool ForError(State& s, Value v, const char* what) {
  return s.RuntimeError(
      Concat("bad 'for' ", what, " (number expected, got ", s.TypeNameOf(v), ")"));
}

// The integer limit of an integer loop. False: the loop has no round.
bool ClipLimit(Value limit, int64_t start, int64_t step, int64_t* clipped) {
  if (IsInteger(limit)) {
    *clipped = IntegerOf(limit);
  } else {
    const double d = limit.as_double();
    const auto rounded = FloatToInteger(d, step < 0 ? Rounding::kCeil : Rounding::kFloor);
    if (rounded) {
      *clipped = *rounded;
    } else if (d > 0) {
      if (step < 0) return false;
      *clipped = INT64_MAX;
    } else {  // negative or NaN
      if (step > 0) return false;
      *clipped = INT64_MIN;
    }
  }
  return step > 0 ? start <= *clipped : start >= *clipped;
}

}  // namespace

bool ForPrepare(State& s, uint32_t a, bool* enters) {
  const Value start = Value::FromWord(Registers(s)[a]);
  const Value limit = Value::FromWord(Registers(s)[a + 1]);
  const Value step = Value::FromWord(Registers(s)[a + 2]);
  if (IsInteger(start) && IsInteger(step)) {
    if (IntegerOf(step) == 0) return s.RuntimeError("'for' step is zero");
    double number = 0;
    if (!State::ToNumber(limit, &number)) return ForError(s, limit, "limit");
    int64_t clipped = 0;
    *enters = ClipLimit(IsNumber(limit) ? limit : Value::Double(number), IntegerOf(start),
                        IntegerOf(step), &clipped);
    if (!*enters) return true;
    const Value word = s.objects().NewInteger(clipped);
    if (word.is_nil()) return s.MemoryError();
    Registers(s)[a + 1] = word.word();
    Registers(s)[a + 3] = Registers(s)[a];
    return true;
  }
  double first = 0, last = 0, by = 0;
  if (!State::ToNumber(limit, &last)) return ForError(s, limit, "limit");
  if (!State::ToNumber(step, &by)) return ForError(s, step, "step");
  if (!State::ToNumber(start, &first)) return ForError(s, start, "initial value");
  if (by == 0) return s.RuntimeError("'for' step is zero");
  // A NaN is no reason to skip the first round; no second one follows. (as in forprep of lvm.c)
  *enters = by > 0 ? !(last < first) : !(first < last);
  Word* registers = Registers(s);
  registers[a] = registers[a + 3] = Value::Double(first).word();
  registers[a + 1] = Value::Double(last).word();
  registers[a + 2] = Value::Double(by).word();
  return true;
}

bool ForStep(State& s, uint32_t a, bool* goes_on) {
  Word* registers = Registers(s);
  const Value index = Value::FromWord(registers[a]);
  const Value limit = Value::FromWord(registers[a + 1]);
  const Value step = Value::FromWord(registers[a + 2]);
  if (index.is_double() && limit.is_double() && step.is_double()) {
    const double next = index.as_double() + step.as_double();
    *goes_on = step.as_double() > 0 ? next <= limit.as_double() : limit.as_double() <= next;
    if (*goes_on) registers[a] = registers[a + 3] = Value::Double(next).word();
    return true;
  }
  // Only a forged chunk jumps into a loop, or writes to what kForPrepare made.
  if (!IsInteger(index) || !IsInteger(limit) || !IsInteger(step)) {
    return s.RuntimeError("the state of a 'for' loop is damaged");
  }
  int64_t next = 0;
  *goes_on = !__builtin_add_overflow(IntegerOf(index), IntegerOf(step), &next) &&
             (IntegerOf(step) > 0 ? next <= IntegerOf(limit) : next >= IntegerOf(limit));
  if (!*goes_on) return true;
  const Value word = s.objects().NewInteger(next);
  if (word.is_nil()) return s.MemoryError();
  Registers(s)[a] = Registers(s)[a + 3] = word.word();
  return true;
}

// --- To be closed --------------------------------------------------------------------------------

bool MarkToBeClosed(State& s, uint32_t a) {
  const Value v = Value::FromWord(Registers(s)[a]);
  if (v.is_falsy()) return true;
  if (s.MetamethodOf(v, Event::kClose).is_nil()) {
    return s.RuntimeError(Concat("variable '", LocalNameAt(s, a), "' got a non-closable value"));
  }
  s.running()->to_close.push_back(TopFrame(s).base + a);
  return true;
}

}  // namespace neap::vm
