// SPDX-License-Identifier: MIT
//
// line_reader.h: plain lines, and the choice between them and the terminal's.
#include "line_reader.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "terminal_lines.h"

namespace neap::cli {
namespace {

// The prompt goes to standard output, as a terminal would show it.
class PlainLines final : public LineReader {
 public:
  ~PlainLines() override { std::free(buffer_); }

  bool Read(const std::string& prompt, std::string* line) override {
    std::fputs(prompt.c_str(), stdout);
    std::fflush(stdout);
    const ssize_t bytes = getline(&buffer_, &size_, stdin);
    if (bytes < 0) return false;
    line->assign(buffer_, static_cast<size_t>(bytes));
    if (line->ends_with('\n')) line->pop_back();
    return true;
  }
  void Remember(const std::string&) override {}

 private:
  char* buffer_ = nullptr;  // of getline
  size_t size_ = 0;
};

}  // namespace

std::unique_ptr<LineReader> LineReader::ForStandardInput(vm::State& state) {
  std::unique_ptr<LineReader> reader;
  if (isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0) reader = MakeTerminalLines(state);
  if (reader == nullptr) reader = std::make_unique<PlainLines>();
  return reader;
}

}  // namespace neap::cli
