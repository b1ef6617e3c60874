// SPDX-License-Identifier: MIT
//
// What dead memory looks like. Under AddressSanitizer it is poisoned, so that any touch is
// reported; with the debug switch `poison` it is filled with a pattern that is no reference and no
// small number. Without either both functions cost nothing.
#ifndef NEAP_GC_POISON_H_
#define NEAP_GC_POISON_H_

#include <cstddef>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#include <sanitizer/asan_interface.h>
#endif
#endif

namespace neap::gc {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

inline constexpr unsigned char kPoisonByte = 0xfb;

inline void PoisonMemory([[maybe_unused]] void* start, [[maybe_unused]] size_t bytes, bool fill) {
  if (fill) {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(start, bytes);  // parts may be dead already
#endif
    std::memset(start, kPoisonByte, bytes);
  }
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(start, bytes);
#endif
}

inline void UnpoisonMemory([[maybe_unused]] void* start, [[maybe_unused]] size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(start, bytes);
#endif
}

}  // namespace neap::gc

#endif  // NEAP_GC_POISON_H_
