// SPDX-License-Identifier: MIT
//
// Values as bytes: the encoding of LuaJIT's string.buffer (its documentation, "Serialization
// Format Specification"), of nil, booleans, numbers, strings, tables of those without metatables.
//
//    00 nil, 01 false, 02 true          U   one, two or five bytes: counts
//    06 int32   07 double   10 int64    20 + length as U, bytes: a string
//    08 an empty table                  0c count + 1 as U: elements 1, 2, ...
//    09 U: pairs                        0d both counts, elements, pairs
//
// Numbers are little endian. What LuaJIT makes of its own types (cdata, dictionaries, zero-based
// arrays) is decoded where Lua has such values: arrays from 0, unsigned integers within 63 bits.
#ifndef NEAP_VM_LIBRARY_STRING_ENCODING_H_
#define NEAP_VM_LIBRARY_STRING_ENCODING_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "interpreter/native_call.h"

namespace neap::vm {

// Appends argument `i`. False: the error is set. A safepoint.
[[nodiscard]] bool EncodeArgument(NativeCall& call, int i, std::string* out);
// Pushes the value at the beginning of the bytes, which lie outside the heap; `*used`: how many it
// took. False: the error is set. A safepoint.
[[nodiscard]] bool DecodeAndPush(NativeCall& call, std::string_view bytes, size_t* used);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_STRING_ENCODING_H_
