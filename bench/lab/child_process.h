// SPDX-License-Identifier: MIT
//
// A program that runs to its end in a process of its own, and what it printed.
//
// Its resident peak is not here: the kernel counts into ru_maxrss of a child what its parent had
// resident when the child was started, also when it was spawned and executed another program. Who
// wants a program's own peak lets it print OwnPeakBytes().
#ifndef NEAP_BENCH_LAB_CHILD_PROCESS_H_
#define NEAP_BENCH_LAB_CHILD_PROCESS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace neap::lab {

struct ChildProcess {
  bool ok = false;     // started and ended with status 0
  int status = -1;     // what it ended with; -1: a signal ended it, or it was not started
  std::string output;  // its standard output; the error output is this process's
  double cpu_s = 0;    // user + system, all threads
};

// Runs `argv` to its end, with an empty standard input. argv[0] is searched in PATH when it has no
// slash. `environment` words "NAME=VALUE" are put before this process's. Any thread.
ChildProcess RunToEnd(const std::vector<std::string>& argv,
                      const std::vector<std::string>& environment = {});

// All that can be read from `fd`.
std::string ReadToEnd(int fd);

// The largest resident set that this process had since it was executed, in bytes (VmHWM); 0 when
// the system does not tell.
uint64_t OwnPeakBytes();

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_CHILD_PROCESS_H_
