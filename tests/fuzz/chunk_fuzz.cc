// SPDX-License-Identifier: MIT
//
// libFuzzer on binary chunks: one that is damaged, or forged with a right checksum, is refused, or
// it runs until its budget ends (V1 to V7 of code_checker.h). It never crashes, and the heap is
// sound afterwards.
//
// The mutator changes the payload and signs it again: of what libFuzzer changes by itself, only the
// checksum would be tested.
//
//   input   | stress (1 byte) | chunk |
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz_vm.h"
#include "programs.h"
#include "support/random.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace neap::fuzz {
namespace {

using testing::Random;

// The layout of binary_chunk.cc: header, upvalues, "neap" and version, size, checksum, payload.
constexpr size_t kHeaderBytes = 31;
constexpr size_t kMakerBytes = 5;
constexpr size_t kSumBytes = 8;

std::string Framed(std::string_view start, std::string_view payload) {
  uint64_t sum = 0xcbf29ce484222325;
  const auto step = [&](char c) { sum = (sum ^ static_cast<uint8_t>(c)) * 0x100000001b3; };
  step(start[kHeaderBytes]);
  for (const char c : payload) step(c);
  std::string chunk(start.substr(0, kHeaderBytes + 1 + kMakerBytes));
  size_t size = payload.size();
  for (; size >= 0x80; size >>= 7) chunk.push_back(static_cast<char>((size & 0x7f) | 0x80));
  chunk.push_back(static_cast<char>(size));
  for (size_t i = 0; i < kSumBytes; ++i) chunk.push_back(static_cast<char>(sum >> (8 * i)));
  return chunk.append(payload);
}

// Where the payload begins, as far as that can be said; 0: this is no chunk.
size_t PayloadOf(std::string_view chunk) {
  size_t at = kHeaderBytes + 1 + kMakerBytes;
  while (at < chunk.size() && (chunk[at] & 0x80) != 0) ++at;
  at += 1 + kSumBytes;
  return at < chunk.size() && chunk[0] == '\x1b' ? at : 0;
}

std::vector<std::string> MakeSeeds() {
  lua::Vm vm;
  std::vector<std::string> seeds;
  for (const std::string_view program : testing::kPrograms) {
    const auto text = vm.Make(program);
    const auto dump = vm.Run("return function(text) return string.dump(load(text)) end");
    seeds.push_back(*dump->Call(*text)->ToText());
  }
  return seeds;
}

// Bytes of instructions are small numbers, mostly; so are the new ones.
void MutatePayload(std::string& payload, Random& random) {
  const auto place = [&] { return random.Below(payload.size()); };
  switch (random.Below(8)) {
    case 0: {
      const size_t old_size = payload.size();
      payload.resize(old_size + 64);
      auto* bytes = reinterpret_cast<uint8_t*>(payload.data());
      payload.resize(LLVMFuzzerMutate(bytes, old_size, payload.size()));
      return;
    }
    case 1: {  // another copy of some bytes, over others
      const size_t from = place(), to = place();
      const size_t count = std::min(random.Below(24) + 1, payload.size() - std::max(from, to));
      std::memmove(payload.data() + to, payload.data() + from, count);
      return;
    }
    case 2:
      payload[place()] = static_cast<char>(random.Below(256));
      return;
    case 3:
      payload[place()] ^= static_cast<char>(1 << random.Below(8));
      return;
    case 4: {  // two instructions change places, where they lie well
      constexpr size_t kBytes = 4;
      const size_t a = place(), b = place();
      if (std::max(a, b) + kBytes > payload.size()) return;
      std::swap_ranges(payload.begin() + static_cast<ptrdiff_t>(a),
                       payload.begin() + static_cast<ptrdiff_t>(a + kBytes),
                       payload.begin() + static_cast<ptrdiff_t>(b));
      return;
    }
    default:
      payload[place()] = static_cast<char>(random.Below(24));
      return;
  }
}

}  // namespace
}  // namespace neap::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace neap::fuzz;  // NOLINT: the entry point of libFuzzer is global
  static const std::vector<std::string> seeds = MakeSeeds();
  Random random(seed);
  std::string_view chunk(reinterpret_cast<const char*>(data), size);
  if (!chunk.empty()) chunk.remove_prefix(1);
  size_t at = PayloadOf(chunk);
  if (at == 0 || random.OneIn(200)) {
    chunk = seeds[random.Below(seeds.size())];
    at = PayloadOf(chunk);
  }
  std::string payload(chunk.substr(at));
  for (uint64_t n = random.Below(4) + 1; n > 0 && !payload.empty(); --n) {
    MutatePayload(payload, random);
  }
  std::string made = Framed(chunk.substr(0, at), payload);
  if (random.OneIn(50)) made[random.Below(made.size())] ^= 1;  // damaged
  if (random.OneIn(50)) made.resize(random.Below(made.size()));
  if (made.size() + 1 > max_size) return 0;
  data[0] = static_cast<uint8_t>(random.Below(kStressModes));
  std::memcpy(data + 1, made.data(), made.size());
  return made.size() + 1;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  neap::fuzz::FuzzVm vm({.stress = data[0], .instructions = 10'000, .allocation_bytes = 1 << 20});
  vm.Run({reinterpret_cast<const char*>(data + 1), size - 1}, neap::lua::ChunkKind::kBinary);
  vm.CheckHeap();
  return 0;
}
