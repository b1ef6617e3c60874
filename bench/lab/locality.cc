// SPDX-License-Identifier: MIT
#include "locality.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

#include "absl/strings/str_cat.h"
#include "neap/runtime/clock.h"

namespace neap::lab {
namespace {

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "48K" or "1M" as bytes.
uint64_t ParseCacheSize(const std::string& text) {
  uint64_t value = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') value = value * 10 + static_cast<uint64_t>(c - '0');
    if (c == 'K') value <<= 10;
    if (c == 'M') value <<= 20;
  }
  return value;
}

// Number of CPUs in a list like "0-3,8".
uint64_t CountCpuList(const std::string& text) {
  uint64_t count = 0;
  const char* at = text.c_str();
  while (*at != 0) {
    char* end = nullptr;
    const unsigned long first = std::strtoul(at, &end, 10);
    if (end == at) break;
    unsigned long last = first;
    if (*end == '-') last = std::strtoul(end + 1, &end, 10);
    count += last - first + 1;
    at = *end == ',' ? end + 1 : end;
  }
  return std::max<uint64_t>(count, 1);
}

}  // namespace

Locality LocalityOf(const std::vector<uint64_t>& addresses) {
  Locality locality;
  if (addresses.size() < 2) return locality;
  std::vector<uint64_t> steps;
  steps.reserve(addresses.size() - 1);
  size_t near = 0;
  for (size_t i = 1; i < addresses.size(); ++i) {
    const uint64_t a = addresses[i - 1], b = addresses[i];
    steps.push_back(a < b ? b - a : a - b);
    near += steps.back() <= 4096;
  }
  const auto middle = steps.begin() + static_cast<ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  locality.median_step_bytes = static_cast<double>(*middle);
  locality.share_within_4kib = static_cast<double>(near) / static_cast<double>(steps.size());
  return locality;
}

CacheSizes ReadCacheSizes() {
  CacheSizes sizes;
  for (int index = 0; index < 8; ++index) {
    const std::string folder = absl::StrCat("/sys/devices/system/cpu/cpu0/cache/index", index, "/");
    const std::string level = FirstLine(folder + "level");
    if (level.empty()) break;
    if (FirstLine(folder + "type") == "Instruction") continue;
    const uint64_t bytes = ParseCacheSize(FirstLine(folder + "size"));
    if (level == "1") sizes.l1_bytes = bytes;
    if (level == "2") sizes.l2_bytes = bytes;
    if (level == "3") {
      sizes.l3_bytes = bytes;
      sizes.l3_cores = CountCpuList(FirstLine(folder + "shared_cpu_list"));
    }
  }
  const auto fill = [](uint64_t* bytes, int name) {
    const long value = sysconf(name);
    if (*bytes == 0 && value > 0) *bytes = static_cast<uint64_t>(value);
  };
  fill(&sizes.l1_bytes, _SC_LEVEL1_DCACHE_SIZE);
  fill(&sizes.l2_bytes, _SC_LEVEL2_CACHE_SIZE);
  fill(&sizes.l3_bytes, _SC_LEVEL3_CACHE_SIZE);
  return sizes;
}

std::string CacheSizesText(const CacheSizes& sizes) {
  return absl::StrCat("L1d ", sizes.l1_bytes >> 10, " KiB, L2 ", sizes.l2_bytes >> 10, " KiB, L3 ",
                      sizes.l3_bytes >> 10, " KiB ",
                      sizes.l3_cores == 0 ? "(shared by an unknown number of cores)"
                                          : absl::StrCat("shared by ", sizes.l3_cores));
}

double RandomReadNs(size_t bytes) {
  // One cycle through all lines in random order (Sattolo), so that no prefetcher can follow.
  constexpr size_t kLineWords = 8;
  const size_t lines = bytes / (kLineWords * sizeof(uint64_t));
  std::vector<uint64_t> next(lines * kLineWords);
  std::vector<uint64_t> order(lines);
  for (size_t i = 0; i < lines; ++i) order[i] = i;
  std::mt19937_64 random(1);
  for (size_t i = lines - 1; i > 0; --i) std::swap(order[i], order[random() % i]);
  for (size_t i = 0; i < lines; ++i) {
    next[order[i] * kLineWords] = order[(i + 1) % lines] * kLineWords;
  }
  uint64_t at = 0;
  const size_t warm = std::min<size_t>(lines, 100'000), reads = 100'000;
  for (size_t i = 0; i < warm; ++i) at = next[at];
  const uint64_t start_ns = ThreadCpuNanos();
  for (size_t i = 0; i < reads; ++i) at = next[at];
  const uint64_t end_ns = ThreadCpuNanos();
  asm volatile("" : : "r"(at));
  return static_cast<double>(end_ns - start_ns) / static_cast<double>(reads);
}

uint64_t MeasuredCacheShareBytes() {
  const double far_ns = RandomReadNs(size_t{64} << 20);
  uint64_t share = std::max<uint64_t>(ReadCacheSizes().l2_bytes, 1 << 20);
  for (uint64_t bytes = share; bytes <= (32u << 20); bytes *= 2) {
    if (RandomReadNs(bytes) >= far_ns / 2) break;
    share = bytes;
  }
  return share;
}

CacheMissCounter::CacheMissCounter() {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof(attributes));
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_CACHE_MISSES;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  fd_ =
      static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

CacheMissCounter::~CacheMissCounter() {
  if (fd_ >= 0) close(fd_);
}

uint64_t CacheMissCounter::misses() const {
  uint64_t value = 0;
  if (fd_ < 0 || read(fd_, &value, sizeof(value)) != sizeof(value)) return 0;
  return value;
}

}  // namespace neap::lab
