// SPDX-License-Identifier: MIT
//
// A single-character item of a Lua pattern (manual 6.4.1): a literal, '.', a class such as %a, or a
// set such as [^%w_-]. Where it ends, which bytes it takes, how long a run of them is.
//
// An item is the view of its own text, "[^%w_-]" for instance, so that nothing is compiled and
// nothing allocated.
#ifndef NEAP_VM_TEXT_PATTERN_ITEM_H_
#define NEAP_VM_TEXT_PATTERN_ITEM_H_

#include <cstddef>
#include <string_view>

namespace neap::vm {

// The item at the front of `rest`, which is not empty. On failure an empty view, and `*message` is
// what the script sees.
std::string_view FirstItem(std::string_view rest, const char** message);

// Whether the item takes the byte.
bool ItemTakes(std::string_view item, char c);

// As ItemTakes, for a set with its brackets.
bool SetTakes(std::string_view set, char c);

// How many bytes at the front of `text` the item takes, one after the other.
size_t RunLength(std::string_view item, std::string_view text);

// The bytes of item and text that RunLength looked at, about: what the run costs.
size_t RunBytes(std::string_view item, size_t length);

}  // namespace neap::vm

#endif  // NEAP_VM_TEXT_PATTERN_ITEM_H_
