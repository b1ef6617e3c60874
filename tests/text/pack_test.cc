// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>

#include "doctest/doctest.h"
#include "text/pack_format.h"

namespace neap::testing {
namespace {

using vm::PackReader;
using vm::PackSize;
using vm::PackValue;
using vm::PackWriter;
using vm::TextStatus;

// The bytes of `value` for each item that takes one, or the message.
template <typename Value>
std::string Pack(std::string_view format, Value value) {
  std::string out;
  PackWriter writer(format, &out);
  while (writer.Next()) {
    if (!vm::HasValue(writer.item().kind)) continue;
    TextStatus status;
    if constexpr (std::is_same_v<Value, double>) {
      writer.PutNumber(value);
    } else if constexpr (std::is_integral_v<Value>) {
      status = writer.PutInteger(value);
    } else {
      status = writer.PutString(value);
    }
    if (!status.ok()) return status.message();
  }
  return writer.status().ok() ? out : writer.status().message();
}

// The first value's error.
std::string UnpackError(std::string_view format, std::string_view data) {
  PackReader reader(format, data, 0);
  PackValue value;
  while (reader.Next(&value)) {
  }
  return reader.status().message();
}

std::string SizeError(std::string_view format) {
  size_t size = 0;
  return PackSize(format, &size).message();
}

TEST_SUITE_BEGIN("text/pack");

TEST_CASE("integers are written in either order and any size") {
  CHECK(Pack(">i2", 258) == "\1\2");
  CHECK(Pack("<i3", -2) == "\xfe\xff\xff");
  CHECK(Pack(">I9", 1) == std::string(8, '\0') + "\1");
  CHECK(Pack("<i16", -1) == std::string(16, '\xff'));
  CHECK(Pack("!4 >b i4", 1) == std::string("\1\0\0\0\0\0\0\1", 8));
  CHECK(Pack(">b Xh b", 1) == std::string("\1\1", 2));
  CHECK(Pack("!>b Xh b x", 1) == std::string("\1\0\1\0", 4));
}

TEST_CASE("strings are fixed, counted or end with zero") {
  CHECK(Pack("c5", "abc") == std::string("abc\0\0", 5));
  CHECK(Pack("<s2", "abc") == std::string("\3\0abc", 5));
  CHECK(Pack("z", "abc") == std::string("abc\0", 4));
}

TEST_CASE("floats keep their bits") {
  CHECK(Pack(">f", 1.5) == std::string("\x3f\xc0\0\0", 4));
  CHECK(Pack(">d", -2.0) == std::string("\xc0\0\0\0\0\0\0\0", 8));
}

TEST_CASE("what was packed is unpacked, and the position is told") {
  PackReader reader("<i2 s1 z f", std::string_view("\xfe\xff\2hiyo\0\0\0\0\x40", 12), 0);
  PackValue value;
  REQUIRE(reader.Next(&value));
  CHECK(value == PackValue(int64_t{-2}));
  REQUIRE(reader.Next(&value));
  CHECK(value == PackValue(std::string_view("hi")));
  REQUIRE(reader.Next(&value));
  CHECK(value == PackValue(std::string_view("yo")));
  REQUIRE(reader.Next(&value));
  CHECK(value == PackValue(2.0));
  CHECK(!reader.Next(&value));
  CHECK(reader.status().ok());
  CHECK(reader.position() == 13);
}

TEST_CASE("errors of formats") {
  CHECK(Pack("i17", 1) == "integral size (17) out of limits [1,16]");
  CHECK(Pack("I0", 1) == "integral size (0) out of limits [1,16]");
  CHECK(Pack("q", 1) == "invalid format option 'q'");
  CHECK(Pack("c", "") == "missing size for format option 'c'");
  CHECK(Pack("!8 i3", 1) == "format asks for alignment not power of 2");
  CHECK(Pack("X", 1) == "invalid next option for option 'X'");
  CHECK(Pack("Xc4", 1) == "invalid next option for option 'X'");
  CHECK(SizeError("s") == "variable-length format");
  CHECK(SizeError("z") == "variable-length format");
  CHECK(SizeError("c2147483640i8") == "invalid format option '0'");
  CHECK(SizeError("c214748364c214748364c214748364c214748364c214748364c214748364c214748364"
                  "c214748364c214748364c214748364c8") == "format result too large");
  size_t size = 0;
  CHECK(PackSize("!8 b Xd d", &size).ok());
  CHECK(size == 16);
}

TEST_CASE("errors of values") {
  CHECK(Pack("i1", 128) == "integer overflow");
  CHECK(Pack("i1", -129) == "integer overflow");
  CHECK(Pack("I1", 256) == "unsigned overflow");
  CHECK(Pack("c2", "abc") == "string longer than given size");
  CHECK(Pack("s1", std::string(256, 'x')) == "string length does not fit in given size");
  CHECK(Pack("z", std::string_view("a\0b", 3)) == "string contains zeros");
}

TEST_CASE("errors of data") {
  CHECK(UnpackError("i4", "abc") == "data string too short");
  CHECK(UnpackError("s1", "\5ab") == "data string too short");
  CHECK(UnpackError("s8", std::string(8, '\xff')) == "data string too short");
  CHECK(UnpackError("z", "abc") == "unfinished string for format 'z'");
  CHECK(UnpackError("<i9", std::string(8, '\0') + "\1") ==
        "9-byte integer does not fit into Lua Integer");
  size_t offset = 0;
  CHECK(vm::UnpackStart(5, 3, &offset).message() == "initial position out of string");
  CHECK(vm::UnpackStart(-1, 3, &offset).ok());
  CHECK(offset == 2);
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
