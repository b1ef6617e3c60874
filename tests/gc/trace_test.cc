// SPDX-License-Identifier: MIT
//
// The traces, read back: text lines by a pattern for Go's lines, JSON lines by a parser
// of the standard (RFC 8259) that accepts nothing else.
#include "neap/gc/trace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "doctest/doctest.h"
#include "nursery_sizer.h"
#include "pacer.h"

namespace neap::testing {
namespace {

using gc::Cause;
using gc::EventKind;
using gc::JsonTrace;
using gc::MajorEvent;
using gc::MinorEvent;
using gc::Options;
using gc::TextTrace;

// --- A strict JSON reader ------------------------------------------------------------------------

struct Json {
  enum class Type { kNull, kBoolean, kNumber, kString, kArray, kObject } type = Type::kNull;
  std::string text;  // number as written, string decoded, "true" or "false"
  std::vector<Json> items;
  std::map<std::string, Json> members;
  std::vector<std::string> keys;  // in order

  const Json& at(const std::string& key) const {
    const auto found = members.find(key);
    if (found == members.end()) throw std::runtime_error("no member " + key);
    return found->second;
  }
  bool is_null() const { return type == Type::kNull; }
  uint64_t number() const {
    if (type != Type::kNumber) throw std::runtime_error("not a number: " + text);
    return std::stoull(text);
  }
  const std::string& string() const {
    if (type != Type::kString) throw std::runtime_error("not a string");
    return text;
  }
};

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : rest_(text) {}
  Json ReadAll() {
    Json value = ReadValue();
    if (!rest_.empty()) Fail("text after the value");
    return value;
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const {
    throw std::runtime_error(what + " at: " + std::string(rest_.substr(0, 40)));
  }
  char Next() {
    if (rest_.empty()) Fail("end of text");
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool Take(std::string_view word) {
    if (rest_.substr(0, word.size()) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void Want(char c) {
    if (Next() != c) Fail(std::string("expected ") + c + " before");
  }

  Json ReadValue() {
    if (rest_.empty()) Fail("end of text");
    Json value;
    if (rest_.front() == '{') return ReadObject();
    if (rest_.front() == '[') return ReadArray();
    if (rest_.front() == '"') {
      value.type = Json::Type::kString;
      value.text = ReadString();
    } else if (Take("null")) {
      value.type = Json::Type::kNull;
    } else if (Take("true") || Take("false")) {
      value.type = Json::Type::kBoolean;
    } else {
      value.type = Json::Type::kNumber;
      while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') value.text += Next();
      if (value.text.empty() || (value.text.size() > 1 && value.text[0] == '0')) Fail("no number");
    }
    return value;
  }
  Json ReadObject() {
    Json value;
    value.type = Json::Type::kObject;
    Want('{');
    if (Take("}")) return value;
    do {
      const std::string key = ReadString();
      Want(':');
      if (!value.members.emplace(key, ReadValue()).second) Fail("key twice: " + key);
      value.keys.push_back(key);
    } while (Take(","));
    Want('}');
    return value;
  }
  Json ReadArray() {
    Json value;
    value.type = Json::Type::kArray;
    Want('[');
    if (Take("]")) return value;
    do {
      value.items.push_back(ReadValue());
    } while (Take(","));
    Want(']');
    return value;
  }
  std::string ReadString() {
    std::string text;
    Want('"');
    for (char c = Next(); c != '"'; c = Next()) {
      if (static_cast<unsigned char>(c) < 0x20) Fail("control character in a string");
      text += c == '\\' ? ReadEscape() : c;
    }
    return text;
  }
  char ReadEscape() {
    const char c = Next();
    if (c == '"' || c == '\\' || c == '/') return c;
    if (c == 'n') return '\n';
    if (c == 't') return '\t';
    if (c != 'u') Fail("escape");
    std::string digits;
    for (int i = 0; i < 4; ++i) digits += Next();
    const unsigned long code = std::stoul(digits, nullptr, 16);
    if (code >= 0x20) Fail("escape of what needs none");
    return static_cast<char>(code);
  }

  std::string_view rest_;
};

Json ReadJson(std::string_view text) { return JsonReader(text).ReadAll(); }

// --- Events --------------------------------------------------------------------------------------

template <typename Record>
Event EventOf(EventKind kind, const Record& record, uint16_t proc = 0, uint64_t time = 0) {
  return {.kind = static_cast<uint16_t>(kind),
          .proc = proc,
          .time = time,
          .payload = std::span<const uint64_t>(reinterpret_cast<const uint64_t*>(&record),
                                               sizeof(Record) / sizeof(uint64_t))};
}

constexpr uint64_t kEpochNs = 5'000'000'000;

MajorEvent SomeMajor() {
  MajorEvent e;
  e.number = 7;
  e.cause = static_cast<uint64_t>(Cause::kPacer);
  e.start_ns = kEpochNs + 512'345'678;
  e.time_to_safepoint_ns = 10'000;
  e.sweep_finish_ns = 100'000;
  e.hooks_ns = 5'000;
  e.minor_ns = 195'000;
  e.mark_ns = 4'250'000;
  e.weak_ns = 10'000;
  e.finish_ns = 5'000;
  e.pause_ns = 310'000 + 4'250'000 + 18'000;
  e.heap_before_bytes = (8 << 20) + 5;
  e.marked_bytes = (5 << 20) + 1'000'000;
  e.root_bytes = 3 << 20;
  e.goal_bytes = 8 << 20;
  e.procs = 2;
  e.gc_cpu_percent_x100 = 399;
  e.next_clamp = static_cast<uint64_t>(gc::PacerClamp::kLiveFloor);
  e.gogc = Options::kGogcOff;
  e.memory_limit_bytes = Options::kNoLimit;
  return e;
}

std::string MajorLineOf(const MajorEvent& e) {
  return TextTrace::Line(EventOf(EventKind::kMajor, e), kEpochNs);
}

// A directory of its own, removed at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "neap-trace-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string File(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::vector<Json> ReadLines(const std::string& path) {
  std::ifstream file(path);
  std::vector<Json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(ReadJson(line));
  return lines;
}

TEST_SUITE("gc/trace_text") {
  TEST_CASE("a major's line is Go's gctrace line, byte for byte") {
    MajorEvent e = SomeMajor();
    CHECK(MajorLineOf(e) ==
          "gc 7 @0.512s 3%: 0.31+4.2+0.018 ms clock, 0.62+0/8.5/0+0.036 ms cpu, 8->8->5 MB, "
          "8 MB goal, 3 MB stacks, 0 MB globals, 2 P\n");
    e.forced = 1;
    CHECK(MajorLineOf(e) ==
          "gc 7 @0.512s 3%: 0.31+4.2+0.018 ms clock, 0.62+0/8.5/0+0.036 ms cpu, 8->8->5 MB, "
          "8 MB goal, 3 MB stacks, 0 MB globals, 2 P (forced)\n");
  }

  TEST_CASE("a scanf pattern for Go's lines reads ours, and the three clocks are the pause") {
    const MajorEvent e = SomeMajor();
    const std::string line = MajorLineOf(e);
    double clock_ms[3];
    double cpu_ms[5];
    unsigned whole[8];  // cycle, percent, heap x3, goal, stacks, globals
    double seconds;
    unsigned procs;
    int read_chars = 0;
    const int fields = std::sscanf(
        line.c_str(),
        "gc %u @%lfs %u%%: %lf+%lf+%lf ms clock, %lf+%lf/%lf/%lf+%lf ms cpu, %u->%u->%u MB, "
        "%u MB goal, %u MB stacks, %u MB globals, %u P%n",
        &whole[0], &seconds, &whole[1], &clock_ms[0], &clock_ms[1], &clock_ms[2], &cpu_ms[0],
        &cpu_ms[1], &cpu_ms[2], &cpu_ms[3], &cpu_ms[4], &whole[2], &whole[3], &whole[4], &whole[5],
        &whole[6], &whole[7], &procs, &read_chars);
    REQUIRE(fields == 18);
    CHECK(line.substr(static_cast<size_t>(read_chars)) == "\n");
    CHECK(whole[0] == e.number);
    CHECK(seconds == 0.512);
    CHECK(procs == e.procs);
    CHECK(cpu_ms[2] == doctest::Approx(2 * clock_ms[1]).epsilon(0.03));
    const double pause_ms = clock_ms[0] + clock_ms[1] + clock_ms[2];
    CHECK(pause_ms == doctest::Approx(static_cast<double>(e.pause_ns) / 1e6).epsilon(0.03));
  }

  TEST_CASE("milliseconds have two digits below 10, none above, and are cut off") {
    const auto mark_of = [](uint64_t ns) {
      MajorEvent e;
      e.mark_ns = ns;
      e.pause_ns = ns;
      e.procs = 1;
      const std::string line = MajorLineOf(e);
      const size_t begin = line.find("0+") + 2;
      return line.substr(begin, line.find('+', begin) - begin);
    };
    CHECK(mark_of(0) == "0");
    CHECK(mark_of(999) == "0");
    CHECK(mark_of(1'000) == "0.001");
    CHECK(mark_of(26'999) == "0.026");
    CHECK(mark_of(99'999) == "0.099");
    CHECK(mark_of(100'000) == "0.10");
    CHECK(mark_of(439'999) == "0.43");
    CHECK(mark_of(1'000'000) == "1.0");
    CHECK(mark_of(9'999'999) == "9.9");
    CHECK(mark_of(10'000'000) == "10");
    CHECK(mark_of(1'234'567'890) == "1234");
  }

  TEST_CASE(
      "minors, pools, slow hooks, limits, sizes and Ps have lines that do not begin with gc") {
    MinorEvent minor;
    minor.number = 12;
    minor.start_ns = kEpochNs + 34'000'000;
    minor.pause_ns = 120'000;
    minor.cpu_ns = 110'000;
    minor.eden_bytes = 256 << 10;
    minor.copied_bytes = 10 << 10;
    minor.promoted_bytes = 2 << 10;
    minor.remembered_objects = 3;
    minor.tenure = 2;
    minor.eden_limit_bytes = 512 << 10;
    CHECK(TextTrace::Line(EventOf(EventKind::kMinor, minor), kEpochNs) ==
          "gcm 12 @0.034s nursery-full: 0.12 ms clock, 0.11 ms cpu, 256 KB eden, 10+2+0 KB "
          "copied+promoted+in-place, 3 remembered, 0 pinned, tenure 2, 512 KB limit, 0 faults\n");
    minor.pause_ns = 0;
    minor.cause = static_cast<uint64_t>(Cause::kMajor);
    minor.copy_ns = 2'000'000;
    minor.roots_ns = 500'000;
    CHECK(
        TextTrace::Line(EventOf(EventKind::kMinor, minor), kEpochNs).find("major: 2.5 ms clock") !=
        std::string::npos);

    gc::PoolEvent pool;
    pool.cycle = 7;
    pool.name = reinterpret_cast<uint64_t>("buffers");
    pool.pool = 3;
    pool.gets = 120;
    pool.private_hits = 100;
    pool.shared_hits = 3;
    pool.steals = 2;
    pool.victim_hits = 10;
    pool.misses = 5;
    pool.puts = 118;
    pool.demoted = 8;
    pool.evicted = 4;
    pool.bytes_held = 96 << 10;
    CHECK(TextTrace::Line(EventOf(EventKind::kPool, pool), 0) ==
          "pool buffers #3 gc 7: 120 gets = 100 private + 3 shared + 2 stolen + 10 victim + 5 "
          "missed, 118 puts, 0 dropped, 8 demoted, 4 evicted, 96 KB held\n");

    gc::HookEvent hook;
    hook.cycle = 7;
    hook.name = reinterpret_cast<uint64_t>("cache");
    hook.duration_ns = 350'000;
    CHECK(TextTrace::Line(EventOf(EventKind::kHook, hook), 0) == "");
    hook.slow = 1;
    CHECK(TextTrace::Line(EventOf(EventKind::kHook, hook), 0) == "hook cache gc 7: 0.35 ms\n");

    gc::LimitEvent limit{
        .what = 0, .live_bytes = 33 << 20, .limit_bytes = 32 << 20, .request_bytes = 4096};
    CHECK(TextTrace::Line(EventOf(EventKind::kLimit, limit), 0) ==
          "limit under-live: 33 MB live, 32 MB limit, 4096 bytes requested\n");
    gc::NurseryEvent nursery{.old_bytes = 256 << 10,
                             .new_bytes = 512 << 10,
                             .predicted_survivor_bytes = 12 << 10,
                             .reason = static_cast<uint64_t>(gc::SizerReason::kGrow)};
    CHECK(TextTrace::Line(EventOf(EventKind::kNursery, nursery), 0) ==
          "nursery grow: 256->512 KB, 12 KB survivors predicted\n");
    gc::ProcsEvent procs{.before = 2, .after = 4};
    CHECK(TextTrace::Line(EventOf(EventKind::kProcs, procs), 0) == "procs: 2->4\n");
    CHECK(TextTrace::Line(EventOf(EventKind::kPoolOp, gc::PoolOpEvent{}), 0) == "");
  }

  TEST_CASE("the listener writes lines, and says once how many events were lost") {
    char* text = nullptr;
    size_t bytes = 0;
    std::FILE* file = open_memstream(&text, &bytes);
    {
      TextTrace trace(file, kEpochNs);
      MajorEvent e = SomeMajor();
      trace.OnEvent(EventOf(EventKind::kMajor, e));
      e.lost_events = 17;
      trace.OnEvent(EventOf(EventKind::kMajor, e));
      trace.OnEvent(EventOf(EventKind::kMajor, e));
    }
    std::fclose(file);
    const std::string written(text, bytes);
    std::free(text);
    const std::string line = MajorLineOf(SomeMajor());
    CHECK(written == line + line + "lost: 17 events\n" + line);
  }

  TEST_CASE("a record of an older writer has zeros for what it lacks") {
    const uint64_t words[] = {3, 0};
    const Event event{
        .kind = static_cast<uint16_t>(EventKind::kMajor), .proc = 0, .time = 0, .payload = words};
    CHECK(TextTrace::Line(event, 0).find("gc 3 @0.000s 0%: 0+0+0 ms clock") == 0);
    const Event empty{.kind = 999, .proc = 0, .time = 0, .payload = {}};
    CHECK(TextTrace::Line(empty, 0) == "");
  }
}

TEST_SUITE("gc/trace_json") {
  TEST_CASE("strings are escaped, and bytes that are not UTF-8 are replaced") {
    const auto round_trip = [](std::string_view text) {
      std::string out;
      gc::AppendJsonString(out, text);
      return ReadJson(out).string();
    };
    std::string control;
    for (char c = 1; c < 0x20; ++c) control += c;
    for (const std::string& text :
         {std::string("plain"), std::string("a \"quoted\" \\ back"), control,
          std::string("nul\0nul", 7), std::string("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8C\x8A")}) {
      CHECK(round_trip(text) == text);
    }
    const std::string replaced = "\xEF\xBF\xBD";
    CHECK(round_trip("a\xFFz") == "a" + replaced + "z");
    CHECK(round_trip("\xC3") == replaced);                                // cut off
    CHECK(round_trip("\xC0\x80") == replaced + replaced);                 // overlong
    CHECK(round_trip("\xED\xA0\x80") == replaced + replaced + replaced);  // surrogate
    CHECK(round_trip("\xF4\x90\x80\x80") == replaced + replaced + replaced + replaced);
  }

  TEST_CASE("an event has its kind, P, time and every field by name") {
    const MajorEvent e = SomeMajor();
    const Json json = ReadJson(JsonTrace::EventJson(EventOf(EventKind::kMajor, e, 3, 4711)));
    CHECK(json.at("event").string() == "major");
    CHECK(json.at("p").number() == 3);
    CHECK(json.at("t").number() == 4711);
    CHECK(json.at("cause").string() == "pacer");
    CHECK(json.at("next_clamp").string() == "live-floor");
    CHECK(json.at("gogc").is_null());
    CHECK(json.at("memory_limit_bytes").is_null());
#define NEAP_CHECK_FIELD(name)                      \
  if (json.at(#name).type == Json::Type::kNumber) { \
    CHECK(json.at(#name).number() == e.name);       \
  }
    NEAP_MAJOR_EVENT_FIELDS(NEAP_CHECK_FIELD)
#undef NEAP_CHECK_FIELD
    CHECK(json.members.size() == 3 + sizeof(MajorEvent) / sizeof(uint64_t));
  }

  TEST_CASE("pointers to names, reasons and limits are written as text") {
    gc::PoolEvent pool;
    pool.name = reinterpret_cast<uint64_t>("my \"pool\"");
    CHECK(ReadJson(JsonTrace::EventJson(EventOf(EventKind::kPool, pool))).at("name").string() ==
          "my \"pool\"");
    gc::HookEvent hook;
    CHECK(ReadJson(JsonTrace::EventJson(EventOf(EventKind::kHook, hook))).at("name").string() ==
          "?");
    gc::NurseryEvent nursery;
    nursery.reason = static_cast<uint64_t>(gc::SizerReason::kProbe);
    CHECK(ReadJson(JsonTrace::EventJson(EventOf(EventKind::kNursery, nursery)))
              .at("reason")
              .string() == "probe");
    gc::LimitEvent limit;
    limit.what = 3;
    CHECK(ReadJson(JsonTrace::EventJson(EventOf(EventKind::kLimit, limit))).at("what").string() ==
          "out-of-memory");
  }

  TEST_CASE("an unknown kind is kept word by word, and extra words are ignored") {
    const uint64_t words[] = {1, UINT64_MAX - 1};
    const Json json =
        ReadJson(JsonTrace::EventJson({.kind = 999, .proc = 1, .time = 2, .payload = words}));
    CHECK(json.at("event").string() == "unknown");
    CHECK(json.at("kind").number() == 999);
    REQUIRE(json.at("words").items.size() == 2);
    CHECK(json.at("words").items[1].number() == UINT64_MAX - 1);
    const uint64_t procs[] = {2, 4, 99};
    const Json longer =
        ReadJson(JsonTrace::EventJson({.kind = static_cast<uint16_t>(EventKind::kProcs),
                                       .proc = 0,
                                       .time = 0,
                                       .payload = procs}));
    CHECK(longer.at("after").number() == 4);
    CHECK(longer.members.size() == 5);
  }

  TEST_CASE("the schema line names version, options, seed, build, machine and all fields") {
    Options options;
    options.gogc = 50;
    options.debug.seed = 42;
    options.debug.stress_alloc = 7;
    options.clock = Clock::Kind::kVirtual;
    const Json json = ReadJson(
        JsonTrace::SchemaJson(options, {.command = "neap lab \"G1\"", .epoch_ns = kEpochNs}));
    CHECK(json.keys.front() == "schema");
    CHECK(json.at("schema").string() == "neap.trace");
    CHECK(json.at("version").number() == gc::kJsonTraceVersion);
    CHECK(json.at("command").string() == "neap lab \"G1\"");
    CHECK(json.at("epoch_ns").number() == kEpochNs);
    CHECK(json.at("seed").number() == 42);
    CHECK(json.at("time_unit").string() == "ticks");
    CHECK(json.at("options").at("gogc").number() == 50);
    CHECK(json.at("options").at("memory_limit_bytes").is_null());
    CHECK(json.at("options").at("nursery").string() == "adaptive");
    CHECK(json.at("options").at("debug").at("stress-alloc").number() == 7);
    CHECK(json.at("build").at("compiler").string() != "");
    CHECK(json.at("machine").at("cores").number() >= 1);
    CHECK(json.at("machine").members.count("nodename") == 0);
    const Json& minor = json.at("events").at("minor");
    CHECK(minor.items.size() == sizeof(MinorEvent) / sizeof(uint64_t));
    CHECK(minor.items[0].string() == "number");
    CHECK(json.at("events").members.size() == 11);  // three of them the profile's
  }

  TEST_CASE("a file is schema, events, losses and end") {
    TemporaryDirectory directory;
    const std::string path = directory.File("run.jsonl");
    auto trace = JsonTrace::Open(path, {}, {.command = "test"});
    REQUIRE(trace.ok());
    MinorEvent minor;
    minor.number = 1;
    (*trace)->OnEvent(EventOf(EventKind::kMinor, minor));
    minor.number = 2;
    minor.lost_events = 5;
    (*trace)->OnEvent(EventOf(EventKind::kMinor, minor));
    CHECK((*trace)->records() == 2);
    REQUIRE((*trace)->Close(8).ok());
    CHECK((*trace)->Close(8).ok());
    (*trace)->OnEvent(EventOf(EventKind::kMinor, minor));  // too late: ignored
    const std::vector<Json> lines = ReadLines(path);
    REQUIRE(lines.size() == 6);
    CHECK(lines[0].at("schema").string() == "neap.trace");
    CHECK(lines[1].at("number").number() == 1);
    CHECK(lines[2].at("number").number() == 2);
    CHECK(lines[3].at("event").string() == "lost");
    CHECK(lines[3].at("new").number() == 5);
    CHECK(lines[4].at("new").number() == 3);
    CHECK(lines[4].at("total").number() == 8);
    CHECK(lines[5].at("event").string() == "end");
    CHECK(lines[5].at("records").number() == 2);
    CHECK(lines[5].at("lost").number() == 8);
  }

  TEST_CASE("a destructor ends the file too") {
    TemporaryDirectory directory;
    const std::string path = directory.File("run.jsonl");
    { REQUIRE(JsonTrace::Open(path, {}).ok()); }
    CHECK(ReadLines(path).back().at("event").string() == "end");
  }

  TEST_CASE("a path that cannot be written is named, with the reason") {
    TemporaryDirectory directory;
    for (const std::string& path :
         {directory.File("no/such/directory.jsonl"), directory.path(), std::string()}) {
      CAPTURE(path);
      const absl::Status status = JsonTrace::Open(path, {}).status();
      CHECK(absl::IsInvalidArgument(status));
      CHECK(std::string(status.message()).find("\"" + path + "\"") != std::string::npos);
    }
  }

  TEST_CASE("a file that may not be written is permission denied") {
    TemporaryDirectory directory;
    const std::string path = directory.File("run.jsonl");
    REQUIRE(chmod(directory.path().c_str(), 0500) == 0);
    // Root may write everywhere: become nobody for the call.
    const uid_t user = geteuid();
    if (user == 0) REQUIRE(seteuid(65534) == 0);
    const absl::Status status = JsonTrace::Open(path, {}).status();
    if (user == 0) REQUIRE(seteuid(user) == 0);
    REQUIRE(chmod(directory.path().c_str(), 0700) == 0);
    CHECK(absl::IsPermissionDenied(status));
    CHECK(std::string(status.message()).find(path) != std::string::npos);
  }

  TEST_CASE("a full disk is found at the start, or reported at the end") {
    const std::string full = "/dev/full";
    if (!std::filesystem::exists(full)) return;
    const absl::Status status = JsonTrace::Open(full, {}).status();
    CHECK(absl::IsResourceExhausted(status));
    CHECK(std::string(status.message()).find(full) != std::string::npos);
  }

  TEST_CASE("a write that fails later makes Close say DataLoss with the path") {
    // A pipe whose reader is gone refuses every write after the schema line.
    TemporaryDirectory directory;
    const std::string path = directory.File("fifo");
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(reader >= 0);
    auto trace = JsonTrace::Open(path, {});
    REQUIRE(trace.ok());
    close(reader);
    auto* const old_handler = std::signal(SIGPIPE, SIG_IGN);
    const absl::Status status = (*trace)->Close();
    std::signal(SIGPIPE, old_handler);
    CHECK(absl::IsDataLoss(status));
    CHECK(std::string(status.message()).find(path) != std::string::npos);
  }
}

}  // namespace
}  // namespace neap::testing
