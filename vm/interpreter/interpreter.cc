// SPDX-License-Identifier: MIT
//
// The interpreter loop.
//
// Registers of the loop: `pc` (the next instruction), `R` (register 0 of the frame), `K` (its
// constants), `frame`, `co`. They mirror the top frame: whatever may push or pop frames, move a
// stack or collect is bracketed by SAVE (pc into the frame) and LOAD (everything out of it).
//
//   I1  A raw word is held in a C++ local between two safepoints only; after one it is read again
//       from a register.
//   I2  frame->top is base + registers, so that a collection sees all registers, but at the precise
//       safepoints of rule C1 (opcode.h) and while an open count is in use.
//   I3  Every call and every round of a loop burns one unit of fuel; at 0 the loop polls. (Not a
//       pool's get and put that are done without a call.)
//
// A slow path answers with a Step: kDone goes on, kPushed continues with whatever frame is on top,
// kError unwinds.
#include "interpreter/interpreter.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "interpreter/doubles.h"
#include "interpreter/function_code.h"
#include "interpreter/hooks.h"
#include "interpreter/inline_cache.h"
#include "interpreter/instructions.h"
#include "interpreter/operations.h"
#include "interpreter/runtime_errors.h"
#include "library/base_iterators.h"
#include "library/pool_handle.h"
#include "objects/equality.h"
#include "text/arithmetic.h"

#pragma GCC diagnostic ignored "-Wpedantic"  // the addresses of labels: threaded dispatch
#if defined(__GNUC__) && !defined(__clang__)
// Each handler keeps its own jump to the next: the processor predicts each by itself.
// Frames are written field by field: packing the fields into vectors first takes longer.
#pragma GCC optimize("no-gcse", "no-crossjumping", "no-tree-slp-vectorize")
#endif

namespace neap::vm {
namespace {

// What keeps a return from being just a return.
constexpr uint16_t kSpecialReturn =
    kFrameEntry | kFrameMeta | kFrameBottom | kFrameBack | kFrameWatermark;

inline int64_t IntegerOfWord(Word x) { return Value::FromWord(x).inline_integer(); }
inline Word WordOf(double d) { return Value::Double(d).word(); }
inline Word ResultWord(double d) { return Value::ArithmeticResult(d).word(); }

inline size_t OpcodeAt(const Instruction* pc) { return static_cast<size_t>(pc->op); }

inline Word MakeTable(State& s, uint32_t inline_fields) {
  const size_t bytes = Table::BytesFor(static_cast<int>(inline_fields));
  void* memory = s.mutator().TryBump(bytes);
  if (memory == nullptr) [[unlikely]]
    return 0;
  auto* words = static_cast<Word*>(memory);
  words[0] = Object::MakeHeader(static_cast<gc::TypeId>(kTableType + inline_fields));
  words[1] = gc::ToWord(s.objects().root_shape(static_cast<int>(inline_fields)));
  for (size_t i = 2; i < bytes / sizeof(Word); ++i) words[i] = 0;
  return reinterpret_cast<Word>(memory);
}

// Gives a table that was just made a small array part. False: no room without a collection, or a
// large one.
inline bool AddArrayInRoom(State& s, Word table, uint32_t elements) {
  constexpr uint32_t kMost = 64;
  if (elements > kMost) return false;
  const size_t bytes = sizeof(ArrayPart) + elements * sizeof(Word);
  void* memory = s.mutator().TryBump(bytes);
  if (memory == nullptr) return false;
  auto* words = static_cast<Word*>(memory);
  words[0] = Object::MakeHeader(kArrayPartType);
  words[1] = elements;
  for (size_t i = 2; i < bytes / sizeof(Word); ++i) words[i] = 0;
  gc::InitSlot(AsTable(Value::FromWord(table))->array.slot(), reinterpret_cast<Word>(memory));
  return true;
}

// A kCall of the register 0, as one word: to be compared with what follows a kSelf.
constexpr uint64_t CallWord(uint64_t b, uint64_t c) {
  return static_cast<uint64_t>(Op::kCall) | b << 16 | c << 32;
}
constexpr uint64_t kCallOfGet = CallWord(2, 2);
constexpr uint64_t kOpenCallOfGet = CallWord(2, 0);
constexpr uint64_t kCallOfPut = CallWord(3, 1);
// `instruction` as if it were about the register 0 in place of `a`.
inline uint64_t WordWithoutA(const Instruction& instruction, uint64_t a) {
  return std::bit_cast<uint64_t>(instruction) - (a << 8);
}

// Executes a kSelf on a pool, the one before `pc`, and what follows, if that is the rest of a call
// of get or put and the pool has an answer at once. Returns how many more instructions that were;
// 0: nothing was done. It burns no fuel (I3): its work is that of field accesses.
[[gnu::always_inline]] inline int CallPool(State& s, uint64_t method, Frame* frame,
                                           const Instruction* pc, Word* registers, Value v) {
  const PoolHandle* pool = AsPool(v);
  if (pool == nullptr) return 0;
  const uint64_t a = pc[-1].a;
  if (method == kGetsFromPool) {
    const uint64_t call = WordWithoutA(*pc, a);
    if (call != kCallOfGet && call != kOpenCallOfGet) return 0;
    const Word item = TakeQuickly(s, pool);
    if (item == 0) return 0;
    registers[a] = item;
    if (call == kOpenCallOfGet) frame->top = frame->base + static_cast<uint32_t>(a) + 1;
    return 1;
  }
  if (pc[0].op != Op::kMove || pc[0].a != a + 2 || WordWithoutA(pc[1], a) != kCallOfPut) return 0;
  return PutQuickly(s, pool, Value::FromWord(registers[pc[0].b])) ? 2 : 0;
}

inline uint64_t Unsigned(int64_t i) { return static_cast<uint64_t>(i); }

// Of a string or a userdata; null: none, or another kind of value.
inline Table* MetatableOfMethods(State& s, Value v) {
  if (IsUserdata(v)) return AsUserdata(v)->metatable.get();
  return IsString(v) ? s.type_metatable(LuaType::kString) : nullptr;
}

}  // namespace

#define SAVE() (frame->pc = pc)
#define LOAD()                                         \
  do {                                                 \
    co = s.running_;                                   \
    frame = &co->frame();                              \
    pc = frame->pc;                                    \
    R = co->stack + frame->base;                       \
    K = frame->code->constants;                        \
    dispatch = HooksInstructions(co) ? hooked : plain; \
  } while (0)
// After a slow path of the current instruction.
#define STEP(expression)    \
  do {                      \
    SAVE();                 \
    STEP_SAVED(expression); \
  } while (0)
// Where pc was saved before a call that may have moved the frames.
#define STEP_SAVED(expression)              \
  do {                                      \
    const Step step_ = (expression);        \
    if (step_ == Step::kDone) [[likely]] {  \
      if (s.entry_returned_) [[unlikely]]   \
        return true;                        \
      goto reload;                          \
    }                                       \
    if (step_ == Step::kPushed) goto enter; \
    goto error;                             \
  } while (0)
// The same for what cannot push a frame: bool.
#define TRY(expression)            \
  do {                             \
    SAVE();                        \
    if (!(expression)) goto error; \
    R = co->stack + frame->base;   \
  } while (0)
// Of two cases that are both ordinary (integers and doubles): neither goes out of line.
#define OFTEN(condition) __builtin_expect_with_probability(condition, 1, 0.7)
#define NEXT()                      \
  do {                              \
    goto* dispatch[OpcodeAt(pc++)]; \
  } while (0)
// Operands are read from memory, which the first level cache has: one instruction each, where a
// word in a register would have to be shifted and masked. They are those of the instruction before
// pc: a handler reads what it needs before it jumps.
#define A static_cast<uint64_t>(pc[-1].a)
#define B static_cast<uint64_t>(pc[-1].b)
#define C static_cast<uint64_t>(pc[-1].c)
#define D static_cast<uint64_t>(pc[-1].d)
#define X pc[-1].x
#define SX pc[-1].sx
#define JUMP() (pc += SX)
// The inline cache of the instruction.
#define CACHE() FunctionCode::CacheOf(K, D)
#define CASE(name) L_##name:

bool Interpreter::Run(State& s) {
  static const void* const plain[] = {
#define NEAP_VM_LABEL(name, operands, live) &&L_##name,
      NEAP_VM_OPCODES(NEAP_VM_LABEL)
#undef NEAP_VM_LABEL
  };
  static const void* const hooked[] = {
#define NEAP_VM_LABEL(name, operands, live) &&with_hook,
      NEAP_VM_OPCODES(NEAP_VM_LABEL)
#undef NEAP_VM_LABEL
  };
  Coroutine* co = nullptr;
  Frame* frame = nullptr;
  const Instruction* pc = nullptr;
  Word* R = nullptr;
  Word* K = nullptr;
  const void* const* dispatch = plain;
  uint32_t call_function = 0, call_arguments = 0;  // of the call at hand
  int32_t call_wanted = 0;
  int64_t wide = 0;  // a result that may need a box

enter:
  if ((s.running_->frame().flags & kFrameNative) != 0) {
    const Step step = CallForNative(s);
    if (step == Step::kPushed) goto enter;
    if (step == Step::kError) goto error;
    if (s.entry_returned_) return true;
  }
reload:
  LOAD();
  NEXT();

error : {
  const Step step = Unwind(s);
  if (step == Step::kError) return false;
  if (s.entry_returned_) return true;
  if (step == Step::kPushed) goto enter;
  goto reload;
}

with_hook:
  SAVE();
  if (!InstructionHook(s)) goto error;
  R = co->stack + frame->base;
  frame = &co->frame();
  goto* plain[OpcodeAt(pc - 1)];

  // --- Loads -------------------------------------------------------------------------------------
  CASE(kMove) {
    R[A] = R[B];
    NEXT();
  }
  CASE(kLoadInteger) {
    R[A] = Value::InlineInteger(SX).word();
    NEXT();
  }
  CASE(kLoadConstant) {
    R[A] = K[X];
    NEXT();
  }
  CASE(kLoadNil) {
    for (uint64_t i = 0; i < B; ++i) R[A + i] = Value::kNil;
    NEXT();
  }
  CASE(kLoadFalse) {
    R[A] = Value::kFalse;
    NEXT();
  }
  CASE(kLoadFalseSkip) {
    R[A] = Value::kFalse;
    ++pc;
    NEXT();
  }
  CASE(kLoadTrue) {
    R[A] = Value::kTrue;
    NEXT();
  }

  // --- Upvalues and globals ----------------------------------------------------------------------
#define CLOSURE() static_cast<LuaClosure*>(gc::ToObject(R[-1]))
  CASE(kGetUpvalue) {
    R[A] = ReadUpvalue(CLOSURE()->upvalue(static_cast<int>(B)));
    NEXT();
  }
  CASE(kSetUpvalue) {
    WriteUpvalue(s, CLOSURE()->upvalue(static_cast<int>(B)), R[A]);
    NEXT();
  }
  CASE(kGetGlobal) {
    const Word object = ReadUpvalue(CLOSURE()->upvalue(static_cast<int>(B)));
    if (IsTable(Value::FromWord(object))) [[likely]] {
      Table* const table = AsTable(Value::FromWord(object));
      const uint64_t cached = CACHE()[0];
      if (CachedId(cached) == table->shape.get()->id()) [[likely]] {
        const Word value = LoadField(table, CachedCode(cached));
        if (value != Value::kNil) [[likely]] {
          R[A] = value;
          NEXT();
        }
      }
    }
    STEP(GetFieldMiss(s, Value::FromWord(object), static_cast<uint32_t>(C),
                      static_cast<uint32_t>(D)));
  }
  CASE(kSetGlobal) {
    const Word object = ReadUpvalue(CLOSURE()->upvalue(static_cast<int>(B)));
    if (IsTable(Value::FromWord(object))) [[likely]] {
      Table* const table = AsTable(Value::FromWord(object));
      const uint64_t cached = CACHE()[0];
      if (CachedId(cached) == table->shape.get()->id()) [[likely]] {
        Object* holder = SlotHolder(table, CachedCode(cached));
        Word* slot = SlotAt(holder, CachedCode(cached));
        if (*slot != Value::kNil) [[likely]] {
          s.m_.Store(holder, slot, R[A]);
          NEXT();
        }
      }
    }
    STEP(SetFieldMiss(s, Value::FromWord(object), static_cast<uint32_t>(C), Value::FromWord(R[A]),
                      static_cast<uint32_t>(D)));
  }

  // --- Tables ------------------------------------------------------------------------------------
  CASE(kGetTable) {
    if (const Value object = Value::FromWord(R[B]); IsTable(object)) [[likely]] {
      Table* const table = AsTable(object);
      const Value key = Value::FromWord(R[C]);
      if (key.is_inline_integer()) [[likely]] {
        const ArrayPart* array = table->array.get();
        const auto index = static_cast<uint64_t>(key.inline_integer()) - 1;
        if (array != nullptr && index < array->length) [[likely]] {
          const Word value = gc::LoadSlot(&array->slots()[index]);
          if (value != Value::kNil || table->metatable() == nullptr) [[likely]] {
            R[A] = value;
            NEXT();
          }
        }
      } else if (IsAtom(key)) {
        const Value value = RawGetAtom(table, AsString(key));
        if (!value.is_nil() || table->metatable() == nullptr) {
          R[A] = value.word();
          NEXT();
        }
      }
    }
    STEP(Index(s, Value::FromWord(R[B]), Value::FromWord(R[C]), static_cast<int>(B)));
  }
  CASE(kGetInteger) {
    if (const Value object = Value::FromWord(R[B]); IsTable(object)) [[likely]] {
      Table* const table = AsTable(object);
      const ArrayPart* array = table->array.get();
      if (array != nullptr && C - 1 < array->length) {
        const Word value = gc::LoadSlot(&array->slots()[C - 1]);
        if (value != Value::kNil || table->metatable() == nullptr) {
          R[A] = value;
          NEXT();
        }
      }
    }
    STEP(Index(s, Value::FromWord(R[B]), Value::InlineInteger(static_cast<int64_t>(C)),
               static_cast<int>(B)));
  }
  CASE(kGetField) {
    if (const Value object = Value::FromWord(R[B]); IsTable(object)) [[likely]] {
      Table* const table = AsTable(object);
      const Shape* shape = table->shape.get();
      const uint64_t* cached = CACHE();
      if (CachedId(cached[0]) == shape->id()) [[likely]] {
        const Word value = LoadField(table, CachedCode(cached[0]));
        if (value != Value::kNil || shape->metatable == nullptr) [[likely]] {
          R[A] = value;
          NEXT();
        }
      } else if (const Word value = LoadInherited(s.objects_, shape, cached);
                 value != Value::kNil) {
        R[A] = value;
        NEXT();
      }
    }
    STEP(
        GetFieldMiss(s, Value::FromWord(R[B]), static_cast<uint32_t>(C), static_cast<uint32_t>(D)));
  }
  CASE(kSelf) {
    const Word object = R[B];
    if (IsTable(Value::FromWord(object))) [[likely]] {
      Table* const table = AsTable(Value::FromWord(object));
      const Shape* shape = table->shape.get();
      const uint64_t* cached = CACHE();
      const Word value = CachedId(cached[0]) == shape->id()
                             ? LoadField(table, CachedCode(cached[0]))
                             : LoadInherited(s.objects_, shape, cached);
      if (value != Value::kNil) [[likely]] {
        R[A + 1] = object;
        R[A] = value;
        NEXT();
      }
    }
    // A call of a pool's get or put, with all that it needs in sight, is done in one go.
    if (const uint64_t method = CACHE()[2]; method >= kGetsFromPool && co->call_limit != 0) {
      const int done = CallPool(s, method, frame, pc, R, Value::FromWord(object));
      if (done == 1) {
        pc += 1;
        NEXT();
      }
      if (done == 2) {
        pc += 2;
        NEXT();
      }
    }
    if (Table* const metatable = MetatableOfMethods(s, Value::FromWord(object));
        metatable != nullptr) {
      const Word value = LoadMethod(s.objects_, metatable, CACHE());
      if (value != Value::kNil) [[likely]] {
        R[A + 1] = object;
        R[A] = value;
        NEXT();
      }
    }
    R[A + 1] = object;
    STEP(GetFieldMiss(s, Value::FromWord(object), static_cast<uint32_t>(C),
                      static_cast<uint32_t>(D)));
  }
  CASE(kSetTable) {
    if (const Value object = Value::FromWord(R[A]); IsTable(object)) [[likely]] {
      Table* const table = AsTable(object);
      const Value key = Value::FromWord(R[B]);
      if (key.is_inline_integer()) [[likely]] {
        ArrayPart* array = table->array.get();
        const auto index = static_cast<uint64_t>(key.inline_integer()) - 1;
        if (array != nullptr && index < array->length) [[likely]] {
          Word* slot = &array->slots()[index];
          if (*slot != Value::kNil || table->metatable() == nullptr) [[likely]] {
            s.m_.Store(array, slot, R[C]);
            NEXT();
          }
        }
      }
    }
    STEP(Store(s, Value::FromWord(R[A]), Value::FromWord(R[B]), Value::FromWord(R[C]),
               static_cast<int>(A)));
  }
  CASE(kSetInteger) {
    if (const Value object = Value::FromWord(R[A]); IsTable(object)) [[likely]] {
      Table* const table = AsTable(object);
      ArrayPart* array = table->array.get();
      if (array != nullptr && B - 1 < array->length) {
        Word* slot = &array->slots()[B - 1];
        if (*slot != Value::kNil || table->metatable() == nullptr) {
          s.m_.Store(array, slot, R[C]);
          NEXT();
        }
      }
    }
    STEP(Store(s, Value::FromWord(R[A]), Value::InlineInteger(static_cast<int64_t>(B)),
               Value::FromWord(R[C]), static_cast<int>(A)));
  }
  CASE(kSetField) {
    if (const Value object = Value::FromWord(R[A]); IsTable(object)) [[likely]] {
      Table* const table = AsTable(object);
      const Shape* shape = table->shape.get();
      const uint64_t* cached = CACHE();
      if (OFTEN(CachedId(cached[0]) == shape->id())) {
        Object* holder = SlotHolder(table, CachedCode(cached[0]));
        Word* slot = SlotAt(holder, CachedCode(cached[0]));
        if (*slot != Value::kNil || shape->metatable == nullptr) [[likely]] {
          s.m_.Store(holder, slot, R[C]);
          NEXT();
        }
      } else if (CachedId(cached[1]) == shape->id() && cached[2] == s.objects_.index_epoch()) {
        // A new field; the cache knows the shape that has it.
        Object* holder = SlotHolder(table, CachedCode(cached[1]));
        const Word added = frame->code->added_shapes[CachedExtra(cached[1])];
        s.m_.Store(holder, SlotAt(holder, CachedCode(cached[1])), R[C]);
        s.m_.Store(table, table->shape.slot(), added);
        NEXT();
      }
    }
    STEP(SetFieldMiss(s, Value::FromWord(R[A]), static_cast<uint32_t>(B), Value::FromWord(R[C]),
                      static_cast<uint32_t>(D)));
  }
  CASE(kNewTable) {
    const Word table = MakeTable(s, static_cast<uint32_t>(B));
    if (table == 0) [[unlikely]] {
      TRY(NewTableSlow(s, static_cast<uint32_t>(A), static_cast<uint32_t>(B), X));
      NEXT();
    }
    R[A] = table;
    if (X == 0 || AddArrayInRoom(s, table, X)) [[likely]]
      NEXT();
    TRY(AddArraySlow(s, static_cast<uint32_t>(A), X));
    NEXT();
  }
  CASE(kNewRecord) {
    const Word shape = frame->code->template_shapes[X];
    if (shape != 0) [[likely]] {
      const auto count =
          static_cast<uint32_t>(static_cast<const Shape*>(gc::ToObject(shape))->inline_fields);
      void* memory = s.m_.TryBump(Table::BytesFor(static_cast<int>(count)));
      if (memory != nullptr) [[likely]] {
        auto* words = static_cast<Word*>(memory);
        words[0] = Object::MakeHeader(static_cast<gc::TypeId>(kTableType + count));
        words[1] = shape;
        words[2] = 0;
        words[3] = 0;
        const Word* values = R + B;
        for (uint32_t i = 0; i < count; ++i) words[4 + i] = values[i];
        R[A] = reinterpret_cast<Word>(memory);
        NEXT();
      }
    }
    TRY(NewRecordSlow(s, static_cast<uint32_t>(A), static_cast<uint32_t>(B), X));
    NEXT();
  }
  CASE(kSetList) {
    const Value table = Value::FromWord(R[A]);  // no table only in a forged chunk
    ArrayPart* array = IsTable(table) ? AsTable(table)->array.get() : nullptr;
    if (array != nullptr && array->log_state() == gc::LogState::kLogged && B != 0 &&
        X + B <= array->length) [[likely]] {
      const Word* from = R + A + 1;
      Word* to = array->slots() + X;
      for (uint64_t i = 0; i < B; ++i) gc::InitSlot(to + i, from[i]);
      NEXT();
    }
    TRY(SetList(s, static_cast<uint32_t>(A), static_cast<uint32_t>(B), X));
    NEXT();
  }

  // --- Arithmetic --------------------------------------------------------------------------------
#define ARITHMETIC_SLOW(op, x, y, rx, ry)                                                      \
  do {                                                                                         \
    Word result_ = 0;                                                                          \
    SAVE();                                                                                    \
    const Step arithmetic_ = Arithmetic(s, Op::op, Value::FromWord(x), Value::FromWord(y),     \
                                        static_cast<int>(rx), static_cast<int>(ry), &result_); \
    if (arithmetic_ == Step::kDone && result_ != 0) [[likely]] {                               \
      R[A] = result_;                                                                          \
      NEXT();                                                                                  \
    }                                                                                          \
    if (arithmetic_ == Step::kDone) goto reload;                                               \
    if (arithmetic_ == Step::kPushed) goto enter;                                              \
    goto error;                                                                                \
  } while (0)
#define ARITHMETIC_SLOW_K(op)                           \
  do {                                                  \
    if (D == 0) ARITHMETIC_SLOW(op, R[B], K[C], B, -1); \
    ARITHMETIC_SLOW(op, K[C], R[B], -1, B);             \
  } while (0)

// Two integers of which one, or the result, may not fit beside a tag: hashes, generators.
#define WIDE(expression)                                            \
  if (const Value v_ = Value::FromWord(x), w_ = Value::FromWord(y); \
      IsInteger(v_) && IsInteger(w_)) {                             \
    const auto a = IntegerOf(v_), b = IntegerOf(w_);                \
    wide = static_cast<int64_t>(expression);                        \
    goto wide_result;                                               \
  }
#define ADD_LIKE(op, int_word, doubles, y_word, slow)                    \
  do {                                                                   \
    const Word x = R[B], y = (y_word);                                   \
    if (OFTEN((x & y) >= Value::kFirstInteger)) {                        \
      const Word sum = (int_word);                                       \
      if (sum >= Value::kFirstInteger) [[likely]] {                      \
        R[A] = sum;                                                      \
        NEXT();                                                          \
      }                                                                  \
    } else if (OFTEN(BothDoubles(x, y))) {                               \
      StoreDouble(&R[A], doubles(LoadDouble(R[B]), LoadDouble(y_word))); \
      NEXT();                                                            \
    } else {                                                             \
      double a, b;                                                       \
      if (ToDoubles(x, y, &a, &b)) {                                     \
        R[A] = ResultWord(a op b);                                       \
        NEXT();                                                          \
      }                                                                  \
    }                                                                    \
    WIDE(Unsigned(a) op Unsigned(b));                                    \
    slow;                                                                \
  } while (0)
  CASE(kAdd) {
    ADD_LIKE(+, x + y + Value::kIntegerBias, AddDoubles, R[C], ARITHMETIC_SLOW(kAdd, x, y, B, C));
  }
  CASE(kAddK) {
    ADD_LIKE(+, x + y + Value::kIntegerBias, AddDoubles, K[C], ARITHMETIC_SLOW_K(kAdd));
  }
  CASE(kSubtract) {
    ADD_LIKE(-, x - y - Value::kIntegerBias, SubtractDoubles, R[C],
             ARITHMETIC_SLOW(kSubtract, x, y, B, C));
  }
  CASE(kSubtractK) {
    ADD_LIKE(-, x - y - Value::kIntegerBias, SubtractDoubles, K[C], ARITHMETIC_SLOW_K(kSubtract));
  }

#define MULTIPLY(y_word, slow)                                                     \
  do {                                                                             \
    const Word x = R[B], y = (y_word);                                             \
    if (OFTEN(BothDoubles(x, y))) {                                                \
      StoreDouble(&R[A], MultiplyDoubles(LoadDouble(R[B]), LoadDouble(y_word)));   \
      NEXT();                                                                      \
    }                                                                              \
    if (OFTEN((x & y) >= Value::kFirstInteger)) {                                  \
      int64_t product = 0;                                                         \
      if (!__builtin_mul_overflow(IntegerOfWord(x), IntegerOfWord(y), &product) && \
          Value::FitsInline(product)) [[likely]] {                                 \
        R[A] = Value::InlineInteger(product).word();                               \
        NEXT();                                                                    \
      }                                                                            \
    } else {                                                                       \
      double a, b;                                                                 \
      if (ToDoubles(x, y, &a, &b)) {                                               \
        R[A] = ResultWord(a * b);                                                  \
        NEXT();                                                                    \
      }                                                                            \
    }                                                                              \
    WIDE(Unsigned(a) * Unsigned(b));                                               \
    slow;                                                                          \
  } while (0)
  CASE(kMultiply) { MULTIPLY(R[C], ARITHMETIC_SLOW(kMultiply, x, y, B, C)); }
  CASE(kMultiplyK) { MULTIPLY(K[C], ARITHMETIC_SLOW_K(kMultiply)); }

#define DIVIDE(y_word, slow)                                                   \
  do {                                                                         \
    const Word x = R[B], y = (y_word);                                         \
    if (BothDoubles(x, y)) [[likely]] {                                        \
      StoreDouble(&R[A], DivideDoubles(LoadDouble(R[B]), LoadDouble(y_word))); \
      NEXT();                                                                  \
    }                                                                          \
    double a, b;                                                               \
    if (ToDoubles(x, y, &a, &b)) {                                             \
      R[A] = ResultWord(a / b);                                                \
      NEXT();                                                                  \
    }                                                                          \
    slow;                                                                      \
  } while (0)
  CASE(kDivide) { DIVIDE(R[C], ARITHMETIC_SLOW(kDivide, x, y, B, C)); }
  CASE(kDivideK) { DIVIDE(K[C], ARITHMETIC_SLOW_K(kDivide)); }

#define POWER(y_word, slow)                   \
  do {                                        \
    const Word x = R[B], y = (y_word);        \
    double a, b;                              \
    if (ToDoubles(x, y, &a, &b)) [[likely]] { \
      R[A] = WordOf(Power(a, b));             \
      NEXT();                                 \
    }                                         \
    slow;                                     \
  } while (0)
  CASE(kPower) { POWER(R[C], ARITHMETIC_SLOW(kPower, x, y, B, C)); }
  CASE(kPowerK) { POWER(K[C], ARITHMETIC_SLOW_K(kPower)); }

  // The quotient and the remainder of inline integers fit, but for kMinInline // -1.
#define DIVISION(function, y_word, slow)                                         \
  do {                                                                           \
    const Word x = R[B], y = (y_word);                                           \
    if ((x & y) >= Value::kFirstInteger) {                                       \
      const int64_t divisor = IntegerOfWord(y);                                  \
      if (divisor > 0) [[likely]] {                                              \
        R[A] = Value::InlineInteger(function(IntegerOfWord(x), divisor)).word(); \
        NEXT();                                                                  \
      }                                                                          \
    } else {                                                                     \
      double a, b;                                                               \
      if (ToDoubles(x, y, &a, &b)) {                                             \
        R[A] = WordOf(function(a, b));                                           \
        NEXT();                                                                  \
      }                                                                          \
    }                                                                            \
    slow;                                                                        \
  } while (0)
  CASE(kModulo) { DIVISION(FloorModulo, R[C], ARITHMETIC_SLOW(kModulo, x, y, B, C)); }
  CASE(kModuloK) { DIVISION(FloorModulo, K[C], ARITHMETIC_SLOW_K(kModulo)); }
  CASE(kIntegerDivide) { DIVISION(FloorDivide, R[C], ARITHMETIC_SLOW(kIntegerDivide, x, y, B, C)); }
  CASE(kIntegerDivideK) { DIVISION(FloorDivide, K[C], ARITHMETIC_SLOW_K(kIntegerDivide)); }

#define BITWISE(expression, y_word, slow)                       \
  do {                                                          \
    const Word x = R[B], y = (y_word);                          \
    if ((x & y) >= Value::kFirstInteger) [[likely]] {           \
      const int64_t a = IntegerOfWord(x), b = IntegerOfWord(y); \
      const int64_t bits = (expression);                        \
      if (Value::FitsInline(bits)) [[likely]] {                 \
        R[A] = Value::InlineInteger(bits).word();               \
        NEXT();                                                 \
      }                                                         \
    }                                                           \
    WIDE(expression);                                           \
    slow;                                                       \
  } while (0)
  CASE(kBitAnd) { BITWISE(a & b, R[C], ARITHMETIC_SLOW(kBitAnd, x, y, B, C)); }
  CASE(kBitAndK) { BITWISE(a & b, K[C], ARITHMETIC_SLOW_K(kBitAnd)); }
  CASE(kBitOr) { BITWISE(a | b, R[C], ARITHMETIC_SLOW(kBitOr, x, y, B, C)); }
  CASE(kBitOrK) { BITWISE(a | b, K[C], ARITHMETIC_SLOW_K(kBitOr)); }
  CASE(kBitXor) { BITWISE(a ^ b, R[C], ARITHMETIC_SLOW(kBitXor, x, y, B, C)); }
  CASE(kBitXorK) { BITWISE(a ^ b, K[C], ARITHMETIC_SLOW_K(kBitXor)); }
  CASE(kShiftLeft) { BITWISE(ShiftLeft(a, b), R[C], ARITHMETIC_SLOW(kShiftLeft, x, y, B, C)); }
  CASE(kShiftLeftK) { BITWISE(ShiftLeft(a, b), K[C], ARITHMETIC_SLOW_K(kShiftLeft)); }
  CASE(kShiftRight) { BITWISE(ShiftRight(a, b), R[C], ARITHMETIC_SLOW(kShiftRight, x, y, B, C)); }
  CASE(kShiftRightK) { BITWISE(ShiftRight(a, b), K[C], ARITHMETIC_SLOW_K(kShiftRight)); }

wide_result : {
  SAVE();
  const Value v = s.objects_.NewInteger(wide);
  if (v.is_nil()) [[unlikely]] {
    s.MemoryError();
    goto error;
  }
  R[A] = v.word();
  NEXT();
}

  CASE(kNegate) {
    const Value v = Value::FromWord(R[B]);
    if (v.is_inline_integer() && v.inline_integer() != Value::kMinInline) {
      R[A] = Value::InlineInteger(-v.inline_integer()).word();
      NEXT();
    }
    if (v.is_double()) {
      R[A] = ResultWord(-v.as_double());
      NEXT();
    }
    STEP(Unary(s, Op::kNegate, v, static_cast<int>(B)));
  }
  CASE(kNot) {
    R[A] = Value::Boolean(Value::FromWord(R[B]).is_falsy()).word();
    NEXT();
  }
  CASE(kLength) {
    const Value v = Value::FromWord(R[B]);
    if (IsTable(v) && AsTable(v)->metatable() == nullptr) {
      R[A] = Value::InlineInteger(Border(s.objects_, AsTable(v))).word();
      NEXT();
    }
    STEP(Length(s, v, static_cast<int>(B)));
  }
  CASE(kBitNot) {
    const Value v = Value::FromWord(R[B]);
    if (v.is_inline_integer()) {
      R[A] = Value::InlineInteger(~v.inline_integer()).word();
      NEXT();
    }
    STEP(Unary(s, Op::kBitNot, v, static_cast<int>(B)));
  }
  CASE(kConcat) { STEP(Concat(s, static_cast<uint32_t>(A), static_cast<uint32_t>(B))); }

  // --- Jumps -------------------------------------------------------------------------------------
  CASE(kJump) {
    JUMP();
    NEXT();
  }
  // A round of a loop; `live` registers are in use.
#define ROUND(live)                                           \
  do {                                                        \
    if (--s.fuel <= 0) [[unlikely]] {                         \
      SAVE();                                                 \
      frame->top = frame->base + static_cast<uint32_t>(live); \
      const bool ok_ = s.Poll();                              \
      frame = &co->frame();                                   \
      frame->top = frame->base + frame->code->registers;      \
      if (!ok_) goto error;                                   \
      LOAD();                                                 \
    }                                                         \
  } while (0)
  CASE(kLoop) {
    const uint64_t live = A;
    JUMP();
    ROUND(live);
    NEXT();
  }
  CASE(kJumpIfFalse) {
    if (Value::FromWord(R[A]).is_falsy()) JUMP();
    NEXT();
  }
  CASE(kJumpIfTrue) {
    if (Value::FromWord(R[A]).is_truthy()) JUMP();
    NEXT();
  }
  CASE(kJumpIfFalseKeep) {
    const Word v = R[B];
    if (Value::FromWord(v).is_falsy()) {
      R[A] = v;
      JUMP();
    }
    NEXT();
  }
  CASE(kJumpIfTrueKeep) {
    const Word v = R[B];
    if (Value::FromWord(v).is_truthy()) {
      R[A] = v;
      JUMP();
    }
    NEXT();
  }

  // --- Comparison --------------------------------------------------------------------------------
#define DECIDE(step, outcome, wanted)                        \
  do {                                                       \
    if ((step) == Step::kDone) [[likely]] {                  \
      if ((outcome) == Outcome::kFinished) goto reload;      \
      if (((outcome) == Outcome::kTrue) == (wanted)) JUMP(); \
      NEXT();                                                \
    }                                                        \
    if ((step) == Step::kPushed) goto enter;                 \
    goto error;                                              \
  } while (0)
#define EQUALITY(y_word, wanted)                                                        \
  do {                                                                                  \
    const Word x = R[A], y = (y_word);                                                  \
    if ((x & y) >= Value::kFirstInteger) {                                              \
      if ((x == y) == (wanted)) JUMP();                                                 \
      NEXT();                                                                           \
    }                                                                                   \
    Outcome equal_ = Outcome::kFinished;                                                \
    SAVE();                                                                             \
    const Step step_ = EqualValues(s, Value::FromWord(x), Value::FromWord(y), &equal_); \
    DECIDE(step_, equal_, wanted);                                                      \
  } while (0)
  CASE(kEqual) { EQUALITY(R[B], true); }
  CASE(kNotEqual) { EQUALITY(R[B], false); }
  CASE(kEqualK) {
    if (RawEqual(Value::FromWord(R[A]), Value::FromWord(K[B]))) JUMP();
    NEXT();
  }
  CASE(kNotEqualK) {
    if (!RawEqual(Value::FromWord(R[A]), Value::FromWord(K[B]))) JUMP();
    NEXT();
  }
#define ORDER(x_word, y_word, op, event, wanted)                                     \
  do {                                                                               \
    const Word x = (x_word), y = (y_word);                                           \
    if (OFTEN((x & y) >= Value::kFirstInteger)) {                                    \
      if ((x op y) == (wanted)) JUMP();                                              \
      NEXT();                                                                        \
    }                                                                                \
    double a, b; /* 50 bits are exact as a double */                                 \
    if (OFTEN(ToDoubles(x, y, &a, &b))) {                                            \
      if ((a op b) == (wanted)) JUMP();                                              \
      NEXT();                                                                        \
    }                                                                                \
    Outcome outcome_ = Outcome::kFinished;                                           \
    SAVE();                                                                          \
    const Step step_ =                                                               \
        Compare(s, Event::event, Value::FromWord(x), Value::FromWord(y), &outcome_); \
    DECIDE(step_, outcome_, wanted);                                                 \
  } while (0)
  CASE(kLess) { ORDER(R[A], R[B], <, kLess, true); }
  CASE(kNotLess) { ORDER(R[A], R[B], <, kLess, false); }
  CASE(kLessEqual) { ORDER(R[A], R[B], <=, kLessEqual, true); }
  CASE(kNotLessEqual) { ORDER(R[A], R[B], <=, kLessEqual, false); }
  CASE(kLessK) { ORDER(R[A], K[B], <, kLess, true); }
  CASE(kNotLessK) { ORDER(R[A], K[B], <, kLess, false); }
  CASE(kLessEqualK) { ORDER(R[A], K[B], <=, kLessEqual, true); }
  CASE(kNotLessEqualK) { ORDER(R[A], K[B], <=, kLessEqual, false); }
  CASE(kGreaterK) { ORDER(K[B], R[A], <, kLess, true); }
  CASE(kNotGreaterK) { ORDER(K[B], R[A], <, kLess, false); }
  CASE(kGreaterEqualK) { ORDER(K[B], R[A], <=, kLessEqual, true); }
  CASE(kNotGreaterEqualK) { ORDER(K[B], R[A], <=, kLessEqual, false); }

  // --- Calls -------------------------------------------------------------------------------------
  CASE(kCall) {
    call_function = frame->base + static_cast<uint32_t>(A);
    call_arguments = B != 0 ? static_cast<uint32_t>(B) - 1 : frame->top - call_function - 1;
    if (--s.fuel <= 0) [[unlikely]] {
      TRY(s.Poll());
      LOAD();
    }
    SAVE();
    call_wanted = static_cast<int32_t>(C) - 1;
  call:  // with an open count when B is 0
    const Value callee = Value::FromWord(co->stack[call_function]);
    if (IsLuaClosure(callee)) [[likely]] {
      FunctionCode* code = CodeOf(static_cast<LuaClosure*>(callee.object()));
      const uint32_t base = call_function + 1;
      const uint32_t top = base + code->call_registers;
      const uint32_t limit = std::max(frame->limit, top);
      if (limit <= co->call_limit && co->frame_count < co->frame_capacity) [[likely]] {
        if (B == 0) frame->top = frame->base + frame->code->registers;
        R = co->stack + base;
        for (uint32_t i = call_arguments; i < code->parameters; ++i) R[i] = Value::kNil;
        ++frame;
        ++co->frame_count;
        *frame = {.pc = code->code,
                  .code = code,
                  .function = call_function,
                  .base = base,
                  .top = top,
                  .limit = limit,
                  .wanted = call_wanted};
        pc = code->code;
        K = code->constants;
        NEXT();
      }
    }
    frame->top = frame->base + frame->code->registers;  // an open count is used up
    if (IsNativeClosure(callee) && co->frame_count < co->frame_capacity) {
      const uint32_t top = call_function + 1 + call_arguments;
      const uint32_t limit = std::max(frame->limit, top + kNativeSlots);
      if (limit <= co->call_limit) [[likely]] {
        // A pool's get and put of what is at hand, without a frame.
        const NativeFunction native = static_cast<const NativeClosure*>(callee.object())->function;
        if (native == &PoolGet && call_wanted == 1 && call_arguments == 1) {
          if (const Word item = TakeQuickly(s, AsPool(Value::FromWord(R[A + 1]))); item != 0)
              [[likely]] {
            R[A] = item;
            NEXT();
          }
        } else if (native == &PoolPut && call_wanted == 0 && call_arguments == 2) {
          if (PutQuickly(s, AsPool(Value::FromWord(R[A + 1])), Value::FromWord(R[A + 2])))
              [[likely]]
            NEXT();
        }
        ++co->frame_count;
        frame[1] = {.function = call_function,
                    .base = call_function + 1,
                    .top = top,
                    .limit = limit,
                    .wanted = call_wanted,
                    .saved_count = call_arguments,
                    .flags = kFrameNative};
        NativeCall call(s);
        const NativeResult result = native(call);
        if (result != NativeResult::kReturn) [[unlikely]]
          STEP_SAVED(ActOnNative(s, call, result));
        frame = &co->frame();
        const uint32_t count = call.results;
        if (frame->flags != kFrameNative || co->hook_mask != 0) [[unlikely]] {
          STEP_SAVED(ReturnFromNative(s, count));
        }
        const Word* from = co->stack + (frame->top - count);
        --co->frame_count;
        --frame;
        R = co->stack + frame->base;
        Word* results = co->stack + call_function;
        if (call_wanted == 1) [[likely]] {
          results[0] = count != 0 ? from[0] : Value::kNil;
          NEXT();
        }
        const uint32_t kept = std::min(count, static_cast<uint32_t>(call_wanted));  // -1: all
        for (uint32_t i = 0; i < kept; ++i) results[i] = from[i];
        if (call_wanted < 0) {
          frame->top = call_function + count;
        } else {
          for (uint32_t i = kept; i < static_cast<uint32_t>(call_wanted); ++i)
            results[i] = Value::kNil;
        }
        NEXT();
      }
    }
    STEP(Call(s, call_function, call_arguments, call_wanted, 0));
  }
  CASE(kTailCall) {
    if (--s.fuel <= 0) [[unlikely]] {
      TRY(s.Poll());
      LOAD();
    }
    const Value callee = Value::FromWord(R[A]);
    if (IsLuaClosure(callee) && C == 0) [[likely]] {
      FunctionCode* code = CodeOf(static_cast<LuaClosure*>(callee.object()));
      const uint32_t base = frame->function + 1;
      const uint32_t top = base + code->call_registers;
      const uint32_t limit = std::max(frame->limit, top);
      if (limit <= co->call_limit) [[likely]] {
        const Word* from = R + A;
        const auto arguments =
            static_cast<uint32_t>(B != 0 ? B - 1 : co->stack + frame->top - from - 1);
        Word* to = co->stack + frame->function;
        for (uint32_t i = 0; i <= arguments; ++i) to[i] = from[i];
        for (uint32_t i = arguments; i < code->parameters; ++i) to[i + 1] = Value::kNil;
        frame->code = code;
        frame->base = base;
        frame->top = top;
        frame->limit = limit;
        frame->varargs = 0;
        frame->flags |= kFrameTail;
        pc = code->code;
        R = co->stack + base;
        K = code->constants;
        NEXT();
      }
    }
    STEP(TailCall(s, static_cast<uint32_t>(A), static_cast<uint32_t>(B)));
  }
  CASE(kReturn) { STEP(Return(s, static_cast<uint32_t>(A), static_cast<uint32_t>(B), C != 0)); }
  CASE(kReturn0) {
    if ((frame->flags & kSpecialReturn) != 0 || co->hook_mask != 0) [[unlikely]] {
      STEP(LeaveFrame(s, frame->base, 0));
    }
    Word* results = co->stack + frame->function;
    const int32_t wanted = frame->wanted;
    --co->frame_count;
    --frame;
    for (int32_t i = 0; i < wanted; ++i) results[i] = Value::kNil;
    if (wanted < 0) frame->top = static_cast<uint32_t>(results - co->stack);
    pc = frame->pc;
    R = co->stack + frame->base;
    K = frame->code->constants;
    NEXT();
  }
  CASE(kReturn1) {
    if ((frame->flags & kSpecialReturn) != 0 || co->hook_mask != 0) [[unlikely]] {
      STEP(LeaveFrame(s, frame->base + static_cast<uint32_t>(A), 1));
    }
    Word* results = co->stack + frame->function;
    const int32_t wanted = frame->wanted;
    const Word value = R[A];
    --co->frame_count;
    --frame;
    if (wanted == 1) [[likely]] {
      results[0] = value;
    } else if (wanted != 0) {
      results[0] = value;
      for (int32_t i = 1; i < wanted; ++i) results[i] = Value::kNil;
      if (wanted < 0) frame->top = static_cast<uint32_t>(results - co->stack) + 1;
    }
    pc = frame->pc;
    R = co->stack + frame->base;
    K = frame->code->constants;
    NEXT();
  }

  // --- Loops -------------------------------------------------------------------------------------
  CASE(kForPrepare) {
    Word* const state = R + A;
    const Word start = state[0], limit = state[1], step = state[2];
    if ((start & limit & step) >= Value::kFirstInteger && step != Value::InlineInteger(0).word())
        [[likely]] {
      if (step > Value::InlineInteger(0).word() ? start <= limit : start >= limit) {
        state[3] = start;
      } else {
        JUMP();
      }
      NEXT();
    }
    bool enters = false;
    TRY(ForPrepare(s, static_cast<uint32_t>(A), &enters));
    if (!enters) JUMP();
    NEXT();
  }
  CASE(kForLoop) {
    const uint64_t a = A;
    Word* const state = R + a;
    const Word index = state[0], limit = state[1], step = state[2];
    if ((index & limit & step) >= Value::kFirstInteger) [[likely]] {
      const Word next = index + step + Value::kIntegerBias;
      // Ascending steps are the words from kFirstInteger + bias on.
      const bool goes_on = step >= Value::InlineInteger(0).word()
                               ? next <= limit && next > index
                               : next >= limit && next < index && next >= Value::kFirstInteger;
      if (goes_on) {
        state[0] = next;
        state[3] = next;
        JUMP();
        ROUND(a + 4);
      }
      NEXT();
    }
    bool goes_on = false;
    TRY(ForStep(s, static_cast<uint32_t>(a), &goes_on));
    if (goes_on) {
      JUMP();
      ROUND(a + 4);
    }
    NEXT();
  }
  CASE(kGenericPrepare) {
    TRY(MarkToBeClosed(s, static_cast<uint32_t>(A) + 3));
    JUMP();
    NEXT();
  }
  CASE(kGenericCall) {
    Word* const state = R + A;
    const Value iterator = Value::FromWord(state[0]);
    if (IsNativeClosure(iterator) && B <= 2 && co->hook_mask == 0) {
      const auto* native = static_cast<const NativeClosure*>(iterator.object());
      const Value object = Value::FromWord(state[1]);
      if (native->function == &BaseNext && IsTable(object)) {
        Value key = Value::FromWord(state[2]), value;
        const NextResult next = Next(s.objects_, AsTable(object), &key, &value);
        if (next != NextResult::kInvalid) [[likely]] {
          state[4] = next == NextResult::kFound ? key.word() : Value::kNil;
          if (B > 1) state[5] = value.word();
          NEXT();
        }
      } else if (native->function == &BaseIpairsStep && IsTable(object) &&
                 Value::FromWord(state[2]).is_inline_integer()) {
        const int64_t i = IntegerOfWord(state[2]) + 1;
        const Value value = RawGetInteger(s.objects_, AsTable(object), i);
        if (!value.is_nil() || AsTable(object)->metatable() == nullptr) [[likely]] {
          state[4] = value.is_nil() ? Value::kNil : Value::InlineInteger(i).word();
          if (B > 1) state[5] = value.word();
          NEXT();
        }
      }
    }
    state[4] = state[0];
    state[5] = state[1];
    state[6] = state[2];
    SAVE();
    call_function = static_cast<uint32_t>(state + 4 - co->stack);
    call_arguments = 2;
    call_wanted = static_cast<int32_t>(B);
    goto call;
  }
  CASE(kGenericLoop) {
    if (R[A + 4] != Value::kNil) {
      const uint64_t live = A + 4 + B;
      R[A + 2] = R[A + 4];
      JUMP();
      ROUND(live);
    }
    NEXT();
  }

  // --- The rest ----------------------------------------------------------------------------------
  CASE(kVarargPrepare) { NEXT(); }
  CASE(kVararg) {
    TRY(Vararg(s, static_cast<uint32_t>(A), static_cast<int32_t>(B) - 1));
    frame = &co->frame();
    NEXT();
  }
  CASE(kClosure) {
    TRY(MakeClosure(s, static_cast<uint32_t>(A), X));
    NEXT();
  }
  CASE(kClose) {
    CloseUpvalues(s, co, frame->base + static_cast<uint32_t>(A));
    if (!co->to_close.empty() && co->to_close.back() >= frame->base + A) {
      STEP(CloseForInstruction(s, frame->base + static_cast<uint32_t>(A)));
    }
    NEXT();
  }
  CASE(kToBeClosed) {
    TRY(MarkToBeClosed(s, static_cast<uint32_t>(A)));
    NEXT();
  }
}

}  // namespace neap::vm
