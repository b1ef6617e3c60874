// SPDX-License-Identifier: MIT
//
// A compiled function on the heap's side: what a Prototype points to. It lies outside the heap and
// belongs to its prototype; the words that refer to heap objects are slots of the prototype (its
// trace function reports them, stores go through the barrier with the prototype as holder).
#ifndef NEAP_VM_INTERPRETER_FUNCTION_CODE_H_
#define NEAP_VM_INTERPRETER_FUNCTION_CODE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "compiler/code_unit.h"
#include "objects/function.h"
#include "objects/lua_string.h"
#include "objects/shape.h"

namespace neap::vm {

struct FunctionCode {
  // What the interpreter loop reads.
  const Instruction* code = nullptr;  // of the unit
  Word* constants = nullptr;          // slots; the inline caches lie before them
  uint32_t registers = 0;
  uint32_t call_registers = 0;  // what the loop's own call asks room for: registers, or more than
                                // there can be when the function is vararg
  uint32_t parameters = 0;
  bool is_vararg = false;

  Prototype* owner = nullptr;
  Word source = 0;  // String: the chunk name; slot
  std::unique_ptr<const CodeUnit> unit;
  std::vector<Word> words;            // inline caches, constants
  std::vector<Word> children;         // Prototype; slots
  std::vector<Word> template_shapes;  // Shape, 0 until first used; slots
  std::vector<Word> added_shapes;     // Shape; of inline caches of stores; slots

  Prototype* child(uint32_t i) const { return static_cast<Prototype*>(gc::ToObject(children[i])); }
  // The three words of the inline cache of an instruction whose operand "cache" is `at`.
  static uint64_t* CacheOf(Word* constants, uint64_t at) { return constants - kCacheWords - at; }
  uint64_t* cache(uint32_t at) const { return CacheOf(constants, at); }
  String* source_name() const { return static_cast<String*>(gc::ToObject(source)); }
  // Line of an instruction; 0 when stripped.
  uint32_t LineAt(const Instruction* at) const {
    return unit->lines.empty() ? 0 : unit->lines[static_cast<size_t>(at - code)];
  }
  size_t OffHeapBytes() const;
};

class State;

void RegisterPrototypeType();
// Makes prototypes of a unit and of what it contains; pushes a closure of the main function on the
// running native frame, its first upvalue the table of globals. False: error set.
[[nodiscard]] bool PushMainFunction(State& state, std::unique_ptr<CodeUnit> unit);

inline FunctionCode* CodeOf(const LuaClosure* closure) { return closure->prototype.get()->code; }

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_FUNCTION_CODE_H_
