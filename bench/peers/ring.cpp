// SPDX-License-Identifier: MIT
//
// A ring of messages on malloc: each push makes a message of 1 KiB and drops the oldest.
//
//   peer_ring SLOTS PUSHES prints one RESULT line: times of pushes, the sum of what was read back
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

namespace {

constexpr size_t kMessageBytes = 1024;

uint64_t NowNs() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t slots = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200'000;
  const size_t pushes = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 5'000'000;
  std::vector<std::unique_ptr<char[]>> ring(slots);
  std::vector<uint32_t> times;
  times.reserve(pushes);
  uint64_t sum = 0;
  for (size_t i = 0; i < pushes; ++i) {
    const uint64_t start = NowNs();
    std::unique_ptr<char[]> message(new char[kMessageBytes]);
    std::memset(message.get(), static_cast<int>(i & 127), kMessageBytes);
    std::unique_ptr<char[]>& slot = ring[i % slots];
    if (slot != nullptr) sum += static_cast<uint64_t>(slot[i % kMessageBytes]);
    slot = std::move(message);
    times.push_back(static_cast<uint32_t>(std::min<uint64_t>(NowNs() - start, UINT32_MAX)));
  }
  std::sort(times.begin(), times.end());
  std::printf("RESULT p50_us=%.3f p999_us=%.3f worst_ms=%.4f chk=%llu\n", times[pushes / 2] * 1e-3,
              times[pushes - 1 - pushes / 1000] * 1e-3, times.back() * 1e-6,
              static_cast<unsigned long long>(sum));
}
