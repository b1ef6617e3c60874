// SPDX-License-Identifier: MIT
//
// The standard library (manual 6). Each function pushes the table of its library on the running
// native frame; the caller makes it a global and a loaded module. False: the error is set.
#ifndef NEAP_VM_LIBRARY_LIBRARY_H_
#define NEAP_VM_LIBRARY_LIBRARY_H_

namespace neap::vm {

class State;

// Basic functions (manual 6.1): fills the table of globals, and pushes that.
[[nodiscard]] bool OpenBase(State& state);
// Coroutine manipulation (manual 6.2).
[[nodiscard]] bool OpenCoroutine(State& state);
// Modules: package and the global require (manual 6.3).
[[nodiscard]] bool OpenPackage(State& state);
// String manipulation (manual 6.4); sets the metatable of strings.
[[nodiscard]] bool OpenString(State& state);
// UTF-8 support (manual 6.5).
[[nodiscard]] bool OpenUtf8(State& state);
// Table manipulation (manual 6.6), and table.create of Lua 5.5.
[[nodiscard]] bool OpenTable(State& state);
// Mathematical functions (manual 6.7).
[[nodiscard]] bool OpenMath(State& state);
// Input and output (manual 6.8).
[[nodiscard]] bool OpenIo(State& state);
// Operating system facilities (manual 6.9).
[[nodiscard]] bool OpenOs(State& state);
// The debug library (manual 6.10).
[[nodiscard]] bool OpenDebug(State& state);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_LIBRARY_H_
