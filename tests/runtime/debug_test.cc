// SPDX-License-Identifier: MIT
#include "neap/runtime/debug.h"

#include <cstdlib>
#include <string>

#include "doctest/doctest.h"

namespace neap::testing {
namespace {

// The message of the InvalidArgument status that `text` must give.
std::string ErrorOf(const std::string& text) {
  const absl::StatusOr<DebugSwitches> parsed = ParseDebugSwitches(text);
  if (parsed.ok()) return "parsed";
  CHECK(parsed.status().code() == absl::StatusCode::kInvalidArgument);
  return std::string(parsed.status().message());
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_SUITE("runtime/debug") {
  TEST_CASE("switches that are not named keep their defaults") {
    const auto parsed = ParseDebugSwitches("gctrace=1,stress-alloc=17");
    REQUIRE(parsed.ok());
    CHECK(parsed->gctrace == 1);
    CHECK(parsed->stress_alloc == 17);
    CHECK(parsed->slow_hook_us == 100);
    CHECK(parsed->seed == 1);
    CHECK(parsed->verify == 0);
  }

  TEST_CASE("every listed switch can be set by its name"){
#define NEAP_SET_SWITCH(field, name, value, sentence)        \
  {                                                          \
    const auto parsed = ParseDebugSwitches(name "=4242");    \
    REQUIRE_MESSAGE(parsed.ok(), name);                      \
    CHECK_MESSAGE(parsed->field == 4242, name);              \
    CHECK(Contains(DescribeDebugSwitches(), "  " name " ")); \
    CHECK(Contains(DescribeDebugSwitches(), sentence));      \
  }
      NEAP_DEBUG_SWITCHES(NEAP_SET_SWITCH)
#undef NEAP_SET_SWITCH
  }

  TEST_CASE("switches are laid over a base, and the last of two wins") {
    DebugSwitches base;
    base.verify = 1;
    base.seed = 5;
    const auto parsed = ParseDebugSwitches("seed=6,seed=7", base);
    REQUIRE(parsed.ok());
    CHECK(parsed->verify == 1);
    CHECK(parsed->seed == 7);
  }

  TEST_CASE("nothing is no error") { CHECK(ParseDebugSwitches("").ok()); }

  TEST_CASE("the largest value is 2^64 - 1") {
    const auto parsed = ParseDebugSwitches("seed=18446744073709551615");
    REQUIRE(parsed.ok());
    CHECK(parsed->seed == UINT64_MAX);
    CHECK(Contains(ErrorOf("seed=18446744073709551616"), "18446744073709551616"));
  }

  TEST_CASE("an unknown name is an error that names it and its value") {
    CHECK(Contains(ErrorOf("verify=1,gctrase=3"), "\"gctrase\""));
    CHECK(Contains(ErrorOf("verify=1,gctrase=3"), "\"3\""));
    CHECK(Contains(ErrorOf("Verify=1"), "\"Verify\""));
    CHECK(Contains(ErrorOf(" verify=1"), "\" verify\""));
  }

  TEST_CASE("a value that is no unsigned decimal number is an error that names both") {
    for (const char* value : {"", "-1", "+1", " 1", "1 ", "0x10", "1e3", "on", "1=2"}) {
      CAPTURE(value);
      const std::string error = ErrorOf("poison=" + std::string(value));
      CHECK(Contains(error, "\"poison\""));
      CHECK(Contains(error, "\"" + std::string(value) + "\""));
    }
  }

  TEST_CASE("an item that is not name=value is an error") {
    CHECK(Contains(ErrorOf("verify"), "\"verify\""));
    CHECK(Contains(ErrorOf("verify=1,"), "\"\""));
    CHECK(Contains(ErrorOf(",verify=1"), "\"\""));
    CHECK(Contains(ErrorOf("verify=1,,poison=1"), "\"\""));
    CHECK(Contains(ErrorOf("=1"), "unknown debug switch \"\""));
  }

  TEST_CASE("NEAP_DEBUG is read when asked for, and may be missing") {
    const char* const old = std::getenv("NEAP_DEBUG");
    const std::string saved = old == nullptr ? "" : old;
    setenv("NEAP_DEBUG", "rotate=3", 1);
    CHECK(DebugSwitchesFromEnvironment()->rotate == 3);
    setenv("NEAP_DEBUG", "rotate=x", 1);
    CHECK_FALSE(DebugSwitchesFromEnvironment().ok());
    unsetenv("NEAP_DEBUG");
    CHECK(DebugSwitchesFromEnvironment()->rotate == 0);
    if (old != nullptr) setenv("NEAP_DEBUG", saved.c_str(), 1);
  }
}

}  // namespace
}  // namespace neap::testing
