// SPDX-License-Identifier: MIT
#include "flight_flag.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace neap::cli {
namespace {

// Digits of `text` from `at`, as a number of at most six; the index behind them.
size_t TakeNumber(const std::string& text, size_t at, uint32_t* number) {
  const size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
  if (end == at || end - at > 6) return at;
  *number = static_cast<uint32_t>(std::stoul(text.substr(at, end - at)));
  return end;
}

}  // namespace

std::optional<gc::FlightRecorderOptions> ParseFlight(const std::string& text) {
  uint32_t seconds = 0, pause_ms = 0;
  size_t at = TakeNumber(text, 0, &seconds);
  constexpr std::string_view kPause = ",pause=";
  if (at != 0 && text.compare(at, kPause.size(), kPause) == 0) {
    const size_t digits = at + kPause.size();
    at = TakeNumber(text, digits, &pause_ms);
    if (at == digits || pause_ms == 0) return std::nullopt;
  }
  if (seconds == 0 || at + 1 >= text.size() || text[at] != ',') return std::nullopt;
  gc::FlightRecorderOptions options;
  options.path = text.substr(at + 1);
  options.keep_ns = uint64_t{seconds} * 1'000'000'000;
  options.pause_ns = uint64_t{pause_ms} * 1'000'000;
  return options;
}

}  // namespace neap::cli
