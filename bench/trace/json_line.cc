// SPDX-License-Identifier: MIT
#include "json_line.h"

#ifdef __SSE2__
#define RAPIDJSON_SSE2  // strings 16 bytes at a time
#endif
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace neap::trace {

// What RapidJSON calls, in the order of the text. False ends the parse: the root is no object.
class JsonLineHandler {
 public:
  explicit JsonLineHandler(JsonLine& line) : line_(line) {}

  bool Null() { return Add({.kind = JsonMember::Kind::kNull}); }
  bool Bool(bool b) { return Add({.kind = JsonMember::Kind::kBoolean, .number = b ? 1u : 0u}); }
  bool Int(int) { return Add({}); }
  bool Int64(int64_t) { return Add({}); }
  bool Uint(unsigned n) { return Uint64(n); }
  bool Uint64(uint64_t n) { return Add({.kind = JsonMember::Kind::kNumber, .number = n}); }
  bool Double(double) { return Add({}); }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return Add({}); }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return Add({.kind = JsonMember::Kind::kText, .text = {text, size}});
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    key_ = {text, size};
    if (open_.size() < 2) return true;
    key_ =
        line_.paths_.emplace_back(absl::StrCat(std::string(open_.back()), ".", std::string(key_)));
    return true;
  }
  bool StartObject() { return Open(); }
  bool EndObject(rapidjson::SizeType) { return Close(); }
  bool StartArray() { return !open_.empty() && Open(); }
  bool EndArray(rapidjson::SizeType) { return Close(); }

 private:
  static constexpr size_t kMostOpen = 16;  // a record has 3; paths of a bomb would grow as depth^2

  bool Open() {
    open_.push_back(key_);
    return open_.size() <= kMostOpen;
  }
  bool Add(JsonMember member) {
    if (open_.empty()) return false;
    member.key = key_;
    line_.members_.push_back(member);
    return true;
  }
  bool Close() {
    key_ = open_.back();
    open_.pop_back();
    return true;
  }

  JsonLine& line_;
  std::string_view key_;
  std::vector<std::string_view> open_;  // path of each open object and array
};

constexpr size_t kPadding = 16;  // bytes of an SSE2 register

bool JsonLine::Parse(std::string& line) {
  members_.clear();
  paths_.clear();
  error_.clear();
  if (line.find('\0') != line.npos) {
    error_ = "a byte of value 0";
    return false;
  }
  line.append(kPadding, '\0');  // the end for the parser, which reads whole blocks
  rapidjson::Reader reader;
  rapidjson::InsituStringStream stream(line.data());
  JsonLineHandler handler(*this);
  // It recurses, but not deeper than the handler lets it (kMostOpen).
  const rapidjson::ParseResult result = reader.Parse<rapidjson::kParseInsituFlag>(stream, handler);
  if (!result.IsError()) return true;
  error_ = result.Code() == rapidjson::kParseErrorTermination
               ? "no JSON object, or one nested too deeply"
               : absl::StrCat(rapidjson::GetParseError_En(result.Code()), " (column ",
                              result.Offset() + 1, ")");
  return false;
}

const JsonMember* JsonLine::Find(std::string_view key) const {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [key](const JsonMember& member) { return member.key == key; });
  return found == members_.end() ? nullptr : &*found;
}

}  // namespace neap::trace
