// SPDX-License-Identifier: MIT
//
// Figures as people read them. One function per unit, so that a figure looks the same everywhere.
#ifndef NEAP_VM_PROFILE_FIGURE_TEXT_H_
#define NEAP_VM_PROFILE_FIGURE_TEXT_H_

#include <cstdint>
#include <string>

namespace neap::vm {

// "1.23", "45.6", "1234": three significant digits, without an exponent.
std::string DigitsText(double value);
// "850 ns", "12.3 us", "4.56 ms", "1.20 s": three significant digits.
std::string TimeText(double ns);
// "512 B", "1.50 KiB", "37.1 MiB".
std::string BytesText(double bytes);
// 0.1234 is "12.3 %"; what is not 0 never shows as 0.
std::string ShareText(double share);
// "1,234,567".
std::string CountText(uint64_t count);

}  // namespace neap::vm

#endif  // NEAP_VM_PROFILE_FIGURE_TEXT_H_
