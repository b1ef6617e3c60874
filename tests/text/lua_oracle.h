// SPDX-License-Identifier: MIT
//
// The reference interpreter (support/reference_lua.h) as an oracle: random cases are made here,
// answered by the engines and by the interpreter, and compared as text. Where that is not
// installed, such a test says so and passes.
//
//   LuaOracle oracle("return function(subject, pattern) "
//                    "  return show(pcall(string.find, subject, pattern)) end");
//   oracle.Ask({"hello", "l+"}, Shown().Integer(3).Integer(4).text());
//   oracle.Compare();      // runs the interpreter once for all cases
//
// Both sides write a result in the same way: a word for each value, or the message of an error.
#ifndef NEAP_TESTS_TEXT_LUA_ORACLE_H_
#define NEAP_TESTS_TEXT_LUA_ORACLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/number.h"
#include "text/text_status.h"

namespace neap::testing {

// Results of a Lua function, as words.
class Shown {
 public:
  Shown& Nil() { return Add("nil"); }
  Shown& Boolean(bool value) { return Add(value ? "true" : "false"); }
  Shown& Integer(int64_t value);
  Shown& Float(double value);
  Shown& Numeric(const vm::Number& value);
  Shown& String(std::string_view value);
  // Instead of all results: what pcall gives. `function` and, where the engine left it open,
  // `argument` complete an argument error.
  Shown& Error(const vm::TextStatus& status, std::string_view function = "", int argument = 0);

  const std::string& text() const { return text_; }

 private:
  Shown& Add(std::string_view word) {
    text_.append(text_.empty() ? "" : " ").append(word);
    return *this;
  }
  std::string text_;
};

class LuaOracle {
 public:
  // `chunk` returns a function of the strings of a case that returns show(...) of its answer. It
  // may use integer(s) and float(s) to get exact numbers out of HexWord strings.
  explicit LuaOracle(std::string chunk) : chunk_(std::move(chunk)) {}

  void Ask(std::vector<std::string> fields, std::string answer) {
    cases_.push_back({std::move(fields), std::move(answer)});
  }
  // Fails the test case where the answers differ; shows the first few.
  void Compare();

  // A number as a field.
  static std::string HexWord(int64_t value);
  static std::string HexWord(double value);

 private:
  struct Case {
    std::vector<std::string> fields;
    std::string answer;
  };
  std::string chunk_;
  std::vector<Case> cases_;
};

}  // namespace neap::testing

#endif  // NEAP_TESTS_TEXT_LUA_ORACLE_H_
