// SPDX-License-Identifier: MIT
//
// All standard libraries, or those of a sandbox, into the globals of a state.
#include "interpreter/native_call.h"
#include "library/base_parts.h"
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
    {"_G", OpenBase, true},
    {"package", OpenPackage, false},
    {"coroutine", OpenCoroutine, true},
    {"table", OpenTable, true},
    {"io", OpenIo, false},
    {"os", OpenOs, false},
    {"string", OpenString, true},
    {"math", OpenMath, true},
    {"utf8", OpenUtf8, true},
    {"debug", OpenDebug, false},
    {"buffer", OpenBuffer, true},
    {"neap", OpenNeap, false},
    {"soa", OpenSoa, true},
    {"sync", OpenSync, true},
};

// What the libraries of a sandbox have beside: ways to code that nobody has read, to files, and to
// the collector of other VMs.
constexpr const char* kNotInSandbox[] = {"dofile", "load", "loadfile", "require"};

// What other Luas have as modules is also a field of a library here.
struct Module {
  const char* name;
  const char* library;
  const char* field;
};
constexpr Module kModules[] = {
    {"string.buffer", "string", "buffer"},
    {"table.clear", "table", "clear"},
    {"table.new", "table", "new"},
};

// The loader of such a module.
NativeResult ReturnModule(NativeCall& call) { return call.ReturnValue(call.upvalue(1)); }

bool AddModules(State& state) {
  state.Push(RawField(state, state.globals(), "string"));
  if (!OpenStringBuffer(state) || !SetFieldFromTop(state, "buffer")) return false;
  state.Pop(1);
  if (!PushRegistryTable(state, "_PRELOAD")) return false;
  for (const Module& module : kModules) {
    const Value library = RawField(state, state.globals(), module.library);
    state.Push(RawField(state, AsTable(library), module.field));
    if (!PushClosure(state, ReturnModule, 1) || !SetFieldFromTop(state, module.name)) return false;
  }
  state.Pop(1);
  return true;
}

void RemoveField(State& state, Table* table, std::string_view name) {
  String* atom = state.objects().atoms().Find(name);
  if (atom == nullptr) return;  // no table has such a key
  // Setting nil neither fails nor allocates.
  (void)RawSet(state.objects(), table, Value::FromObject(atom), Value::Nil());
}

bool TrimForSandbox(State& state) {
  for (const char* name : kNotInSandbox) RemoveField(state, state.globals(), name);
  const Value strings = RawField(state, state.globals(), "string");
  if (IsTable(strings)) RemoveField(state, AsTable(strings), "dump");
  NativeClosure* closure = NewNativeClosure(state, BaseCollectGarbageInSandbox);
  if (closure == nullptr) return state.MemoryError();
  state.Push(state.globals_value());
  state.Push(Value::FromObject(closure));
  if (!SetFieldFromTop(state, "collectgarbage")) return false;
  state.Pop(1);
  return true;
}

}  // namespace

bool OpenLibraries(State& state, LibrarySet set) {
  if (!state.EnsureSlots(12)) return false;
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
  return AddModules(state) && (set == LibrarySet::kAll || TrimForSandbox(state));
}

}  // namespace neap::vm
