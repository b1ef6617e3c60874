// SPDX-License-Identifier: MIT
#include "gctrace_line.h"

#include <charconv>
#include <cmath>

namespace neap::trace {
namespace {

// Takes a line apart from the left. After the first mismatch everything fails.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool Literal(std::string_view text) {
    if (!ok_ || rest_.substr(0, text.size()) != text) return ok_ = false;
    rest_.remove_prefix(text.size());
    return true;
  }
  // A literal that may be missing.
  bool Optional(std::string_view text) {
    if (!ok_ || rest_.substr(0, text.size()) != text) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  // A number with or without fraction, times `unit`, rounded.
  uint64_t Number(double unit = 1) {
    const char* const end = rest_.data() + rest_.size();
    double value = 0;
    const auto [stop, error] = std::from_chars(rest_.data(), end, value, std::chars_format::fixed);
    if (!ok_ || error != std::errc() || !(value >= 0) || value * unit > 1e18) {
      ok_ = false;
      return 0;
    }
    rest_.remove_prefix(static_cast<size_t>(stop - rest_.data()));
    return static_cast<uint64_t>(std::llround(value * unit));
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

constexpr double kNsPerMs = 1e6;

std::optional<GctraceLine> Scan(std::string_view text) {
  GctraceLine line;
  Scanner scan(text);
  scan.Literal("gc ");
  line.number = scan.Number();
  scan.Literal(" @");
  line.start_ns = scan.Number(1e9);
  scan.Literal("s ");
  line.cpu_percent = scan.Number();
  scan.Literal("%: ");
  for (int i = 0; i < 3; ++i) {
    line.clock_ns[i] = scan.Number(kNsPerMs);
    scan.Literal(i < 2 ? "+" : " ms clock, ");
  }
  constexpr const char* kBehindCpu[] = {"+", "/", "/", "+", " ms cpu, "};
  for (int i = 0; i < 5; ++i) {
    line.cpu_ns[i] = scan.Number(kNsPerMs);
    scan.Literal(kBehindCpu[i]);
  }
  for (int i = 0; i < 3; ++i) {
    line.heap_mb[i] = scan.Number();
    scan.Literal(i < 2 ? "->" : " MB, ");
  }
  line.goal_mb = scan.Number();
  scan.Literal(" MB goal, ");
  line.procs = scan.Number();
  if (scan.Optional(" MB stacks, ")) {
    scan.Number();
    scan.Literal(" MB globals, ");
    line.procs = scan.Number();
  }
  scan.Literal(" P");
  line.is_forced = scan.Optional(" (forced)");
  if (!scan.ok()) return std::nullopt;
  return line;
}

}  // namespace

std::optional<GctraceLine> ParseGctraceLine(std::string_view line) {
  for (size_t at = line.find("gc "); at != line.npos; at = line.find("gc ", at + 1)) {
    if (const auto found = Scan(line.substr(at))) return found;
  }
  return std::nullopt;
}

}  // namespace neap::trace
