// SPDX-License-Identifier: MIT
//
// Proof that misuse ends the process with the right rule on stderr. Used where the check handler
// that throws is not enough: a check that fails while the world is stopped leaves a heap nobody may
// use.
//
//   CHECK(DiesWith("may not allocate", [&] { heap.Collect(m); }));
#ifndef NEAP_TESTS_SUPPORT_DIES_WITH_H_
#define NEAP_TESTS_SUPPORT_DIES_WITH_H_

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "neap/runtime/check.h"

namespace neap::testing {

// Runs `body` in a forked child whose failed checks abort. True when the child was killed by an
// abort after printing `rule`. The caller must be the only thread that matters to `body`.
template <typename Body>
bool DiesWith(const std::string& rule, Body body) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipe_ends[1], STDERR_FILENO);
    close(pipe_ends[0]);
    std::signal(SIGABRT, SIG_DFL);
    SetCheckHandler(nullptr);
    alarm(30);
    body();
    _exit(0);
  }
  close(pipe_ends[1]);
  std::string said;
  char chunk[4096];
  for (ssize_t n; (n = read(pipe_ends[0], chunk, sizeof(chunk))) > 0;) {
    said.append(chunk, static_cast<size_t>(n));
  }
  close(pipe_ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && said.find(rule) != std::string::npos;
}

}  // namespace neap::testing

#endif  // NEAP_TESTS_SUPPORT_DIES_WITH_H_
