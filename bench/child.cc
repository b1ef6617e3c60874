// SPDX-License-Identifier: MIT
#include "child.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

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
  ChildRun run = {lab::RunToEnd(argv, environment), {}};
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
