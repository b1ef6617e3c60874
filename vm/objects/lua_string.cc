// SPDX-License-Identifier: MIT
//
// Comparing strings. Order follows the locale, as the reference implementation's does: a program
// that never calls setlocale is in the "C" locale, where the order is that of the bytes.
#include "lua_string.h"

#include <algorithm>
#include <clocale>
#include <cstring>
#include <string_view>

namespace neap::vm {
namespace {

bool CollatesByBytes() {
  const char* locale = std::setlocale(LC_COLLATE, nullptr);
  if (locale == nullptr || (locale[0] == 'C' && locale[1] == '\0')) return true;
  return std::string_view(locale) == "POSIX";
}

int CompareBytes(std::string_view a, std::string_view b) {
  const int order = std::memcmp(a.data(), b.data(), std::min(a.size(), b.size()));
  if (order != 0) return order;
  if (a.size() == b.size()) return 0;
  return a.size() < b.size() ? -1 : 1;
}

// strcoll stops at a NUL, so parts between NULs are compared one by one; the string with fewer
// equal parts is the smaller one. Both texts end in a NUL that is not counted.
int CompareCollated(std::string_view a, std::string_view b) {
  for (;;) {
    if (const int order = std::strcoll(a.data(), b.data()); order != 0) return order;
    const size_t a_part = std::strlen(a.data()), b_part = std::strlen(b.data());
    if (b_part == b.size()) return a_part == a.size() ? 0 : 1;
    if (a_part == a.size()) return -1;
    a.remove_prefix(a_part + 1);
    b.remove_prefix(b_part + 1);
  }
}

}  // namespace

bool StringEqual(const String* a, const String* b) {
  if (a == b) return true;
  if (a->length != b->length || (a->is_atom() && b->is_atom())) return false;
  const uint32_t a_hash = a->stored_hash(), b_hash = b->stored_hash();
  if (a_hash != b_hash && a_hash != 0 && b_hash != 0) return false;
  return std::memcmp(a->data(), b->data(), a->length) == 0;
}

int StringCompare(const String* a, const String* b) {
  if (a == b) return 0;
  if (CollatesByBytes()) [[likely]]
    return CompareBytes(a->view(), b->view());
  return CompareCollated(a->view(), b->view());
}

}  // namespace neap::vm
