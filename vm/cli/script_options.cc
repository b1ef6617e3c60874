// SPDX-License-Identifier: MIT
//
// script_options.h. No CLI11: whatever follows the script must pass untouched, and -e and -l take
// their text glued on or as the next word.
#include "script_options.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "flight_flag.h"
#include "heap_flags.h"
#include "neap/runtime/random_seed.h"

namespace neap::cli {
namespace {

constexpr const char* kTraceFlag = "trace";
constexpr const char* kTraceVariable = "NEAP_TRACE";
constexpr uint64_t kMostSampleBytes = uint64_t{1} << 30;
constexpr const char* kSeedVariable = "NEAP_SEED";

class Parser {
 public:
  Parser(std::vector<std::string> words, size_t first) : at_(first) {
    options_.words = std::move(words);
  }

  absl::StatusOr<ScriptOptions> Parse() {
    for (; at_ < options_.words.size() && !is_done_; ++at_) {
      const absl::Status status = TakeWord(options_.words[at_]);
      if (!status.ok()) return status;
    }
    options_.script = is_done_ ? script_ : options_.words.size();
    const absl::Status status = FillOptions();
    if (!status.ok()) return status;
    return std::move(options_);
  }

 private:
  absl::Status Refuse(const std::string& problem) {
    return absl::InvalidArgumentError(
        absl::StrCat(options_.words[0], ": ", problem, "; `neap help` lists the options"));
  }
  absl::Status Unknown(const std::string& word) {
    return Refuse(absl::StrCat("unrecognized option '", word, "'"));
  }

  void ScriptIs(size_t index) {
    script_ = index;
    is_done_ = true;
  }

  absl::Status TakeWord(const std::string& word) {
    if (word.empty() || word[0] != '-') {
      ScriptIs(at_);
    } else if (word == "-") {
      options_.is_stdin = true;
      ScriptIs(at_);
    } else if (word == "--") {
      ScriptIs(at_ + 1);
    } else if (word[1] == '-') {
      return TakeFlag(word);
    } else if (word[1] == 'e' || word[1] == 'l') {
      return TakeAction(word);
    } else {
      return TakeSwitch(word);
    }
    return absl::OkStatus();
  }

  absl::Status TakeSwitch(const std::string& word) {
    if (word.size() != 2) return Unknown(word);
    switch (word[1]) {
      case 'E':
        options_.ignores_environment = true;
        break;
      case 'i':
        options_.is_interactive = true;
        [[fallthrough]];
      case 'v':
        options_.shows_version = true;
        break;
      case 'W':
        options_.actions.push_back({ScriptOptions::Action::Kind::kWarn, ""});
        break;
      default:
        return Unknown(word);
    }
    return absl::OkStatus();
  }

  absl::Status TakeAction(const std::string& word) {
    using Kind = ScriptOptions::Action::Kind;
    std::string text = word.substr(2);
    if (text.empty()) {
      const bool has_next = at_ + 1 < options_.words.size();
      if (!has_next || options_.words[at_ + 1].starts_with('-')) {
        return Refuse(absl::StrCat("'", word, "' needs argument"));
      }
      text = options_.words[++at_];
    }
    options_.actions.push_back({word[1] == 'e' ? Kind::kExecute : Kind::kRequire, text});
    return absl::OkStatus();
  }

  // Where the value of the flag goes; null: there is no such flag.
  std::optional<std::string>* TextOf(const std::string& name) {
    if (name == kTraceFlag) return &trace_;
    if (name == kFlightFlag + 2) return &flight_;  // without its dashes
    if (name == "alloc-sample") return &alloc_sample_;
    if (name == "pprof") return &pprof_;
    if (name == "heap-snapshot") return &heap_snapshot_;
    for (size_t i = 0; i < kHeapFlagCount; ++i) {
      if (name == kHeapFlags[i].name) return &heap_[i];
    }
    return nullptr;
  }

  // --name=value or --name value; the value of --alloc-profile may be left out.
  absl::Status TakeFlag(const std::string& word) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == word.npos ? equals : equals - 2);
    if (name == "alloc-profile") {
      options_.profiles.allocations = true;
      if (equals == word.npos) return absl::OkStatus();
      options_.profiles.allocation_file = word.substr(equals + 1);
      return CheckFile(word, options_.profiles.allocation_file);
    }
    std::optional<std::string>* text = TextOf(name);
    if (text == nullptr) return Unknown(word);
    if (equals != word.npos) {
      *text = word.substr(equals + 1);
    } else if (at_ + 1 < options_.words.size()) {
      *text = options_.words[++at_];
    } else {
      return Refuse(absl::StrCat("'", word, "' needs argument"));
    }
    return absl::OkStatus();
  }

  absl::Status CheckFile(const std::string& flag, const std::string& file) {
    if (!file.empty()) return absl::OkStatus();
    return Refuse(absl::StrCat("'", flag, "' needs the name of a file"));
  }

  absl::Status FillProfiles() {
    ProfileOptions& profiles = options_.profiles;
    if (options_.has_script()) profiles.program = options_.words[options_.script];
    profiles.pprof_file = pprof_.value_or("");
    profiles.heap_snapshot_file = heap_snapshot_.value_or("");
    absl::Status status;
    if (trace_) status.Update(CheckFile("--trace", *trace_));
    if (pprof_) status.Update(CheckFile("--pprof", *pprof_));
    if (heap_snapshot_) status.Update(CheckFile("--heap-snapshot", *heap_snapshot_));
    if (!status.ok() || !alloc_sample_) return status;
    const absl::StatusOr<uint64_t> bytes = gc::ParseBytes(*alloc_sample_);
    if (!bytes.ok() || *bytes > kMostSampleBytes) {
      return Refuse(absl::StrCat("--alloc-sample: \"", *alloc_sample_,
                                 "\" is not allowed; give bytes (512KiB) up to 1GiB, or 0"));
    }
    if (!profiles.watches_allocations()) {
      return Refuse("--alloc-sample: nothing to sample for; give --alloc-profile or --pprof");
    }
    profiles.sample_bytes = *bytes;
    return absl::OkStatus();
  }

  absl::Status FillFlight() {
    const bool is_flag = flight_.has_value();
    const std::string text = is_flag ? *flight_ : Variable(kFlightVariable).value_or("");
    if (text.empty() && !is_flag) return absl::OkStatus();
    std::optional<gc::FlightRecorderOptions> flight = ParseFlight(text);
    if (!flight) {
      return Refuse(absl::StrCat(is_flag ? kFlightFlag : kFlightVariable, ": \"", text,
                                 "\" is not allowed; give ", kFlightForm));
    }
    options_.flight = *std::move(flight);
    return absl::OkStatus();
  }

  absl::Status FillSeed() {
    const std::optional<std::string> text = Variable(kSeedVariable);
    if (!text || *text == "random") {
      options_.seed = RandomSeed();
      return absl::OkStatus();
    }
    const char* const end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, options_.seed);
    if (error == std::errc() && stop == end) return absl::OkStatus();
    return Refuse(absl::StrCat(kSeedVariable, ": \"", *text,
                               "\" is not allowed; give random or a number from 0 to ",
                               UINT64_MAX));
  }

  absl::Status FillOptions() {
    absl::Status refused = FillFlight();
    if (refused.ok()) refused = FillSeed();
    if (refused.ok()) refused = FillProfiles();
    if (!refused.ok()) return refused;
    options_.trace_file = trace_ ? *trace_ : Variable(kTraceVariable).value_or("");
    options_.heap.procs = 1;  // one thread runs the script
    bool is_default = true;
    return FillHeapOptions(heap_, options_.heap, &is_default);
  }

  ScriptOptions options_;
  HeapFlagTexts heap_;
  std::optional<std::string> trace_, flight_, alloc_sample_, pprof_, heap_snapshot_;
  size_t at_;
  size_t script_ = 0;
  bool is_done_ = false;
};

}  // namespace

absl::StatusOr<ScriptOptions> ParseScriptOptions(std::vector<std::string> words, size_t first) {
  return Parser(std::move(words), first).Parse();
}

std::string DescribeScriptOptions() {
  std::string text =
      "  -e STAT    run the text STAT       -l MOD    require MOD into the global MOD\n"
      "  -i         then go on interactively  -l G=MOD  require MOD into the global G\n"
      "  -v         show the version        -E        ignore LUA_ variables of the environment\n"
      "  -W         turn warnings on        --        end of the options\n"
      "  -          the script is standard input\n"
      "\n";
  for (const HeapFlag& flag : kHeapFlags) {
    const std::string name = absl::StrCat("--", flag.name, "=", flag.value);
    absl::StrAppend(&text, "  ", name, std::string(name.size() < 20 ? 20 - name.size() : 1, ' '),
                    flag.sentence, " (", flag.variable, ")\n");
  }
  absl::StrAppend(&text, "  --trace=FILE        write every collection as JSON lines (",
                  kTraceVariable, ")\n  ", kFlightFlag, "=", kFlightForm, "  ",
                  "keep the last seconds in memory; FILE after a\n",
                  "                      longer pause and on SIGUSR1 (", kFlightVariable, ")\n");
  absl::StrAppend(
      &text,
      "  --alloc-profile[=FILE]  allocations by type and line, with what became of them;"
      " FILE.json: JSON;\n"
      "                          beside --trace the trace ends with them, too\n"
      "  --alloc-sample=SIZE     note one allocation in SIZE bytes (512KiB), not all\n"
      "  --pprof=FILE            the same by call stack, for `go tool pprof`\n"
      "  --heap-snapshot=FILE    all objects left at the end, for `neap heap`\n");
  return text;
}

}  // namespace neap::cli
