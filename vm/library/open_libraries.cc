// SPDX-License-Identifier: MIT
//
// All standard libraries, or those of a sandbox, into the globals of a state.
#include "interpreter/native_call.h"
#include "library/library.h"
#include "library/native_setup.h"

namespace neap::vm {
namespace {

struct Library {
  const char* name;
  bool (*open)(State& state);
  bool in_sandbox;
};

constexpr Library kLibraries[] = {
    {"_G", OpenBase, true},           {"package", OpenPackage, false},
    {"coroutine", OpenCoroutine, true}, {"table", OpenTable, true},
    {"io", OpenIo, false},            {"os", OpenOs, false},
    {"string", OpenString, true},     {"math", OpenMath, true},
    {"utf8", OpenUtf8, true},         {"debug", OpenDebug, false},
};

}  // namespace

bool OpenLibraries(State& state, LibrarySet set) {
  if (!state.EnsureSlots(8)) return false;
  for (const Library& library : kLibraries) {
    if (set == LibrarySet::kSandbox && !library.in_sandbox) continue;
    if (!library.open(state)) return false;
    state.Push(state.globals_value());
    state.Push(state.FromTop(2));
    if (!SetFieldFromTop(state, library.name)) return false;
    state.Pop(1);
    if (!PushRegistryTable(state, "_LOADED")) return false;
    state.Push(state.FromTop(2));
    if (!SetFieldFromTop(state, library.name)) return false;
    state.Pop(2);
  }
  return true;
}

}  // namespace neap::vm
