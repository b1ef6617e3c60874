// SPDX-License-Identifier: MIT
//
// A failed check may be the last thing a broken process does, possibly inside the allocator or with
// the world stopped: the message is put together in a buffer of the thread and written with one
// system call. Nothing here allocates or takes a lock.
#include "neap/runtime/check.h"

#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace neap {
namespace {

// Long enough for a rule, a few values and a place; a longer message is cut, never dropped.
constexpr size_t kMessageBytes = 1024;

std::atomic<CheckHandler> check_handler{nullptr};
thread_local char message_buffer[kMessageBytes];
thread_local bool in_handler = false;  // a check that fails inside the handler goes to stderr

// Marks the handler as running, also when it leaves by an exception.
class HandlerScope {
 public:
  HandlerScope() { in_handler = true; }
  ~HandlerScope() { in_handler = false; }
  HandlerScope(const HandlerScope&) = delete;
  HandlerScope& operator=(const HandlerScope&) = delete;
};

// Appends to `message_buffer` at `used`; returns the new length, always below kMessageBytes.
size_t Append(size_t used, const char* format, va_list values) {
  const int length = std::vsnprintf(message_buffer + used, kMessageBytes - used, format, values);
  if (length < 0) return used;
  const size_t end = used + static_cast<size_t>(length);
  return end < kMessageBytes ? end : kMessageBytes - 1;
}

__attribute__((format(printf, 2, 3))) size_t Append(size_t used, const char* format, ...) {
  va_list values;
  va_start(values, format);
  used = Append(used, format, values);
  va_end(values);
  return used;
}

void WriteLine(const char* message) {
  char line[kMessageBytes + 16];
  const int length = std::snprintf(line, sizeof(line), "neap: %s\n", message);
  // Nothing can be done about a failed write: the process is about to abort.
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, line, length > 0 ? static_cast<size_t>(length) : 0);
}

// Adds the place to the message in the buffer and delivers it.
[[noreturn]] void FinishMessage(size_t used, const char* file, int line, const char* condition) {
  Append(used, " [%s, %s:%d]", condition, file, line);
  const CheckHandler handler = check_handler.load(std::memory_order_acquire);
  if (handler != nullptr && !in_handler) {
    const HandlerScope scope;
    handler(message_buffer);
  } else {
    WriteLine(message_buffer);
  }
  std::abort();
}

}  // namespace

void SetCheckHandler(CheckHandler handler) {
  check_handler.store(handler, std::memory_order_release);
}

void CheckFailed(const char* file, int line, const char* condition, const char* rule) {
  const size_t used = Append(0, "check failed: %s", rule);
  FinishMessage(used, file, line, condition);
}

void CheckFailed(const char* file, int line, const char* condition, const char* rule,
                 const char* format, ...) {
  size_t used = Append(0, "check failed: %s: ", rule);
  va_list values;
  va_start(values, format);
  used = Append(used, format, values);
  va_end(values);
  FinishMessage(used, file, line, condition);
}

}  // namespace neap
