// SPDX-License-Identifier: MIT
//
// Reads a JSON text from front to back, where the reader knows what it wants: for files of many
// megabytes of numbers, of which no tree is built.
//
//   JsonCursor json(text);
//   json.Enter('{');
//   while (json.NextKey(&key)) key == "nodes" ? json.Numbers(&nodes) : json.Skip();
//   if (!json.ok()) return json.error();            // the first thing that was not as expected
//
// Numbers are read as unsigned integers; a fraction, an exponent or a sign is an error there. After
// an error every call does nothing and returns false.
#ifndef NEAP_VM_PROFILE_JSON_CURSOR_H_
#define NEAP_VM_PROFILE_JSON_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace neap::vm {

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  // '{' or '['.
  bool Enter(char open);
  // The next key of the object that was entered, and its colon. False: the object is over.
  bool NextKey(std::string* key);
  // Whether the array that was entered has another element. False: it is over.
  bool NextElement();
  bool Number(uint64_t* number);
  bool String(std::string* text);
  // A whole array.
  bool Numbers(std::vector<uint64_t>* numbers);
  bool Strings(std::vector<std::string>* strings);
  // A value of any kind.
  bool Skip();
  // Whether the next value starts with this character.
  bool IsAt(char c);

  bool ok() const { return error_.empty(); }
  // "expected a number at byte 17", "ends at byte 1000, where ... was expected".
  const std::string& error() const { return error_; }

 private:
  void SkipSpace();
  bool Expect(char c);
  bool Fail(std::string_view wanted);
  bool Escape(std::string* text);
  bool Hex4(uint32_t* code);
  // A comma between values, or the end.
  bool Next(char close);

  std::string_view text_;
  size_t at_ = 0;
  bool is_first_ = false;  // of the object or array that was just entered
  std::string error_;
};

}  // namespace neap::vm

#endif  // NEAP_VM_PROFILE_JSON_CURSOR_H_
