// SPDX-License-Identifier: MIT
//
// Formats of read, and the iterators of lines, which keep them:
//
//   upvalue 1  the file          upvalue 3   whether to close it at its end
//   upvalue 2  count of formats  upvalue 4.. the formats
#include "library/io_lines.h"

#include <cerrno>
#include <optional>
#include <string>

#include "library/io_file.h"
#include "library/io_read.h"
#include "library/native_setup.h"
#include "library/system_result.h"
#include "library/text_argument.h"

namespace neap::vm {
namespace {

constexpr int kMaxFormats = 250;
constexpr int kFixedUpvalues = 3;

// The formats are arguments, or upvalues of an iterator; they count as arguments `first` and up.
struct Formats {
  bool are_upvalues = false;
  int first = 1;
  int count = 0;

  Value At(NativeCall& call, int i) const {
    return are_upvalues ? call.upvalue(kFixedUpvalues + 1 + i) : call.arg(first + i);
  }
};

bool ParseCount(NativeCall& call, int argument, Value v, ReadFormat* format) {
  int64_t count = 0;
  if (!State::ToIntegerStrict(v, &count)) {
    return call.ArgumentError(argument, "number has no integer representation");
  }
  if (count < 0 || static_cast<uint64_t>(count) > kMaxStringBytes) {
    return call.state().MemoryError();
  }
  *format = {ReadFormat::Kind::kBytes, static_cast<uint64_t>(count)};
  return true;
}

bool ParseFormat(NativeCall& call, int argument, Value v, ReadFormat* format) {
  if (IsNumber(v)) return ParseCount(call, argument, v, format);
  if (!IsString(v)) return call.TypeError(argument, "string");
  std::string_view text = AsString(v)->view();
  if (text.starts_with('*')) text.remove_prefix(1);  // of older versions
  switch (text.empty() ? '\0' : text[0]) {
    case 'n':
      format->kind = ReadFormat::Kind::kNumber;
      return true;
    case 'l':
      format->kind = ReadFormat::Kind::kLine;
      return true;
    case 'L':
      format->kind = ReadFormat::Kind::kLineWithEnd;
      return true;
    case 'a':
      format->kind = ReadFormat::Kind::kAll;
      return true;
    default:
      return call.ArgumentError(argument, "invalid format");
  }
}

// Keeps errno of the read.
bool ReadOutside(gc::Mutator& m, const ScriptFile& file, const ReadFormat& format,
                 std::string* item) {
  std::optional<gc::BlockingRegion> region;
  if (file.may_block) region.emplace(m);
  const bool is_read = ReadItem(file.file, format, item);
  const int error = errno;
  region.reset();
  errno = error;
  return is_read;
}

enum class Read : uint8_t { kValue, kEnd, kError };

// Pushes a value (nil at the end).
Read PushItem(NativeCall& call, const ScriptFile& file, const ReadFormat& format) {
  std::string item;
  const bool is_read = ReadOutside(call.mutator(), file, format, &item);
  if (is_read) {
    if (!call.PushString(item)) return Read::kError;
    if (format.kind != ReadFormat::Kind::kNumber) return Read::kValue;
    const Value number = call.state().ToNumberValue(call.top());
    call.Pop();
    call.Push(number);
    return number.is_nil() ? Read::kEnd : Read::kValue;
  }
  call.PushNil();
  return Read::kEnd;
}

// Pushes the values up to the first that could not be read, which is nil. `*results`: how many; or
// nil, message and number after an error of the file. False: error.
bool PushItems(NativeCall& call, const ScriptFile& file, const Formats& formats,
               uint32_t* results) {
  std::clearerr(file.file);
  errno = 0;
  if (!call.state().EnsureSlots(static_cast<uint32_t>(formats.count) + kNativeSlots)) return false;
  Read read = Read::kValue;
  *results = 0;
  for (int i = 0; i < formats.count && read == Read::kValue; ++i) {
    ReadFormat format;
    if (!ParseFormat(call, formats.first + i, formats.At(call, i), &format)) return false;
    read = PushItem(call, file, format);
    ++*results;
  }
  if (formats.count == 0) {
    read = PushItem(call, file, ReadFormat());
    *results = 1;
  }
  if (read == Read::kError) return false;
  if (std::ferror(file.file) == 0) return true;
  if (ReturnFileResult(call, false, nullptr, errno) == NativeResult::kError) return false;
  *results = call.results;
  return true;
}

NativeResult ReadItems(NativeCall& call, const ScriptFile& file, int first) {
  const Formats formats = {
      .are_upvalues = false, .first = first, .count = call.count() - first + 1};
  uint32_t results = 0;
  if (!PushItems(call, file, formats, &results)) return call.Failed();
  return call.Return(results);
}

NativeResult NextLine(NativeCall& call) {
  ScriptFile* file = AsFile(call.upvalue(1));
  if (file->is_closed()) return call.ReturnIf(call.Error("file is already closed"));
  const auto count = static_cast<int>(IntegerOf(call.upvalue(2)));
  const Formats formats = {.are_upvalues = true, .first = 2, .count = count};
  uint32_t results = 0;
  if (!PushItems(call, *file, formats, &results)) return call.Failed();
  if (call.top(results).is_truthy()) return call.Return(results);
  if (results > 1 && IsString(call.top(results - 1))) {  // an error, not the end
    const std::string message(AsString(call.top(results - 1))->view());
    return call.ReturnIf(call.Error(message));
  }
  if (call.upvalue(3).is_true() && CloseFile(call, file) == NativeResult::kError) {
    return call.Failed();
  }
  return call.Return(0);
}

// Pushes the iterator over the file in slot 1 with the formats behind it.
bool PushIterator(NativeCall& call, bool closes) {
  const int count = call.count() > 1 ? call.count() - 1 : 0;
  if (count > kMaxFormats) return call.ArgumentError(kMaxFormats + 2, "too many arguments");
  if (!call.state().EnsureSlots(static_cast<uint32_t>(count) + kNativeSlots)) return false;
  call.Push(call.arg(1));
  call.Push(Value::InlineInteger(count));
  call.PushBoolean(closes);
  for (int i = 0; i < count; ++i) call.Push(call.arg(2 + i));
  return PushClosure(call.state(), NextLine, kFixedUpvalues + count);
}

NativeResult LinesOfDefaultInput(NativeCall& call) {
  ScriptFile* file = nullptr;
  if (call.count() == 0) call.SetCount(1);
  call.set_arg(1, RawField(call.state(), call.state().registry(), kDefaultInput));
  return call.ReturnIf(CheckOpenFile(call, 1, &file) && PushIterator(call, /*closes=*/false));
}

}  // namespace

NativeResult IoRead(NativeCall& call) {
  ScriptFile* file = nullptr;
  if (!GetDefaultFile(call, kDefaultInput, &file)) return call.Failed();
  return ReadItems(call, *file, 1);
}

NativeResult FileRead(NativeCall& call) {
  ScriptFile* file = nullptr;
  if (!CheckOpenFile(call, 1, &file)) return call.Failed();
  return ReadItems(call, *file, 2);
}

NativeResult FileLines(NativeCall& call) {
  ScriptFile* file = nullptr;
  return call.ReturnIf(CheckOpenFile(call, 1, &file) && PushIterator(call, /*closes=*/false));
}

NativeResult IoLines(NativeCall& call) {
  if (call.is_none_or_nil(1)) return LinesOfDefaultInput(call);
  std::string name;
  if (!CheckText(call, 1, &name) || !PushOpenedFile(call, name, "r")) return call.Failed();
  call.set_arg(1, call.top());
  call.Pop();
  if (!PushIterator(call, /*closes=*/true)) return call.Failed();
  call.PushNil();
  call.PushNil();
  call.Push(call.arg(1));
  return call.Return(4);
}

}  // namespace neap::vm
