// SPDX-License-Identifier: MIT
//
// The input and output library (manual 6.8). The functions of the library on default files are the
// methods of files with another way to find the file.
#include <cerrno>
#include <cstring>
#include <string>

#include "library/io_file.h"
#include "library/io_lines.h"
#include "library/library.h"
#include "library/native_setup.h"
#include "library/system_result.h"
#include "library/text_argument.h"

namespace neap::vm {
namespace {

// [rwa], perhaps a plus, any number of b.
bool IsOpenMode(std::string_view mode) {
  if (mode.empty() || std::string_view("rwa").find(mode[0]) == std::string_view::npos) return false;
  mode.remove_prefix(1);
  if (mode.starts_with('+')) mode.remove_prefix(1);
  return mode.find_first_not_of('b') == std::string_view::npos;
}

NativeResult ReturnOpened(NativeCall& call, ScriptFile* file, FILE* opened,
                          ScriptFile::Closing closing, const char* name) {
  if (opened == nullptr) return ReturnFileResult(call, false, name, errno);
  file->Open(opened, closing);
  return call.Return(1);
}

NativeResult Open(NativeCall& call) {
  std::string name;
  std::string mode = "r";
  if (!CheckText(call, 1, &name) || !OptText(call, 2, &mode)) return call.Failed();
  mode = mode.c_str();
  if (!IsOpenMode(mode)) return call.ReturnIf(call.ArgumentError(2, "invalid mode"));
  ScriptFile* file = nullptr;
  if (!PushNewFile(call, &file)) return call.Failed();
  errno = 0;
  FILE* opened = std::fopen(name.c_str(), mode.c_str());
  return ReturnOpened(call, file, opened, ScriptFile::Closing::kFile, name.c_str());
}

NativeResult OpenPipe(NativeCall& call) {
  std::string command;
  std::string mode = "r";
  if (!CheckText(call, 1, &command) || !OptText(call, 2, &mode)) return call.Failed();
  mode = mode.c_str();
  if (mode != "r" && mode != "w") return call.ReturnIf(call.ArgumentError(2, "invalid mode"));
  ScriptFile* file = nullptr;
  if (!PushNewFile(call, &file)) return call.Failed();
  std::fflush(nullptr);
  errno = 0;
  FILE* opened = popen(command.c_str(), mode.c_str());
  return ReturnOpened(call, file, opened, ScriptFile::Closing::kPipe, command.c_str());
}

NativeResult OpenTemporary(NativeCall& call) {
  ScriptFile* file = nullptr;
  if (!PushNewFile(call, &file)) return call.Failed();
  errno = 0;
  return ReturnOpened(call, file, std::tmpfile(), ScriptFile::Closing::kFile, nullptr);
}

NativeResult TypeOfFile(NativeCall& call) {
  if (!call.CheckAny(1)) return call.Failed();
  const ScriptFile* file = AsFile(call.arg(1));
  if (file == nullptr) return call.ReturnValue(Value::Nil());
  return call.ReturnIf(call.PushString(file->is_closed() ? "closed file" : "file"));
}

// Without an argument: the default file. With one: makes it, or the file of that name, the default.
NativeResult DefaultFile(NativeCall& call, const char* name, const char* mode) {
  State& state = call.state();
  if (!call.is_none_or_nil(1)) {
    state.Push(state.registry_value());
    if (IsString(call.arg(1)) || IsNumber(call.arg(1))) {
      if (!PushOpenedFile(call, State::TextOf(call.arg(1)), mode)) return call.Failed();
    } else {
      ScriptFile* file = nullptr;
      if (!CheckOpenFile(call, 1, &file)) return call.Failed();
      call.Push(call.arg(1));
    }
    if (!SetFieldFromTop(state, name)) return call.Failed();
  }
  return call.ReturnValue(RawField(state, state.registry(), name));
}

NativeResult Input(NativeCall& call) { return DefaultFile(call, kDefaultInput, "r"); }
NativeResult Output(NativeCall& call) { return DefaultFile(call, kDefaultOutput, "w"); }

NativeResult FileClose(NativeCall& call) {
  ScriptFile* file = nullptr;
  if (!CheckOpenFile(call, 1, &file)) return call.Failed();
  return CloseFile(call, file);
}

NativeResult Close(NativeCall& call) {
  if (call.has(1)) return FileClose(call);
  ScriptFile* file = AsFile(RawField(call.state(), call.state().registry(), kDefaultOutput));
  if (file == nullptr || file->is_closed()) {
    return call.ReturnIf(call.Error("attempt to use a closed file"));
  }
  return CloseFile(call, file);
}

// What write makes of a number. Floats have no ".0" here (the reference implementation's `%.14g`).
std::string WrittenNumber(Value v) {
  if (IsInteger(v)) return std::to_string(IntegerOf(v));
  char text[40];
  std::snprintf(text, sizeof(text), "%.14g", v.as_double());
  return text;
}

// Writes the arguments from `first` on; false: an argument is wrong (the error is set), or the file
// refused it (`*ok` is false).
bool WriteArguments(NativeCall& call, FILE* file, int first, bool* ok) {
  errno = 0;
  *ok = true;
  for (int i = first; i <= call.count(); ++i) {
    if (IsNumber(call.arg(i))) {
      const std::string text = WrittenNumber(call.arg(i));
      *ok = *ok && std::fwrite(text.data(), 1, text.size(), file) == text.size();
      continue;
    }
    String* text = nullptr;
    if (!call.CheckString(i, &text)) return false;
    *ok = *ok && std::fwrite(text->data(), 1, text->length, file) == text->length;
  }
  return true;
}

NativeResult FileWrite(NativeCall& call) {
  ScriptFile* file = nullptr;
  bool ok = true;
  if (!CheckOpenFile(call, 1, &file)) return call.Failed();
  if (!WriteArguments(call, file->file, 2, &ok)) return call.Failed();
  if (!ok) return ReturnFileResult(call, false, nullptr, errno);
  return call.ReturnValue(call.arg(1));
}

NativeResult Write(NativeCall& call) {
  ScriptFile* file = nullptr;
  bool ok = true;
  if (!GetDefaultFile(call, kDefaultOutput, &file)) return call.Failed();
  if (!WriteArguments(call, file->file, 1, &ok)) return call.Failed();
  if (!ok) return ReturnFileResult(call, false, nullptr, errno);
  return call.ReturnValue(RawField(call.state(), call.state().registry(), kDefaultOutput));
}

NativeResult FlushFile(NativeCall& call, FILE* file) {
  errno = 0;
  const bool ok = std::fflush(file) == 0;
  return ReturnFileResult(call, ok, nullptr, errno);
}

NativeResult FileFlush(NativeCall& call) {
  ScriptFile* file = nullptr;
  return CheckOpenFile(call, 1, &file) ? FlushFile(call, file->file) : call.Failed();
}

NativeResult Flush(NativeCall& call) {
  ScriptFile* file = nullptr;
  if (!GetDefaultFile(call, kDefaultOutput, &file)) return call.Failed();
  return FlushFile(call, file->file);
}

NativeResult FileSeek(NativeCall& call) {
  static constexpr const char* kNames[] = {"set", "cur", "end", nullptr};
  static constexpr int kOrigins[] = {SEEK_SET, SEEK_CUR, SEEK_END};
  ScriptFile* file = nullptr;
  int origin = 0;
  int64_t offset = 0;
  if (!CheckOpenFile(call, 1, &file) || !call.CheckOption(2, "cur", kNames, &origin) ||
      !call.OptInteger(3, &offset)) {
    return call.Failed();
  }
  errno = 0;
  if (fseeko(file->file, static_cast<off_t>(offset), kOrigins[origin]) != 0) {
    return ReturnFileResult(call, false, nullptr, errno);
  }
  return call.ReturnIf(call.PushInteger(static_cast<int64_t>(ftello(file->file))));
}

NativeResult FileSetBuffer(NativeCall& call) {
  static constexpr const char* kNames[] = {"no", "full", "line", nullptr};
  static constexpr int kModes[] = {_IONBF, _IOFBF, _IOLBF};
  constexpr int64_t kDefaultBytes = 1024;
  ScriptFile* file = nullptr;
  int mode = 0;
  int64_t bytes = kDefaultBytes;
  if (!CheckOpenFile(call, 1, &file) || !call.CheckOption(2, nullptr, kNames, &mode) ||
      !call.OptInteger(3, &bytes)) {
    return call.Failed();
  }
  errno = 0;
  const bool ok = std::setvbuf(file->file, nullptr, kModes[mode], static_cast<size_t>(bytes)) == 0;
  return ReturnFileResult(call, ok, nullptr, errno);
}

constexpr NativeEntry kFunctions[] = {
    {"close", Close},     {"flush", Flush},   {"input", Input},           {"lines", IoLines},
    {"open", Open},       {"output", Output}, {"popen", OpenPipe},        {"read", IoRead},
    {"type", TypeOfFile}, {"write", Write},   {"tmpfile", OpenTemporary}, {nullptr, nullptr},
};

constexpr NativeEntry kMethods[] = {
    {"close", FileClose}, {"flush", FileFlush},       {"lines", FileLines}, {"read", FileRead},
    {"seek", FileSeek},   {"setvbuf", FileSetBuffer}, {"write", FileWrite}, {nullptr, nullptr},
};

// Sets field `name` of the library on top; `role`: also the default file.
bool SetStandardFile(State& state, FILE* standard, const char* name, const char* role) {
  NativeCall call(state);
  ScriptFile* file = nullptr;
  if (!PushNewFile(call, &file)) return false;
  file->Open(standard, ScriptFile::Closing::kStandard);
  if (role != nullptr) {
    const Value made = call.top();
    call.Push(state.registry_value());
    call.Push(made);
    if (!SetFieldFromTop(state, role)) return false;
    call.Pop();
  }
  return SetFieldFromTop(state, name);
}

}  // namespace

bool OpenIo(State& state) {
  if (!PushNewTable(state) || !SetFunctions(state, kFunctions)) return false;
  return MakeFileMetatable(state, kMethods) &&
         SetStandardFile(state, stdin, "stdin", kDefaultInput) &&
         SetStandardFile(state, stdout, "stdout", kDefaultOutput) &&
         SetStandardFile(state, stderr, "stderr", nullptr);
}

}  // namespace neap::vm
