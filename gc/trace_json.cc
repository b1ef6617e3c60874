// SPDX-License-Identifier: MIT
//
// The JSON trace: one JSON object per line (JSON Lines, UTF-8, line feed), `--trace FILE`.
//
//   line 1   {"schema":"neap.trace","version":1, ...}          the schema
//   line 2.. {"event":"minor","p":0,"t":83886080, ...}         events, in the order they were
//   drained
//   ...      {"event":"lost","new":3,"total":17}               as soon as a loss is known
//   ...      {"event":"profile","version":1, ...}            see neap/gc/profile_event.h
//   last     {"event":"end","records":4711,"lost":17,"end_ns":...}   missing: the program still
//                                                              runs, or did not end well
//
// Schema line:
//   schema, version   "neap.trace" and kJsonTraceVersion. Refuse what you do not know.
//   command, epoch_ns, arguments, environment, program_seed, note, allocation_profile
//                     JsonTraceInfo: how to run it again; those that are empty are missing
//   seed              the seed of the heap's debug switches (also in options.debug)
//   build, machine    compiler, sanitizer, checks; system, CPU, cores, memory
//   options           every field of gc::Options, every debug switch; sizes in bytes
//   time_unit         of "t": "ns" of CLOCK_MONOTONIC, or "ticks" (allocated bytes, virtual clock)
//   events            for each event the list of its fields in order
//
// Event line: "event" is the kind, "p" the processor whose ring held it, "t" the heap clock's time;
// then the fields of neap/gc/event.h by name. Names end in their unit (_ns, _bytes). Values:
//   numbers           unsigned 64-bit, written out in full (identities can exceed 2^53)
//   null              2^64-1, which stands for off, none or never (gogc, limits, goals)
//   strings           cause, next_clamp, reason, what, name: as the text trace spells them
// A reader takes a field that is missing for 0 and ignores fields it does not know: fields are only
// ever added, and then the version stays. "p" orders nothing: events of two Ps are in the order of
// draining, and "t" has the last word.
//
// An event of a kind that this build does not know is written as {"event":"unknown","kind":..,
// "words":[..]}. Nothing is dropped in silence: the end line counts what was.
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "neap/gc/profile_event.h"
#include "neap/gc/trace.h"
#include "neap/runtime/clock.h"
#include "neap/runtime/log.h"
#include "neap/runtime/os_memory.h"
#include "nursery_sizer.h"
#include "pacer.h"

namespace neap::gc {
namespace {

// --- What an event's words mean ------------------------------------------------------------------

using WordWriter = void (*)(std::string& out, uint64_t word);

void AppendNumber(std::string& out, uint64_t word) {
  if (word == UINT64_MAX) {
    out += "null";
  } else {
    absl::StrAppend(&out, word);
  }
}
void AppendCause(std::string& out, uint64_t word) {
  AppendJsonString(out, CauseName(static_cast<Cause>(word)));
}
void AppendClamp(std::string& out, uint64_t word) {
  AppendJsonString(out, PacerClampName(static_cast<PacerClamp>(word)));
}
void AppendReason(std::string& out, uint64_t word) {
  AppendJsonString(out, SizerReasonName(static_cast<SizerReason>(word)));
}
void AppendWhat(std::string& out, uint64_t word) { AppendJsonString(out, LimitWhatName(word)); }
void AppendName(std::string& out, uint64_t word) {
  const char* name = reinterpret_cast<const char*>(word);
  AppendJsonString(out, name == nullptr ? "?" : name);
}

// A field of one of these names means the same in every event.
constexpr WordWriter WriterFor(std::string_view field) {
  if (field == "cause") return AppendCause;
  if (field == "next_clamp") return AppendClamp;
  if (field == "reason") return AppendReason;
  if (field == "what") return AppendWhat;
  if (field == "name") return AppendName;
  return AppendNumber;
}

struct Field {
  const char* name;
  WordWriter write;
};
#define NEAP_JSON_FIELD(name) {#name, WriterFor(#name)},
constexpr Field kMinorFields[] = {NEAP_MINOR_EVENT_FIELDS(NEAP_JSON_FIELD)};
constexpr Field kMajorFields[] = {NEAP_MAJOR_EVENT_FIELDS(NEAP_JSON_FIELD)};
constexpr Field kHookFields[] = {NEAP_HOOK_EVENT_FIELDS(NEAP_JSON_FIELD)};
constexpr Field kPoolFields[] = {NEAP_POOL_EVENT_FIELDS(NEAP_JSON_FIELD)};
constexpr Field kPoolOpFields[] = {NEAP_POOL_OP_EVENT_FIELDS(NEAP_JSON_FIELD)};
constexpr Field kLimitFields[] = {NEAP_LIMIT_EVENT_FIELDS(NEAP_JSON_FIELD)};
constexpr Field kNurseryFields[] = {NEAP_NURSERY_EVENT_FIELDS(NEAP_JSON_FIELD)};
constexpr Field kProcsFields[] = {NEAP_PROCS_EVENT_FIELDS(NEAP_JSON_FIELD)};
#undef NEAP_JSON_FIELD

struct Kind {
  EventKind kind;
  const char* name;
  std::span<const Field> fields;
};
constexpr Kind kKinds[] = {
    {EventKind::kMinor, "minor", kMinorFields},       {EventKind::kMajor, "major", kMajorFields},
    {EventKind::kHook, "hook", kHookFields},          {EventKind::kPool, "pool", kPoolFields},
    {EventKind::kPoolOp, "pool_op", kPoolOpFields},   {EventKind::kLimit, "limit", kLimitFields},
    {EventKind::kNursery, "nursery", kNurseryFields}, {EventKind::kProcs, "procs", kProcsFields},
};

const Kind* FindKind(uint16_t kind) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds), [kind](const Kind& k) {
    return static_cast<uint16_t>(k.kind) == kind;
  });
  return found == std::end(kKinds) ? nullptr : found;
}

// --- Writing objects -----------------------------------------------------------------------------

// An object under construction: comma and key before each value.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }
  ~ObjectWriter() { out_ += '}'; }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;

  std::string& Key(std::string_view key) {
    if (!first_) out_ += ',';
    first_ = false;
    AppendJsonString(out_, key);
    out_ += ':';
    return out_;
  }
  void Number(std::string_view key, uint64_t value) { AppendNumber(Key(key), value); }
  void String(std::string_view key, std::string_view value) { AppendJsonString(Key(key), value); }
  void Boolean(std::string_view key, bool value) { Key(key) += value ? "true" : "false"; }

 private:
  std::string& out_;
  bool first_ = true;
};

const char* NurseryName(Options::Nursery nursery) {
  switch (nursery) {
    case Options::Nursery::kAdaptive:
      return "adaptive";
    case Options::Nursery::kFixed:
      return "fixed";
    case Options::Nursery::kOff:
      return "off";
  }
  return "unknown";
}

void AppendDebugSwitches(std::string& out, const DebugSwitches& debug) {
  ObjectWriter object(out);
#define NEAP_JSON_SWITCH(field, name, value, sentence) object.Number(name, debug.field);
  NEAP_DEBUG_SWITCHES(NEAP_JSON_SWITCH)
#undef NEAP_JSON_SWITCH
}

void AppendOptions(std::string& out, const Options& options) {
  ObjectWriter object(out);
  object.String("nursery", NurseryName(options.nursery));
  object.Number("nursery_bytes", options.nursery_bytes);
  object.Number("nursery_max_bytes", options.nursery_max_bytes);
  object.Number("tenure", options.tenure);
  object.Boolean("in_place", options.in_place);
  object.Number("workers", options.workers);
  object.Number("gogc", options.gogc);
  object.Number("memory_limit_bytes", options.memory_limit_bytes);
  object.Number("hard_limit_bytes", options.hard_limit_bytes);
  object.Number("min_heap_bytes", options.min_heap_bytes);
  object.Number("reserve_bytes", options.reserve_bytes);
  object.Boolean("huge_pages", options.huge_pages);
  object.Number("decay_ms", options.decay_ms);
  object.Number("periodic_major_s", options.periodic_major_s);
  object.Number("procs", static_cast<uint64_t>(std::max(options.procs, 0)));
  object.Boolean("blocking_events", options.blocking_events);
  object.String("clock", options.clock == Clock::Kind::kVirtual ? "virtual" : "real");
  AppendDebugSwitches(object.Key("debug"), options.debug);
}

const char* SanitizerName() {
#if defined(__SANITIZE_ADDRESS__)
  return "address";
#elif defined(__SANITIZE_THREAD__)
  return "thread";
#else
  return "none";
#endif
}

void AppendBuild(std::string& out) {
  ObjectWriter object(out);
#ifdef NEAP_VERSION
  object.String("neap", NEAP_VERSION);
#endif
  object.String("compiler", __VERSION__);
#ifdef __OPTIMIZE__
  object.Boolean("optimized", true);
#else
  object.Boolean("optimized", false);
#endif
#ifdef NDEBUG
  object.Boolean("debug_checks", false);
#else
  object.Boolean("debug_checks", true);
#endif
  object.String("sanitizer", SanitizerName());
}

// The first "model name" of /proc/cpuinfo; empty where there is none.
std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const size_t colon = line.find(": ");
    return colon == std::string::npos ? "" : line.substr(colon + 2);
  }
  return "";
}

void AppendMachine(std::string& out) {
  ObjectWriter object(out);
  utsname name = {};
  if (uname(&name) == 0) {
    // Not nodename: a trace is passed on.
    object.String("system", name.sysname);
    object.String("release", name.release);
    object.String("architecture", name.machine);
  }
  object.String("cpu", CpuModel());
  object.Number("cores", static_cast<uint64_t>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L)));
  object.Number("page_bytes", kOsPageBytes);
  struct sysinfo info = {};
  if (sysinfo(&info) == 0) {
    object.Number("memory_bytes", uint64_t{info.totalram} * info.mem_unit);
  }
}

void AppendKinds(std::string& out) {
  ObjectWriter object(out);
  for (const Kind& kind : kKinds) {
    std::string& list = object.Key(kind.name);
    list += '[';
    for (const Field& field : kind.fields) {
      if (&field != kind.fields.data()) list += ',';
      AppendJsonString(list, field.name);
    }
    list += ']';
  }
  absl::StrAppend(&out, ",", ProfileSchemaJson());
}

void AppendInfo(ObjectWriter& object, const JsonTraceInfo& info) {
  if (!info.arguments.empty()) {
    std::string& list = object.Key("arguments");
    list += '[';
    for (const std::string& word : info.arguments) {
      if (&word != info.arguments.data()) list += ',';
      AppendJsonString(list, word);
    }
    list += ']';
  }
  if (!info.environment.empty()) {
    ObjectWriter variables(object.Key("environment"));
    for (const auto& [name, value] : info.environment) variables.String(name, value);
  }
  if (info.program_seed) object.Number("program_seed", *info.program_seed);
  if (!info.note.empty()) object.String("note", info.note);
  if (!info.allocation_profile.empty()) {
    object.String("allocation_profile", info.allocation_profile);
  }
}

// --- The file ------------------------------------------------------------------------------------

// Often enough for an eye, seldom enough to cost nothing: ten system calls a second.
constexpr uint64_t kFlushNs = 100'000'000;

absl::Status CannotWrite(const std::string& path, int error) {
  const std::string message =
      absl::StrCat("trace file \"", path, "\" cannot be written: ", std::strerror(error));
  switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
      return absl::ResourceExhaustedError(message);
    default:
      return absl::InvalidArgumentError(message);
  }
}

// Length of the valid UTF-8 sequence at the start of `text`; 0 when there is none. (RFC 3629:
// shortest form, no surrogates, at most U+10FFFF.)
size_t Utf8Length(std::string_view text) {
  const auto byte = [&text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second > 0x9F;
  const bool too_large = first == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

void AppendEscaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      if (static_cast<unsigned char>(c) < 0x20) {
        absl::StrAppendFormat(&out, "\\u%04x", static_cast<unsigned char>(c));
      } else {
        out += c;
      }
  }
}

}  // namespace

void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";  // U+FFFD
    } else if (length == 1) {
      AppendEscaped(out, text[0]);
    } else {
      out.append(text.data(), length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  out += '"';
}

std::vector<std::pair<std::string, std::string>> TraceEnvironment() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** word = environ; word != nullptr && *word != nullptr; ++word) {
    const std::string_view text = *word;
    const size_t equals = text.find('=');
    if (equals == text.npos || !(text.starts_with("NEAP_") || text.starts_with("LUA_"))) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  std::sort(variables.begin(), variables.end());
  return variables;
}

std::string JsonTrace::SchemaJson(const Options& options, const JsonTraceInfo& info) {
  std::string line;
  {
    ObjectWriter object(line);
    object.String("schema", "neap.trace");
    object.Number("version", kJsonTraceVersion);
    object.String("command", info.command);
    object.Number("epoch_ns", info.epoch_ns);
    AppendInfo(object, info);
    object.Number("seed", options.debug.seed);
    AppendBuild(object.Key("build"));
    AppendMachine(object.Key("machine"));
    AppendOptions(object.Key("options"), options);
    object.String("time_unit", options.clock == Clock::Kind::kVirtual ? "ticks" : "ns");
    AppendKinds(object.Key("events"));
  }
  return line;
}

std::string JsonTrace::EventJson(const Event& event) {
  std::string line;
  {
    ObjectWriter object(line);
    const Kind* kind = FindKind(event.kind);
    object.String("event", kind == nullptr ? "unknown" : kind->name);
    object.Number("p", event.proc);
    object.Number("t", event.time);
    if (kind == nullptr) {
      object.Number("kind", event.kind);
      std::string& words = object.Key("words");
      words += '[';
      for (size_t i = 0; i < event.payload.size(); ++i) {
        absl::StrAppend(&words, i == 0 ? "" : ",", event.payload[i]);
      }
      words += ']';
    } else {
      const size_t count = std::min(kind->fields.size(), event.payload.size());
      for (size_t i = 0; i < count; ++i) {
        kind->fields[i].write(object.Key(kind->fields[i].name), event.payload[i]);
      }
    }
  }
  return line;
}

absl::StatusOr<std::unique_ptr<JsonTrace>> JsonTrace::Open(const std::string& path,
                                                           const Options& options,
                                                           const JsonTraceInfo& info) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return CannotWrite(path, errno);
  const std::string line = SchemaJson(options, info) + "\n";
  // Flushed at once, so that a full disk is found before the run and not after it.
  if (std::fwrite(line.data(), 1, line.size(), file) != line.size() || std::fflush(file) != 0) {
    const int error = errno;
    std::fclose(file);
    return CannotWrite(path, error);
  }
  return std::unique_ptr<JsonTrace>(new JsonTrace(path, file));
}

JsonTrace::JsonTrace(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}

JsonTrace::~JsonTrace() {
  const absl::Status status = Close();
  if (!status.ok()) Log(LogLevel::kError, std::string(status.message()));
}

void JsonTrace::WriteLine(std::string line) {
  line += '\n';
  if (std::fwrite(line.data(), 1, line.size(), file_) != line.size()) failed_ = true;
}

void JsonTrace::NoteLost(uint64_t lost) {
  if (lost <= lost_) return;
  std::string line;
  {
    ObjectWriter object(line);
    object.String("event", "lost");
    object.Number("new", lost - lost_);
    object.Number("total", lost);
  }
  WriteLine(std::move(line));
  lost_ = lost;
}

void JsonTrace::OnEvent(const Event& event) {
  if (file_ == nullptr) return;
  WriteLine(EventJson(event));
  ++records_;
  NoteLost(LostEventsIn(event));
  const uint64_t now_ns = MonotonicNanos();
  if (now_ns - flushed_ns_ < kFlushNs) return;
  flushed_ns_ = now_ns;
  if (std::fflush(file_) != 0) failed_ = true;
}

absl::Status JsonTrace::Close(uint64_t lost_events) {
  if (file_ == nullptr) return absl::OkStatus();
  NoteLost(lost_events);
  std::string line;
  {
    ObjectWriter object(line);
    object.String("event", "end");
    object.Number("records", records_);
    object.Number("lost", lost_);
    object.Number("end_ns", MonotonicNanos());
  }
  WriteLine(std::move(line));
  if (std::fclose(std::exchange(file_, nullptr)) != 0) failed_ = true;
  if (!failed_) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("trace file \"", path_, "\" is incomplete: a write failed"));
}

}  // namespace neap::gc
