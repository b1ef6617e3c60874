// SPDX-License-Identifier: MIT
//
// String arguments as copies outside the heap, for code that reaches safepoints or calls the
// system. False: the error is set.
#ifndef NEAP_VM_LIBRARY_TEXT_ARGUMENT_H_
#define NEAP_VM_LIBRARY_TEXT_ARGUMENT_H_

#include <string>

#include "interpreter/native_call.h"

namespace neap::vm {

[[nodiscard]] inline bool CheckText(NativeCall& call, int i, std::string* text) {
  String* ignored = nullptr;
  if (!call.CheckString(i, &ignored)) return false;
  *text = call.text(i);
  return true;
}

// Keeps `*text` when there is none, or nil.
[[nodiscard]] inline bool OptText(NativeCall& call, int i, std::string* text) {
  return call.is_none_or_nil(i) || CheckText(call, i, text);
}

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_TEXT_ARGUMENT_H_
