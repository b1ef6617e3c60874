// SPDX-License-Identifier: MIT
//
// string_encoding.h. Tables that are being walked or filled stand in the stack, one or two slots a
// level: everything here may collect. Counts in the bytes are not believed: room is made for what
// is there.
#include "library/string_encoding.h"

#include <cstring>

#include "library/native_setup.h"
#include "library/string_functions.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

enum Tag : uint32_t {
  kNil = 0x00,
  kFalse = 0x01,
  kTrue = 0x02,
  kInt32 = 0x06,
  kDouble = 0x07,
  kEmptyTable = 0x08,
  kPairs = 0x09,
  kFromZero = 0x0a,
  kFromZeroAndPairs = 0x0b,
  kFromOne = 0x0c,
  kFromOneAndPairs = 0x0d,
  kInt64 = 0x10,
  kUint64 = 0x11,
  kString = 0x20,
};

// Tables within tables; LuaJIT's limit.
constexpr int kMaxDepth = 100;
constexpr uint32_t kOneByte = 0xe0;
constexpr uint32_t kTwoBytes = 0x1fe0;

// --- Encoding ------------------------------------------------------------------------------------

class Encoder {
 public:
  Encoder(NativeCall& call, std::string* out) : call_(call), room_(call.state()), out_(*out) {}

  // The value on top, which is popped.
  bool EncodeTop(int depth) {
    const Value v = call_.top();
    if (IsTable(v)) {
      if (depth == kMaxDepth) return call_.Error("tables are nested too deeply to be encoded");
      if (!EncodeTable(depth)) return false;
    } else if (IsString(v)) {
      const uint64_t length = AsString(v)->length;
      if (length > UINT32_MAX - kString) return call_.Error("string is too long to be encoded");
      AppendCount(kString + static_cast<uint32_t>(length));
      out_ += AsString(v)->view();
    } else if (!EncodeScalar(v)) {
      return call_.Error(Concat("a ", call_.state().TypeNameOf(v), " value cannot be encoded"));
    }
    call_.Pop();
    return room_.Allows(out_.size()) && call_.state().Spend(1);
  }

 private:
  bool EncodeScalar(Value v) {
    if (v.is_nil() || v.is_boolean()) {
      AppendCount(v.is_nil() ? kNil : v.is_true() ? kTrue : kFalse);
    } else if (IsInteger(v)) {
      const int64_t integer = IntegerOf(v);
      const auto narrow = static_cast<int32_t>(integer);
      AppendCount(narrow == integer ? kInt32 : kInt64);
      narrow == integer ? AppendBytes(narrow) : AppendBytes(integer);
    } else if (IsNumber(v)) {
      AppendCount(kDouble);
      AppendBytes(NumberOf(v));
    } else {
      return false;
    }
    return true;
  }

  // The table on top stays there.
  bool EncodeTable(int depth) {
    if (!call_.state().EnsureSlots(3 + kNativeSlots)) return false;
    const int64_t elements = Border(call_.objects(), AsTable(call_.top()));
    uint64_t pairs = 0;
    if (!CountPairs(elements, &pairs)) return false;
    if (elements >= INT32_MAX || pairs > INT32_MAX) {
      return call_.Error("table is too large to be encoded");
    }
    const auto count = static_cast<uint32_t>(elements);
    if (count == 0) {
      AppendCount(pairs == 0 ? kEmptyTable : kPairs);
    } else {
      AppendCount(pairs == 0 ? kFromOne : kFromOneAndPairs);
      AppendCount(count + 1);
    }
    if (pairs != 0) AppendCount(static_cast<uint32_t>(pairs));
    for (int64_t i = 1; i <= elements; ++i) {
      call_.Push(RawGetInteger(call_.objects(), AsTable(call_.top()), i));
      if (!EncodeTop(depth + 1)) return false;
    }
    return pairs == 0 || EncodePairs(elements, pairs, depth);
  }

  static bool IsPair(Value key, int64_t elements) {
    return !IsInteger(key) || IntegerOf(key) < 1 || IntegerOf(key) > elements;
  }
  bool CountPairs(int64_t elements, uint64_t* pairs) {
    Value key;
    Value value;
    uint64_t steps = 0;
    while (Next(call_.objects(), AsTable(call_.top()), &key, &value) == NextResult::kFound) {
      *pairs += IsPair(key, elements);
      ++steps;
    }
    return call_.state().Spend(steps / 4);
  }
  // Finalizers that run meanwhile may change the table, but not unnoticed.
  bool EncodePairs(int64_t elements, uint64_t pairs, int depth) {
    call_.PushNil();  // above the table: the key
    for (;;) {
      Value key = call_.top();
      Value value;
      if (Next(call_.objects(), AsTable(call_.top(2)), &key, &value) != NextResult::kFound) break;
      call_.Pop();
      call_.Push(key);
      if (!IsPair(key, elements)) continue;
      --pairs;
      call_.Push(value);
      call_.Push(key);
      if (!EncodeTop(depth + 1) || !EncodeTop(depth + 1)) return false;
    }
    call_.Pop();
    return pairs == 0 || call_.Error("the table was changed while it was encoded");
  }

  void AppendCount(uint32_t u) {
    if (u < kOneByte) {
      out_ += static_cast<char>(u);
    } else if (u < kTwoBytes) {
      u -= kOneByte;
      out_ += static_cast<char>(kOneByte | u >> 8);
      out_ += static_cast<char>(u & 0xff);
    } else {
      out_ += '\xff';
      AppendBytes(u);
    }
  }
  template <typename T>
  void AppendBytes(T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out_.append(bytes, sizeof(T));
  }

  NativeCall& call_;
  RoomCheck room_;
  std::string& out_;
};

// --- Decoding ------------------------------------------------------------------------------------

class Decoder {
 public:
  Decoder(NativeCall& call, std::string_view bytes) : call_(call), bytes_(bytes) {}

  size_t position() const { return position_; }

  // Pushes the next value.
  bool Decode(int depth) {
    uint32_t tag = 0;
    if (!TakeCount(&tag)) return false;
    if (tag >= kString) return DecodeString(tag - kString);
    switch (tag) {
      case kNil:
        call_.PushNil();
        return true;
      case kFalse:
      case kTrue:
        call_.PushBoolean(tag == kTrue);
        return true;
      case kInt32:
        return DecodeInteger<int32_t>();
      case kInt64:
        return DecodeInteger<int64_t>();
      case kUint64:
        return DecodeInteger<uint64_t>();
      case kDouble: {
        double number = 0;
        if (!TakeBytes(&number)) return false;
        call_.PushNumber(number);
        return true;
      }
      default:
        if (tag >= kEmptyTable && tag <= kFromOneAndPairs) return DecodeTable(tag, depth);
        return call_.Error(Concat("unknown tag ", tag, " at byte ", position_ - 1));
    }
  }

 private:
  bool Short() { return call_.Error("unexpected end of buffer"); }

  bool TakeCount(uint32_t* u) {
    if (position_ == bytes_.size()) return Short();
    const auto first = static_cast<uint8_t>(bytes_[position_++]);
    if (first < kOneByte) {
      *u = first;
      return true;
    }
    if (first == 0xff) return TakeBytes(u);
    if (position_ == bytes_.size()) return Short();
    const auto second = static_cast<uint8_t>(bytes_[position_++]);
    *u = ((first & 0x1fu) << 8 | second) + kOneByte;
    return true;
  }
  template <typename T>
  bool TakeBytes(T* value) {
    if (bytes_.size() - position_ < sizeof(T)) return Short();
    std::memcpy(value, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return true;
  }
  template <typename T>
  bool DecodeInteger() {
    T integer = 0;
    if (!TakeBytes(&integer)) return false;
    if (static_cast<int64_t>(integer) < 0 && integer > 0) {
      return call_.Error("an unsigned integer does not fit");
    }
    return call_.PushInteger(static_cast<int64_t>(integer));
  }
  bool DecodeString(uint32_t length) {
    if (bytes_.size() - position_ < length) return Short();
    position_ += length;
    return call_.PushString(bytes_.substr(position_ - length, length));
  }

  bool DecodeTable(uint32_t tag, int depth) {
    if (depth == kMaxDepth) return call_.Error("tables are nested too deeply to be decoded");
    if (!call_.state().EnsureSlots(4 + kNativeSlots) || !PushNewTable(call_.state())) return false;
    const bool from_zero = tag == kFromZero || tag == kFromZeroAndPairs;
    const bool has_pairs = tag == kPairs || tag == kFromZeroAndPairs || tag == kFromOneAndPairs;
    uint32_t elements = 0;
    uint32_t pairs = 0;
    if (tag >= kFromZero && !TakeCount(&elements)) return false;
    if (has_pairs && !TakeCount(&pairs)) return false;
    for (uint32_t i = from_zero ? 0 : 1; i < elements; ++i) {
      if (!Decode(depth + 1) || !SetFromTop(Value::InlineInteger(i))) return false;
    }
    for (uint32_t i = 0; i < pairs; ++i) {
      if (!Decode(depth + 1)) return false;
      const Value key = call_.top();
      if (key.is_nil() || (IsNumber(key) && NumberOf(key) != NumberOf(key))) {
        return call_.Error(Concat("a key is nil or NaN at byte ", position_));
      }
      if (!Decode(depth + 1)) return false;
      const Value value = call_.top();
      if (!RawSet(call_.objects(), AsTable(call_.top(3)), call_.top(2), value)) {
        return call_.state().MemoryError();
      }
      call_.Pop(2);
      if (!call_.state().Spend(1)) return false;
    }
    return true;
  }
  // Sets the integer field of the table below the top to the top, which is popped.
  bool SetFromTop(Value key) {
    if (!RawSet(call_.objects(), AsTable(call_.top(2)), key, call_.top())) {
      return call_.state().MemoryError();
    }
    call_.Pop();
    return call_.state().Spend(1);
  }

  NativeCall& call_;
  std::string_view bytes_;
  size_t position_ = 0;
};

}  // namespace

bool EncodeArgument(NativeCall& call, int i, std::string* out) {
  if (!call.CheckAny(i)) return false;
  call.Push(call.arg(i));
  return Encoder(call, out).EncodeTop(0);
}

bool DecodeAndPush(NativeCall& call, std::string_view bytes, size_t* used) {
  Decoder decoder(call, bytes);
  if (!decoder.Decode(0)) return false;
  *used = decoder.position();
  return true;
}

}  // namespace neap::vm
