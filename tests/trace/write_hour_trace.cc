// SPDX-License-Identifier: MIT
//
// write_hour_trace FILE COLLECTIONS: a trace of an hour's run, for trying what reads traces on
// large files (trace_builder.h).
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "trace_builder.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: write_hour_trace FILE COLLECTIONS\n", stderr);
    return 2;
  }
  const std::string text = neap::testing::HourTrace(std::strtoull(argv[2], nullptr, 10));
  std::FILE* file = std::fopen(argv[1], "w");
  const bool written =
      file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file == nullptr || std::fclose(file) != 0 || !written) {
    std::perror(argv[1]);
    return 1;
  }
  return 0;
}
