// SPDX-License-Identifier: MIT
//
// Functions: prototypes (the code of a function), closures over them, native closures, upvalues.
//
//    LuaClosure      header | prototype | upvalue 0 .. n-1         type kLuaClosureType + n
//    NativeClosure   header | function  | value 0 .. n-1           type kNativeClosureType + n
//    Upvalue         header | value     | owner
//
// An upvalue is open while the variable lives in a stack: `owner` is its coroutine, and `value` the
// address of the stack slot, which is no object's: it lies outside the heap, and is set anew when
// the stack moves. Closing copies the variable into `value` and sets `owner` to 0. A write through
// an open upvalue goes to the stack of a coroutine that may not be the running one: it is a
// barriered store on that coroutine.
#ifndef NEAP_VM_OBJECTS_FUNCTION_H_
#define NEAP_VM_OBJECTS_FUNCTION_H_

#include <cstddef>
#include <cstdint>

#include "types.h"
#include "value.h"

namespace neap::vm {

struct FunctionCode;  // compiler/function_code.h
struct Coroutine;
class NativeCall;
class State;

// Never moves, so that frames may hold it. Its code and what belongs to it are outside the heap;
// the constants are slots that its trace function reports.
struct Prototype : Object {
  FunctionCode* code;
};

struct Upvalue : Object {
  Word value;
  Word owner;  // Coroutine, or 0: closed

  bool is_open() const { return owner != 0; }
  // While it is open.
  Word* variable() const { return reinterpret_cast<Word*>(value); }
};
static_assert(sizeof(Upvalue) == 24);

struct LuaClosure : Object {
  gc::Ref<Prototype> prototype;

  static constexpr size_t BytesFor(int upvalues) {
    return sizeof(Object) + sizeof(Word) + static_cast<size_t>(upvalues) * sizeof(Word);
  }
  int upvalue_count() const { return type() - kLuaClosureType; }
  Word* upvalues() {
    return reinterpret_cast<Word*>(reinterpret_cast<char*>(this) + sizeof(LuaClosure));
  }
  Upvalue* upvalue(int i) {
    return static_cast<Upvalue*>(gc::ToObject(gc::LoadSlot(upvalues() + i)));
  }
};
static_assert(sizeof(LuaClosure) == 16);

// What a native function tells the interpreter (interpreter/native_call.h).
enum class NativeResult : uint8_t;
using NativeFunction = NativeResult (*)(NativeCall& call);

struct NativeClosure : Object {
  NativeFunction function;  // not an object: code lies outside the heap

  static constexpr size_t BytesFor(int values) {
    return sizeof(Object) + sizeof(Word) + static_cast<size_t>(values) * sizeof(Word);
  }
  int value_count() const { return type() - kNativeClosureType; }
  Word* values() {
    return reinterpret_cast<Word*>(reinterpret_cast<char*>(this) + sizeof(NativeClosure));
  }
};
static_assert(sizeof(NativeClosure) == 16);

}  // namespace neap::vm

#endif  // NEAP_VM_OBJECTS_FUNCTION_H_
