// SPDX-License-Identifier: MIT
//
// What the collector knows of each kind of object. Kinds that vary in size are one type per size,
// with their slots in a row: the collector then reads neither a length nor the object's parts.
//
//   Y1  Words that are no values (native code addresses, packed counters) stand outside every range
//       of slots: a word counts as a reference when it happens to lie in the heap's range.
//   Y2  Strings, boxed integers and light userdata are values: weak slots hold them strongly.
#include "types.h"

#include "boxes.h"
#include "function.h"
#include "neap/runtime/check.h"
#include "table.h"
#include "transitions.h"
#include "userdata.h"
#include "weak_parts.h"

namespace neap::vm {
namespace {

using gc::Layout;
using gc::TypeDescriptor;

// A bitmap covers 64 words; a closure that comes near is described as "slots to its end".
constexpr int kMaxBitmapUpvalues = 60;

constexpr uint64_t Ones(int count) { return (uint64_t{1} << count) - 1; }

void RegisterRow(gc::TypeId id, const char* name, size_t bytes, int skipped_words, int slots) {
  TypeDescriptor type = {.name = name, .base_bytes = static_cast<uint32_t>(bytes)};
  if (slots == 0) return gc::RegisterTypeAs(id, type);
  if (slots <= kMaxBitmapUpvalues + 1) {
    type.layout = Layout::kBitmap;
    type.slot_bitmap = Ones(slots) << skipped_words;
  } else {
    type.layout = Layout::kSlots;
    type.first_slot_bytes =
        static_cast<uint32_t>(sizeof(Object) + sizeof(Word) * static_cast<size_t>(skipped_words));
  }
  gc::RegisterTypeAs(id, type);
}

void RegisterRanges() {
  for (int n = 0; n <= kMaxInlineFields; ++n) {
    RegisterRow(static_cast<gc::TypeId>(kTableType + n), "table", Table::BytesFor(n), 0, 3 + n);
  }
  for (int n = 0; n <= kCommonUpvalues; ++n) {
    RegisterLuaClosureType(n);
    RegisterNativeClosureType(n);
  }
}

// --- Values --------------------------------------------------------------------------------------

void RegisterValues() {
  TypeDescriptor string = {.base_bytes = sizeof(String) + 1, .element_shift = 0, .is_value = true};
  string.name = "string";
  gc::RegisterTypeAs(kStringType, string);
  string.name = "atom";
  gc::RegisterTypeAs(kAtomType, string);
  gc::RegisterTypeAs(
      kBoxedIntegerType,
      {.name = "boxed integer", .base_bytes = sizeof(BoxedInteger), .is_value = true});
  gc::RegisterTypeAs(
      kLightUserdataType,
      {.name = "light userdata", .base_bytes = sizeof(LightUserdata), .is_value = true});
}

// --- Userdata and upvalues -----------------------------------------------------------------------

void TraceUserdata(gc::Object* object, gc::Tracer& tracer) {
  auto* userdata = static_cast<Userdata*>(object);
  tracer.VisitSlot(userdata->metatable.slot());
  tracer.VisitSlot(&userdata->user_values);
}

size_t UserdataOffHeapBytes(const gc::Object* object) {
  return static_cast<const Userdata*>(object)->off_heap_bytes;
}

void DropUserdata(gc::Object* object) {
  auto* userdata = static_cast<Userdata*>(object);
  if (userdata->drop != nullptr) userdata->drop(userdata->payload());
}

void RegisterOthers() {
  gc::RegisterTypeAs(kUserdataType, {.name = "userdata",
                                     .layout = Layout::kCustom,
                                     .base_bytes = static_cast<uint32_t>(Userdata::Offset()),
                                     .element_shift = 0,
                                     .trace = TraceUserdata,
                                     .off_heap_bytes = UserdataOffHeapBytes,
                                     .drop = DropUserdata});
  gc::RegisterTypeAs(kUpvalueType, {.name = "upvalue",
                                    .layout = Layout::kBitmap,
                                    .base_bytes = sizeof(Upvalue),
                                    .slot_bitmap = Ones(2)});
}

// --- Parts of tables -----------------------------------------------------------------------------

void RegisterShapes() {
  gc::RegisterTypeAs(kShapeType, {.name = "shape",
                                  .layout = Layout::kBitmap,
                                  .base_bytes = sizeof(Shape),
                                  .slot_bitmap = Ones(6)});
  gc::RegisterTypeAs(kTransitionsType, {.name = "transitions",
                                        .layout = Layout::kCustom,
                                        .base_bytes = sizeof(Transitions),
                                        .element_shift = 3,
                                        .trace = TraceTransitions,
                                        .has_weak_slots = true});
}

// The dictionary's `index` is the first of its slots.
constexpr uint32_t kDictionaryBase = sizeof(Dictionary) - sizeof(Word);

void RegisterTableParts() {
  const auto register_slots = [](gc::TypeId id, const char* name, uint32_t base) {
    gc::RegisterTypeAs(id, {.name = name,
                            .layout = Layout::kSlots,
                            .base_bytes = base,
                            .element_shift = 3,
                            .first_slot_bytes = base});
  };
  register_slots(kArrayPartType, "array part", sizeof(ArrayPart));
  register_slots(kFieldStorageType, "fields", sizeof(FieldStorage));
  register_slots(kDictionaryType, "dictionary", kDictionaryBase);
  const auto register_weak = [](gc::TypeId id, const char* name, uint32_t base,
                                void (*trace)(gc::Object*, gc::Tracer&)) {
    gc::RegisterTypeAs(id, {.name = name,
                            .layout = Layout::kCustom,
                            .base_bytes = base,
                            .element_shift = 3,
                            .trace = trace,
                            .has_weak_slots = true});
  };
  register_weak(kWeakArrayPartType, "weak array part", sizeof(ArrayPart), TraceWeakArrayPart);
  register_weak(kWeakDictionaryType, "weak dictionary", kDictionaryBase, TraceWeakDictionary);
}

}  // namespace

void RegisterTypes() {
  [[maybe_unused]] static const bool done = [] {
    RegisterRanges();
    RegisterValues();
    RegisterOthers();
    RegisterShapes();
    RegisterTableParts();
    return true;
  }();
}

void RegisterLuaClosureType(int upvalues) {
  RegisterRow(static_cast<gc::TypeId>(kLuaClosureType + upvalues), "closure",
              LuaClosure::BytesFor(upvalues), 0, 1 + upvalues);
}

void RegisterNativeClosureType(int values) {
  RegisterRow(static_cast<gc::TypeId>(kNativeClosureType + values), "native closure",
              NativeClosure::BytesFor(values), 1, values);
}

// --- Lua's types ---------------------------------------------------------------------------------

LuaType TypeOf(Value v) {
  if (v.is_inline_number()) return LuaType::kNumber;
  if (!v.is_object()) return v.is_nil() ? LuaType::kNil : LuaType::kBoolean;
  const gc::TypeId type = v.type();
  if (IsTableType(type)) return LuaType::kTable;
  if (IsStringType(type)) return LuaType::kString;
  if (IsLuaClosureType(type) || IsNativeClosureType(type)) return LuaType::kFunction;
  switch (type) {
    case kBoxedIntegerType:
      return LuaType::kNumber;
    case kLightUserdataType:
      return LuaType::kLightUserdata;
    case kUserdataType:
      return LuaType::kUserdata;
    case kCoroutineType:
      return LuaType::kThread;
    default:
      NEAP_CHECK(false, "Y3: only objects that scripts see are asked for their type", "type=%x",
                 type);
  }
}

const char* TypeName(LuaType type) {
  static constexpr const char* kNames[] = {
#define NEAP_VM_NAME(name, text) text,
      NEAP_VM_LUA_TYPES(NEAP_VM_NAME)
#undef NEAP_VM_NAME
  };
  static_assert(sizeof(kNames) / sizeof(kNames[0]) == kLuaTypes);
  return kNames[static_cast<int>(type)];
}

}  // namespace neap::vm
