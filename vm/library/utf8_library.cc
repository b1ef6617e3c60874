// SPDX-License-Identifier: MIT
//
// utf8 (manual 6.5): arguments and results of text/utf8_text.h.
#include <optional>
#include <string>

#include "interpreter/native_call.h"
#include "library/library.h"
#include "library/string_functions.h"
#include "text/utf8_text.h"

namespace neap::vm {
namespace {

// One sequence, if the subject is valid UTF-8. With a zero byte.
constexpr std::string_view kCharPattern{"[\0-\x7F\xC2-\xFD][\x80-\xBF]*", 14};

Utf8Mode ModeOf(Value lax) { return lax.is_truthy() ? Utf8Mode::kLax : Utf8Mode::kStrict; }

NativeResult Utf8Char(NativeCall& call) {
  std::string text;
  for (int i = 1; i <= call.count(); ++i) {
    int64_t code;
    if (!call.CheckInteger(i, &code)) return call.Failed();
    const TextStatus status = EncodeUtf8(code, &text);
    if (!status.ok()) return call.ReturnIf(call.TextError(status, i));
  }
  return call.ReturnIf(call.PushString(text));
}

// utf8.codepoint gives as many results as there are characters, at most one for each byte.
NativeResult Utf8Codepoint(NativeCall& call) {
  String* text;
  int64_t first = 1;
  if (!call.CheckString(1, &text) || !call.OptInteger(2, &first)) return call.Failed();
  int64_t last = first;
  if (!call.OptInteger(3, &last)) return call.Failed();
  Utf8Slice slice;
  const TextStatus status = SliceUtf8(call.text(1), first, last, &slice);
  if (!status.ok()) return call.ReturnIf(call.TextError(status));
  if (!EnsureResults(call, slice.end - slice.begin, "string slice too long")) return call.Failed();
  const std::string_view bytes = call.text(1);
  uint32_t count = 0;
  for (size_t at = slice.begin; at < slice.end; ++count) {
    uint32_t code;
    const size_t length = DecodeUtf8(bytes.substr(at), ModeOf(call.arg(4)), &code);
    if (length == 0) return call.ReturnIf(call.Error(kInvalidUtf8));
    call.Push(Value::InlineInteger(code));
    at += length;
  }
  return call.Return(count);
}

NativeResult Utf8Len(NativeCall& call) {
  String* text;
  int64_t first = 1;
  int64_t last = -1;
  if (!call.CheckString(1, &text) || !call.OptInteger(2, &first) || !call.OptInteger(3, &last)) {
    return call.Failed();
  }
  if (!call.state().Spend(text->length / kStringBytesPerStep)) return call.Failed();
  Utf8Length length;
  const TextStatus status = MeasureUtf8(call.text(1), first, last, ModeOf(call.arg(4)), &length);
  if (!status.ok()) return call.ReturnIf(call.TextError(status));
  if (length.valid) return call.ReturnIf(call.PushInteger(length.count));
  call.PushNil();
  return call.ReturnIf(call.PushInteger(length.bad_position), 2);
}

NativeResult Utf8Offset(NativeCall& call) {
  String* text;
  int64_t n;
  if (!call.CheckString(1, &text) || !call.CheckInteger(2, &n)) return call.Failed();
  int64_t from = DefaultOffsetStart(call.text(1), n);
  if (!call.OptInteger(3, &from)) return call.Failed();
  std::optional<int64_t> position;
  const TextStatus status = OffsetUtf8(call.text(1), n, from, &position);
  if (!status.ok()) return call.ReturnIf(call.TextError(status));
  if (!position) return call.ReturnValue(Value::Nil());
  return call.ReturnIf(call.PushInteger(*position));
}

// One step of utf8.codes: the text, and the position of the last character.
NativeResult Step(NativeCall& call, Utf8Mode mode) {
  String* text;
  int64_t previous;
  if (!call.CheckString(1, &text) || !call.CheckInteger(2, &previous)) return call.Failed();
  Utf8Step step;
  const TextStatus status = NextUtf8(call.text(1), previous, mode, &step);
  if (!status.ok()) return call.ReturnIf(call.TextError(status));
  if (step.position == 0) return call.Return(0);
  call.Push(Value::InlineInteger(step.position));
  call.Push(Value::InlineInteger(step.code));
  return call.Return(2);
}
NativeResult StepStrict(NativeCall& call) { return Step(call, Utf8Mode::kStrict); }
NativeResult StepLax(NativeCall& call) { return Step(call, Utf8Mode::kLax); }

NativeResult Utf8Codes(NativeCall& call) {
  String* text;
  if (!call.CheckString(1, &text)) return call.Failed();
  const TextStatus status = CheckUtf8Start(text->view());
  if (!status.ok()) return call.ReturnIf(call.TextError(status));
  const bool lax = call.arg(2).is_truthy();
  NativeClosure* step = NewNativeClosure(call.state(), lax ? StepLax : StepStrict);
  if (step == nullptr) return call.ReturnIf(call.state().MemoryError());
  call.Push(Value::FromObject(step));
  call.Push(call.arg(1));
  call.Push(Value::InlineInteger(0));
  return call.Return(3);
}

constexpr NativeEntry kFunctions[] = {
    {"char", Utf8Char}, {"codepoint", Utf8Codepoint}, {"codes", Utf8Codes},
    {"len", Utf8Len},   {"offset", Utf8Offset},       {nullptr, nullptr},
};

}  // namespace

bool OpenUtf8(State& state) {
  Table* table = state.objects().NewTable();
  if (table == nullptr) return state.MemoryError();
  state.Push(Value::FromObject(table));
  if (!SetFunctions(state, kFunctions)) return false;
  String* pattern = state.objects().NewString(kCharPattern);
  if (pattern == nullptr) return state.MemoryError();
  state.Push(Value::FromObject(pattern));
  return SetFieldFromTop(state, "charpattern");
}

}  // namespace neap::vm
