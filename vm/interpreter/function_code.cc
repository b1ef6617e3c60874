// SPDX-License-Identifier: MIT
#include "interpreter/function_code.h"

#include <string>
#include <utility>

#include "interpreter/native_call.h"
#include "interpreter/state.h"

namespace neap::vm {
namespace {

static_assert(kMaxRecordFields == kMaxInlineFields);

void VisitAll(gc::Tracer& tracer, std::vector<Word>& words) {
  if (!words.empty()) tracer.VisitSlots(words.data(), words.size());
}

void TracePrototype(Object* object, gc::Tracer& tracer) {
  FunctionCode* code = static_cast<Prototype*>(object)->code;
  if (code == nullptr) return;
  tracer.VisitSlot(&code->source);
  if (!code->unit->constants.empty()) {
    tracer.VisitSlots(code->constants, code->unit->constants.size());
  }
  VisitAll(tracer, code->children);
  VisitAll(tracer, code->template_shapes);
  VisitAll(tracer, code->added_shapes);
}

size_t PrototypeOffHeapBytes(const Object* object) {
  const FunctionCode* code = static_cast<const Prototype*>(object)->code;
  return code == nullptr ? 0 : code->OffHeapBytes();
}

void DropPrototype(Object* object) { delete static_cast<Prototype*>(object)->code; }

// The word of a constant; strings are made atoms. 0 with *failed: no memory.
Word MakeConstant(State& state, const Constant& constant, bool* failed) {
  if (const auto* b = std::get_if<bool>(&constant)) return Value::Boolean(*b).word();
  if (const auto* d = std::get_if<double>(&constant)) return Value::Double(*d).word();
  Word word = 0;
  if (const auto* i = std::get_if<int64_t>(&constant)) {
    word = state.objects().NewInteger(*i).word();
  } else if (const auto* text = std::get_if<std::string>(&constant)) {
    word = gc::ToWord(state.objects().NewAtom(*text));
  } else {
    return Value::kNil;
  }
  *failed = word == 0;
  return word;
}

// A prototype whose words are still empty.
Prototype* NewPrototype(State& state, std::unique_ptr<const CodeUnit> unit) {
  const auto upvalues = static_cast<int>(unit->upvalues.size());
  if (upvalues > kCommonUpvalues) RegisterLuaClosureType(upvalues);
  auto* prototype = static_cast<Prototype*>(state.mutator().TryAllocateStationary(kPrototypeType));
  if (prototype == nullptr) return nullptr;
  auto* code = new FunctionCode;
  code->owner = prototype;
  code->code = unit->code.data();
  code->registers = unit->registers;
  code->parameters = unit->parameters;
  code->is_vararg = unit->is_vararg;
  code->call_registers = unit->is_vararg ? kMaxStack + 1 : unit->registers;
  code->words.resize(unit->caches + unit->constants.size());
  code->constants = code->words.data() + unit->caches;
  code->children.resize(unit->children.size());
  code->template_shapes.resize(unit->templates.size());
  code->unit = std::move(unit);
  prototype->code = code;
  state.mutator().OffHeapChanged(prototype, static_cast<int64_t>(code->OffHeapBytes()));
  return prototype;
}

// Pushes the prototype (so that it is rooted); false: no memory.
bool PushPrototype(State& state, std::unique_ptr<CodeUnit> unit, uint32_t source_index) {
  if (!state.EnsureSlots(3)) return false;
  std::vector<std::unique_ptr<CodeUnit>> children = std::move(unit->children);
  unit->children.resize(children.size());
  Prototype* prototype = NewPrototype(state, std::move(unit));
  if (prototype == nullptr) return state.MemoryError();
  state.Push(Value::FromObject(prototype));
  FunctionCode* code = prototype->code;
  gc::Mutator& m = state.mutator();
  m.Store(prototype, &code->source, state.at(source_index).word());
  for (size_t i = 0; i < code->unit->constants.size(); ++i) {
    bool failed = false;
    const Word word = MakeConstant(state, code->unit->constants[i], &failed);
    if (failed) return state.MemoryError();
    m.Store(prototype, code->constants + i, word);
  }
  for (size_t i = 0; i < children.size(); ++i) {
    if (!PushPrototype(state, std::move(children[i]), source_index)) return false;
    m.Store(prototype, &code->children[i], state.FromTop(1).word());
    state.Pop(1);
  }
  return true;
}

}  // namespace

size_t FunctionCode::OffHeapBytes() const {
  return sizeof(FunctionCode) + sizeof(CodeUnit) + unit->code.size() * sizeof(Instruction) +
         unit->lines.size() * 4 + unit->constants.size() * sizeof(Constant) +
         unit->locals.size() * sizeof(LocalInfo) + unit->upvalues.size() * sizeof(UpvalueInfo) +
         (words.size() + children.size() + template_shapes.size()) * sizeof(Word);
}

void RegisterPrototypeType() {
  gc::RegisterTypeAs(kPrototypeType, {.name = "prototype",
                                      .layout = gc::Layout::kCustom,
                                      .base_bytes = sizeof(Prototype),
                                      .trace = TracePrototype,
                                      .off_heap_bytes = PrototypeOffHeapBytes,
                                      .drop = DropPrototype});
}

bool PushMainFunction(State& state, std::unique_ptr<CodeUnit> unit) {
  if (!state.EnsureSlots(4)) return false;
  const uint32_t source_index = state.running()->frame().top;
  String* source = state.objects().NewString(unit->source);
  if (source == nullptr) return state.MemoryError();
  state.Push(Value::FromObject(source));
  const size_t upvalues = unit->upvalues.size();
  if (!PushPrototype(state, std::move(unit), source_index)) return false;
  auto* closure = static_cast<LuaClosure*>(
      state.mutator().TryAllocate(static_cast<gc::TypeId>(kLuaClosureType + upvalues)));
  if (closure == nullptr) return state.MemoryError();
  gc::InitSlot(closure->prototype.slot(), state.FromTop(1).word());
  state.running()->stack[source_index] = gc::ToWord(closure);
  state.Pop(1);
  for (size_t i = 0; i < upvalues; ++i) {
    auto* upvalue = static_cast<Upvalue*>(state.mutator().TryAllocate(kUpvalueType));
    if (upvalue == nullptr) return state.MemoryError();
    if (i == 0) gc::InitSlot(&upvalue->value, state.globals_value().word());
    closure = static_cast<LuaClosure*>(state.at(source_index).object());
    state.mutator().Store(closure, closure->upvalues() + i, upvalue);
  }
  return true;
}

}  // namespace neap::vm
