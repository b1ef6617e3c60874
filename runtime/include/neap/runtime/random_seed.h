// SPDX-License-Identifier: MIT
#ifndef NEAP_RUNTIME_RANDOM_SEED_H_
#define NEAP_RUNTIME_RANDOM_SEED_H_

#include <cstdint>

namespace neap {

// 64 bits of the system's random numbers. (std::random_device asks the processor what it can do
// first, which is dear under a hypervisor.) Thread safe.
uint64_t RandomSeed();

}  // namespace neap

#endif  // NEAP_RUNTIME_RANDOM_SEED_H_
