// SPDX-License-Identifier: MIT
//
// Modules (manual 6.3): require and its four searchers, all closures over the table `package`,
// whose fields scripts may replace. Dynamic libraries are not loaded: a native module that is found
// is an error that says so, and loadlib answers "absent".
#include <cstring>
#include <string>

#include "library/file_text.h"
#include "library/library.h"
#include "library/native_setup.h"
#include "library/package_paths.h"
#include "library/text_argument.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr const char* kLoaded = "_LOADED";
constexpr const char* kPreload = "_PRELOAD";
constexpr const char* kNoEnvironment = "LUA_NOENV";  // of the registry: `neap -E`
constexpr const char* kNoLibraries = "dynamic libraries not enabled; check your Lua installation";

// --- Searchers -----------------------------------------------------------------------------------

bool ModuleError(NativeCall& call, std::string_view name, std::string_view file,
                 std::string_view why) {
  return call.Error(Concat("error loading module '", name, "' from file '", file, "':\n\t", why));
}

enum class Search : uint8_t { kFound, kNotFound, kError };

// `field` of the table package is the path. kNotFound: `*result` is a message.
Search FindFile(NativeCall& call, std::string_view name, std::string_view field,
                std::string* result) {
  if (!call.state().PushField(call.upvalue(1), field)) return Search::kError;
  const Value path = call.top();
  if (!IsString(path) && !IsNumber(path)) {
    call.Error(Concat("'package.", field, "' must be a string"));
    return Search::kError;
  }
  const std::string text = State::TextOf(path);
  call.Pop();
  return SearchPath(name, text, ".", "/", result) ? Search::kFound : Search::kNotFound;
}

NativeResult SearchPreload(NativeCall& call) {
  std::string name;
  if (!CheckText(call, 1, &name)) return call.Failed();
  if (!PushRegistryTable(call.state(), kPreload)) return call.Failed();
  if (!call.state().PushField(call.top(), name)) return call.Failed();
  if (call.top().is_nil()) {
    return call.ReturnIf(call.PushString(Concat("no field package.preload['", name, "']")));
  }
  return call.ReturnIf(call.PushString(":preload:"), 2);
}

NativeResult SearchLua(NativeCall& call) {
  std::string name;
  std::string file;
  if (!CheckText(call, 1, &name)) return call.Failed();
  const Search search = FindFile(call, name, "path", &file);
  if (search == Search::kError) return call.Failed();
  if (search == Search::kNotFound) return call.ReturnIf(call.PushString(file));
  if (LoadFile(call.state(), file.c_str(), "bt")) return call.ReturnIf(call.PushString(file), 2);
  State& state = call.state();
  if (state.error_kind() == ErrorKind::kStop) return call.Failed();
  const Value error = state.error();
  const std::string why = IsString(error) ? State::TextOf(error) : "?";
  state.ClearError();
  return call.ReturnIf(ModuleError(call, name, file, why));
}

NativeResult SearchNativeFile(NativeCall& call, std::string_view name, std::string_view module) {
  std::string file;
  const Search search = FindFile(call, name, "cpath", &file);
  if (search == Search::kError) return call.Failed();
  if (search == Search::kNotFound) return call.ReturnIf(call.PushString(file));
  return call.ReturnIf(ModuleError(call, module, file, kNoLibraries));
}

NativeResult SearchNative(NativeCall& call) {
  std::string name;
  if (!CheckText(call, 1, &name)) return call.Failed();
  return SearchNativeFile(call, name, name);
}

// The library of the name up to its first dot may hold several modules.
NativeResult SearchNativeRoot(NativeCall& call) {
  std::string name;
  if (!CheckText(call, 1, &name)) return call.Failed();
  const size_t dot = name.find('.');
  if (dot == std::string::npos) return call.Return(0);
  return SearchNativeFile(call, name.substr(0, dot), name);
}

// --- require -------------------------------------------------------------------------------------

// Pushes the loader and its data. The table of searchers is on top.
bool FindLoader(NativeCall& call, const std::string& name) {
  State& state = call.state();
  std::string tried;
  for (int64_t i = 1;; ++i) {
    const Value searcher = RawGetInteger(call.objects(), AsTable(call.top()), i);
    if (searcher.is_nil()) return call.Error(Concat("module '", name, "' not found:", tried));
    call.Push(searcher);
    call.Push(call.arg(1));
    if (!state.Call(1, 2)) return false;
    const Value result = call.top(2);
    if (IsFunction(result)) return true;
    if (IsString(result) || IsNumber(result)) tried += Concat("\n\t", State::TextOf(result));
    call.Pop(2);
  }
}

// Table of loaded modules, searchers | loader, data -> the same and data, result of the loader.
bool RunLoader(NativeCall& call) {
  const Value loader = call.top(2);
  const Value data = call.top(1);
  call.Pop(2);
  call.Push(data);
  call.Push(loader);
  call.Push(call.arg(1));
  call.Push(data);
  return call.Call(2, 1);
}

// The value of the module: what the loader returned, or set; true when neither. Pushes it.
bool PushModule(NativeCall& call, Value loaded, Value result) {
  State& state = call.state();
  call.Push(loaded);
  if (!result.is_nil() && !state.SetIndex(loaded, call.arg(1), result)) return false;
  if (!state.PushIndex(call.top(), call.arg(1))) return false;
  if (!call.top().is_nil()) return true;
  call.Pop();
  const Value table = call.top();
  call.PushBoolean(true);
  return state.SetIndex(table, call.arg(1), call.top());
}

NativeResult Require(NativeCall& call) {
  State& state = call.state();
  std::string name;
  if (!CheckText(call, 1, &name)) return call.Failed();
  if (!PushRegistryTable(state, kLoaded)) return call.Failed();
  if (!state.PushIndex(call.top(), call.arg(1))) return call.Failed();
  if (call.top().is_truthy()) return call.Return(1);
  call.Pop();
  if (!state.PushField(call.upvalue(1), "searchers")) return call.Failed();
  if (!IsTable(call.top())) {
    return call.ReturnIf(call.Error("'package.searchers' must be a table"));
  }
  if (!FindLoader(call, name) || !RunLoader(call)) return call.Failed();
  // loaded, searchers, data, result
  if (!PushModule(call, call.top(4), call.top(1))) return call.Failed();
  const Value module = call.top();
  // ..., data, result, loaded, module
  call.Push(module);
  call.Push(call.top(5));
  return call.Return(2);
}

// --- The table -----------------------------------------------------------------------------------

NativeResult LoadLibrary(NativeCall& call) {
  String* ignored = nullptr;
  if (!call.CheckString(1, &ignored) || !call.CheckString(2, &ignored)) return call.Failed();
  call.PushNil();
  return call.ReturnIf(call.PushString(kNoLibraries) && call.PushString("absent"), 3);
}

NativeResult SearchPathFunction(NativeCall& call) {
  String* ignored = nullptr;
  std::string separator = ".";
  std::string replacement = "/";
  if (!call.CheckString(1, &ignored) || !call.CheckString(2, &ignored) ||
      !OptText(call, 3, &separator) || !OptText(call, 4, &replacement)) {
    return call.Failed();
  }
  std::string result;
  if (SearchPath(call.text(1), call.text(2), separator, replacement, &result)) {
    return call.ReturnIf(call.PushString(result));
  }
  call.PushNil();
  return call.ReturnIf(call.PushString(result), 2);
}

constexpr NativeEntry kFunctions[] = {
    {"loadlib", LoadLibrary},
    {"searchpath", SearchPathFunction},
    {nullptr, nullptr},
};
constexpr NativeFunction kSearchers[] = {SearchPreload, SearchLua, SearchNative, SearchNativeRoot};

// Below: the table package is on top.

bool SetPath(State& state, const char* field, const char* variable, const char* otherwise) {
  const bool is_ignored = RawField(state, state.registry(), kNoEnvironment).is_truthy();
  return SetTextField(state, field,
                      is_ignored ? otherwise : PathFromEnvironment(variable, otherwise));
}

bool SetSearchers(State& state) {
  if (!PushNewTable(state)) return false;
  for (size_t i = 0; i < std::size(kSearchers); ++i) {
    state.Push(state.FromTop(2));
    if (!PushClosure(state, kSearchers[i], 1)) return false;
    const auto key = static_cast<int64_t>(i + 1);
    Table* table = AsTable(state.FromTop(2));
    if (!RawSetInteger(state.objects(), table, key, state.FromTop(1))) return state.MemoryError();
    state.Pop(1);
  }
  return SetFieldFromTop(state, "searchers");
}

bool SetRequire(State& state) {
  state.Push(state.globals_value());
  state.Push(state.FromTop(2));
  if (!PushClosure(state, Require, 1) || !SetFieldFromTop(state, "require")) return false;
  state.Pop(1);
  return true;
}

}  // namespace

bool OpenPackage(State& state) {
  if (!PushNewTable(state) || !SetFunctions(state, kFunctions) || !SetSearchers(state)) {
    return false;
  }
  if (!SetPath(state, "path", "LUA_PATH", kDefaultLuaPath) ||
      !SetPath(state, "cpath", "LUA_CPATH", kDefaultNativePath) ||
      !SetTextField(state, "config", "/\n;\n?\n!\n-\n")) {
    return false;
  }
  return PushRegistryTable(state, kLoaded) && SetFieldFromTop(state, "loaded") &&
         PushRegistryTable(state, kPreload) && SetFieldFromTop(state, "preload") &&
         SetRequire(state);
}

}  // namespace neap::vm
