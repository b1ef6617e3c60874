// SPDX-License-Identifier: MIT
//
// The kinds of heap objects of a Lua VM, with ids that are known at compile time: a type test is a
// comparison with a constant, and the kinds that vary in size (tables by inline fields, closures by
// upvalues) are ranges of ids, so that the collector knows every size from the id alone.
#ifndef NEAP_VM_OBJECTS_TYPES_H_
#define NEAP_VM_OBJECTS_TYPES_H_

#include <cstdint>

#include "neap/gc/type.h"
#include "value.h"

namespace neap::vm {

// Inline fields of a table: more go to its field storage.
inline constexpr int kMaxInlineFields = 31;
// Upvalues of a closure (the reference implementation's limit).
inline constexpr int kMaxUpvalues = 255;

// Each of these has a range of 256 ids to itself (Object::type_range).
// 0x8000 + n: a table with room for n fields.
inline constexpr gc::TypeId kTableType = 0x8000;
// 0x8100 + n: a Lua closure with n upvalues. 0x8200 + n: a native one.
inline constexpr gc::TypeId kLuaClosureType = 0x8100;
inline constexpr gc::TypeId kNativeClosureType = 0x8200;

enum : gc::TypeId {
  kStringType = 0x8300,  // any string ...
  kAtomType,             // ... and the one of its text that stands for all as a key
  kBoxedIntegerType,
  kLightUserdataType,
  kUserdataType,
  kCoroutineType,
  kUpvalueType,
  kPrototypeType,
  kShapeType,
  kTransitionsType,
  kArrayPartType,
  kFieldStorageType,
  kDictionaryType,
  kWeakArrayPartType,  // of tables with __mode; see weak_parts.cc
  kWeakDictionaryType,
};

// Registers them all, closures up to kCommonUpvalues; safe to call often, from any thread.
void RegisterTypes();
// Closures with more get their type before the first one is made. Safe to call often, too.
inline constexpr int kCommonUpvalues = 15;
void RegisterLuaClosureType(int upvalues);
void RegisterNativeClosureType(int values);

constexpr bool IsTableType(gc::TypeId type) { return type >> 8 == kTableType >> 8; }
constexpr bool IsLuaClosureType(gc::TypeId type) { return type >> 8 == kLuaClosureType >> 8; }
constexpr bool IsNativeClosureType(gc::TypeId type) { return type >> 8 == kNativeClosureType >> 8; }
constexpr bool IsStringType(gc::TypeId type) { return (type | 1) == kAtomType; }
static_assert((kStringType & 1) == 0 && kAtomType == kStringType + 1);

inline bool IsInRange(Value v, gc::TypeId first) {
  return v.is_object() && v.object()->type_range() == first >> 8;
}
inline bool IsTable(Value v) { return IsInRange(v, kTableType); }
inline bool IsString(Value v) { return v.is_object() && IsStringType(v.type()); }
inline bool IsAtom(Value v) { return v.is_object_of(kAtomType); }
inline bool IsLuaClosure(Value v) { return IsInRange(v, kLuaClosureType); }
inline bool IsNativeClosure(Value v) { return IsInRange(v, kNativeClosureType); }
inline bool IsFunction(Value v) { return IsLuaClosure(v) || IsNativeClosure(v); }
inline bool IsCoroutine(Value v) { return v.is_object_of(kCoroutineType); }
inline bool IsUserdata(Value v) { return v.is_object_of(kUserdataType); }
inline bool IsLightUserdata(Value v) { return v.is_object_of(kLightUserdataType); }
inline bool IsBoxedInteger(Value v) { return v.is_object_of(kBoxedIntegerType); }

// Lua's types, in the order of the reference implementation's tags.
#define NEAP_VM_LUA_TYPES(X)    \
  X(kNil, "nil")                \
  X(kBoolean, "boolean")        \
  X(kLightUserdata, "userdata") \
  X(kNumber, "number")          \
  X(kString, "string")          \
  X(kTable, "table")            \
  X(kFunction, "function")      \
  X(kUserdata, "userdata")      \
  X(kThread, "thread")

enum class LuaType : uint8_t {
#define NEAP_VM_DEFINE(name, text) name,
  NEAP_VM_LUA_TYPES(NEAP_VM_DEFINE)
#undef NEAP_VM_DEFINE
};
inline constexpr int kLuaTypes = 9;

LuaType TypeOf(Value v);
const char* TypeName(LuaType type);

}  // namespace neap::vm

#endif  // NEAP_VM_OBJECTS_TYPES_H_
