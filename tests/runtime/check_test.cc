// SPDX-License-Identifier: MIT
#include "neap/runtime/check.h"

#include <string>

#include "doctest/doctest.h"
#include "support/check_failure.h"
#include "support/dies_with.h"

namespace neap::testing {
namespace {

std::string MessageOf(void (*body)()) {
  try {
    body();
  } catch (const CheckFailure& failure) {
    return failure.what();
  }
  return "";
}

TEST_SUITE("runtime/check") {
  TEST_CASE("the message names the rule, the values, the condition and the place, in that order") {
    const std::string message =
        MessageOf([] { NEAP_CHECK(2 + 2 == 5, "A1: sums are sums", "left=%d %s", 4, "right=5"); });
    CHECK(message.find("check failed: A1: sums are sums: left=4 right=5 [2 + 2 == 5, ") == 0);
    CHECK(message.find("check_test.cc:") != std::string::npos);
  }

  TEST_CASE("a check without values says nothing in their place") {
    const std::string message = MessageOf([] { NEAP_CHECK(false, "A2: no values"); });
    CHECK(message.find("check failed: A2: no values [false, ") == 0);
  }

  TEST_CASE("a condition that holds is evaluated once and says nothing") {
    int evaluated = 0;
    NEAP_CHECK(++evaluated == 1, "A3: conditions are evaluated once");
    CHECK(evaluated == 1);
  }

  TEST_CASE("a debug check is a check in debug builds and nothing in release builds") {
    int evaluated = 0;
    NEAP_DCHECK(++evaluated == 1, "A4: evaluated in debug builds");
#ifdef NDEBUG
    CHECK(evaluated == 0);
#else
    CHECK(evaluated == 1);
    CHECK(MessageOf([] { NEAP_DCHECK(false, "A5: fails"); }) != "");
#endif
  }

  TEST_CASE("a message that is too long is cut, not dropped") {
    const std::string message = MessageOf([] {
      const std::string value(5000, 'x');
      NEAP_CHECK(false, "A6: long", "value=%s", value.c_str());
    });
    CHECK(message.size() == 1023);
    CHECK(message.find("check failed: A6: long: value=xxx") == 0);
  }

  TEST_CASE("without a handler the process prints the message and aborts") {
    CHECK(DiesWith("neap: check failed: A7: the end: code=7 [",
                   [] { NEAP_CHECK(false, "A7: the end", "code=%d", 7); }));
  }

  TEST_CASE("a handler that returns does not save the process") {
    CHECK(DiesWith("", [] {
      SetCheckHandler([](const char*) {});
      NEAP_CHECK(false, "A8: handled");
    }));
  }

  TEST_CASE("a check that fails inside the handler is printed and ends the process") {
    CHECK(DiesWith("neap: check failed: A9: inner", [] {
      SetCheckHandler([](const char*) { NEAP_CHECK(false, "A9: inner"); });
      NEAP_CHECK(false, "A9: outer");
    }));
  }

  TEST_CASE("after a handler has thrown, the next failed check reaches it again") {
    CHECK(MessageOf([] { NEAP_CHECK(false, "first"); }) != "");
    CHECK(MessageOf([] { NEAP_CHECK(false, "second"); }).find("second") != std::string::npos);
  }
}

}  // namespace
}  // namespace neap::testing
