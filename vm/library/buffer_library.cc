// SPDX-License-Identifier: MIT
//
// buffer: typed bytes of a fixed size, with the functions of Luau's library of that name (offsets
// count from 0, little endian) and integers of 64 bits beside them. What each does is said in
// vm/library/meta/buffer.lua.
//
// A buffer is a userdata whose payload are the bytes: they lie in the heap, never move, and count
// as any object does. Its functions are its methods, too: b:readi32(0).
#include <cstring>
#include <string>
#include <type_traits>

#include "interpreter/native_call.h"
#include "interpreter/userdata_maker.h"
#include "library/library.h"
#include "library/native_setup.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr const char* kBufferTypeName = "buffer";  // in the registry: the metatable
constexpr char kBufferTag = 0;                     // its address
constexpr int64_t kMaxBufferBytes = int64_t{1} << 40;
// Bytes that are moved in the time of one step of fuel, about.
constexpr uint64_t kBytesPerStep = 1024;

struct Bytes {
  uint8_t* data;
  uint64_t length;
};

bool CheckBuffer(NativeCall& call, int i, Bytes* bytes) {
  void* payload = nullptr;
  if (!call.CheckUserdata(i, &kBufferTag, kBufferTypeName, &payload)) return false;
  *bytes = {static_cast<uint8_t*>(payload), AsUserdata(call.arg(i))->length};
  return true;
}

// That `count` bytes from argument i on, an offset, lie within the buffer.
bool CheckSpan(NativeCall& call, int i, const Bytes& bytes, uint64_t count, uint64_t* offset) {
  int64_t at = 0;
  if (!call.CheckInteger(i, &at)) return false;
  if (at >= 0 && count <= bytes.length && static_cast<uint64_t>(at) <= bytes.length - count) {
    *offset = static_cast<uint64_t>(at);
    return true;
  }
  return call.ArgumentError(
      i,
      Concat("offset ", at, " and ", static_cast<int64_t>(count), count == 1 ? " byte" : " bytes",
             " are out of bounds of a buffer of ", static_cast<int64_t>(bytes.length), " bytes"));
}

// A count of bytes: argument i, `otherwise` when there is none.
bool OptCount(NativeCall& call, int i, uint64_t otherwise, uint64_t* count) {
  auto value = static_cast<int64_t>(otherwise);
  if (!call.OptInteger(i, &value)) return false;
  if (value < 0) return call.ArgumentError(i, Concat("count ", value, " is negative"));
  *count = static_cast<uint64_t>(value);
  return true;
}

// Pushes one. Null: no memory, the error is set.
uint8_t* PushNewBuffer(NativeCall& call, uint64_t length) {
  State& state = call.state();
  Userdata* userdata = NewUserdata(state, length, 0);
  if (userdata == nullptr) {
    state.MemoryError();
    return nullptr;
  }
  call.Push(Value::FromObject(userdata));
  userdata->tag = reinterpret_cast<uint64_t>(&kBufferTag);
  const Value metatable = RawField(state, state.registry(), kBufferTypeName);
  call.mutator().Store(userdata, userdata->metatable.slot(), metatable.word());
  return static_cast<uint8_t*>(userdata->payload());
}

NativeResult Create(NativeCall& call) {
  int64_t length = 0;
  if (!call.CheckInteger(1, &length)) return call.Failed();
  if (length < 0 || length > kMaxBufferBytes) {
    return call.ReturnIf(call.ArgumentError(1, Concat("size ", length, " is out of range")));
  }
  return call.ReturnIf(PushNewBuffer(call, static_cast<uint64_t>(length)) != nullptr);
}

NativeResult FromString(NativeCall& call) {
  String* text = nullptr;
  if (!call.CheckString(1, &text)) return call.Failed();
  uint8_t* data = PushNewBuffer(call, text->length);
  if (data == nullptr) return call.Failed();
  const std::string_view source = call.text(1);  // it may have moved
  std::memcpy(data, source.data(), source.size());
  return call.Return(1);
}

// Pushes bytes of a buffer, which never move, as a string.
bool PushBytes(NativeCall& call, const uint8_t* data, uint64_t length) {
  String* text = call.objects().NewStringOf(length);
  if (text == nullptr) return call.state().MemoryError();
  std::memcpy(text->data(), data, length);
  call.Push(Value::FromObject(text));
  return call.state().Spend(length / kBytesPerStep);
}

NativeResult ToString(NativeCall& call) {
  Bytes bytes;
  if (!CheckBuffer(call, 1, &bytes)) return call.Failed();
  return call.ReturnIf(PushBytes(call, bytes.data, bytes.length));
}

NativeResult Length(NativeCall& call) {
  Bytes bytes;
  if (!CheckBuffer(call, 1, &bytes)) return call.Failed();
  return call.ReturnIf(call.PushInteger(static_cast<int64_t>(bytes.length)));
}

// --- Numbers -------------------------------------------------------------------------------------

template <typename T>
NativeResult Read(NativeCall& call) {
  Bytes bytes;
  uint64_t offset = 0;
  if (!CheckBuffer(call, 1, &bytes) || !CheckSpan(call, 2, bytes, sizeof(T), &offset)) {
    return call.Failed();
  }
  T value;
  std::memcpy(&value, bytes.data + offset, sizeof(T));
  if constexpr (std::is_floating_point_v<T>) {
    call.PushNumber(static_cast<double>(value));
    return call.Return(1);
  } else {
    return call.ReturnIf(call.PushInteger(static_cast<int64_t>(value)));
  }
}

// Integers keep their low bits.
template <typename T>
NativeResult Write(NativeCall& call) {
  Bytes bytes;
  uint64_t offset = 0;
  T value;
  if (!CheckBuffer(call, 1, &bytes) || !CheckSpan(call, 2, bytes, sizeof(T), &offset)) {
    return call.Failed();
  }
  if constexpr (std::is_floating_point_v<T>) {
    double number = 0;
    if (!call.CheckNumber(3, &number)) return call.Failed();
    value = static_cast<T>(number);
  } else {
    int64_t integer = 0;
    if (!call.CheckInteger(3, &integer)) return call.Failed();
    value = static_cast<T>(integer);
  }
  std::memcpy(bytes.data + offset, &value, sizeof(T));
  return call.Return(0);
}

// --- Bits ----------------------------------------------------------------------------------------

struct BitSpan {
  uint64_t first;  // bit
  int count;       // 0 .. 32
};

bool CheckBits(NativeCall& call, const Bytes& bytes, BitSpan* span) {
  int64_t first = 0;
  int64_t count = 0;
  if (!call.CheckInteger(2, &first) || !call.CheckInteger(3, &count)) return false;
  if (count < 0 || count > 32) {
    return call.ArgumentError(3, Concat("bit count ", count, " is out of range (0 to 32)"));
  }
  const auto bits = static_cast<int64_t>(bytes.length * 8);
  if (first < 0 || first > bits - count) {
    return call.ArgumentError(2, Concat("bit offset ", first, " and ", count,
                                        " bits are out of bounds of a buffer of ", bits, " bits"));
  }
  *span = {static_cast<uint64_t>(first), static_cast<int>(count)};
  return true;
}

// The bytes that hold the span, at most 5 of them, as one number; or the other way.
uint64_t LoadAround(const Bytes& bytes, const BitSpan& span) {
  uint64_t word = 0;
  const uint64_t end = (span.first + static_cast<uint64_t>(span.count) + 7) / 8;
  std::memcpy(&word, bytes.data + span.first / 8, end - span.first / 8);
  return word;
}
void StoreAround(const Bytes& bytes, const BitSpan& span, uint64_t word) {
  const uint64_t end = (span.first + static_cast<uint64_t>(span.count) + 7) / 8;
  std::memcpy(bytes.data + span.first / 8, &word, end - span.first / 8);
}
uint64_t MaskOf(const BitSpan& span) { return (uint64_t{1} << span.count) - 1; }

NativeResult ReadBits(NativeCall& call) {
  Bytes bytes;
  BitSpan span;
  if (!CheckBuffer(call, 1, &bytes) || !CheckBits(call, bytes, &span)) return call.Failed();
  if (span.count == 0) return call.ReturnIf(call.PushInteger(0));
  const uint64_t bits = LoadAround(bytes, span) >> (span.first % 8) & MaskOf(span);
  return call.ReturnIf(call.PushInteger(static_cast<int64_t>(bits)));
}

NativeResult WriteBits(NativeCall& call) {
  Bytes bytes;
  BitSpan span;
  int64_t value = 0;
  if (!CheckBuffer(call, 1, &bytes) || !CheckBits(call, bytes, &span) ||
      !call.CheckInteger(4, &value)) {
    return call.Failed();
  }
  if (span.count == 0) return call.Return(0);
  const uint64_t shift = span.first % 8;
  const uint64_t kept = LoadAround(bytes, span) & ~(MaskOf(span) << shift);
  StoreAround(bytes, span, kept | (static_cast<uint64_t>(value) & MaskOf(span)) << shift);
  return call.Return(0);
}

// --- Blocks --------------------------------------------------------------------------------------

NativeResult ReadString(NativeCall& call) {
  Bytes bytes;
  uint64_t offset = 0;
  uint64_t count = 0;
  if (!CheckBuffer(call, 1, &bytes) || !call.CheckAny(3) || !OptCount(call, 3, 0, &count) ||
      !CheckSpan(call, 2, bytes, count, &offset)) {
    return call.Failed();
  }
  return call.ReturnIf(PushBytes(call, bytes.data + offset, count));
}

NativeResult WriteString(NativeCall& call) {
  Bytes bytes;
  String* text = nullptr;
  uint64_t offset = 0;
  uint64_t count = 0;
  if (!CheckBuffer(call, 1, &bytes) || !call.CheckString(3, &text) ||
      !OptCount(call, 4, text->length, &count)) {
    return call.Failed();
  }
  const std::string_view source = call.text(3);
  if (count > source.size()) {
    return call.ReturnIf(call.ArgumentError(
        4, Concat("count ", static_cast<int64_t>(count), " is more than the string has (",
                  static_cast<int64_t>(source.size()), " bytes)")));
  }
  if (!CheckSpan(call, 2, bytes, count, &offset)) return call.Failed();
  std::memcpy(bytes.data + offset, source.data(), count);
  return call.ReturnIf(call.state().Spend(count / kBytesPerStep), 0);
}

// copy(target, offset, source, source offset = 0, count = all from there on); they may overlap.
NativeResult Copy(NativeCall& call) {
  Bytes target;
  Bytes source;
  uint64_t to = 0;
  uint64_t from = 0;
  uint64_t count = 0;
  if (!CheckBuffer(call, 1, &target) || !CheckBuffer(call, 3, &source)) return call.Failed();
  if (!call.is_none_or_nil(4) && !CheckSpan(call, 4, source, 0, &from)) return call.Failed();
  if (!OptCount(call, 5, source.length - from, &count) || !CheckSpan(call, 2, target, count, &to)) {
    return call.Failed();
  }
  if (count > source.length - from) {
    return call.ReturnIf(call.ArgumentError(
        5, Concat("count ", static_cast<int64_t>(count), " is more than the source has from ",
                  static_cast<int64_t>(from), " on (", static_cast<int64_t>(source.length - from),
                  " bytes)")));
  }
  std::memmove(target.data + to, source.data + from, count);
  return call.ReturnIf(call.state().Spend(count / kBytesPerStep), 0);
}

NativeResult Fill(NativeCall& call) {
  Bytes bytes;
  uint64_t offset = 0;
  int64_t value = 0;
  uint64_t count = 0;
  if (!CheckBuffer(call, 1, &bytes) || !CheckSpan(call, 2, bytes, 0, &offset) ||
      !call.CheckInteger(3, &value) || !OptCount(call, 4, bytes.length - offset, &count) ||
      !CheckSpan(call, 2, bytes, count, &offset)) {
    return call.Failed();
  }
  std::memset(bytes.data + offset, static_cast<int>(value & 0xff), count);
  return call.ReturnIf(call.state().Spend(count / kBytesPerStep), 0);
}

constexpr NativeEntry kFunctions[] = {
    {"create", Create},
    {"fromstring", FromString},
    {nullptr, nullptr},
};
// Functions on a buffer, and its methods.
constexpr NativeEntry kMethods[] = {
    {"tostring", ToString},
    {"len", Length},
    {"readi8", Read<int8_t>},
    {"readu8", Read<uint8_t>},
    {"readi16", Read<int16_t>},
    {"readu16", Read<uint16_t>},
    {"readi32", Read<int32_t>},
    {"readu32", Read<uint32_t>},
    {"readi64", Read<int64_t>},
    {"readf32", Read<float>},
    {"readf64", Read<double>},
    {"writei8", Write<uint8_t>},
    {"writeu8", Write<uint8_t>},
    {"writei16", Write<uint16_t>},
    {"writeu16", Write<uint16_t>},
    {"writei32", Write<uint32_t>},
    {"writeu32", Write<uint32_t>},
    {"writei64", Write<int64_t>},
    {"writef32", Write<float>},
    {"writef64", Write<double>},
    {"readbits", ReadBits},
    {"writebits", WriteBits},
    {"readstring", ReadString},
    {"writestring", WriteString},
    {"copy", Copy},
    {"fill", Fill},
    {nullptr, nullptr},
};
constexpr NativeEntry kMetamethods[] = {{"__len", Length}, {nullptr, nullptr}};

}  // namespace

bool OpenBuffer(State& state) {
  return MakeMetatable(state, kBufferTypeName, kMethods, kMetamethods) && PushNewTable(state) &&
         SetFunctions(state, kFunctions) && SetFunctions(state, kMethods);
}

}  // namespace neap::vm
