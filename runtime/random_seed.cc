// SPDX-License-Identifier: MIT
#include "neap/runtime/random_seed.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "neap/runtime/check.h"

namespace neap {

uint64_t RandomSeed() {
  uint64_t seed = 0;
  // Never short nor interrupted at this size (getrandom(2)).
  const ssize_t got = getrandom(&seed, sizeof(seed), 0);
  NEAP_CHECK(got == sizeof(seed), "O1: the system gives random numbers", "error=%s",
             std::strerror(errno));
  return seed;
}

}  // namespace neap
