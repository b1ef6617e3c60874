// SPDX-License-Identifier: MIT
//
// Two parsers. The command word and `lab-cell` (an internal protocol whose arguments are not flags)
// are taken by hand; `lab` goes through CLI11. CLI11 throws; nothing it throws leaves this file.
#include "command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "machine_facts.h"
#include "neap/runtime/debug.h"

namespace neap::cli {
namespace {

constexpr const char* kHelp =
    "neap: a small managed-heap runtime\n"
    "\n"
    "  neap lab [NAMES] [FLAGS]   run experiments on pools, pacing and object layout;\n"
    "                             without names the headline set, in a minute or two\n"
    "  neap lab list              all experiments: id, family, title\n"
    "  neap run FILE.lua          run a script (not in this version)\n"
    "  neap version               version, build, machine\n"
    "  neap help                  this text; `neap lab --help` lists the flags\n"
    "  neap --help-debug          the switches of NEAP_DEBUG\n";

// The flags that set a gc::Options field by name, in the order of the help text. `variable` is what
// gc::SetOptionsFromEnvironment reads itself, or what is read here when `ours`.
struct HeapFlag {
  const char* name;      // without dashes; also the option's name for gc::SetOption
  const char* value;     // for the help text
  const char* variable;  // environment variable
  bool ours;             // true: gc::SetOptionsFromEnvironment does not know it
  const char* sentence;
};
constexpr HeapFlag kHeapFlags[] = {
    {"preset", "NAME", "NEAP_PRESET", true, "go: no nursery; source: as the published runs; tiny"},
    {"gogc", "PERCENT", "NEAP_GOGC", false, "growth between major cycles, or off"},
    {"memlimit", "SIZE", "NEAP_MEMLIMIT", false, "soft memory limit (64MiB, 1GiB), or none"},
    {"nursery", "SIZE", "NEAP_NURSERY", false, "per P: a fixed size, adaptive, or off"},
    {"tenure", "N", "NEAP_TENURE", false, "a survivor is promoted on its Nth survival"},
    {"procs", "N", "NEAP_MAXPROCS", false, "number of Ps (default: the cores)"},
    {"workers", "N", "NEAP_WORKERS", false, "threads that copy in a minor collection"},
    {"in-place", "on|off", "NEAP_IN_PLACE", true, "cohorts that live on become old uncopied"},
};

// A flag of the lab that takes a value, from the command line or from the environment.
struct TextFlag {
  const char* name;
  const char* value;  // for the help text
  const char* variable;
  const char* sentence;
  std::optional<std::string> text = std::nullopt;
  std::string spelling = name;  // what the user wrote: the flag or the variable
};

// What CLI11 fills in; text, because the meaning belongs to gc::SetOption and to the functions
// below.
struct LabFlags {
  std::optional<std::string> heap[std::size(kHeapFlags)];
  TextFlag format = {"--format", "text|json|gobench", "NEAP_FORMAT", "what is printed"};
  TextFlag html = {"--html", "FILE", "NEAP_HTML", "write a report with plots"};
  TextFlag trace = {"--trace", "FILE", "NEAP_TRACE", "write every collection as JSON lines"};
  TextFlag seed = {"--seed", "N", "NEAP_SEED", "seed of random workloads"};
  TextFlag scale = {"--scale", "X", "NEAP_SCALE", "0 < X <= 1: fewer repetitions, same criteria"};
  bool json = false, record = false, no_progress = false;
  std::vector<std::string> names;
};

std::string OneLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

absl::Status Misuse(const std::string& line) {
  return absl::InvalidArgumentError(absl::StrCat("neap: ", OneLine(line)));
}

std::optional<std::string> Variable(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return text;
}

// What the command line does not say, the environment may.
void ReadVariables(LabFlags& flags) {
  for (TextFlag* flag : {&flags.format, &flags.html, &flags.trace, &flags.seed, &flags.scale}) {
    if (flag->text) continue;
    flag->text = Variable(flag->variable);
    if (flag->text) flag->spelling = flag->variable;
  }
}

absl::Status NotAllowed(const TextFlag& flag, const char* allowed) {
  return Misuse(
      absl::StrCat(flag.spelling, ": \"", *flag.text, "\" is not allowed; give ", allowed));
}

void AddLabOptions(CLI::App& app, LabFlags& flags) {
  app.add_option("NAMES", flags.names, "ids (G1), families (evict), a letter (G), all, or list");
  for (size_t i = 0; i < std::size(kHeapFlags); ++i) {
    const HeapFlag& flag = kHeapFlags[i];
    auto* option = app.add_option(absl::StrCat("--", flag.name), flags.heap[i],
                                  absl::StrCat(flag.sentence, " (", flag.variable, ")"));
    option->option_text(flag.value)->group("Heap");
  }
  for (TextFlag* flag : {&flags.format, &flags.html, &flags.trace, &flags.seed, &flags.scale}) {
    app.add_option(flag->name, flag->text, absl::StrCat(flag->sentence, " (", flag->variable, ")"))
        ->option_text(flag->value)
        ->group("Output");
  }
  app.add_flag("--json", flags.json, "the same as --format=json")->group("Output");
  app.add_flag("--record", flags.record, "replay pool operations through an oracle (NEAP_RECORD)")
      ->envname("NEAP_RECORD")
      ->option_text(" ")
      ->group("Output");
  app.add_flag("--no-progress", flags.no_progress, "no progress lines on stderr (NEAP_NO_PROGRESS)")
      ->envname("NEAP_NO_PROGRESS")
      ->option_text(" ")
      ->group("Output");
}

// `spelling` is what the user wrote: the flag with its dashes, or the variable. The message of
// gc::SetOption begins with the option's bare name.
absl::Status SetHeapOption(gc::Options& options, const HeapFlag& flag, const std::string& spelling,
                           const std::string& value) {
  const absl::Status status = gc::SetOption(options, flag.name, value);
  if (status.ok()) return status;
  const std::string message(status.message());
  const bool named = message.rfind(flag.name, 0) == 0;
  return Misuse(spelling + (named ? message.substr(std::strlen(flag.name)) : ": " + message));
}

// Messages about a variable of the heap begin with its name; those about a switch inside NEAP_DEBUG
// name the switch only.
absl::Status BadVariable(const absl::Status& status) {
  const std::string message(status.message());
  return Misuse(message.rfind("NEAP_", 0) == 0 ? message : "NEAP_DEBUG: " + message);
}

// The flag if given, else the variable when gc does not read it itself.
absl::Status ApplyHeapFlag(gc::Options& options, const HeapFlag& flag,
                           const std::optional<std::string>& given) {
  if (given) return SetHeapOption(options, flag, absl::StrCat("--", flag.name), *given);
  const std::optional<std::string> variable = flag.ours ? Variable(flag.variable) : std::nullopt;
  return variable ? SetHeapOption(options, flag, flag.variable, *variable) : absl::OkStatus();
}

// Defaults, preset, environment, flags: in this order (see the header).
absl::Status FillHeapOptions(const LabFlags& flags, lab::Settings& settings) {
  gc::Options& options = settings.heap;
  absl::Status status = ApplyHeapFlag(options, kHeapFlags[0], flags.heap[0]);  // the preset
  if (!status.ok()) return status;
  status = gc::SetOptionsFromEnvironment(options);
  if (!status.ok()) return BadVariable(status);
  for (size_t i = 0; i < std::size(kHeapFlags); ++i) {
    if (flags.heap[i] || Variable(kHeapFlags[i].variable)) settings.heap_is_default = false;
    if (i == 0) continue;
    status = ApplyHeapFlag(options, kHeapFlags[i], flags.heap[i]);
    if (!status.ok()) return status;
  }
  status = gc::ValidateOptions(options);
  return status.ok() ? status : Misuse(std::string(status.message()));
}

absl::Status FillNumbers(const LabFlags& flags, lab::Settings& settings) {
  if (const auto& seed = flags.seed.text) {
    const bool digits = seed->find_first_not_of("0123456789") == std::string::npos;
    errno = 0;
    settings.seed = std::strtoull(seed->c_str(), nullptr, 10);
    if (!digits || errno != 0) {
      return NotAllowed(flags.seed, "a number from 0 to 18446744073709551615");
    }
  }
  if (const auto& scale = flags.scale.text) {
    char* end = nullptr;
    settings.scale = std::strtod(scale->c_str(), &end);
    if (*end != '\0' || !(settings.scale > 0 && settings.scale <= 1)) {
      return NotAllowed(flags.scale, "a number above 0, at most 1");
    }
  }
  return absl::OkStatus();
}

absl::Status FillFormat(const LabFlags& flags, lab::OutputFormat& format) {
  constexpr std::pair<const char*, lab::OutputFormat> kFormats[] = {
      {"text", lab::OutputFormat::kText},
      {"json", lab::OutputFormat::kJson},
      {"gobench", lab::OutputFormat::kGobench},
  };
  const TextFlag& flag = flags.format;
  if (flags.json && flag.text.value_or("json") != "json") {
    return Misuse(absl::StrCat(flag.spelling, ": \"", *flag.text, "\" contradicts --json"));
  }
  const std::string wanted = flags.json ? "json" : flag.text.value_or("text");
  for (const auto& [name, value] : kFormats) {
    if (wanted != name) continue;
    format = value;
    return absl::OkStatus();
  }
  return NotAllowed(flag, "text, json or gobench");
}

absl::Status FillLab(const LabFlags& flags, CommandLine& line) {
  line.command = CommandLine::Command::kLab;
  line.words = flags.names;
  line.html_file = flags.html.text.value_or("");
  line.settings.trace_file = flags.trace.text.value_or("");
  line.settings.record = flags.record;
  line.settings.heap.blocking_events = flags.record;
  line.settings.progress = !flags.no_progress;
  absl::Status status = FillHeapOptions(flags, line.settings);
  if (status.ok()) status = FillNumbers(flags, line.settings);
  if (status.ok()) status = FillFormat(flags, line.format);
  return status;
}

absl::StatusOr<CommandLine> ParseLab(CommandLine line, std::vector<std::string> arguments) {
  CLI::App app("Runs experiments; exit status 1 when a strict criterion fails, 2 on bad input.",
               "neap lab");
  LabFlags flags;
  AddLabOptions(app, flags);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them last first
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    line.print = app.help();
    return line;
  } catch (const CLI::Error& error) {
    return Misuse(absl::StrCat("lab: ", error.what(), "; `neap lab --help` lists the flags"));
  }
  ReadVariables(flags);
  const absl::Status status = FillLab(flags, line);
  if (!status.ok()) return status;
  return line;
}

absl::StatusOr<CommandLine> ParseCell(CommandLine line, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return Misuse("lab-cell: which cell?");
  line.command = CommandLine::Command::kLabCell;
  line.words = arguments;
  const absl::StatusOr<DebugSwitches> debug = DebugSwitchesFromEnvironment();
  if (!debug.ok()) return BadVariable(debug.status());
  line.settings.heap.debug = *debug;
  return line;
}

absl::StatusOr<CommandLine> ParseRun(CommandLine line, std::vector<std::string> arguments) {
  if (arguments.empty()) return Misuse("run: which file? neap run FILE.lua");
  if (arguments[0].size() > 1 && arguments[0][0] == '-') {
    return Misuse(absl::StrCat("run: unknown flag ", arguments[0]));
  }
  line.command = CommandLine::Command::kRun;
  line.words = std::move(arguments);
  return line;
}

bool IsScript(const std::string& word) {
  constexpr std::string_view kEnding = ".lua";
  return word.size() > kEnding.size() && word.ends_with(kEnding);
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(int argc, const char* const* argv) {
  CommandLine line;
  line.as_typed = "neap";
  std::vector<std::string> arguments(argv + 1, argv + argc);
  for (const std::string& argument : arguments) absl::StrAppend(&line.as_typed, " ", argument);
  const std::string word = arguments.empty() ? "help" : arguments[0];
  if (IsScript(word)) return ParseRun(std::move(line), std::move(arguments));
  if (!arguments.empty()) arguments.erase(arguments.begin());
  if (word == "lab") return ParseLab(std::move(line), std::move(arguments));
  if (word == "lab-cell") return ParseCell(std::move(line), arguments);
  if (word == "run") return ParseRun(std::move(line), std::move(arguments));
  if (word == "help" || word == "--help" || word == "-h") {
    line.print = kHelp;
  } else if (word == "version" || word == "--version") {
    line.print = VersionLine() + "\n";
  } else if (word == "--help-debug") {
    line.print = DescribeDebugSwitches();
  } else if (word[0] == '-') {
    return Misuse(absl::StrCat("unknown flag ", word, "; `neap help` lists the commands"));
  } else {
    return Misuse(absl::StrCat("\"", word, "\" is no command; `neap help` lists them"));
  }
  return line;
}

}  // namespace neap::cli
