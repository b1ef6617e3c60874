// SPDX-License-Identifier: MIT
//
// Checks for our own bugs and for misuse of the API. A failed check prints one line that names the
// rule and the values, without allocating, and aborts. Errors that a caller can act on are
// absl::Status, never a check.
//
//   NEAP_CHECK(depth < kMaxDepth, "S3: scopes nest at most 64 deep", "depth=%d", depth);
//
// NEAP_CHECK is always on; NEAP_DCHECK is compiled out under NDEBUG (the release build).
#ifndef NEAP_RUNTIME_CHECK_H_
#define NEAP_RUNTIME_CHECK_H_

namespace neap {

// Receives the finished message of a failed check. It may throw (tests do), otherwise the process
// aborts when it returns. Set it before other threads run. nullptr restores the default.
using CheckHandler = void (*)(const char* message);
void SetCheckHandler(CheckHandler handler);

// Called by the macros. `rule` says what must hold; `format` (printf) adds the values.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition, const char* rule);
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition, const char* rule,
                              const char* format, ...) __attribute__((format(printf, 5, 6)));

}  // namespace neap

#define NEAP_CHECK(condition, ...)                                      \
  do {                                                                  \
    if (!(condition)) [[unlikely]]                                      \
      ::neap::CheckFailed(__FILE__, __LINE__, #condition, __VA_ARGS__); \
  } while (false)

#ifdef NDEBUG
#define NEAP_DCHECK(condition, ...) \
  do {                              \
  } while (false)
#else
#define NEAP_DCHECK(condition, ...) NEAP_CHECK(condition, __VA_ARGS__)
#endif

#endif  // NEAP_RUNTIME_CHECK_H_
