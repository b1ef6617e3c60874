// SPDX-License-Identifier: MIT
//
// A failed NEAP_CHECK as a test sees it. The runner (tests/main.cc) installs a check handler that
// throws, so that misuse is tested in place, without a child process:
//
//   CHECK_THROWS_WITH_AS(scope.Close(), doctest::Contains("H1"), neap::testing::CheckFailure);
//
// A check that nobody expected fails the test case with its message. The throw unwinds through the
// code that was checked, whose state is then not to be used: drop the object, or only destroy it.
// A check that fails inside a destructor, a noexcept function or a thread of its own cannot be
// caught: the process dies, with the message on stderr.
#ifndef NEAP_TESTS_SUPPORT_CHECK_FAILURE_H_
#define NEAP_TESTS_SUPPORT_CHECK_FAILURE_H_

#include <stdexcept>

namespace neap::testing {

// what() is the whole line that the default handler would have printed.
class CheckFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace neap::testing

#endif  // NEAP_TESTS_SUPPORT_CHECK_FAILURE_H_
