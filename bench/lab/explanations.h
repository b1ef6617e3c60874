// SPDX-License-Identifier: MIT
//
// Why experiments come out as they do, for those that do not say it themselves while they run
// (Lab::Say, for what depends on what was seen). Told by `neap lab ID --explain`.
#ifndef NEAP_BENCH_LAB_EXPLANATIONS_H_
#define NEAP_BENCH_LAB_EXPLANATIONS_H_

#include <string_view>

namespace neap::lab {

// A few sentences; empty when the experiment explains itself.
const char* WhyOf(std::string_view id);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_EXPLANATIONS_H_
