// SPDX-License-Identifier: MIT
//
// The standard libraries (manual 6). Each Open function makes its library and pushes its table on
// the running native frame; OpenBase pushes the table of globals. Base comes first: it makes the
// registry's table of loaded modules' home, `_G`. False: no memory, the error is set.
#ifndef NEAP_VM_LIBRARY_LIBRARY_H_
#define NEAP_VM_LIBRARY_LIBRARY_H_

#include <cstdint>

namespace neap::vm {

class State;

[[nodiscard]] bool OpenBase(State& state);
[[nodiscard]] bool OpenCoroutine(State& state);
[[nodiscard]] bool OpenDebug(State& state);
[[nodiscard]] bool OpenIo(State& state);
[[nodiscard]] bool OpenMath(State& state);
[[nodiscard]] bool OpenOs(State& state);
[[nodiscard]] bool OpenPackage(State& state);
[[nodiscard]] bool OpenString(State& state);
[[nodiscard]] bool OpenTable(State& state);
[[nodiscard]] bool OpenUtf8(State& state);
// Beyond the manual; vm/library/meta/*.lua tell scripts of them.
[[nodiscard]] bool OpenBuffer(State& state);
[[nodiscard]] bool OpenNeap(State& state);
[[nodiscard]] bool OpenSoa(State& state);
[[nodiscard]] bool OpenStringBuffer(State& state);  // the field `buffer` of string
[[nodiscard]] bool OpenSync(State& state);

// All of them into the globals and package.loaded; kSandbox: those that reach nothing outside of
// the state: no io, os, package, debug, neap, nothing that loads code (load, loadfile, dofile,
// require, string.dump), and a collectgarbage that only counts.
enum class LibrarySet : uint8_t { kAll, kSandbox };
[[nodiscard]] bool OpenLibraries(State& state, LibrarySet set);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_LIBRARY_H_
