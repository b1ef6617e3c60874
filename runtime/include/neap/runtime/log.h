// SPDX-License-Identifier: MIT
//
// Log lines for people, on stderr, through spdlog (hidden in log.cc). Not for traces: those are
// events. Never called while the world is stopped.
#ifndef NEAP_RUNTIME_LOG_H_
#define NEAP_RUNTIME_LOG_H_

#include <cstdint>
#include <string_view>

namespace neap {

enum class LogLevel : uint8_t {
  kInfo,     // progress a user asked to see
  kWarning,  // something works worse than the user may expect
  kError,    // something asked for was not done
};

// Writes one line. Safe from any thread. Level names are part of the line.
void Log(LogLevel level, std::string_view message);

// Receives log lines in place of stderr (tests). nullptr restores stderr.
using LogSink = void (*)(LogLevel level, std::string_view message, void* context);
void SetLogSink(LogSink sink, void* context);

}  // namespace neap

#endif  // NEAP_RUNTIME_LOG_H_
