// SPDX-License-Identifier: MIT
#include <limits>
#include <string>

#include "doctest/doctest.h"
#include "text/format_spec.h"

namespace neap::testing {
namespace {

using vm::FormatSpec;
using vm::TextStatus;

// The text, or the message.
template <typename Value>
std::string Format(std::string_view format, Value value) {
  vm::FormatScanner scanner(format);
  std::string out;
  while (scanner.NextDirective(&out)) {
    FormatSpec spec;
    TextStatus status = scanner.TakeSpec(&spec);
    if (status.ok()) status = CheckModifiers(spec);
    if (!status.ok()) return status.message();
    if constexpr (std::is_same_v<Value, double>) {
      vm::FormatFloat(spec, value, &out);
    } else if constexpr (std::is_same_v<Value, int>) {
      vm::FormatInteger(spec, value, &out);
    } else {
      status = vm::FormatString(spec, value, &out);
      if (!status.ok()) return status.message();
    }
  }
  return out;
}

std::string Quoted(const vm::Number& number) {
  std::string out;
  vm::QuoteNumber(number, &out);
  return out;
}

TEST_SUITE_BEGIN("text/format");

TEST_CASE("integers") {
  CHECK(Format("%d%%", 42) == "42%");
  CHECK(Format("[%5d|%-5d|%05d|%+d]", 42) == "[   42|42   |00042|+42]");
  CHECK(Format("%x %X %o", 255) == "ff FF 377");
  CHECK(Format("%#x %#o", 255) == "0xff 0377");
  CHECK(Format("%.4i", -7) == "-0007");
  CHECK(Format("%08.4d|", 7) == "    0007|");
  CHECK(Format("%x", -1) == "ffffffffffffffff");
  CHECK(Format("<%.0d>", 0) == "<>");
}

TEST_CASE("floats") {
  CHECK(Format("%.3f", 3.14159) == "3.142");
  CHECK(Format("%g %g", 1e20) == "1e+20 1e+20");
  CHECK(Format("%g", 100000.0) == "100000");
  CHECK(Format("%#.3g", 1.0) == "1.00");
  CHECK(Format("%e", 12345.678) == "1.234568e+04");
  CHECK(Format("%a", 1.0) == "0x1p+0");
  CHECK(Format("%A", 0.5) == "0X1P-1");
  CHECK(Format("%.0a", 1.5) == "0x2p+0");
  CHECK(Format("%010.2f", -3.5) == "-000003.50");
  CHECK(Format("%05f", std::numeric_limits<double>::infinity()) == "  inf");
  CHECK(Format("%G", -std::numeric_limits<double>::infinity()) == "-INF");
  CHECK(Format("%.99f", 1e308).size() == 309 + 1 + 99);
}

TEST_CASE("strings") {
  CHECK(Format("[%s]", "abc") == "[abc]");
  CHECK(Format("[%5s|%-5s|%.2s]", "abc") == "[  abc|abc  |ab]");
  CHECK(Format("%s", std::string_view("a\0b", 3)) == std::string("a\0b", 3));
  CHECK(Format("%5s", std::string_view("a\0b", 3)) == "string contains zeros");
}

TEST_CASE("bad specifications are reported in the words of the reference") {
  CHECK(Format("%y", 1) == "invalid conversion '%y' to 'format'");
  CHECK(Format("%5.2", 1) == "invalid conversion '%5.2' to 'format'");
  CHECK(Format("%", 1) == "invalid conversion '%' to 'format'");
  CHECK(Format("%F", 1) == "invalid conversion '%F' to 'format'");
  CHECK(Format("%#d", 1) == "invalid conversion specification: '%#d'");
  CHECK(Format("%123d", 1) == "invalid conversion specification: '%123d'");
  CHECK(Format("%.123d", 1) == "invalid conversion specification: '%.123d'");
  CHECK(Format("%5.5c", 1) == "invalid conversion specification: '%5.5c'");
  CHECK(Format("%5q", 1) == "specifier '%q' cannot have modifiers");
  CHECK(Format("%" + std::string(22, '-') + "d", 1) == "invalid format (too long)");
}

TEST_CASE("literals read back as the same value") {
  std::string out;
  vm::QuoteString(std::string_view("a\"b\\c\n\r\0001\x7f\0", 11), &out);
  CHECK(out == "\"a\\\"b\\\\c\\\n\\13\\0001\\127\\0\"");
  CHECK(Quoted(int64_t{-5}) == "-5");
  CHECK(Quoted(std::numeric_limits<int64_t>::min()) == "0x8000000000000000");
  CHECK(Quoted(0.5) == "0x1p-1");
  CHECK(Quoted(-std::numeric_limits<double>::infinity()) == "-1e9999");
  CHECK(Quoted(std::numeric_limits<double>::quiet_NaN()) == "(0/0)");
}

TEST_CASE("pointers are identities in hexadecimal") {
  std::string out;
  vm::FormatPointer(FormatSpec{.width = 8}, 0xabc, &out);
  vm::FormatPointer(FormatSpec{}, 0, &out);
  CHECK(out == "   0xabc(null)");
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
