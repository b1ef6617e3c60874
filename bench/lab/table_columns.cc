// SPDX-License-Identifier: MIT
#include "table_columns.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/ascii.h"

namespace neap::lab {
namespace {

bool BeginsLikeANumber(const std::string& cell) {
  return std::strchr("0123456789+-.~<>", cell[0]) != nullptr;
}

bool HasLetters(const std::string& cell) {
  return std::any_of(cell.begin(), cell.end(), [](char c) { return absl::ascii_isalpha(c); });
}

bool IsNumeric(const Table& table, size_t column) {
  bool any = false;
  for (const auto& row : table.rows) {
    if (column >= row.size() || row[column].empty() || row[column] == "n/a") continue;
    if (!BeginsLikeANumber(row[column])) return false;
    if (column == 0 && HasLetters(row[column])) return false;
    any = true;
  }
  return any;
}

}  // namespace

std::vector<bool> NumericColumns(const Table& table) {
  size_t count = table.columns.size();
  for (const auto& row : table.rows) count = std::max(count, row.size());
  std::vector<bool> numeric(count);
  for (size_t i = 0; i < count; ++i) numeric[i] = IsNumeric(table, i);
  return numeric;
}

}  // namespace neap::lab
