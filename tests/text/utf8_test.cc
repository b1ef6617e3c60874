// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>

#include "doctest/doctest.h"
#include "text/utf8_text.h"

namespace neap::testing {
namespace {

using vm::TextStatus;
using vm::Utf8Mode;

size_t Length(std::string_view text, Utf8Mode mode) {
  uint32_t code = 0;
  return vm::DecodeUtf8(text, mode, &code);
}

TEST_SUITE_BEGIN("text/utf8");

TEST_CASE("every length encodes and decodes at its limits") {
  for (const uint32_t limit : {0u, 0x7fu, 0x7ffu, 0xffffu, 0x1fffffu, 0x3ffffffu, 0x7fffffffu}) {
    for (uint32_t code : {limit, limit + 1}) {
      if (code > vm::kMaxUtf8) continue;
      std::string text;
      vm::AppendUtf8(code, &text);
      uint32_t decoded = ~code;
      CHECK(vm::DecodeUtf8(text, Utf8Mode::kLax, &decoded) == text.size());
      CHECK(decoded == code);
      CHECK(vm::DecodeUtf8(std::string_view(text).substr(0, text.size() - 1), Utf8Mode::kLax,
                           &decoded) == 0);
    }
  }
}

TEST_CASE("strict decoding refuses what Unicode refuses, any mode what is malformed") {
  CHECK(Length("\xed\xa0\x80", Utf8Mode::kLax) == 3);  // a surrogate
  CHECK(Length("\xed\xa0\x80", Utf8Mode::kStrict) == 0);
  CHECK(Length("\xf4\x90\x80\x80", Utf8Mode::kLax) == 4);  // above 10FFFF
  CHECK(Length("\xf4\x90\x80\x80", Utf8Mode::kStrict) == 0);
  for (const std::string_view text :
       {"", "\x80", "\xff", "\xfe", "\xc0\x80", "\xe0\x80\x80", "\xc3z"}) {
    CHECK(Length(text, Utf8Mode::kLax) == 0);
  }
}

TEST_CASE("messages") {
  std::string out;
  vm::Utf8Length length;
  vm::Utf8Slice slice;
  std::optional<int64_t> position;
  const auto is = [](const TextStatus& status, int argument, std::string_view words) {
    CHECK(status.message() == words);
    CHECK(status.argument() == argument);
  };
  is(vm::EncodeUtf8(-1, &out), 0, "value out of range");
  is(vm::EncodeUtf8(int64_t{1} << 31, &out), 0, "value out of range");
  is(vm::MeasureUtf8("abc", 5, -1, Utf8Mode::kStrict, &length), 2,
     "initial position out of bounds");
  is(vm::MeasureUtf8("abc", 1, 4, Utf8Mode::kStrict, &length), 3, "final position out of bounds");
  is(vm::SliceUtf8("abc", 0, 1, &slice), 2, "out of bounds");
  is(vm::SliceUtf8("abc", 1, 4, &slice), 3, "out of bounds");
  is(vm::OffsetUtf8("abc", 1, 5, &position), 3, "position out of bounds");
  is(vm::OffsetUtf8("a\x80", 1, 2, &position), 0, "initial position is a continuation byte");
  is(vm::CheckUtf8Start("\x80"), 1, "invalid UTF-8 code");
  vm::Utf8Step step;
  is(vm::NextUtf8("\xff", 0, Utf8Mode::kLax, &step), 0, "invalid UTF-8 code");
  is(vm::NextUtf8("a\x80", 0, Utf8Mode::kLax, &step), 0, "invalid UTF-8 code");
}

TEST_CASE("lengths, slices and offsets count characters") {
  const std::string_view text = "a\xc3\xa9\xe2\x82\xac";  // a, e acute, euro sign
  vm::Utf8Length length;
  CHECK(vm::MeasureUtf8(text, 1, -1, Utf8Mode::kStrict, &length).ok());
  CHECK(length.count == 3);
  CHECK(vm::MeasureUtf8("ab\xff", 1, -1, Utf8Mode::kStrict, &length).ok());
  CHECK(!length.valid);
  CHECK(length.bad_position == 3);
  std::optional<int64_t> position;
  CHECK(vm::OffsetUtf8(text, 3, 1, &position).ok());
  CHECK(position == 4);
  CHECK(vm::OffsetUtf8(text, -1, 7, &position).ok());
  CHECK(position == 4);
  CHECK(vm::OffsetUtf8(text, 0, 5, &position).ok());
  CHECK(position == 4);
  CHECK(vm::OffsetUtf8(text, 5, 1, &position).ok());
  CHECK(position == std::nullopt);
}

TEST_CASE("steps go from character to character") {
  vm::Utf8Step step;
  std::string seen;
  while (vm::NextUtf8("a\xc3\xa9z", step.position, Utf8Mode::kStrict, &step).ok()) {
    if (step.position == 0) break;
    seen += std::to_string(step.position) + ":" + std::to_string(step.code) + " ";
  }
  CHECK(seen == "1:97 2:233 4:122 ");
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
