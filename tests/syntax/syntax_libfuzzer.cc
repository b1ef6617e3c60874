// SPDX-License-Identifier: MIT
//
// libFuzzer on the front end: any bytes are parsed, and a tree is printed, without a crash, in
// about the memory that parser.h promises, and the same way twice.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ast_printer.h"
#include "parser.h"

namespace {

// Of text: the 64 of parser.h and half of that. Short chunks also pay for the reserved words.
constexpr size_t kTreeBytesPerByte = 96;
constexpr size_t kFixedBytes = 4096;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const auto first = neap::vm::Parse(source, source);
  const auto second = neap::vm::Parse(source, source);
  if (first.status() != second.status()) std::abort();
  if (!first.ok()) return 0;
  if ((*first)->used_bytes() > size * kTreeBytesPerByte + kFixedBytes) std::abort();
  const std::string text = neap::vm::PrintFunction((*first)->main());
  if (text != neap::vm::PrintFunction((*second)->main())) std::abort();
  return 0;
}
