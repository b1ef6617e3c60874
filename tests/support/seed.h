// SPDX-License-Identifier: MIT
//
// The seed of a test run: --seed=N or NEAP_SEED=N, otherwise 1, so that the ordinary run repeats.
// The runner prints it; `NEAP_SEED=random` draws a new one.
#ifndef NEAP_TESTS_SUPPORT_SEED_H_
#define NEAP_TESTS_SUPPORT_SEED_H_

#include <cstdint>

namespace neap::testing {

// Fixed before the first test case; any thread may read it.
uint64_t Seed();

}  // namespace neap::testing

#endif  // NEAP_TESTS_SUPPORT_SEED_H_
