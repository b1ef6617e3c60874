// SPDX-License-Identifier: MIT
//
// json_cursor.h, by RFC 8259.
#include "profile/json_cursor.h"

#include <algorithm>

#include "text/concat.h"
#include "text/utf8_text.h"

namespace neap::vm {

void JsonCursor::SkipSpace() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
    ++at_;
  }
}

bool JsonCursor::Fail(std::string_view wanted) {
  if (!ok()) return false;
  error_ = at_ >= text_.size() ? Concat("ends at byte ", at_, ", where ", wanted, " was expected")
                               : Concat("has no ", wanted, " at byte ", at_);
  return false;
}

bool JsonCursor::IsAt(char c) {
  SkipSpace();
  return ok() && at_ < text_.size() && text_[at_] == c;
}

bool JsonCursor::Expect(char c) {
  if (!ok()) return false;
  if (!IsAt(c)) return Fail(Concat("'", std::string(1, c), "'"));
  ++at_;
  return true;
}

bool JsonCursor::Enter(char open) {
  is_first_ = true;
  return Expect(open);
}

bool JsonCursor::Next(char close) {
  if (!ok()) return false;
  if (IsAt(close)) {
    ++at_;
    is_first_ = false;  // what holds it goes on
    return false;
  }
  if (!is_first_ && !Expect(',')) return false;
  is_first_ = false;
  return true;
}

bool JsonCursor::NextKey(std::string* key) { return Next('}') && String(key) && Expect(':'); }

bool JsonCursor::NextElement() { return Next(']'); }

bool JsonCursor::Number(uint64_t* number) {
  SkipSpace();
  const size_t start = at_;
  uint64_t value = 0;
  for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
    const auto digit = static_cast<uint64_t>(text_[at_] - '0');
    if (value > (UINT64_MAX - digit) / 10) return Fail("number of 64 bits");
    value = 10 * value + digit;
  }
  const bool goes_on = at_ < text_.size() && (text_[at_] == '.' || (text_[at_] | 0x20) == 'e');
  if (at_ == start || goes_on || !ok()) return Fail("whole number");
  *number = value;
  return true;
}

bool JsonCursor::Hex4(uint32_t* code) {
  *code = 0;
  constexpr std::string_view kDigits = "0123456789abcdef0123456789ABCDEF";
  for (int i = 0; i < 4; ++i, ++at_) {
    const size_t digit = at_ < text_.size() ? kDigits.find(text_[at_]) : kDigits.npos;
    if (digit == kDigits.npos) return Fail("hexadecimal digit");
    *code = *code << 4 | static_cast<uint32_t>(digit % 16);
  }
  return true;
}

// Behind the backslash.
bool JsonCursor::Escape(std::string* text) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char letter = at_ < text_.size() ? text_[at_] : '\0';
  if (letter != 'u') {
    const size_t i = kLetters.find(letter);
    if (i == std::string_view::npos) return Fail("escape");
    ++at_;
    text->push_back(kMeanings[i]);
    return true;
  }
  ++at_;
  uint32_t code = 0;
  if (!Hex4(&code)) return false;
  const bool is_high = code >= 0xd800 && code < 0xdc00;
  if (is_high && text_.substr(at_, 2) == "\\u") {
    const size_t before = at_;
    uint32_t low = 0;
    at_ += 2;
    if (!Hex4(&low)) return false;
    if (low >= 0xdc00 && low < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else {
      at_ = before;
    }
  }
  if (code >= 0xd800 && code < 0xe000) code = 0xfffd;  // half of a pair
  AppendUtf8(code, text);
  return true;
}

bool JsonCursor::String(std::string* text) {
  if (!IsAt('"')) return Fail("string");
  ++at_;
  text->clear();
  for (;;) {
    const size_t plain = text_.find_first_of("\"\\", at_);
    if (plain == std::string_view::npos) {
      at_ = text_.size();
      return Fail("end of a string");
    }
    text->append(text_, at_, plain - at_);
    at_ = plain + 1;
    if (text_[plain] == '"') return true;
    if (!Escape(text)) return false;
  }
}

bool JsonCursor::Numbers(std::vector<uint64_t>* numbers) {
  numbers->clear();
  uint64_t number = 0;
  if (!Enter('[')) return false;
  while (NextElement() && Number(&number)) numbers->push_back(number);
  return ok();
}

bool JsonCursor::Strings(std::vector<std::string>* strings) {
  strings->clear();
  std::string text;
  if (!Enter('[')) return false;
  while (NextElement() && String(&text)) strings->push_back(text);
  return ok();
}

// Brackets are counted, not matched by kind: what is skipped is not checked.
bool JsonCursor::Skip() {
  size_t depth = 0;
  std::string ignored;
  for (;;) {
    SkipSpace();
    if (!ok() || at_ >= text_.size()) return Fail("value");
    const char c = text_[at_];
    if (c == '"') {
      if (!String(&ignored)) return false;
    } else if (c == '{' || c == '[') {
      ++depth;
      ++at_;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return Fail("value");
      --depth;
      ++at_;
    } else if (c == ',' || c == ':') {
      if (depth == 0) return Fail("value");
      ++at_;
      continue;
    } else {
      at_ = std::min(text_.find_first_of(" \n\r\t,:]}", at_), text_.size());
    }
    if (depth == 0) return true;
  }
}

}  // namespace neap::vm
