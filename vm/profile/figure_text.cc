// SPDX-License-Identifier: MIT
#include "profile/figure_text.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace neap::vm {

std::string DigitsText(double value) {
  const double size = std::fabs(value);
  if (size == 0) return "0";
  if (size >= 99.95) return absl::StrFormat("%.0f", value);
  if (size >= 9.995) return absl::StrFormat("%.1f", value);
  return absl::StrFormat("%.2f", value);
}

std::string TimeText(double ns) {
  if (ns == 0) return "0";
  if (ns < 1e3) return absl::StrFormat("%.0f ns", ns);
  if (ns < 1e6) return absl::StrCat(DigitsText(ns / 1e3), " us");
  if (ns < 1e9) return absl::StrCat(DigitsText(ns / 1e6), " ms");
  return absl::StrCat(DigitsText(ns / 1e9), " s");
}

std::string BytesText(double bytes) {
  constexpr double kStep = 1024;
  if (bytes >= 18e18) return "none";
  if (bytes < kStep) return absl::StrFormat("%.0f B", bytes);
  if (bytes < kStep * kStep) return absl::StrCat(DigitsText(bytes / kStep), " KiB");
  if (bytes < kStep * kStep * kStep) return absl::StrCat(DigitsText(bytes / kStep / kStep), " MiB");
  return absl::StrCat(DigitsText(bytes / kStep / kStep / kStep), " GiB");
}

std::string ShareText(double share) {
  if (share != 0 && std::fabs(share) < 0.0005) return "<0.1 %";
  if (share < 1 && share > 0.9995) return ">99.9 %";
  return absl::StrFormat("%.1f %%", share * 100);
}

std::string CountText(uint64_t count) {
  std::string text = absl::StrCat(count);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

}  // namespace neap::vm
