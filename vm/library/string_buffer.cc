// SPDX-License-Identifier: MIT
//
// string.buffer: text that is put together, and taken from its front, without a string for each
// step; the module of LuaJIT of that name, less what needs its FFI (reserve makes room and says how
// much there is; commit and ref hand out pointers there). vm/library/meta/string_buffer.lua says
// what each method does.
//
//        start         end        capacity
//    +----+-------------+-------------+
//    |gone| the content | room        |     one block outside the heap, counted as the buffer's
//    +----+-------------+-------------+
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "interpreter/native_call.h"
#include "interpreter/userdata_maker.h"
#include "library/library.h"
#include "library/native_setup.h"
#include "library/off_heap.h"
#include "library/string_encoding.h"
#include "library/string_functions.h"
#include "library/text_argument.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr const char* kTypeName = "string.buffer";  // in the registry: the metatable
constexpr char kTag = 0;                            // its address
constexpr uint64_t kLeastCapacity = 32;

struct TextBuffer {
  char* data;
  uint64_t start;
  uint64_t end;
  uint64_t capacity;

  uint64_t length() const { return end - start; }
  std::string_view view() const { return {data + start, length()}; }
};

void Drop(void* payload) { std::free(static_cast<TextBuffer*>(payload)->data); }

TextBuffer* AsTextBuffer(Value v) {
  if (!IsUserdata(v) || AsUserdata(v)->tag != reinterpret_cast<uint64_t>(&kTag)) return nullptr;
  return static_cast<TextBuffer*>(AsUserdata(v)->payload());
}

bool Check(NativeCall& call, TextBuffer** buffer) {
  void* payload = nullptr;
  if (!call.CheckUserdata(1, &kTag, kTypeName, &payload)) return false;
  *buffer = static_cast<TextBuffer*>(payload);
  return true;
}

// Room for `more` bytes at the end of the buffer that is argument `i`. A safepoint when it grows.
bool MakeRoom(NativeCall& call, int i, uint64_t more) {
  TextBuffer& buffer = *AsTextBuffer(call.arg(i));
  if (more <= buffer.capacity - buffer.end) return true;
  const uint64_t length = buffer.length();
  if (more > kMaxStringBytes - length) return call.state().MemoryError();
  // What was taken from the front is as good, when it is half of the block.
  if (length + more <= buffer.capacity / 2) {
    std::memmove(buffer.data, buffer.data + buffer.start, length);
    buffer.start = 0;
    buffer.end = length;
    return true;
  }
  uint64_t capacity = buffer.capacity < kLeastCapacity ? kLeastCapacity : buffer.capacity;
  while (capacity < length + more) capacity *= 2;
  Userdata* owner = AsUserdata(call.arg(i));
  if (!HasRoomOffHeap(call.state(), owner, capacity)) return false;
  auto* data = static_cast<char*>(std::malloc(capacity));
  if (data == nullptr) return call.state().MemoryError();
  if (length != 0) std::memcpy(data, buffer.data + buffer.start, length);
  std::free(buffer.data);
  buffer = {data, 0, length, capacity};
  NoteOffHeap(call.state(), owner, capacity);
  return true;
}

// Appends bytes outside the heap.
bool Append(NativeCall& call, int i, std::string_view text) {
  if (!MakeRoom(call, i, text.size())) return false;
  TextBuffer& buffer = *AsTextBuffer(call.arg(i));
  if (!text.empty()) std::memcpy(buffer.data + buffer.end, text.data(), text.size());
  buffer.end += text.size();
  return true;
}

// Appends argument `i` to the buffer that is argument 1: a string, a number, a buffer, or what its
// __tostring makes of it.
bool AppendArgument(NativeCall& call, int i) {
  const Value v = call.arg(i);
  if (IsNumber(v)) return Append(call, 1, State::TextOf(v));
  if (const TextBuffer* other = AsTextBuffer(v)) {
    // It may be the same one: its data may move when that grows.
    if (!MakeRoom(call, 1, other->length())) return false;
    TextBuffer& buffer = *AsTextBuffer(call.arg(1));
    const uint64_t length = other->length();
    if (length != 0) std::memcpy(buffer.data + buffer.end, other->data + other->start, length);
    buffer.end += length;
    return true;
  }
  const bool is_text = IsString(v);
  if (!is_text) {
    if (call.state().MetamethodOf(v, Event::kTostring).is_nil()) {
      return call.TypeError(i, "string, number, buffer or object with __tostring");
    }
    if (!call.state().PushTostring(v)) return false;
    call.set_arg(i, call.top());
    call.Pop();
  }
  if (!MakeRoom(call, 1, AsString(call.arg(i))->length)) return false;
  TextBuffer& buffer = *AsTextBuffer(call.arg(1));
  const std::string_view text = call.text(i);  // it may have moved
  if (!text.empty()) std::memcpy(buffer.data + buffer.end, text.data(), text.size());
  buffer.end += text.size();
  return true;
}

// Forgets what is in it; keeps the block.
void Reset(TextBuffer& buffer) { buffer.start = buffer.end = 0; }

NativeResult Self(NativeCall& call) { return call.ReturnValue(call.arg(1)); }

NativeResult Put(NativeCall& call) {
  TextBuffer* buffer = nullptr;
  if (!Check(call, &buffer)) return call.Failed();
  for (int i = 2; i <= call.count(); ++i) {
    if (!AppendArgument(call, i)) return call.Failed();
  }
  return Self(call);
}

NativeResult PutFormat(NativeCall& call) {
  TextBuffer* buffer = nullptr;
  std::string text;
  if (!Check(call, &buffer) || !FormatArguments(call, 2, &text) || !Append(call, 1, text)) {
    return call.Failed();
  }
  return Self(call);
}

NativeResult Set(NativeCall& call) {
  TextBuffer* buffer = nullptr;
  if (!Check(call, &buffer)) return call.Failed();
  if (AsTextBuffer(call.arg(2)) == buffer) return Self(call);
  Reset(*buffer);
  if (!AppendArgument(call, 2)) return call.Failed();
  return Self(call);
}

// Takes bytes from the front, once for each argument: so many, or all with nil.
NativeResult Get(NativeCall& call) {
  TextBuffer* buffer = nullptr;
  if (!Check(call, &buffer)) return call.Failed();
  const int count = call.count() < 2 ? 1 : call.count() - 1;
  if (!call.state().EnsureSlots(static_cast<uint32_t>(count))) return call.Failed();
  for (int i = 2; i < 2 + count; ++i) {
    auto wanted = static_cast<int64_t>(buffer->length());
    if (!call.OptInteger(i, &wanted)) return call.Failed();
    if (wanted < 0) return call.ReturnIf(call.ArgumentError(i, "length is negative"));
    const uint64_t taken = std::min(static_cast<uint64_t>(wanted), buffer->length());
    if (!call.PushString(buffer->view().substr(0, taken))) return call.Failed();
    buffer->start += taken;
    if (buffer->length() == 0) Reset(*buffer);
  }
  return call.Return(static_cast<uint32_t>(count));
}

NativeResult Skip(NativeCall& call) {
  TextBuffer* buffer = nullptr;
  int64_t count = 0;
  if (!Check(call, &buffer) || !call.CheckInteger(2, &count)) return call.Failed();
  if (count < 0) return call.ReturnIf(call.ArgumentError(2, "length is negative"));
  buffer->start += std::min(static_cast<uint64_t>(count), buffer->length());
  if (buffer->length() == 0) Reset(*buffer);
  return Self(call);
}

NativeResult ToString(NativeCall& call) {
  TextBuffer* buffer = nullptr;
  return call.ReturnIf(Check(call, &buffer) && call.PushString(buffer->view()));
}

NativeResult Length(NativeCall& call) {
  TextBuffer* buffer = nullptr;
  return call.ReturnIf(Check(call, &buffer) &&
                       call.PushInteger(static_cast<int64_t>(buffer->length())));
}

NativeResult Reserve(NativeCall& call) {
  TextBuffer* buffer = nullptr;
  int64_t bytes = 0;
  if (!Check(call, &buffer) || !call.CheckInteger(2, &bytes)) return call.Failed();
  if (bytes < 0) return call.ReturnIf(call.ArgumentError(2, "size is negative"));
  if (!MakeRoom(call, 1, static_cast<uint64_t>(bytes))) return call.Failed();
  return call.ReturnIf(call.PushInteger(static_cast<int64_t>(buffer->capacity - buffer->end)));
}

NativeResult ResetMethod(NativeCall& call) {
  TextBuffer* buffer = nullptr;
  if (!Check(call, &buffer)) return call.Failed();
  Reset(*buffer);
  return Self(call);
}

NativeResult Free(NativeCall& call) {
  TextBuffer* buffer = nullptr;
  if (!Check(call, &buffer)) return call.Failed();
  std::free(buffer->data);
  *buffer = {};
  NoteOffHeap(call.state(), AsUserdata(call.arg(1)), 0);
  return call.Return(0);
}

// --- Encoding ------------------------------------------------------------------------------------

NativeResult EncodeInto(NativeCall& call) {
  TextBuffer* buffer = nullptr;
  std::string bytes;
  if (!Check(call, &buffer) || !EncodeArgument(call, 2, &bytes) || !Append(call, 1, bytes)) {
    return call.Failed();
  }
  return Self(call);
}

// Takes the value from the front. Finalizers may run meanwhile, and find the buffer empty; if one
// has changed it, its content is theirs.
NativeResult DecodeFrom(NativeCall& call) {
  TextBuffer* buffer = nullptr;
  if (!Check(call, &buffer)) return call.Failed();
  TextBuffer held = std::exchange(*buffer, {});
  size_t used = 0;
  const bool ok = DecodeAndPush(call, held.view(), &used);
  if (buffer->data != nullptr) {
    std::free(held.data);
    return call.ReturnIf(ok && call.Error("the buffer was changed while it was decoded"));
  }
  held.start += used;
  if (held.length() == 0) Reset(held);
  *buffer = held;
  return ok ? call.Return(1) : call.Failed();
}

NativeResult Encode(NativeCall& call) {
  std::string bytes;
  return call.ReturnIf(EncodeArgument(call, 1, &bytes) && call.PushString(bytes));
}

NativeResult Decode(NativeCall& call) {
  std::string bytes;
  size_t used = 0;
  if (!CheckText(call, 1, &bytes) || !DecodeAndPush(call, bytes, &used)) return call.Failed();
  if (used == bytes.size()) return call.Return(1);
  return call.ReturnIf(call.Error(Concat("bytes are left over after byte ", used)));
}

// Of two operands of which one is a buffer.
NativeResult Concatenate(NativeCall& call) {
  for (int i = 1; i <= 2; ++i) {
    if (!IsString(call.arg(i)) && !IsNumber(call.arg(i)) && AsTextBuffer(call.arg(i)) == nullptr) {
      return call.ReturnIf(call.Error(
          Concat("attempt to concatenate a ", call.state().TypeNameOf(call.arg(i)), " value")));
    }
    if (!call.state().PushTostring(call.arg(i))) return call.Failed();
  }
  const uint64_t length = AsString(call.top(2))->length + AsString(call.top(1))->length;
  String* joined = call.objects().NewStringOf(length);
  if (joined == nullptr) return call.ReturnIf(call.state().MemoryError());
  const std::string_view left = AsString(call.top(2))->view();
  const std::string_view right = AsString(call.top(1))->view();
  std::memcpy(joined->data(), left.data(), left.size());
  std::memcpy(joined->data() + left.size(), right.data(), right.size());
  return call.ReturnValue(Value::FromObject(joined));
}

NativeResult New(NativeCall& call) {
  int64_t bytes = 0;
  if (!call.OptInteger(1, &bytes)) return call.Failed();
  if (bytes < 0) return call.ReturnIf(call.ArgumentError(1, "size is negative"));
  State& state = call.state();
  Userdata* userdata = NewUserdata(state, sizeof(TextBuffer), 0);
  if (userdata == nullptr) return call.ReturnIf(state.MemoryError());
  userdata->tag = reinterpret_cast<uint64_t>(&kTag);
  userdata->drop = Drop;
  const Value metatable = RawField(state, state.registry(), kTypeName);
  call.mutator().Store(userdata, userdata->metatable.slot(), metatable.word());
  call.SetCount(1);
  call.set_arg(1, Value::FromObject(userdata));
  if (!MakeRoom(call, 1, static_cast<uint64_t>(bytes))) return call.Failed();
  return Self(call);
}

constexpr NativeEntry kFunctions[] = {
    {"decode", Decode}, {"encode", Encode}, {"new", New}, {nullptr, nullptr}};
constexpr NativeEntry kMethods[] = {
    {"decode", DecodeFrom}, {"encode", EncodeInto}, {"free", Free},      {"get", Get},
    {"len", Length},        {"put", Put},           {"putf", PutFormat}, {"reserve", Reserve},
    {"reset", ResetMethod}, {"set", Set},           {"skip", Skip},      {"tostring", ToString},
    {nullptr, nullptr},
};
constexpr NativeEntry kMetamethods[] = {
    {"__concat", Concatenate},
    {"__len", Length},
    {"__tostring", ToString},
    {nullptr, nullptr},
};

}  // namespace

bool OpenStringBuffer(State& state) {
  return MakeMetatable(state, kTypeName, kMethods, kMetamethods) && PushNewTable(state) &&
         SetFunctions(state, kFunctions);
}

}  // namespace neap::vm
