// SPDX-License-Identifier: MIT
#include "child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

extern char** environ;

namespace neap::bench {
namespace {

namespace fs = std::filesystem;

// A folder of this process, removed at exit.
const std::string& ScratchFolder() {
  static const struct Scratch {
    Scratch() {
      std::string pattern = (fs::temp_directory_path() / "neap-bench-XXXXXX").string();
      path = mkdtemp(pattern.data()) == nullptr ? "" : pattern;
    }
    ~Scratch() {
      std::error_code ignored;
      if (!path.empty()) fs::remove_all(path, ignored);
    }
    std::string path;
  } scratch;
  return scratch.path;
}

std::string OwnFolder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path().string();
}

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

std::map<std::string, double> ParseResult(const std::string& output) {
  std::map<std::string, double> values;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("RESULT", 0) != 0) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      const size_t equals = word.find('=');
      if (equals == std::string::npos) continue;
      char* end = nullptr;
      const double value = std::strtod(word.c_str() + equals + 1, &end);
      if (*end == '\0') values[word.substr(0, equals)] = value;
    }
  }
  return values;
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

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

bool CanRun(const std::vector<std::string>& argv) { return RunChild(argv).ok; }

// callgrind's own file: "fn=(id) name", cost lines, "calls=" lines followed by a line whose second
// word is the inclusive cost of the call. The inclusive cost of a function that is not recursive is
// the sum over the calls to it; that is what the slow path of the barrier is.
InstructionCount ReadCallgrind(const std::string& path, const std::string& symbol) {
  InstructionCount count;
  std::FILE* file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return count;
  std::map<std::string, bool> wanted;  // by "(id)"
  bool callee_wanted = false, next_is_call = false;
  char line[4096];
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    if (std::strncmp(line, "summary:", 8) == 0) count.total = std::atof(line + 8);
    if (std::strncmp(line, "totals:", 7) == 0 && count.total == 0)
      count.total = std::atof(line + 7);
    const bool is_callee = std::strncmp(line, "cfn=", 4) == 0;
    if (is_callee || std::strncmp(line, "fn=", 3) == 0) {
      const char* start = std::strchr(line, '(');
      const char* stop = start == nullptr ? nullptr : std::strchr(start, ')');
      if (stop == nullptr) continue;
      const std::string id(start, stop + 1);
      if (stop[1] == ' ') {
        wanted[id] = !symbol.empty() && std::strstr(stop, symbol.c_str()) != nullptr;
      }
      if (is_callee) callee_wanted = wanted[id];
    } else if (std::strncmp(line, "calls=", 6) == 0) {
      next_is_call = true;
    } else if (next_is_call) {
      next_is_call = false;
      const char* cost = std::strchr(line, ' ');
      if (callee_wanted && cost != nullptr) count.in_symbol += std::atof(cost);
    }
  }
  std::fclose(file);
  return count;
}

}  // namespace

double ChildRun::operator[](const std::string& key) const {
  const auto found = values.find(key);
  return found == values.end() ? std::nan("") : found->second;
}

ChildRun RunChild(const std::vector<std::string>& argv,
                  const std::vector<std::string>& environment) {
  ChildRun run;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return run;
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = Spawn(argv, environment, ends[1]);
  close(ends[1]);
  if (child > 0) run.output = ReadToEnd(ends[0]);
  close(ends[0]);
  if (child <= 0) return run;
  int status = -1;
  rusage usage = {};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  run.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.cpu_s = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  run.peak_bytes = static_cast<double>(usage.ru_maxrss) * 1024;
  run.ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  run.values = ParseResult(run.output);
  return run;
}

ChildRun RunCell(const std::string& name, const std::vector<std::string>& arguments) {
  std::vector<std::string> argv = {OwnFolder() + "/neap_bench", "cell", name};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return RunChild(argv);
}

std::optional<std::string> CppPeer(const std::string& name) {
  const std::string path = OwnFolder() + "/peer_" + name;
  return fs::exists(path) ? std::optional(path) : std::nullopt;
}

std::optional<std::string> GoPeer(const std::string& name, std::string* reason) {
  static std::map<std::string, std::string> built;  // name -> path
  if (const auto found = built.find(name); found != built.end()) return found->second;
  if (!CanRun({"go", "version"})) {
    *reason = "no Go here (Debian: golang-go)";
    return std::nullopt;
  }
  const std::string path = ScratchFolder() + "/go-" + name;
  const std::string source = std::string(NEAP_BENCH_PEERS) + "/go/" + name + "/main.go";
  if (!RunChild({"go", "build", "-o", path, source}, {"GO111MODULE=off"}).ok) {
    *reason = "the Go program does not build";
    return std::nullopt;
  }
  built[name] = path;
  return path;
}

std::optional<std::vector<std::string>> NodePeer(const std::string& name) {
  if (!CanRun({"node", "--version"})) return std::nullopt;
  return std::vector<std::string>{"node", std::string(NEAP_BENCH_PEERS) + "/js/" + name + ".mjs"};
}

std::optional<InstructionCount> CountInstructions(const std::string& cell,
                                                  const std::vector<std::string>& arguments,
                                                  const std::string& symbol) {
  static const bool here = CanRun({"valgrind", "--version"});
  if (!here || ScratchFolder().empty()) return std::nullopt;
  const std::string file = ScratchFolder() + "/callgrind.out";
  std::vector<std::string> argv = {"valgrind",
                                   "--tool=callgrind",
                                   "--log-file=/dev/null",
                                   "--callgrind-out-file=" + file,
                                   OwnFolder() + "/neap_bench",
                                   "cell",
                                   cell};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const ChildRun run = RunChild(argv);
  if (!run.ok) return std::nullopt;
  const InstructionCount count = ReadCallgrind(file, symbol);
  std::error_code ignored;
  fs::remove(file, ignored);
  if (count.total == 0) return std::nullopt;
  return count;
}

}  // namespace neap::bench
