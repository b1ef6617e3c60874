// SPDX-License-Identifier: MIT
//
// UTF-8: good sequences, broken ones, and sequences that only the lax mode takes.
#include <string>
#include <string_view>

#include "doctest/doctest.h"
#include "lua_oracle.h"
#include "support/random.h"
#include "text/utf8_text.h"

namespace neap::testing {
namespace {

using vm::TextStatus;
using vm::Utf8Mode;

constexpr int kCases = 5000;

std::string RandomText(Random* random) {
  std::string text;
  for (uint64_t n = random->Below(7); n > 0; --n) {
    const size_t before = text.size();
    if (random->OneIn(5)) {
      text += static_cast<char>(random->OneIn(3) ? random->Below(256) : 0x80 + random->Below(64));
    } else if (random->OneIn(10)) {
      vm::AppendUtf8(static_cast<uint32_t>(0xd7f0 + random->Below(0x830)), &text);
    } else {
      vm::AppendUtf8(static_cast<uint32_t>((random->Next() >> 33) >> random->Below(31)), &text);
    }
    if (random->OneIn(15) && text.size() > before) text.pop_back();
    if (random->OneIn(15) && text.size() > before) text[before] ^= 0x20;  // often too long a form
  }
  return text;
}

int64_t RandomPosition(Random* random, std::string_view text) {
  return static_cast<int64_t>(random->Below(2 * text.size() + 5)) -
         static_cast<int64_t>(text.size()) - 2;
}

TEST_SUITE_BEGIN("text/utf8");

TEST_CASE("code points are encoded as by the reference") {
  LuaOracle oracle("return function(c) return show(pcall(utf8.char, integer(c))) end");
  Random random;
  for (int i = 0; i < kCases; ++i) {
    int64_t code = static_cast<int64_t>((random.Next() >> 32) >> random.Below(32));
    if (random.OneIn(20)) code = -code;
    std::string text;
    const TextStatus status = vm::EncodeUtf8(code, &text);
    oracle.Ask({LuaOracle::HexWord(code)}, status.ok()
                                               ? Shown().String(text).text()
                                               : Shown().Error(status, "utf8.char", 1).text());
  }
  oracle.Compare();
}

TEST_CASE("len agrees with the reference") {
  LuaOracle oracle(R"lua(return function(s, i, j, lax)
    return show(pcall(utf8.len, s, integer(i), integer(j), lax == "lax")) end)lua");
  Random random;
  for (int i = 0; i < kCases; ++i) {
    const std::string text = RandomText(&random);
    const bool whole = random.OneIn(2);
    const int64_t first = whole ? 1 : RandomPosition(&random, text);
    const int64_t last = whole ? -1 : RandomPosition(&random, text);
    const Utf8Mode mode = random.OneIn(2) ? Utf8Mode::kLax : Utf8Mode::kStrict;
    vm::Utf8Length length;
    const TextStatus status = vm::MeasureUtf8(text, first, last, mode, &length);
    Shown shown;
    if (!status.ok()) {
      shown.Error(status, "utf8.len");
    } else if (length.valid) {
      shown.Integer(length.count);
    } else {
      shown.Nil().Integer(length.bad_position);
    }
    oracle.Ask({text, LuaOracle::HexWord(first), LuaOracle::HexWord(last),
                mode == Utf8Mode::kLax ? "lax" : ""},
               shown.text());
  }
  oracle.Compare();
}

TEST_CASE("codepoint agrees with the reference") {
  LuaOracle oracle(R"lua(return function(s, i, j, lax)
    return show(pcall(utf8.codepoint, s, integer(i), integer(j), lax == "lax")) end)lua");
  Random random;
  for (int i = 0; i < kCases; ++i) {
    const std::string text = RandomText(&random);
    const int64_t first = RandomPosition(&random, text);
    const int64_t last = random.OneIn(2) ? -1 : RandomPosition(&random, text);
    const Utf8Mode mode = random.OneIn(2) ? Utf8Mode::kLax : Utf8Mode::kStrict;
    vm::Utf8Slice slice;
    const TextStatus status = vm::SliceUtf8(text, first, last, &slice);
    Shown shown;
    if (!status.ok()) shown.Error(status, "utf8.codepoint");
    while (status.ok() && slice.begin < slice.end) {
      uint32_t code = 0;
      const size_t bytes = DecodeUtf8(std::string_view(text).substr(slice.begin), mode, &code);
      if (bytes == 0) {
        shown.Error(TextStatus::Error(vm::kInvalidUtf8));
        break;
      }
      shown.Integer(code);
      slice.begin += bytes;
    }
    oracle.Ask({text, LuaOracle::HexWord(first), LuaOracle::HexWord(last),
                mode == Utf8Mode::kLax ? "lax" : ""},
               shown.text());
  }
  oracle.Compare();
}

TEST_CASE("offset agrees with the reference") {
  LuaOracle oracle(R"lua(return function(s, n, i)
    return show(pcall(utf8.offset, s, integer(n), i ~= "" and integer(i) or nil)) end)lua");
  Random random;
  for (int i = 0; i < kCases; ++i) {
    const std::string text = RandomText(&random);
    const int64_t n = static_cast<int64_t>(random.Below(13)) - 6;
    const bool given = random.OneIn(2);
    const int64_t from = given ? RandomPosition(&random, text) : vm::DefaultOffsetStart(text, n);
    std::optional<int64_t> position;
    const TextStatus status = vm::OffsetUtf8(text, n, from, &position);
    Shown shown;
    if (!status.ok()) {
      shown.Error(status, "utf8.offset");
    } else if (position) {
      shown.Integer(*position);
    } else {
      shown.Nil();
    }
    oracle.Ask({text, LuaOracle::HexWord(n), given ? LuaOracle::HexWord(from) : ""}, shown.text());
  }
  oracle.Compare();
}

TEST_CASE("codes agrees with the reference") {
  // Releases before 5.4.7 say less of continuation bytes where none may be: no such text is asked.
  LuaOracle oracle(R"lua(return function(s, lax)
    return show(pcall(function()
      local all = {}
      for p, c in utf8.codes(s, lax == "lax") do table.move({p, c}, 1, 2, #all + 1, all) end
      return table.unpack(all)
    end)) end)lua");
  Random random;
  for (int i = 0; i < kCases; ++i) {
    const std::string text = RandomText(&random);
    const Utf8Mode mode = random.OneIn(2) ? Utf8Mode::kLax : Utf8Mode::kStrict;
    TextStatus status = vm::CheckUtf8Start(text);
    if (!status.ok()) continue;
    Shown shown;
    vm::Utf8Step step;
    bool stray = false;
    while ((status = vm::NextUtf8(text, step.position, mode, &step)).ok() && step.position > 0) {
      shown.Integer(step.position).Integer(step.code);
    }
    for (size_t at = 0; at < text.size();) {
      uint32_t code;
      const size_t bytes = DecodeUtf8(std::string_view(text).substr(at), mode, &code);
      if (bytes == 0) break;
      at += bytes;
      stray |= at < text.size() && vm::IsContinuation(text[at]);
    }
    if (stray) {
      CHECK(status.message() == vm::kInvalidUtf8);
      continue;
    }
    if (!status.ok()) shown.Error(status);
    oracle.Ask({text, mode == Utf8Mode::kLax ? "lax" : ""}, shown.text());
  }
  oracle.Compare();
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
