// SPDX-License-Identifier: MIT
//
// What the libraries do over and over when they build their tables. Everything works on the running
// native frame's stack, is a safepoint, and returns false with the error set.
#ifndef NEAP_VM_LIBRARY_NATIVE_SETUP_H_
#define NEAP_VM_LIBRARY_NATIVE_SETUP_H_

#include <string_view>

#include "interpreter/native_call.h"

namespace neap::vm {

// Replaces the `values` values on top by a native closure that owns them.
[[nodiscard]] bool PushClosure(State& state, NativeFunction function, int values);
// Pushes an empty table.
[[nodiscard]] bool PushNewTable(State& state);
// Pushes a string; `text` lies outside the heap.
[[nodiscard]] bool PushText(State& state, std::string_view text);
// Sets field `name` of the table on top.
[[nodiscard]] bool SetTextField(State& state, std::string_view name, std::string_view text);
[[nodiscard]] bool SetIntegerField(State& state, std::string_view name, int64_t i);
[[nodiscard]] bool SetBooleanField(State& state, std::string_view name, bool b);
// Pushes field `name` of the registry; a new table, stored there, when it is none yet.
[[nodiscard]] bool PushRegistryTable(State& state, std::string_view name);
// Stores a metatable of userdata in the registry under `type_name`, which is its __name: `methods`
// are its __index, unless it has a metamethod of that name. Pushes nothing.
[[nodiscard]] bool MakeMetatable(State& state, std::string_view type_name,
                                 const NativeEntry* methods, const NativeEntry* metamethods);
// The field, without metamethods; nil: none. (no safepoint)
Value RawField(State& state, const Table* table, std::string_view name);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_NATIVE_SETUP_H_
