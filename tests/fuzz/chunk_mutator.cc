// SPDX-License-Identifier: MIT
//
// How libFuzzer changes a binary chunk: by whole instructions and single bytes of the payload, and
// signs it again. Of what libFuzzer changes by itself, only the checksum would be tested.
//
//   input   | stress (1 byte) | chunk |
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/opcode.h"
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

// Small ones, so that what is changed matters.
constexpr std::string_view kSmallPrograms[] = {
    "local n = 0 for i = 1, 3 do for j = 3.0, 1, -1 do n = n + i * j end end return n",
    "local fs = {} for i = 1, 3 do fs[i] = function() i = i + 1 return i end end return fs[2]()",
    "local t = {x = 1, y = 2} t.x = t.y t.z = t.x .. 'a' for k, v in pairs(t) do print(k, v) end",
    "local c <close> = setmetatable({}, {__close = function() print(1) end}) return ...",
    "local function f(a, ...) if a then return f(...) end return ..., {...} end return f(1, 2, "
    "...)",
    "local o = {m = function(self, x) g = x return self end} return o:m(1):m(2), g, o.m(o, g // 3)",
    "local co = coroutine.wrap(function(a) local b <close> = nil coroutine.yield(a) end) co(1) "
    "co()",
    "return pcall(function(...) local a, b = ... do local c = a b = function() return c end end "
    "return b() < 1 and a == 'x' or not b end, 1, 2)",
};

std::vector<std::string> MakeSeeds() {
  lua::Vm vm;
  std::vector<std::string> seeds;
  const auto dump = vm.Run("return function(text) return string.dump(load(text)) end");
  const auto add = [&](std::string_view program) {
    const auto text = vm.Make(program);
    seeds.push_back(*dump->Call(*text)->ToText());
  };
  for (const std::string_view program : kSmallPrograms) add(program);
  for (const std::string_view program : testing::kPrograms) add(program);
  return seeds;
}

// --- Where the instructions are ------------------------------------------------------------------

struct Place {
  size_t at;
  size_t bytes;
};

// Walks over a payload as binary_chunk.cc reads it; stops at what cannot be.
class InstructionFinder {
 public:
  explicit InstructionFinder(std::string_view payload) : payload_(payload) {}

  std::vector<Place> Find() {
    Function(0);
    return std::move(places_);
  }

 private:
  bool ok() const { return at_ <= payload_.size(); }
  uint64_t Number() {
    uint64_t n = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = at_ < payload_.size() ? static_cast<uint8_t>(payload_[at_]) : 0;
      ++at_;
      n |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return n;
  }
  void Skip(uint64_t bytes) { at_ += std::min<uint64_t>(bytes, payload_.size() + 1); }
  void Text() { Skip(Number()); }
  void Constant() {
    const uint8_t kind = ok() && at_ < payload_.size() ? static_cast<uint8_t>(payload_[at_]) : 0;
    Skip(1);
    if (kind == 3) Number();
    if (kind == 4) Skip(8);
    if (kind == 5) Text();
  }
  void Code() {
    for (uint64_t n = Number(); n > 0 && ok(); --n) {
      const size_t start = at_;
      Skip(2);
      Number();
      Number();
      if (ok()) places_.push_back({start, at_ - start});
    }
  }
  void Function(int depth) {
    Text();
    Number();
    Number();
    Skip(3);
    Number();
    Code();
    for (uint64_t n = Number(); n > 0 && ok(); --n) Constant();
    for (uint64_t n = Number(); n > 0 && ok(); --n) {
      for (uint64_t keys = Number(); keys > 0 && ok(); --keys) Number();
    }
    const uint64_t upvalues = Number();
    Skip(2 * std::min<uint64_t>(upvalues, 255));
    for (uint64_t n = upvalues; n > 0 && ok(); --n) Text();
    for (uint64_t n = Number(); n > 0 && ok(); --n) {
      Text();
      Number();
      Number();
      Skip(1);
    }
    for (uint64_t n = Number(); n > 0 && ok(); --n) Number();
    for (uint64_t n = Number(); n > 0 && ok() && depth < 20; --n) Function(depth + 1);
  }

  std::string_view payload_;
  size_t at_ = 0;
  std::vector<Place> places_;
};

void AppendNumber(std::string& text, uint64_t n) {
  for (; n >= 0x80; n >>= 7) text.push_back(static_cast<char>((n & 0x7f) | 0x80));
  text.push_back(static_cast<char>(n));
}

// Operands are small, jumps short.
std::string RandomInstruction(Random& random) {
  std::string text;
  text.push_back(static_cast<char>(random.Below(vm::kOpcodes)));
  text.push_back(static_cast<char>(random.Below(12)));
  AppendNumber(text, random.Below(12));
  const auto jump = static_cast<uint32_t>(static_cast<int32_t>(random.Below(24)) - 12);
  AppendNumber(text, random.OneIn(2) ? jump : random.Below(8));
  return text;
}

// False: there is none.
bool MutateInstruction(std::string& payload, Random& random) {
  const std::vector<Place> places = InstructionFinder(payload).Find();
  if (places.empty()) return false;
  const Place to = places[random.Below(places.size())];
  const Place from = places[random.Below(places.size())];
  switch (random.Below(6)) {
    case 0:
      payload.replace(to.at, to.bytes, RandomInstruction(random));
      return true;
    case 1:
      payload.replace(to.at, to.bytes, payload.substr(from.at, from.bytes));
      return true;
    case 2:  // another operation on the same
      payload[to.at] = static_cast<char>(random.Below(vm::kOpcodes));
      return true;
    case 3:
      payload[to.at + 1] = static_cast<char>(random.Below(12));
      return true;
    case 4: {
      std::string changed = payload.substr(to.at, 2);
      AppendNumber(changed, random.Below(12));
      AppendNumber(changed, static_cast<uint32_t>(static_cast<int32_t>(random.Below(24)) - 12));
      payload.replace(to.at, to.bytes, changed);
      return true;
    }
    default:
      payload[to.at + random.Below(to.bytes)] = static_cast<char>(random.Below(16));
      return true;
  }
}

// --- Mutations -----------------------------------------------------------------------------------

// Bytes of instructions are small numbers, mostly; so are the new ones.
void MutatePayload(std::string& payload, Random& random) {
  const auto place = [&] { return random.Below(payload.size()); };
  if (!random.OneIn(4) && MutateInstruction(payload, random)) return;
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
  if (at == 0 || random.OneIn(100)) {
    chunk = seeds[random.Below(random.OneIn(4) ? seeds.size() : std::size(kSmallPrograms))];
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
