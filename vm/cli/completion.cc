// SPDX-License-Identifier: MIT
//
// completion.h. Nothing here allocates on the heap, so that raw tables may be walked.
#include "completion.h"

#include <algorithm>

#include "library/native_setup.h"
#include "objects/table.h"
#include "text/concat.h"

namespace neap::cli {
namespace {

using vm::State;
using vm::Table;
using vm::Value;

// Tables that stand in for others by __index, at most: a chain may be a ring.
constexpr int kMaxChain = 20;
constexpr std::string_view kKeywords[] = {"and",   "break", "do",       "else", "elseif", "end",
                                          "false", "for",   "function", "goto", "if",     "in",
                                          "local", "nil",   "not",      "or",   "repeat", "return",
                                          "then",  "true",  "until",    "while"};

bool IsName(std::string_view text) {
  const auto is_letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  if (text.empty() || !is_letter(text[0])) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

// The table itself, or what the metatable of another value has as __index; null: none.
Table* FirstTable(State& state, Value v) {
  if (vm::IsTable(v)) return vm::AsTable(v);
  const Value index = state.MetamethodOf(v, vm::Event::kIndex);
  return vm::IsTable(index) ? vm::AsTable(index) : nullptr;
}

Table* NextTable(State& state, Table* table) {
  const Value index = state.MetamethodOf(table->metatable(), vm::Event::kIndex);
  return vm::IsTable(index) ? vm::AsTable(index) : nullptr;
}

Value Member(State& state, Value v, std::string_view name) {
  Table* table = FirstTable(state, v);
  for (int i = 0; table != nullptr && i < kMaxChain; ++i, table = NextTable(state, table)) {
    const Value member = vm::RawField(state, table, name);
    if (!member.is_nil()) return member;
  }
  return Value::Nil();
}

class Collection {
 public:
  // `before`: what stands in front of the name that is completed, `begun`.
  Collection(std::string_view before, std::string_view begun) : before_(before), begun_(begun) {}

  void Add(std::string_view name) {
    if (name.starts_with(begun_) && IsName(name)) words_.push_back(vm::Concat(before_, name));
  }
  void AddKeys(State& state, const Table* table, bool only_functions) {
    Value key = Value::Nil(), value = Value::Nil();
    while (vm::Next(state.objects(), table, &key, &value) == vm::NextResult::kFound) {
      if (!vm::IsString(key) || (only_functions && !vm::IsFunction(value))) continue;
      Add(vm::AsString(key)->view());
    }
  }
  std::vector<std::string> Sorted() {
    std::sort(words_.begin(), words_.end());
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    return std::move(words_);
  }

 private:
  std::string_view before_, begun_;
  std::vector<std::string> words_;
};

}  // namespace

std::vector<std::string> CompletionsOf(State& state, std::string_view word) {
  Value holder = state.globals_value();
  size_t begin = 0;
  for (size_t end; (end = word.find_first_of(".:", begin)) != word.npos; begin = end + 1) {
    holder = Member(state, holder, word.substr(begin, end - begin));
  }
  Collection found(word.substr(0, begin), word.substr(begin));
  Table* table = FirstTable(state, holder);
  const bool only_functions = begin > 0 && word[begin - 1] == ':';
  for (int i = 0; table != nullptr && i < kMaxChain; ++i, table = NextTable(state, table)) {
    found.AddKeys(state, table, only_functions);
  }
  if (begin == 0) {
    for (const std::string_view keyword : kKeywords) found.Add(keyword);
  }
  return found.Sorted();
}

}  // namespace neap::cli
