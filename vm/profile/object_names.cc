// SPDX-License-Identifier: MIT
//
// object_names.h. A table is named by __name of its metatable; otherwise by its first fields, so
// that records of one kind stand together.
#include "profile/object_names.h"

#include <algorithm>

#include "interpreter/debug_info.h"
#include "interpreter/function_code.h"
#include "interpreter/state.h"
#include "objects/userdata.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr uint32_t kShownFields = 6;
constexpr size_t kShownBytes = 100;  // of a string

std::string Shortened(std::string_view text) {
  if (text.size() <= kShownBytes) return std::string(text);
  return Concat(text.substr(0, kShownBytes), "...");
}

size_t WordOf(const gc::HeapEdge& edge) {
  return static_cast<size_t>(edge.slot - edge.from->body<gc::Word>());
}

std::string CodeName(const FunctionCode* code) {
  if (code == nullptr) return "?";
  const std::string source = ShortSource(*code);
  return code->unit->line == 0 ? source : Concat(source, ":", code->unit->line);
}

ReferenceName Internal(std::string text) { return {EdgeName::kInternal, std::move(text), 0}; }
ReferenceName Property(std::string text) { return {EdgeName::kProperty, std::move(text), 0}; }

// A field or an entry, by its key.
ReferenceName NameOfKey(Value key) {
  if (IsString(key)) return Property(Shortened(AsString(key)->view()));
  if (key.is_inline_integer()) {
    const auto number = static_cast<int64_t>(key.word() + Value::kIntegerBias);
    if (number >= 0 && number <= UINT32_MAX) {
      return {EdgeName::kElement, "", static_cast<uint32_t>(number)};
    }
    return Property(Concat("[", number, "]"));
  }
  if (key.is_inline_number()) return Property(Concat("[", State::TextOf(key), "]"));
  if (key.is_boolean()) return Property(key.is_true() ? "[true]" : "[false]");
  return key.is_object() ? Property(Concat("[", TypeName(TypeOf(key)), "]")) : Property("[?]");
}

}  // namespace

// --- Objects -------------------------------------------------------------------------------------

std::string ObjectNames::TableName(Table* table) {
  if (table == state_.globals()) return "_G";
  if (table == state_.registry()) return "registry";
  const std::string given = state_.TypeNameOf(Value::FromObject(table));
  if (given != "table") return given;
  const Shape* shape = table->shape.get();
  const bool has_elements = table->array.get() != nullptr;
  if (shape->is_dictionary) return table->fields == 0 ? "table" : "table (dictionary)";
  if (shape->count == 0) return has_elements ? "table []" : "table";
  std::string name = "table {";
  for (uint32_t i = 0; i < std::min(shape->count, kShownFields); ++i) {
    name += Concat(i == 0 ? "" : ", ", Shortened(shape->key(i)->view()));
  }
  return name + (shape->count > kShownFields ? ", ...}" : "}");
}

ObjectName ObjectNames::Describe(gc::Object* object) {
  const gc::TypeId type = object->type();
  const Value value = Value::FromObject(object);
  if (IsTable(value)) {
    auto* table = static_cast<Table*>(object);
    if (table->fields != 0) owner_of_storage_[gc::ToObject(table->fields)] = table;
    return {NodeKind::kObject, TableName(table)};
  }
  if (IsLuaClosure(value)) {
    const FunctionCode* code = static_cast<LuaClosure*>(object)->prototype->code;
    return {NodeKind::kClosure, Concat("function ", CodeName(code))};
  }
  if (IsNativeClosure(value)) return {NodeKind::kClosure, "native function"};
  switch (type) {
    case kStringType:
    case kAtomType:
      return {NodeKind::kString, Shortened(static_cast<String*>(object)->view())};
    case kBoxedIntegerType:
      return {NodeKind::kNumber, "boxed integer"};
    case kUserdataType:
      return {NodeKind::kNative, state_.TypeNameOf(value)};
    case kCoroutineType:
      return {NodeKind::kNative, "coroutine"};
    case kPrototypeType:
      return {NodeKind::kCode, Concat("code ", CodeName(static_cast<Prototype*>(object)->code))};
    case kShapeType:
    case kTransitionsType:
      return {NodeKind::kObjectShape, gc::GetType(type).name};
    case kUpvalueType:
      return {NodeKind::kObject, "upvalue"};
    default:
      return {NodeKind::kArray, gc::GetType(type).name};
  }
}

// --- References ----------------------------------------------------------------------------------

ReferenceName ObjectNames::DescribeEdge(const gc::HeapEdge& edge) {
  if (edge.from == nullptr) return RootName(edge);
  const gc::TypeId type = edge.from->type();
  const Value holder = Value::FromObject(edge.from);
  if (edge.kind == gc::EdgeKind::kEphemeron) return Internal("value of this weak key");
  if (IsTable(holder)) return TableEdge(static_cast<Table*>(edge.from), WordOf(edge));
  if (IsFunction(holder)) return ClosureEdge(edge.from, WordOf(edge));
  switch (type) {
    case kArrayPartType:
    case kWeakArrayPartType: {
      const auto index = edge.slot - static_cast<ArrayPart*>(edge.from)->slots();
      return {EdgeName::kElement, "", static_cast<uint32_t>(index + 1)};
    }
    case kFieldStorageType: {
      auto* storage = static_cast<FieldStorage*>(edge.from);
      return FieldEdge(storage, static_cast<size_t>(edge.slot - storage->slots()));
    }
    case kDictionaryType:
    case kWeakDictionaryType:
      return DictionaryEdge(static_cast<Dictionary*>(edge.from), edge.slot);
    case kUpvalueType:
      return Internal(WordOf(edge) == 0 ? "value" : "owner");
    case kUserdataType:
      return Internal(edge.slot == static_cast<Userdata*>(edge.from)->metatable.slot()
                          ? "metatable"
                          : "user values");
    case kShapeType:
      return ShapeEdge(WordOf(edge), edge.to);
    case kCoroutineType: {
      ReferenceName name = Internal("part");
      (void)StackName(edge.slot, &name);
      return name;
    }
    case kPrototypeType:
      return Internal(edge.to->type() == kPrototypeType ? "function inside" : "constant");
    default:
      return Internal("part");
  }
}

ReferenceName ObjectNames::TableEdge(Table* table, size_t word) {
  if (word == 0) return Internal("shape");
  if (word == 1) return Internal("elements");
  if (word == 2) return Internal(table->is_dictionary() ? "entries" : "fields");
  const auto slot = static_cast<uint32_t>(word - 3);
  const Shape* shape = table->shape.get();
  if (shape->is_dictionary || slot >= shape->count) return Internal("unused field");
  return Property(Shortened(shape->key(slot)->view()));
}

ReferenceName ObjectNames::ShapeEdge(size_t word, gc::Object* to) {
  static constexpr const char* kParts[] = {"parent",      "keys",  "metatable",
                                           "transitions", "index", "transition key"};
  const bool is_known = word < std::size(kParts) && to != nullptr;
  return Internal(is_known ? kParts[word] : "part");
}

ReferenceName ObjectNames::FieldEdge(const FieldStorage* storage, size_t slot) {
  const auto owner = owner_of_storage_.find(storage);
  if (owner == owner_of_storage_.end())
    return {EdgeName::kElement, "", static_cast<uint32_t>(slot)};
  const Shape* shape = owner->second->shape.get();
  const auto field =
      static_cast<uint32_t>(slot) + static_cast<uint32_t>(owner->second->inline_fields());
  if (shape->is_dictionary || field >= shape->count) return Internal("unused field");
  return Property(Shortened(shape->key(field)->view()));
}

ReferenceName ObjectNames::DictionaryEdge(const Dictionary* dictionary, const gc::Word* slot) {
  const auto* first = reinterpret_cast<const gc::Word*>(dictionary->entries());
  if (slot < first) return Internal("index");
  const auto at = static_cast<size_t>(slot - first);
  if (at % 2 == 0) return Internal("key");
  return NameOfKey(Value::FromWord(gc::LoadSlot(&dictionary->entries()[at / 2].key)));
}

ReferenceName ObjectNames::ClosureEdge(gc::Object* closure, size_t word) {
  if (word == 0) return Internal("code");
  const size_t upvalue = word - 1;
  std::string name;
  if (IsLuaClosureType(closure->type())) {
    const FunctionCode* code = static_cast<LuaClosure*>(closure)->prototype->code;
    if (code != nullptr && upvalue < code->unit->upvalues.size()) {
      name = code->unit->upvalues[upvalue].name;
    }
  }
  return {EdgeName::kContext, name.empty() ? Concat("upvalue ", upvalue + 1) : name, 0};
}

ReferenceName ObjectNames::RootName(const gc::HeapEdge& edge) {
  if (edge.to == state_.globals()) return Property("_G");
  if (edge.to == state_.registry()) return Property("registry");
  if (edge.to == state_.main_coroutine()) return Property("main coroutine");
  ReferenceName name = Property(kHandle);
  for (const Coroutine* co = state_.running(); co != nullptr; co = co->resumer) {
    if (edge.slot >= co->stack && edge.slot < co->stack + co->stack_size) {
      (void)StackName(edge.slot, &name);
    }
  }
  return name;
}

// "local bullets of update" for a slot of some coroutine's stack. False: it is no such slot.
bool ObjectNames::StackName(const gc::Word* slot, ReferenceName* name) {
  const Coroutine* co = state_.running();
  while (co != nullptr && (slot < co->stack || slot >= co->stack + co->stack_size)) {
    co = co->resumer;
  }
  if (co == nullptr) {
    *name = Property("stack");
    return false;
  }
  const auto at = static_cast<uint32_t>(slot - co->stack);
  *name = Property("stack");
  for (uint32_t i = co->frame_count; i > 0; --i) {
    const Frame& frame = co->frames[i - 1];
    if (at == frame.function) *name = Property("running function");
    if (at < frame.base) continue;
    const LocalSlot local = FindLocal(co, i - 1, int64_t{at} - frame.base + 1);
    if (frame.code != nullptr && !local.name.empty()) {
      *name = Property(Concat(local.name, " of ", CodeName(frame.code)));
    }
    return true;
  }
  return true;
}

}  // namespace neap::vm
