// SPDX-License-Identifier: MIT
#include "machine_facts.h"

#include <sys/utsname.h>

#include <ctime>
#include <fstream>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "locality.h"

#ifndef NEAP_VERSION
#error "the build defines NEAP_VERSION"
#endif

namespace neap::cli {
namespace {

// The value after "key :" of the first matching line; empty when there is none.
std::string FieldOfFile(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const size_t colon = line.find(':');
    const size_t start = line.find_first_not_of(" \t", colon + 1);
    if (colon != std::string::npos && start != std::string::npos) return line.substr(start);
  }
  return "";
}

std::string FirstWord(const std::string& text) { return text.substr(0, text.find(' ')); }

const char* BuildKind() {
#if defined(__SANITIZE_THREAD__)
  return "ThreadSanitizer";
#elif defined(__SANITIZE_ADDRESS__)
  return "AddressSanitizer";
#elif defined(NDEBUG)
  return "release";
#else
  return "debug";
#endif
}

std::string Compiler() {
#if defined(__clang__)
  return absl::StrCat("clang ", __clang_major__, ".", __clang_minor__);
#else
  return absl::StrCat("gcc ", __GNUC__, ".", __GNUC_MINOR__);
#endif
}

}  // namespace

std::vector<std::pair<std::string, std::string>> MachineFacts() {
  std::vector<std::pair<std::string, std::string>> facts;
  const auto add = [&facts](const char* name, std::string value) {
    if (!value.empty()) facts.emplace_back(name, std::move(value));
  };
  add("processor", FieldOfFile("/proc/cpuinfo", "model name"));
  add("cores", absl::StrCat(std::thread::hardware_concurrency()));
  const lab::CacheSizes caches = lab::ReadCacheSizes();
  if (caches.l2_bytes > 0) add("caches", lab::CacheSizesText(caches));
  double memory_kib = 0;
  if (absl::SimpleAtod(FirstWord(FieldOfFile("/proc/meminfo", "MemTotal")), &memory_kib)) {
    add("memory", absl::StrFormat("%.1f GiB", memory_kib / (1 << 20)));
  }
  utsname system = {};
  if (uname(&system) == 0) add("system", absl::StrCat(system.sysname, " ", system.release));
  add("build", absl::StrCat(BuildKind(), ", ", Compiler(), ", neap ", NEAP_VERSION));
  return facts;
}

std::string VersionLine() {
  utsname system = {};
  const bool known = uname(&system) == 0;
  return absl::StrCat("neap ", NEAP_VERSION, "  Lua 5.4  (", BuildKind(), ", ", Compiler(),
                      known ? ", linux " : "", known ? system.machine : "", ")");
}

std::string UtcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &parts);
  return text;
}

}  // namespace neap::cli
