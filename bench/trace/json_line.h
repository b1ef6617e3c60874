// SPDX-License-Identifier: MIT
//
// One line of JSON as a flat list of members: {"a":1,"o":{"b":"x"},"l":[2,3]} is a=1, o.b="x", l=2,
// l=3. Enough for records, and no tree is built. RapidJSON parses. What is nested deeply is
// refused: a line of ten million brackets is an error, not a stack overflow.
//
// Text that is not UTF-8 is passed on as it is: whoever writes it out must see to it.
//
// Not for numbers that are negative or have a fraction: no field of a trace is one. They are
// kept as kOther.
#ifndef NEAP_BENCH_TRACE_JSON_LINE_H_
#define NEAP_BENCH_TRACE_JSON_LINE_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace neap::trace {

struct JsonMember {
  enum class Kind : uint8_t { kNumber, kText, kNull, kBoolean, kOther };
  std::string_view key;  // path, with "." between the names
  Kind kind = Kind::kOther;
  uint64_t number = 0;    // kNumber; kBoolean: 0 or 1
  std::string_view text;  // kText
};

class JsonLine {
 public:
  // Parses `line`, which is changed (strings are unescaped in place, zeros added) and must outlive
  // the members.
  // False: it is not one JSON object; error() says why, in a few words.
  bool Parse(std::string& line);

  const std::vector<JsonMember>& members() const { return members_; }
  // The first member with this path, or null.
  const JsonMember* Find(std::string_view key) const;
  const std::string& error() const { return error_; }

 private:
  friend class JsonLineHandler;
  std::vector<JsonMember> members_;
  std::deque<std::string> paths_;  // of nested members
  std::string error_;
};

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_JSON_LINE_H_
