// SPDX-License-Identifier: MIT
//
// A Lua value in one 64-bit word.
//
//    0x0000'0000'0000'0000            nil (zeroed memory is nil)
//    0x0000'0000'0000'0002, ...03     false, true
//    0x0000'0000'0000'0008 .. 2^47    address of a heap object
//    0x0002'0000'0000'0000 .. 0xfffa  a double: its bits + 2^49
//    0xfffc'0000'0000'0000 .. 0xffff  an integer of 50 bits: value - 2^49 as a signed word
//
//   V1  A word is a number exactly when it is at least 2^49, an integer when its 14 upper bits are
//       set: two words are both integers when their AND is.
//   V2  The sum of two integer words + 2^49 is the word of the sum, or no integer word when the sum
//       has more than 50 bits: one comparison finds the overflow.
//   V3  Integers that do not fit, and light userdata, are heap objects (boxes.h). No script
//       can tell; equality compares what is in the box.
//   V4  NaNs are stored with one payload (the sign is kept: printing shows it), so that every
//       double word is below 0xfffb'0000'0000'0000.
//   V5  false and nil are the words w with (w & ~2) == 0.
#ifndef NEAP_VM_OBJECTS_VALUE_H_
#define NEAP_VM_OBJECTS_VALUE_H_

#include <bit>
#include <cmath>
#include <cstdint>

#include "neap/gc/object.h"

namespace neap::vm {

using gc::Object;
using gc::Word;

class Value {
 public:
  static constexpr Word kNil = 0;
  static constexpr Word kFalse = 2;
  static constexpr Word kTrue = 3;
  static constexpr Word kFirstObject = 8;
  static constexpr Word kObjectEnd = Word{1} << 47;
  static constexpr Word kDoubleOffset = Word{1} << 49;
  static constexpr Word kFirstInteger = Word{0xfffc} << 48;
  static constexpr Word kIntegerBias = Word{1} << 49;  // word + bias == the integer
  static constexpr int64_t kMaxInline = (int64_t{1} << 49) - 1;
  static constexpr int64_t kMinInline = -(int64_t{1} << 49);

  constexpr Value() = default;
  static constexpr Value FromWord(Word word) { return Value(word); }
  static constexpr Value Nil() { return Value(kNil); }
  static constexpr Value Boolean(bool b) { return Value(b ? kTrue : kFalse); }
  static Value FromObject(const Object* object) { return Value(reinterpret_cast<Word>(object)); }
  static constexpr bool FitsInline(int64_t i) {
    return static_cast<uint64_t>(i) + kIntegerBias < 2 * kIntegerBias;
  }
  // `i` fits (V3).
  static constexpr Value InlineInteger(int64_t i) {
    return Value(static_cast<Word>(i) - kIntegerBias);
  }
  static Value Double(double d) {
    if (d != d) [[unlikely]]
      return Value((std::signbit(d) ? Word{0xfff8} << 48 : Word{0x7ff8} << 48) + kDoubleOffset);
    return Value(std::bit_cast<Word>(d) + kDoubleOffset);
  }

  // What +, -, * or / of doubles from values gave: the processor makes no other NaNs from those
  // with the one payload than those (V4).
  static Value ArithmeticResult(double d) { return Value(std::bit_cast<Word>(d) + kDoubleOffset); }

  constexpr Word word() const { return word_; }
  constexpr bool is_nil() const { return word_ == kNil; }
  constexpr bool is_boolean() const { return (word_ | 1) == kTrue; }
  constexpr bool is_true() const { return word_ == kTrue; }
  constexpr bool is_falsy() const { return (word_ & ~Word{2}) == 0; }
  constexpr bool is_truthy() const { return !is_falsy(); }
  constexpr bool is_object() const { return (word_ - kFirstObject) >> 47 == 0; }
  // Not integers in boxes: see boxes.h for all integers.
  constexpr bool is_inline_integer() const { return word_ >= kFirstInteger; }
  constexpr bool is_double() const { return word_ - kDoubleOffset < kFirstInteger - kDoubleOffset; }
  // A number that is not in a box.
  constexpr bool is_inline_number() const { return word_ >= kDoubleOffset; }

  constexpr int64_t inline_integer() const { return static_cast<int64_t>(word_ + kIntegerBias); }
  double as_double() const { return std::bit_cast<double>(word_ - kDoubleOffset); }
  Object* object() const { return reinterpret_cast<Object*>(word_); }
  // The type of the object; the value is one.
  gc::TypeId type() const { return object()->type(); }
  bool is_object_of(gc::TypeId type_id) const { return is_object() && type() == type_id; }

  // The same word. Not Lua's equality (see equality.h).
  friend constexpr bool operator==(Value, Value) = default;

 private:
  explicit constexpr Value(Word word) : word_(word) {}
  Word word_ = kNil;
};
static_assert(sizeof(Value) == 8);

constexpr bool BothInline(Value a, Value b) {
  return (a.word() & b.word()) >= Value::kFirstInteger;
}

}  // namespace neap::vm

#endif  // NEAP_VM_OBJECTS_VALUE_H_
