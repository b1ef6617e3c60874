// SPDX-License-Identifier: MIT
//
// Three parsers. The command word and `lab-cell`, an internal protocol, are taken by hand; scripts
// have their own (script_options.h); `lab` goes through CLI11. CLI11 throws; nothing it throws
// leaves this file.
#include "command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "flight_flag.h"
#include "heap_flags.h"
#include "machine_facts.h"
#include "neap/runtime/debug.h"

namespace neap::cli {
namespace {

constexpr const char* kHelp =
    "neap: a small managed-heap runtime with Lua 5.4\n"
    "\n"
    "  neap [OPTIONS] [FILE.lua [ARGUMENTS]]\n"
    "                             run a script; without one, a prompt on a terminal\n"
    "  neap run ...               the same, whatever the script is called\n"
    "  neap dump FILE.lua         list its bytecode; - for standard input\n"
    "  neap dump --escape FILE    tables and closures that never leave their function\n"
    "  neap heap FILE [FILE]      what a heap snapshot holds, or how two differ;\n"
    "                             --retained, --path=ID, --top=N, --json\n"
    "  neap lab [NAMES] [FLAGS]   run experiments on pools, pacing and object layout;\n"
    "                             without names the headline set, in a minute or two\n"
    "  neap lab list              all experiments: id, family, title\n"
    "  neap lab FILE.lua [KNOBS]  compare the storages of a workload of your own\n"
    "  neap sweep WORKLOAD KNOBS  run a workload over a grid of knobs; `neap sweep --help`\n"
    "  neap trace FILE [FILE2]    what a trace says; two are compared; `neap trace --help`\n"
    "  neap version               version, build, machine\n"
    "  neap help                  this text; `neap lab --help` lists the flags of the lab\n"
    "  neap --help-debug          the switches of NEAP_DEBUG\n";

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
  HeapFlagTexts heap;
  TextFlag format = {"--format", "text|brief|explain|json|gobench", "NEAP_FORMAT",
                     "what is printed"};
  TextFlag html = {"--html", "FILE", "NEAP_HTML", "write a report with plots"};
  TextFlag trace = {"--trace", "FILE", "NEAP_TRACE", "write every collection as JSON lines"};
  TextFlag flight = {kFlightFlag, kFlightForm, kFlightVariable,
                     "keep the last seconds in memory; FILE after a longer pause and on SIGUSR1; "
                     "of one heap at a time, not of cells in processes of their own"};
  TextFlag seed = {"--seed", "N", "NEAP_SEED", "seed of random workloads"};
  TextFlag repeat = {"--repeat", "N", "NEAP_REPEAT", "FILE.lua: processes for each storage"};
  TextFlag scale = {"--scale", "X", "NEAP_SCALE", "0 < X <= 1: fewer repetitions, same criteria"};
  bool json = false, explain = false, record = false, no_progress = false;
  std::vector<std::string> names;
};

// What the command line does not say, the environment may.
void ReadVariables(LabFlags& flags) {
  for (TextFlag* flag : {&flags.format, &flags.html, &flags.trace, &flags.flight, &flags.seed,
                         &flags.repeat, &flags.scale}) {
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
  app.add_option("NAMES", flags.names,
                 "ids (G1), families (evict), a letter (G), all, list, or FILE.lua with knobs");
  for (size_t i = 0; i < std::size(kHeapFlags); ++i) {
    const HeapFlag& flag = kHeapFlags[i];
    auto* option = app.add_option(absl::StrCat("--", flag.name), flags.heap[i],
                                  absl::StrCat(flag.sentence, " (", flag.variable, ")"));
    option->option_text(flag.value)->group("Heap");
  }
  for (TextFlag* flag : {&flags.format, &flags.html, &flags.trace, &flags.flight, &flags.seed,
                         &flags.repeat, &flags.scale}) {
    app.add_option(flag->name, flag->text, absl::StrCat(flag->sentence, " (", flag->variable, ")"))
        ->option_text(flag->value)
        ->group("Output");
  }
  app.add_flag("--json", flags.json, "the same as --format=json")->group("Output");
  app.add_flag("--explain", flags.explain, "the same as --format=explain")->group("Output");
  app.add_flag("--record", flags.record, "replay pool operations through an oracle (NEAP_RECORD)")
      ->envname("NEAP_RECORD")
      ->option_text(" ")
      ->group("Output");
  app.add_flag("--no-progress", flags.no_progress, "no progress lines on stderr (NEAP_NO_PROGRESS)")
      ->envname("NEAP_NO_PROGRESS")
      ->option_text(" ")
      ->group("Output");
}

absl::Status FillNumbers(const LabFlags& flags, CommandLine& line) {
  lab::Settings& settings = line.settings;
  if (const auto& seed = flags.seed.text) {
    const bool digits = seed->find_first_not_of("0123456789") == std::string::npos;
    errno = 0;
    settings.seed = std::strtoull(seed->c_str(), nullptr, 10);
    if (!digits || errno != 0) {
      return NotAllowed(flags.seed, "a number from 0 to 18446744073709551615");
    }
  }
  if (const auto& repeat = flags.repeat.text) {
    if (!absl::SimpleAtoi(*repeat, &line.repeat) || line.repeat < 1 || line.repeat > 1000) {
      return NotAllowed(flags.repeat, "a number from 1 to 1000");
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

absl::Status FillFlight(const LabFlags& flags, lab::Settings& settings) {
  if (!flags.flight.text) return absl::OkStatus();
  std::optional<gc::FlightRecorderOptions> flight = ParseFlight(*flags.flight.text);
  if (!flight) return NotAllowed(flags.flight, kFlightForm);
  settings.flight = *std::move(flight);
  return absl::OkStatus();
}

absl::Status FillFormat(const LabFlags& flags, lab::OutputFormat& format) {
  constexpr std::pair<const char*, lab::OutputFormat> kFormats[] = {
      {"text", lab::OutputFormat::kText},       {"brief", lab::OutputFormat::kBrief},
      {"explain", lab::OutputFormat::kExplain}, {"json", lab::OutputFormat::kJson},
      {"gobench", lab::OutputFormat::kGobench},
  };
  const TextFlag& flag = flags.format;
  if (flags.json && flag.text.value_or("json") != "json") {
    return Misuse(absl::StrCat(flag.spelling, ": \"", *flag.text, "\" contradicts --json"));
  }
  const bool is_all = flags.names == std::vector<std::string>{"all"};
  const std::string wanted = flags.json      ? "json"
                             : flags.explain ? "explain"
                                             : flag.text.value_or(is_all ? "brief" : "text");
  for (const auto& [name, value] : kFormats) {
    if (wanted != name) continue;
    format = value;
    return absl::OkStatus();
  }
  return NotAllowed(flag, "text, brief, explain, json or gobench");
}

absl::Status FillLab(const LabFlags& flags, CommandLine& line) {
  line.command = CommandLine::Command::kLab;
  line.words = flags.names;
  line.html_file = flags.html.text.value_or("");
  line.settings.trace_file = flags.trace.text.value_or("");
  line.settings.record = flags.record;
  line.settings.heap.blocking_events = flags.record;
  line.settings.progress = !flags.no_progress;
  absl::Status status =
      FillHeapOptions(flags.heap, line.settings.heap, &line.settings.heap_is_default);
  if (status.ok()) status = FillNumbers(flags, line);
  if (status.ok()) status = FillFlight(flags, line.settings);
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

// A script: `words` are those of argv, the options begin at `first`.
absl::StatusOr<CommandLine> ParseScript(CommandLine line, std::vector<std::string> words,
                                        size_t first) {
  absl::StatusOr<ScriptOptions> script = ParseScriptOptions(std::move(words), first);
  if (!script.ok()) return script.status();
  line.command = CommandLine::Command::kScript;
  line.script = *std::move(script);
  return line;
}

absl::StatusOr<CommandLine> ParseDump(CommandLine line, std::vector<std::string> arguments) {
  line.dumps_escapes = std::erase(arguments, "--escape") != 0;
  if (arguments.size() != 1) {
    return Misuse("dump: which file? neap dump [--escape] FILE.lua, or - for stdin");
  }
  line.command = CommandLine::Command::kDump;
  line.words = std::move(arguments);
  return line;
}

// Commands that read their own words.
std::optional<CommandLine::Command> RawCommand(const std::string& word) {
  if (word == "sweep") return CommandLine::Command::kSweep;
  if (word == "heap") return CommandLine::Command::kHeap;
  if (word == "trace") return CommandLine::Command::kTrace;
  return std::nullopt;
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(int argc, const char* const* argv) {
  CommandLine line;
  line.as_typed = "neap";
  std::vector<std::string> words(argv, argv + argc);
  if (words.empty() || words[0].empty()) words = {"neap"};
  for (size_t i = 1; i < words.size(); ++i) absl::StrAppend(&line.as_typed, " ", words[i]);
  line.settings.command = line.as_typed;  // for traces
  line.settings.arguments = words;
  const std::string word = words.size() > 1 ? words[1] : "";
  std::vector<std::string> arguments(words.begin() + (words.size() > 1 ? 2 : 1), words.end());
  if (word == "lab") return ParseLab(std::move(line), std::move(arguments));
  if (word == "lab-cell") return ParseCell(std::move(line), arguments);
  if (word == "dump") return ParseDump(std::move(line), std::move(arguments));
  if (const auto raw = RawCommand(word)) {
    line.command = *raw;
    line.words = std::move(arguments);
    return line;
  }
  if (word == "run") return ParseScript(std::move(line), std::move(words), 2);
  if (word == "help" || word == "--help") {
    line.print = absl::StrCat(kHelp, "\n", DescribeScriptOptions());
  } else if (word == "version" || word == "--version") {
    line.print = VersionLine() + "\n";
  } else if (word == "--help-debug") {
    line.print = DescribeDebugSwitches();
  } else {
    return ParseScript(std::move(line), std::move(words), 1);
  }
  return line;
}

}  // namespace neap::cli
