// SPDX-License-Identifier: MIT
#include "child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

extern char** environ;

namespace neap::lab {
namespace {

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts `argv` with `output` as its standard output. -1: could not.
pid_t Spawn(std::vector<std::string> argv, const std::vector<std::string>& added, int output) {
  std::vector<std::string> environment = added;
  for (char** word = environ; *word != nullptr; ++word) environment.emplace_back(*word);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  pid_t child = -1;
  const int error = posix_spawnp(&child, argv[0].c_str(), &actions, nullptr, Pointers(argv).data(),
                                 Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

std::string ReadToEnd(int fd) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(fd, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

ChildProcess RunToEnd(const std::vector<std::string>& argv,
                      const std::vector<std::string>& environment) {
  ChildProcess run;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return run;
  const pid_t child = Spawn(argv, environment, ends[1]);
  close(ends[1]);
  if (child > 0) run.output = ReadToEnd(ends[0]);
  close(ends[0]);
  if (child <= 0) return run;
  int status = -1;
  rusage usage = {};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  run.cpu_s = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  if (WIFEXITED(status)) run.status = WEXITSTATUS(status);
  run.ok = run.status == 0;
  return run;
}

uint64_t OwnPeakBytes() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("VmHWM:", 0) != 0) continue;
    return std::strtoull(line.c_str() + std::strlen("VmHWM:"), nullptr, 10) * 1024;  // in KiB
  }
  return 0;
}

}  // namespace neap::lab
