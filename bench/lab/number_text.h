// SPDX-License-Identifier: MIT
//
// Numbers as text, for the reports.
#ifndef NEAP_BENCH_LAB_NUMBER_TEXT_H_
#define NEAP_BENCH_LAB_NUMBER_TEXT_H_

#include <string>

namespace neap::lab {

// The shortest text that reads back as the same double; what JSON carries. "nan" and "inf" come out
// as such: a writer whose format has no word for them must ask std::isfinite first.
std::string ShortestNumber(double value);

// For people: whole numbers whole, others with about four significant digits, never an exponent
// between 1e-6 and 1e15.
std::string ReadableNumber(double value);

// ReadableNumber with `decimals` places: columns of a table line up.
std::string FixedNumber(double value, int decimals);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_NUMBER_TEXT_H_
