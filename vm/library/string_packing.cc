// SPDX-License-Identifier: MIT
//
// string.pack, packsize, unpack: the arguments and results of text/pack_format.h. Formats and data
// are pinned while their cursors live, since converting an argument or making a result may collect.
#include <string>
#include <variant>

#include "library/string_functions.h"
#include "text/pack_format.h"

namespace neap::vm {
namespace {

bool PackInteger(NativeCall& call, PackWriter& writer, int argument) {
  int64_t value;
  if (!call.CheckInteger(argument, &value)) return false;
  const TextStatus status = writer.PutInteger(value);
  return status.ok() || call.TextError(status, argument);
}

bool PackNumber(NativeCall& call, PackWriter& writer, int argument) {
  double value;
  if (!call.CheckNumber(argument, &value)) return false;
  writer.PutNumber(value);
  return true;
}

bool PackString(NativeCall& call, PackWriter& writer, RoomCheck& room, size_t done, int argument) {
  String* value;
  if (!call.CheckString(argument, &value)) return false;
  const PackItem& item = writer.item();
  const uint64_t fixed = item.kind == PackKind::kFixedString ? item.size : 0;
  // A text that is too long for its size is the error to report, not the memory.
  if (value->length <= fixed || fixed == 0) {
    const uint64_t more = fixed > 0 ? fixed : value->length;
    if (more > kMaxStringBytes) return call.state().MemoryError();
    if (!room.Allows(done + more)) return false;
  }
  const TextStatus status = writer.PutString(call.text(argument));
  return status.ok() || call.TextError(status, argument);
}

bool PackValues(NativeCall& call, std::string_view format, std::string* out) {
  PackWriter writer(format, out);
  RoomCheck room(call.state());
  int argument = 1;
  while (writer.Next()) {
    const PackKind kind = writer.item().kind;
    if (!HasValue(kind)) continue;
    ++argument;
    bool ok;
    if (kind == PackKind::kSigned || kind == PackKind::kUnsigned) {
      ok = PackInteger(call, writer, argument);
    } else if (kind == PackKind::kFloat || kind == PackKind::kDouble) {
      ok = PackNumber(call, writer, argument);
    } else {
      ok = PackString(call, writer, room, out->size(), argument);
    }
    if (!ok) return false;
  }
  return writer.status().ok() || call.TextError(writer.status());
}

bool PushUnpacked(NativeCall& call, const PackValue& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return call.PushInteger(*integer);
  if (const auto* text = std::get_if<std::string_view>(&value)) return call.PushString(*text);
  call.PushNumber(std::get<double>(value));
  return true;
}

// Pushes the values and the position behind them.
bool PushAllUnpacked(NativeCall& call, PackReader& reader, uint32_t* count) {
  PackValue value;
  while (reader.Next(&value)) {
    if (!EnsureResults(call, 2, "too many results")) return false;
    if (!PushUnpacked(call, value)) return false;
    ++*count;
  }
  if (!reader.status().ok()) return call.TextError(reader.status());
  ++*count;
  return call.PushInteger(reader.position());
}

}  // namespace

NativeResult StringPack(NativeCall& call) {
  String* format;
  if (!call.CheckString(1, &format)) return call.Failed();
  // The first argument that is missing is a nil in the words of the error, not "no value".
  call.SetCount(call.count() + 1);
  const gc::Pin<String> pin(call.mutator(), AsString(call.arg(1)));
  std::string out;
  return call.ReturnIf(PackValues(call, pin->view(), &out) && call.PushString(out));
}

NativeResult StringPackSize(NativeCall& call) {
  String* format;
  if (!call.CheckString(1, &format)) return call.Failed();
  size_t size = 0;
  const TextStatus status = PackSize(format->view(), &size);
  if (!status.ok()) return call.ReturnIf(call.TextError(status));
  return call.ReturnIf(call.PushInteger(static_cast<int64_t>(size)));
}

NativeResult StringUnpack(NativeCall& call) {
  String* format;
  String* data;
  int64_t position = 1;
  if (!call.CheckString(1, &format) || !call.CheckString(2, &data) ||
      !call.OptInteger(3, &position)) {
    return call.Failed();
  }
  const gc::Pin<String> format_pin(call.mutator(), AsString(call.arg(1)));
  const gc::Pin<String> data_pin(call.mutator(), AsString(call.arg(2)));
  size_t offset = 0;
  const TextStatus status = UnpackStart(position, data_pin->length, &offset);
  if (!status.ok()) return call.ReturnIf(call.TextError(status));
  PackReader reader(format_pin->view(), data_pin->view(), offset);
  uint32_t count = 0;
  if (!PushAllUnpacked(call, reader, &count)) return call.Failed();
  return call.Return(count);
}

}  // namespace neap::vm
