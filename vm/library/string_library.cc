// SPDX-License-Identifier: MIT
//
// string: the functions on whole strings, and the opening of the library.
//
// Results are allocated at their full length first; the allocation may move the argument, so its
// text is read after that (N1 in native_call.h). Upper and lower case are those of the "C" locale.
#include <algorithm>
#include <cstring>
#include <string>

#include "interpreter/binary_chunk.h"
#include "interpreter/native_call.h"
#include "library/library.h"
#include "library/string_functions.h"
#include "text/char_class.h"

namespace neap::vm {

bool PushPart(State& state, gc::Handle<String> source, size_t offset, size_t length) {
  if (length == source->length) {
    state.Push(Value::FromObject(source.get()));
    return true;
  }
  String* part = state.objects().NewStringOf(length);
  if (part == nullptr) return state.MemoryError();
  memcpy(part->data(), source->data() + offset, length);
  state.Push(Value::FromObject(part));
  return true;
}

bool EnsureResults(NativeCall& call, uint64_t count, const char* what) {
  State& state = call.state();
  if (count <= kMaxStack) {
    if (state.EnsureSlots(static_cast<uint32_t>(count))) return true;
    if (state.error_kind() == ErrorKind::kMemory) return false;
    state.ClearError();
  }
  return call.Error(std::string("stack overflow (") + what + ")");
}

bool RoomCheck::AllowsSlow(uint64_t bytes) {
  allowed_ = 2 * bytes;
  if (bytes > kMaxStringBytes || state_.objects().NewStringOf(allowed_) == nullptr) {
    return state_.MemoryError();
  }
  return true;
}

namespace {

// The reference implementation's limit on the sizes of results.
constexpr uint64_t kMaxSize = INT32_MAX;

// Where a range of bytes begins, from 1; negative positions count from the end.
uint64_t RangeBegin(int64_t position, uint64_t length) {
  if (position > 0) return static_cast<uint64_t>(position);
  const uint64_t from_end = 0 - static_cast<uint64_t>(position);
  if (position == 0 || from_end > length) return 1;
  return length - from_end + 1;
}
// The last byte of a range, from 1; 0: none.
uint64_t RangeEnd(int64_t position, uint64_t length) {
  if (position >= 0) return std::min(static_cast<uint64_t>(position), length);
  const uint64_t from_end = 0 - static_cast<uint64_t>(position);
  return from_end > length ? 0 : length - from_end + 1;
}

NativeResult StringLen(NativeCall& call) {
  String* text;
  if (!call.CheckString(1, &text)) return call.Failed();
  return call.ReturnIf(call.PushInteger(static_cast<int64_t>(text->length)));
}

NativeResult StringSub(NativeCall& call) {
  String* text;
  int64_t first;
  int64_t last = -1;
  if (!call.CheckString(1, &text) || !call.CheckInteger(2, &first) || !call.OptInteger(3, &last)) {
    return call.Failed();
  }
  const uint64_t whole = text->length;
  const uint64_t begin = RangeBegin(first, whole);
  const uint64_t end = RangeEnd(last, whole);
  const uint64_t length = begin > end ? 0 : end - begin + 1;
  if (length == whole) return call.ReturnValue(call.arg(1));
  String* part = call.objects().NewStringOf(length);
  if (part == nullptr) return call.ReturnIf(call.state().MemoryError());
  if (length > 0) memcpy(part->data(), AsString(call.arg(1))->data() + begin - 1, length);
  return call.ReturnValue(Value::FromObject(part));
}

// Pushes a string of `bytes`; null: the error is set.
String* PushNewString(NativeCall& call, uint64_t bytes) {
  String* made = nullptr;
  if (bytes <= kMaxStringBytes) made = call.objects().NewStringOf(bytes);
  if (made == nullptr) {
    (void)call.state().MemoryError();
    return nullptr;
  }
  call.Push(Value::FromObject(made));
  return made;
}

// A string as long as the first argument, which `fill` writes from that.
template <typename Fill>
NativeResult Transform(NativeCall& call, Fill fill) {
  String* text;
  if (!call.CheckString(1, &text)) return call.Failed();
  if (!call.state().Spend(text->length / kStringBytesPerStep)) return call.Failed();
  String* result = PushNewString(call, AsString(call.arg(1))->length);
  if (result == nullptr) return call.Failed();
  fill(call.text(1), result->data());
  return call.Return(1);
}

char ToLower(char c) { return IsInClass(c, kUpperClass) ? static_cast<char>(c - 'A' + 'a') : c; }

NativeResult StringLower(NativeCall& call) {
  return Transform(call, [](std::string_view text, char* out) {
    std::transform(text.begin(), text.end(), out, ToLower);
  });
}
NativeResult StringUpper(NativeCall& call) {
  return Transform(call, [](std::string_view text, char* out) {
    std::transform(text.begin(), text.end(), out, [](char c) { return ToUpper(c); });
  });
}
NativeResult StringReverse(NativeCall& call) {
  return Transform(call, [](std::string_view text, char* out) {
    std::reverse_copy(text.begin(), text.end(), out);
  });
}

// Repeats the first `period` bytes up to `length`, in doubling steps.
void Repeat(char* bytes, size_t period, size_t length) {
  for (size_t done = period; done < length;) {
    const size_t step = std::min(done, length - done);
    memcpy(bytes + done, bytes, step);
    done += step;
  }
}

// Bytes of `count` copies of `text` bytes with `gap` bytes in between, or an error. count > 0.
bool RepeatedLength(NativeCall& call, uint64_t text, uint64_t gap, uint64_t count,
                    uint64_t* total) {
  if (text + gap > kMaxSize / count) return call.Error("resulting string too large");
  *total = (text + gap) * count - gap;
  return true;
}

NativeResult StringRep(NativeCall& call) {
  String* text;
  String* gap = nullptr;
  int64_t count;
  if (!call.CheckString(1, &text) || !call.CheckInteger(2, &count) || !call.OptString(3, &gap)) {
    return call.Failed();
  }
  if (count <= 0) return call.ReturnIf(call.PushString(""));
  const size_t length = AsString(call.arg(1))->length;  // OptString may have moved it
  const size_t gap_length = gap == nullptr ? 0 : gap->length;
  uint64_t total = 0;
  if (!RepeatedLength(call, length, gap_length, static_cast<uint64_t>(count), &total) ||
      PushNewString(call, total) == nullptr || !call.state().Spend(total / kStringBytesPerStep)) {
    return call.Failed();
  }
  String* result = AsString(call.top());
  if (total == 0) return call.Return(1);
  memcpy(result->data(), call.text(1).data(), length);
  if (gap_length > 0 && count > 1) {
    memcpy(result->data() + length, call.text(3).data(), gap_length);
  }
  Repeat(result->data(), length + gap_length, total);
  return call.Return(1);
}

NativeResult StringByte(NativeCall& call) {
  String* text;
  int64_t first = 1;
  if (!call.CheckString(1, &text) || !call.OptInteger(2, &first)) return call.Failed();
  const uint64_t begin = RangeBegin(first, text->length);
  int64_t last = first;
  if (!call.OptInteger(3, &last)) return call.Failed();
  const uint64_t end = RangeEnd(last, text->length);
  if (begin > end) return call.Return(0);
  const uint64_t count = end - begin + 1;
  if (count >= INT32_MAX) return call.ReturnIf(call.Error("string slice too long"));
  if (!EnsureResults(call, count, "string slice too long")) return call.Failed();
  const std::string_view bytes = call.text(1).substr(begin - 1, count);
  for (const char c : bytes) call.Push(Value::InlineInteger(static_cast<uint8_t>(c)));
  return call.Return(static_cast<uint32_t>(count));
}

NativeResult StringChar(NativeCall& call) {
  const int count = call.count();
  std::string bytes;
  bytes.reserve(static_cast<size_t>(count));
  for (int i = 1; i <= count; ++i) {
    int64_t code;
    if (!call.CheckInteger(i, &code)) return call.Failed();
    if (code < 0 || code > UINT8_MAX) {
      return call.ReturnIf(call.ArgumentError(i, "value out of range"));
    }
    bytes.push_back(static_cast<char>(code));
  }
  return call.ReturnIf(call.PushString(bytes));
}

NativeResult StringDump(NativeCall& call) {
  if (!call.CheckFunction(1)) return call.Failed();
  std::string chunk;
  const Value function = call.arg(1);
  if (!IsLuaClosure(function) ||
      !DumpFunction(call.state(), static_cast<LuaClosure*>(function.object()),
                    call.arg(2).is_truthy(), &chunk)) {
    return call.ReturnIf(call.Error("unable to dump given function"));
  }
  return call.ReturnIf(call.PushString(chunk));
}

constexpr NativeEntry kFunctions[] = {
    {"byte", StringByte},     {"char", StringChar},       {"dump", StringDump},
    {"find", StringFind},     {"format", StringFormat},   {"gmatch", StringGmatch},
    {"gsub", StringGsub},     {"len", StringLen},         {"lower", StringLower},
    {"match", StringMatch},   {"pack", StringPack},       {"packsize", StringPackSize},
    {"rep", StringRep},       {"reverse", StringReverse}, {"sub", StringSub},
    {"unpack", StringUnpack}, {"upper", StringUpper},     {nullptr, nullptr},
};

bool PushTable(State& state) {
  Table* table = state.objects().NewTable();
  if (table == nullptr) return state.MemoryError();
  state.Push(Value::FromObject(table));
  return true;
}

}  // namespace

bool OpenString(State& state) {
  if (!PushTable(state) || !SetFunctions(state, kFunctions)) return false;
  if (!PushTable(state) || !SetFunctions(state, kStringMetamethods)) return false;
  state.Push(state.FromTop(2));
  if (!SetFieldFromTop(state, "__index")) return false;
  state.set_type_metatable(LuaType::kString, AsTable(state.FromTop(1)));
  state.Pop(1);
  return true;
}

}  // namespace neap::vm
