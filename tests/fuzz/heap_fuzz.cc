// SPDX-License-Identifier: MIT
//
// The heap fuzzer's program.
//
//   heap_fuzz [--ops=N] [--seed=S] [--mode=NAME|all|list] [--compare=K] [--verify=V]
//             [--replay=FILE] [--shrink-seconds=T]
//
// Runs N random operations in each mode and prints one line of counts per mode. Each run is a child
// process, so that a crash is a finding like any other. A failing run is made small: the shortest
// failing prefix, then operations cut out in halves, quarters, ... as long as it still fails; what
// is left is listed and written to heap_fuzz.failure, which --replay (and the libFuzzer target,
// whose input format it is) runs again.
//
//   input   | mode (1 byte) | operation (8 bytes, little endian) | operation | ...
//
// Built with clang's -fsanitize=fuzzer and NEAP_LIBFUZZER defined, this file is the libFuzzer
// target.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "heap_machine.h"
#include "neap/runtime/clock.h"
#include "support/random.h"

namespace neap::testing {
// The fuzzer prints and takes its own seeds; the runner's Seed() is not linked here.
uint64_t Seed() { return 1; }
}  // namespace neap::testing

namespace neap::fuzz {
namespace {

// Operations of a small failure that are worth a line each on the terminal.
constexpr size_t kListedOps = 60;
// A run of the shrinker that takes longer counts as failing: it hangs.
constexpr unsigned kReplaySeconds = 60;

struct Settings {
  uint64_t ops = 100'000;
  uint64_t seed = 1;
  std::string mode = "all";
  uint64_t compare_every = 20'000;
  uint64_t verify_every = 4;
  std::string replay;
  uint64_t shrink_seconds = 60;
};

// A page that parent and child share: how far the child came.
struct Progress {
  volatile uint64_t ops;
  Counts counts;
};

Progress* SharedProgress() {
  static auto* progress = static_cast<Progress*>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  return progress;
}

void RunOps(const Mode& mode, uint64_t seed, const std::vector<uint64_t>& ops,
            uint64_t compare_every, uint64_t verify_every) {
  HeapMachine machine(mode, seed, compare_every, verify_every);
  for (const uint64_t op : ops) machine.Execute(op);
  machine.Finish();
}

// Operation streams repeat by mode and seed.
testing::Random StreamOf(const Mode& mode, uint64_t seed) {
  uint64_t hash = seed * 0x9e3779b97f4a7c15;
  for (const char* c = mode.name; *c != '\0'; ++c) {
    hash = hash * 131 + static_cast<unsigned char>(*c);
  }
  return testing::Random(hash);
}

template <typename Body>
bool SurvivesInChild(bool quiet, Body body) {
  const pid_t child = fork();
  if (child == 0) {
    if (quiet) (void)!freopen("/dev/null", "w", stderr);
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum class Say : uint8_t { kNothing, kFinding };

// Compares and verifies often, so that a small program fails near the cause of its failure.
bool StillFails(const Mode& mode, const Settings& settings, const std::vector<uint64_t>& ops,
                Say say = Say::kNothing) {
  return !SurvivesInChild(say == Say::kNothing, [&] {
    alarm(kReplaySeconds);
    const uint64_t every = std::max<uint64_t>(1, ops.size() / 200);
    RunOps(mode, settings.seed, ops, every, 1);
  });
}

std::vector<uint64_t> Shrink(const Mode& mode, const Settings& settings,
                             std::vector<uint64_t> ops) {
  const uint64_t end_ns = MonotonicNanos() + settings.shrink_seconds * 1'000'000'000;
  const auto time_is_up = [&] { return MonotonicNanos() > end_ns; };
  // The shortest failing prefix. A failure that is there stays there, so bisection finds it.
  size_t good = 0;
  size_t bad = ops.size();
  while (bad - good > 1 + bad / 1000 && !time_is_up()) {
    const size_t middle = good + (bad - good) / 2;
    const std::vector<uint64_t> prefix(ops.begin(), ops.begin() + static_cast<ptrdiff_t>(middle));
    (StillFails(mode, settings, prefix) ? bad : good) = middle;
  }
  ops.resize(bad);
  for (size_t chunk = ops.size() / 2; chunk > 0 && !time_is_up(); chunk /= 2) {
    for (size_t at = 0; at < ops.size() && !time_is_up();) {
      std::vector<uint64_t> without = ops;
      const auto first = without.begin() + static_cast<ptrdiff_t>(at);
      without.erase(first, first + static_cast<ptrdiff_t>(std::min(chunk, ops.size() - at)));
      if (StillFails(mode, settings, without)) {
        ops = without;
      } else {
        at += chunk;
      }
    }
  }
  return ops;
}

void WriteFailure(const Mode& mode, const std::vector<uint64_t>& ops) {
  std::ofstream file("heap_fuzz.failure", std::ios::binary);
  file.put(static_cast<char>(&mode - Modes().data()));
  for (const uint64_t op : ops) {
    char bytes[8];
    std::memcpy(bytes, &op, sizeof(op));
    file.write(bytes, sizeof(bytes));
  }
}

void ReportFailure(const Mode& mode, const Settings& settings, uint64_t executed) {
  std::printf("mode=%-18s seed=%llu FAILED after %llu operations\n", mode.name,
              static_cast<unsigned long long>(settings.seed),
              static_cast<unsigned long long>(executed));
  std::fflush(stdout);
  if (settings.shrink_seconds == 0) return;
  testing::Random random = StreamOf(mode, settings.seed);
  std::vector<uint64_t> ops(std::max<uint64_t>(1, executed));
  for (uint64_t& op : ops) op = random.Next();
  if (!StillFails(mode, settings, ops)) {
    std::printf(
        "  the failure needs the exact comparisons of the long run; replay with the seed\n");
    return;
  }
  ops = Shrink(mode, settings, std::move(ops));
  WriteFailure(mode, ops);
  std::printf("  %zu operations are left, written to heap_fuzz.failure; it says:\n", ops.size());
  std::fflush(stdout);
  (void)StillFails(mode, settings, ops, Say::kFinding);
  for (size_t i = 0; i < std::min<size_t>(ops.size(), kListedOps); ++i) {
    std::printf("  %016llx  %s\n", static_cast<unsigned long long>(ops[i]),
                HeapMachine::Describe(mode, ops[i]).c_str());
  }
}

bool RunMode(const Mode& mode, const Settings& settings) {
  Progress* progress = SharedProgress();
  progress->ops = 0;
  const uint64_t start_ns = MonotonicNanos();
  const bool fine = SurvivesInChild(false, [&] {
    testing::Random random = StreamOf(mode, settings.seed);
    HeapMachine machine(mode, settings.seed, settings.compare_every, settings.verify_every);
    for (uint64_t i = 0; i < settings.ops; ++i) {
      progress->ops = i + 1;
      machine.Execute(random.Next());
    }
    machine.Finish();
    progress->counts = machine.counts();
  });
  if (!fine) {
    ReportFailure(mode, settings, progress->ops);
    return false;
  }
  const Counts& c = progress->counts;
  const double seconds = static_cast<double>(MonotonicNanos() - start_ns) * 1e-9;
  std::printf(
      "mode=%-18s seed=%llu ops=%llu minors=%llu majors=%llu compares=%llu exact=%llu "
      "verified=%llu finalized=%llu weak-cleared=%llu failed-allocations=%llu "
      "most-live=%llu Mops/s=%.2f ok\n",
      mode.name, static_cast<unsigned long long>(settings.seed),
      static_cast<unsigned long long>(c.ops), static_cast<unsigned long long>(c.minors),
      static_cast<unsigned long long>(c.majors), static_cast<unsigned long long>(c.compares),
      static_cast<unsigned long long>(c.exact_compares),
      static_cast<unsigned long long>(c.verifications),
      static_cast<unsigned long long>(c.finalized), static_cast<unsigned long long>(c.weak_cleared),
      static_cast<unsigned long long>(c.failed_allocations),
      static_cast<unsigned long long>(c.most_live), static_cast<double>(c.ops) / seconds * 1e-6);
  std::fflush(stdout);
  return true;
}

// What the input format says, for --replay and libFuzzer.
void RunInput(const uint8_t* data, size_t size, uint64_t compare_every) {
  if (size < 1) return;
  const Mode& mode = Modes()[data[0] % Modes().size()];
  std::vector<uint64_t> ops((size - 1) / 8);
  if (!ops.empty()) std::memcpy(ops.data(), data + 1, ops.size() * 8);
  RunOps(mode, 1, ops, compare_every, 1);
}

bool ParseNumber(std::string_view text, uint64_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseArgument(std::string_view argument, Settings* settings) {
  const size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = argument.substr(0, equals);
  const std::string_view value = argument.substr(equals + 1);
  if (name == "--mode") settings->mode = std::string(value);
  if (name == "--replay") settings->replay = std::string(value);
  if (name == "--mode" || name == "--replay") return !value.empty();
  if (name == "--ops") return ParseNumber(value, &settings->ops);
  if (name == "--seed") return ParseNumber(value, &settings->seed);
  if (name == "--compare") {
    return ParseNumber(value, &settings->compare_every) && settings->compare_every > 0;
  }
  if (name == "--verify") return ParseNumber(value, &settings->verify_every);
  if (name == "--shrink-seconds") return ParseNumber(value, &settings->shrink_seconds);
  return false;
}

int Replay(const Settings& settings) {
  std::ifstream file(settings.replay, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "--replay: cannot read \"%s\"\n", settings.replay.c_str());
    return 2;
  }
  const std::string input{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  RunInput(reinterpret_cast<const uint8_t*>(input.data()), input.size(), 1);
  std::printf("replayed %zu operations: ok\n", input.size() / 8);
  return 0;
}

[[maybe_unused]] int Main(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    if (ParseArgument(argv[i], &settings)) continue;
    std::fprintf(stderr, "heap_fuzz: bad argument \"%s\"\n", argv[i]);
    return 2;
  }
  if (!settings.replay.empty()) return Replay(settings);
  if (settings.mode == "list") {
    for (const Mode& mode : Modes()) std::printf("%s\n", mode.name);
    return 0;
  }
  if (settings.mode != "all" && FindMode(settings.mode) == nullptr) {
    std::fprintf(stderr, "heap_fuzz: --mode=%s is no mode (--mode=list)\n", settings.mode.c_str());
    return 2;
  }
  uint64_t passed = 0;
  uint64_t failed = 0;
  for (const Mode& mode : Modes()) {
    if (settings.mode == "all" ? mode.broken : settings.mode != mode.name) continue;
    ++(RunMode(mode, settings) ? passed : failed);
  }
  std::printf("%llu operations in each of %llu modes, %llu modes failed, seed %llu\n",
              static_cast<unsigned long long>(settings.ops),
              static_cast<unsigned long long>(passed + failed),
              static_cast<unsigned long long>(failed),
              static_cast<unsigned long long>(settings.seed));
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace neap::fuzz

#ifdef NEAP_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto& modes = neap::fuzz::Modes();
  // A heap that is broken on purpose is no finding.
  if (size > 0 && !modes[data[0] % modes.size()].broken) neap::fuzz::RunInput(data, size, 64);
  return 0;
}
#else
int main(int argc, char** argv) { return neap::fuzz::Main(argc, argv); }
#endif
