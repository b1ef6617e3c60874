// SPDX-License-Identifier: MIT
//
// Files of scripts: a userdata around a FILE*.
//
//   made (closed) -> opened -> closed
//
// A userdata is made before its file is opened, so that running out of memory cannot leak a FILE.
// The payload never moves: a ScriptFile* is good while the userdata is reachable, across safepoints
// as well.
#ifndef NEAP_VM_LIBRARY_IO_FILE_H_
#define NEAP_VM_LIBRARY_IO_FILE_H_

#include <cstdio>

#include "interpreter/native_call.h"

namespace neap::vm {

struct ScriptFile {
  enum class Closing : uint8_t {
    kFile,      // fclose
    kPipe,      // pclose; the result is that of the command
    kStandard,  // refused: stays open
  };
  FILE* file;  // null: closed
  Closing closing;
  bool may_block;  // no regular file: reading gives the processor up

  bool is_closed() const { return file == nullptr; }
  void Open(FILE* opened, Closing how);
};

inline constexpr const char* kFileTypeName = "FILE*";  // in the registry: the metatable
inline constexpr const char* kDefaultInput = "_IO_input";
inline constexpr const char* kDefaultOutput = "_IO_output";

// Pushes a closed file. False: no memory.
[[nodiscard]] bool PushNewFile(NativeCall& call, ScriptFile** file);
// Makes the metatable with these methods. (OpenIo)
[[nodiscard]] bool MakeFileMetatable(State& state, const NativeEntry* methods);

// Argument i is a file, perhaps a closed one; an open one. False: the error is set.
[[nodiscard]] bool CheckFile(NativeCall& call, int i, ScriptFile** file);
[[nodiscard]] bool CheckOpenFile(NativeCall& call, int i, ScriptFile** file);
// Null: the value is no file.
ScriptFile* AsFile(Value v);
// The default file under this name of the registry, open.
[[nodiscard]] bool GetDefaultFile(NativeCall& call, const char* name, ScriptFile** file);
// Pushes a file opened by fopen; "cannot open file 'x' (...)" is an error.
[[nodiscard]] bool PushOpenedFile(NativeCall& call, const std::string& name, const char* mode);
// Closes it and returns what `close` returns.
NativeResult CloseFile(NativeCall& call, ScriptFile* file);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_IO_FILE_H_
