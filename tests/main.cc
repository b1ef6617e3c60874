// SPDX-License-Identifier: MIT
//
// The runner that every test program links: doctest's, plus what doctest does not promise.
//
//  R1  A failed NEAP_CHECK throws CheckFailure: misuse is tested in place, and an unexpected check
//      is a failed case, not a dead program.
//  R2  The run has one seed (--seed=N, NEAP_SEED=N, NEAP_SEED=random; default 1), printed at the
//      start, so that every random test can be repeated.
//  R3  A run in which no test case ran has failed. doctest says SUCCESS when a filter matches
//      nothing, which would hide a renamed test for ever. A case that was filtered out did not run.
//  R4  The last line is `cases: N passed, N failed`: what `./dev test` adds up (tally.py).
//
// All other arguments are doctest's: -tc="*promot*" selects cases, -ltc lists them.
#define DOCTEST_CONFIG_IMPLEMENT
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "doctest/doctest.h"
#include "neap/runtime/check.h"
#include "support/check_failure.h"
#include "support/seed.h"

namespace neap::testing {
namespace {

uint64_t run_seed = 1;

void ThrowCheckFailure(const char* message) { throw CheckFailure(message); }

// Counts what ran. doctest keeps the figures of a run to its reporters.
struct CaseCounter : doctest::IReporter {
  static inline unsigned ran = 0;
  static inline unsigned failed = 0;

  explicit CaseCounter(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& stats) override {
    ran = stats.numTestCasesPassingFilters;
    failed = stats.numTestCasesFailed;
  }
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("neap-case-counter", 1, CaseCounter);

bool ParseSeed(std::string_view text, uint64_t* seed) {
  if (text == "random") {
    std::random_device device;
    *seed = (uint64_t{device()} << 32) | device();
    return true;
  }
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *seed);
  return error == std::errc() && stop == end;
}

// Finds --seed=N or NEAP_SEED; returns false after printing what is wrong with it.
bool ReadSeed(int argc, char** argv) {
  constexpr std::string_view kFlag = "--seed=";
  std::string_view source = "NEAP_SEED";
  const char* environment = std::getenv("NEAP_SEED");
  std::string_view text = environment != nullptr ? environment : "1";
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).substr(0, kFlag.size()) != kFlag) continue;
    source = "--seed";
    text = argv[i] + kFlag.size();
  }
  if (ParseSeed(text, &run_seed)) return true;
  std::fprintf(stderr, "%s: \"%s\" is neither an unsigned number nor \"random\"\n",
               std::string(source).c_str(), std::string(text).c_str());
  return false;
}

int Run(int argc, char** argv) {
  if (!ReadSeed(argc, argv)) return 2;
  SetCheckHandler(ThrowCheckFailure);
  doctest::Context context;
  context.applyCommandLine(argc, argv);
  std::printf("seed %llu\n", static_cast<unsigned long long>(run_seed));
  std::fflush(stdout);
  const int result = context.run();
  if (context.shouldExit()) return result;  // a query such as -ltc ran no test on purpose
  if (CaseCounter::ran == 0) {
    std::fprintf(stderr, "no test case ran: the filter matches nothing\n");
    return 1;
  }
  std::printf("cases: %u passed, %u failed\n", CaseCounter::ran - CaseCounter::failed,
              CaseCounter::failed);
  return result;
}

}  // namespace

uint64_t Seed() { return run_seed; }

}  // namespace neap::testing

int main(int argc, char** argv) { return neap::testing::Run(argc, argv); }
