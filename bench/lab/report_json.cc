// SPDX-License-Identifier: MIT
#include "report_json.h"

#include <cmath>
#include <cstdio>

#include "number_text.h"

namespace neap::lab {
namespace {

std::string JsonNumber(double value) {
  return std::isfinite(value) ? ShortestNumber(value) : "null";
}

}  // namespace

std::string JsonString(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (byte < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", byte);
      json += escape;
    } else {
      json += c;
    }
  }
  return json + "\"";
}

void WriteJson(const Lab& lab, std::ostream& out) {
  int number = 0;
  for (const Row& row : lab.rows()) {
    out << "{\"experiment\":" << JsonString(row.experiment) << ",\"row\":" << ++number
        << ",\"quantity\":" << JsonString(row.quantity) << ",\"unit\":" << JsonString(row.unit)
        << ",\"ours\":" << JsonNumber(row.ours) << ",\"source\":" << JsonString(row.source)
        << ",\"class\":" << JsonString(ClassLetter(row.criterion_class))
        << ",\"criterion\":" << JsonString(row.criterion)
        << ",\"verdict\":" << JsonString(VerdictName(row.verdict))
        << ",\"reason\":" << JsonString(row.reason) << "}\n";
  }
}

}  // namespace neap::lab
