// SPDX-License-Identifier: MIT
//
// package_paths.h.
#include "library/package_paths.h"

#include <cstdio>
#include <cstdlib>

#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr const char* kVersionSuffix = "_5_4";
constexpr std::string_view kDefaultMark = ";;";

bool IsReadable(const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return false;
  std::fclose(file);
  return true;
}

}  // namespace

std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (size_t at = 0; (at = text.find(from)) != std::string_view::npos;) {
    result += text.substr(0, at);
    result += to;
    text.remove_prefix(at + from.size());
  }
  result += text;
  return result;
}

std::string PathFromEnvironment(const std::string& name, std::string_view otherwise) {
  const char* given = std::getenv((name + kVersionSuffix).c_str());
  if (given == nullptr) given = std::getenv(name.c_str());
  if (given == nullptr) return std::string(otherwise);
  const std::string_view path = given;
  const size_t mark = path.find(kDefaultMark);
  if (mark == std::string_view::npos) return std::string(path);
  const std::string_view before = path.substr(0, mark);
  const std::string_view behind = path.substr(mark + kDefaultMark.size());
  return Concat(before, before.empty() ? "" : ";", otherwise, behind.empty() ? "" : ";", behind);
}

bool SearchPath(std::string_view name, std::string_view path, std::string_view separator,
                std::string_view replacement, std::string* result) {
  std::string file_name(name);
  if (!separator.empty()) file_name = ReplaceAll(name, separator, replacement);
  const std::string files = ReplaceAll(path, "?", file_name);
  for (size_t begin = 0; begin < files.size();) {
    size_t end = files.find(';', begin);
    if (end == std::string::npos) end = files.size();
    *result = files.substr(begin, end - begin);
    if (IsReadable(*result)) return true;
    begin = end + 1;
  }
  *result = Concat("no file '", ReplaceAll(files, ";", "'\n\tno file '"), "'");
  return false;
}

}  // namespace neap::vm
