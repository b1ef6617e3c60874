// SPDX-License-Identifier: MIT
//
// The only file that knows spdlog.
#include "neap/runtime/log.h"

#include <memory>
#include <mutex>
#include <utility>

#include "spdlog/logger.h"
#include "spdlog/sinks/stdout_sinks.h"

namespace neap {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// Never destroyed: threads may log while static objects go away.
spdlog::logger& StderrLogger() {
  static spdlog::logger* const logger = [] {
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    auto* made = new spdlog::logger("neap", std::move(sink));
    made->set_pattern("neap: %l: %v");
    made->flush_on(spdlog::level::info);
    return made;
  }();
  return *logger;
}

struct Redirection {
  std::mutex mutex;  // also serializes calls of the sink
  LogSink sink = nullptr;
  void* context = nullptr;
};

Redirection& TheRedirection() {
  static auto* const redirection = new Redirection;
  return *redirection;
}

// True when a sink has taken the line.
bool Redirect(LogLevel level, std::string_view message) {
  Redirection& redirection = TheRedirection();
  const std::lock_guard lock(redirection.mutex);
  if (redirection.sink == nullptr) return false;
  redirection.sink(level, message, redirection.context);
  return true;
}

}  // namespace

void Log(LogLevel level, std::string_view message) {
  if (Redirect(level, message)) return;
  StderrLogger().log(ToSpdlog(level), spdlog::string_view_t(message.data(), message.size()));
}

void SetLogSink(LogSink sink, void* context) {
  Redirection& redirection = TheRedirection();
  const std::lock_guard lock(redirection.mutex);
  redirection.sink = sink;
  redirection.context = context;
}

}  // namespace neap
