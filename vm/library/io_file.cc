// SPDX-License-Identifier: MIT
//
// io_file.h.
#include "library/io_file.h"

#include <sys/stat.h>

#include <cstring>

#include "interpreter/userdata_maker.h"
#include "library/native_setup.h"
#include "library/system_result.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr char kFileTag = 0;  // its address is the tag
constexpr std::string_view kRegistryPrefix = "_IO_";

NativeResult Collected(NativeCall& call) {
  ScriptFile* file = nullptr;
  if (!CheckFile(call, 1, &file)) return call.Failed();
  if (file->is_closed()) return call.Return(0);
  if (CloseFile(call, file) == NativeResult::kError) return call.Failed();
  return call.Return(0);
}

NativeResult FileToString(NativeCall& call) {
  ScriptFile* file = nullptr;
  if (!CheckFile(call, 1, &file)) return call.Failed();
  if (file->is_closed()) return call.ReturnIf(call.PushString("file (closed)"));
  char text[40];
  std::snprintf(text, sizeof(text), "file (%p)", static_cast<void*>(file->file));
  return call.ReturnIf(call.PushString(text));
}

constexpr NativeEntry kMetamethods[] = {
    {"__gc", Collected},
    {"__close", Collected},
    {"__tostring", FileToString},
    {nullptr, nullptr},
};

// Waits for the command of a pipe.
int ClosePipe(gc::Mutator& m, FILE* file, int* error) {
  gc::BlockingRegion region(m);
  errno = 0;
  const int status = pclose(file);
  *error = errno;
  return status;
}

}  // namespace

void ScriptFile::Open(FILE* opened, Closing how) {
  struct stat facts = {};
  file = opened;
  closing = how;
  may_block = fstat(fileno(opened), &facts) != 0 || !S_ISREG(facts.st_mode);
}

bool PushNewFile(NativeCall& call, ScriptFile** file) {
  State& state = call.state();
  Userdata* userdata = NewUserdata(state, sizeof(ScriptFile), 0);
  if (userdata == nullptr) return state.MemoryError();
  call.Push(Value::FromObject(userdata));
  *file = new (userdata->payload()) ScriptFile();
  userdata->tag = reinterpret_cast<uint64_t>(&kFileTag);
  const Value metatable = RawField(state, state.registry(), kFileTypeName);
  if (!IsTable(metatable)) return true;  // somebody emptied the registry
  call.mutator().Store(userdata, userdata->metatable.slot(), metatable.word());
  state.RegisterFinalizer(userdata);
  return true;
}

bool MakeFileMetatable(State& state, const NativeEntry* methods) {
  state.Push(state.registry_value());
  if (!PushNewTable(state) || !SetFunctions(state, kMetamethods) ||
      !SetTextField(state, "__name", kFileTypeName)) {
    return false;
  }
  if (!PushNewTable(state) || !SetFunctions(state, methods) || !SetFieldFromTop(state, "__index") ||
      !SetFieldFromTop(state, kFileTypeName)) {
    return false;
  }
  state.Pop(1);
  return true;
}

ScriptFile* AsFile(Value v) {
  if (!IsUserdata(v)) return nullptr;
  Userdata* userdata = AsUserdata(v);
  if (userdata->tag != reinterpret_cast<uint64_t>(&kFileTag)) return nullptr;
  return static_cast<ScriptFile*>(userdata->payload());
}

bool CheckFile(NativeCall& call, int i, ScriptFile** file) {
  void* payload = nullptr;
  if (!call.CheckUserdata(i, &kFileTag, kFileTypeName, &payload)) return false;
  *file = static_cast<ScriptFile*>(payload);
  return true;
}

bool CheckOpenFile(NativeCall& call, int i, ScriptFile** file) {
  if (!CheckFile(call, i, file)) return false;
  return !(*file)->is_closed() || call.Error("attempt to use a closed file");
}

bool GetDefaultFile(NativeCall& call, const char* name, ScriptFile** file) {
  *file = AsFile(RawField(call.state(), call.state().registry(), name));
  if (*file != nullptr && !(*file)->is_closed()) return true;
  const std::string_view shown = std::string_view(name).substr(kRegistryPrefix.size());
  return call.Error(Concat("default ", shown, " file is closed"));
}

bool PushOpenedFile(NativeCall& call, const std::string& name, const char* mode) {
  ScriptFile* file = nullptr;
  if (!PushNewFile(call, &file)) return false;
  errno = 0;
  FILE* opened = std::fopen(name.c_str(), mode);
  if (opened == nullptr) {
    const char* reason = std::strerror(errno);
    return call.Error(Concat("cannot open file '", name.c_str(), "' (", reason, ")"));
  }
  file->Open(opened, ScriptFile::Closing::kFile);
  return true;
}

NativeResult CloseFile(NativeCall& call, ScriptFile* file) {
  if (file->closing == ScriptFile::Closing::kStandard) {
    call.PushNil();
    return call.ReturnIf(call.PushString("cannot close standard file"), 2);
  }
  FILE* closed = file->file;
  file->file = nullptr;
  int error = 0;
  if (file->closing == ScriptFile::Closing::kPipe) {
    const int status = ClosePipe(call.mutator(), closed, &error);
    return ReturnExitStatus(call, status, error);
  }
  errno = 0;
  const bool ok = std::fclose(closed) == 0;
  return ReturnFileResult(call, ok, nullptr, errno);
}

}  // namespace neap::vm
