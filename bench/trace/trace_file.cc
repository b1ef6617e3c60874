// SPDX-License-Identifier: MIT
//
// trace_file.h. The first line that is not empty decides what the file is: one that begins with "{"
// must be a schema line of neap; anything else makes it the output of a Go program, which must hold
// at least one gctrace line.
//
// An event's members usually come in the order of its record, so that the field behind the last one
// is tried first, and a line costs about as much as its parsing.
#include "trace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gctrace_line.h"
#include "neap/gc/trace.h"

namespace neap::trace {

struct FieldSlot {
  std::string_view name;
  bool is_text;
};

namespace {

// A longer line is no record of ours: another file, which is not to be read into memory whole.
constexpr size_t kMostLineBytes = 4 << 20;
constexpr size_t kReadBytes = 1 << 20;

constexpr bool IsText(std::string_view name) {
  return name == "cause" || name == "next_clamp" || name == "reason" || name == "what" ||
         name == "name" || name == "type" || name == "function" || name == "file";
}
#define NEAP_SLOT(name) {#name, IsText(#name)},
constexpr FieldSlot kMinorSlots[] = {NEAP_MINOR_EVENT_FIELDS(NEAP_SLOT)};
constexpr FieldSlot kMajorSlots[] = {NEAP_MAJOR_EVENT_FIELDS(NEAP_SLOT)};
constexpr FieldSlot kHookSlots[] = {NEAP_HOOK_EVENT_FIELDS(NEAP_SLOT)};
constexpr FieldSlot kPoolSlots[] = {NEAP_POOL_EVENT_FIELDS(NEAP_SLOT)};
constexpr FieldSlot kLimitSlots[] = {NEAP_LIMIT_EVENT_FIELDS(NEAP_SLOT)};
constexpr FieldSlot kNurserySlots[] = {NEAP_NURSERY_EVENT_FIELDS(NEAP_SLOT)};
constexpr FieldSlot kProfileSlots[] = {NEAP_PROFILE_EVENT_FIELDS(NEAP_SLOT)};
constexpr FieldSlot kProfileTypeSlots[] = {NEAP_PROFILE_TYPE_EVENT_FIELDS(NEAP_SLOT)};
constexpr FieldSlot kProfileSiteSlots[] = {NEAP_PROFILE_SITE_EVENT_FIELDS(NEAP_SLOT)};
#undef NEAP_SLOT

constexpr size_t kMostExcerpt = 40;

// The beginning of a line, for a message.
std::string Excerpt(std::string_view line) {
  return absl::StrCat("\"", absl::CHexEscape(std::string(line.substr(0, kMostExcerpt))),
                      line.size() > kMostExcerpt ? "\"..." : "\"");
}

absl::Status CannotRead(const std::string& path, int error) {
  return absl::Status(
      error == ENOENT ? absl::StatusCode::kNotFound : absl::StatusCode::kPermissionDenied,
      absl::StrCat("cannot read '", path, "': ", std::strerror(error)));
}

std::string FactText(const JsonMember& member) {
  switch (member.kind) {
    case JsonMember::Kind::kNumber:
      return absl::StrCat(member.number);
    case JsonMember::Kind::kText:
      return std::string(member.text);
    case JsonMember::Kind::kBoolean:
      return member.number != 0 ? "true" : "false";
    case JsonMember::Kind::kNull:
      return "none";
    case JsonMember::Kind::kOther:
      break;
  }
  return "?";
}

}  // namespace

absl::Status TraceReader::Refuse(const std::string& problem) const {
  return absl::InvalidArgumentError(absl::StrCat(run_.path, ":", line_, ": ", problem));
}

uint64_t TraceReader::Intern(std::string_view name) {
  auto found = name_index_.find(name);
  if (found == name_index_.end()) {
    found = name_index_.emplace(name, run_.names.size()).first;
    run_.names.emplace_back(name);
  }
  return found->second;
}

void TraceReader::NotePause(uint64_t start_ns, uint64_t duration_ns) {
  if (duration_ns != 0) run_.pauses.push_back({start_ns, duration_ns});
  run_.end_ns = std::max(run_.end_ns, start_ns + duration_ns);
}

// --- Lines ---------------------------------------------------------------------------------------

absl::Status TraceReader::Feed(std::string_view bytes) {
  for (size_t at; (at = bytes.find('\n')) != bytes.npos; bytes.remove_prefix(at + 1)) {
    pending_.append(bytes.substr(0, at));
    const absl::Status status = TakeLine(pending_);
    if (!status.ok()) return status;
    pending_.clear();
  }
  pending_.append(bytes);
  if (pending_.size() <= kMostLineBytes) return absl::OkStatus();
  ++line_;
  return Refuse(absl::StrCat("a line of more than ", kMostLineBytes >> 20,
                             " MiB: ", Excerpt(pending_), "; this is no trace"));
}

absl::Status TraceReader::Finish() {
  if (!pending_.empty()) {
    const bool may_be_cut = is_json_;
    const absl::Status status = TakeLine(pending_);
    pending_.clear();
    if (!status.ok() && !may_be_cut) return status;
    if (!status.ok()) run_.cut_line = line_;
  }
  if (!run_.heaps.empty()) return absl::OkStatus();
  line_ = 1;
  if (is_json_ || !is_decided_) return Refuse("the file is empty");
  return Refuse(
      absl::StrCat("no trace: neither a line {\"schema\":\"neap.trace\",...} at the start nor a "
                   "line of Go's gctrace (gc 1 @0.012s 2%: ...) in ",
                   run_.other_lines, " lines"));
}

absl::Status TraceReader::TakeLine(std::string& line) {
  ++line_;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line.empty()) return absl::OkStatus();
  if (!is_decided_) {
    is_decided_ = true;
    is_json_ = line[0] == '{';
  }
  if (is_json_) return TakeJsonLine(line);
  if (line.starts_with("gcm ") && line.find(" ms clock, ") != line.npos) {
    return Refuse(
        "a line of neap's text trace, whose minor collections have no JSON form; record with "
        "--trace FILE and give that file");
  }
  const std::optional<GctraceLine> go = ParseGctraceLine(line);
  if (!go) {
    ++run_.other_lines;
    return absl::OkStatus();
  }
  TakeGctrace(*go);
  return absl::OkStatus();
}

// Two pauses with concurrent marking between them. A number that does not grow begins another
// program, whose times are put behind those of the one before.
void TraceReader::TakeGctrace(const GctraceLine& go) {
  if (run_.heaps.empty() || go.number <= run_.majors.back().number) {
    run_.source = Source::kGo;
    run_.has_end = true;  // there is none to miss
    go_offset_ns_ = run_.end_ns;
    run_.heaps.push_back({.number = run_.heaps.size() + 1, .command = "a Go program"});
  }
  const uint64_t start_ns = go_offset_ns_ + go.start_ns;
  Major major;
  major.heap = static_cast<uint32_t>(run_.heaps.size() - 1);
  major.number = go.number;
  major.cause = Intern(go.is_forced ? "forced" : "pacer");
  major.start_ns = start_ns;
  major.pause_ns = go.clock_ns[0] + go.clock_ns[2];
  major.mark_ns = go.clock_ns[1];
  for (const uint64_t ns : go.cpu_ns) major.cpu_ns += ns;
  major.cpu_ns -= go.cpu_ns[3];  // idle marking takes what nobody wants
  major.heap_before_bytes = std::max(go.heap_mb[0], go.heap_mb[1]) << 20;
  major.marked_bytes = go.heap_mb[2] << 20;
  major.goal_bytes = major.trigger_bytes = go.goal_mb << 20;
  major.procs = go.procs;
  major.forced = go.is_forced;
  major.gc_cpu_percent_x100 = go.cpu_percent * 100;
  run_.majors.push_back(major);
  ++run_.events;
  NotePause(start_ns, go.clock_ns[0]);
  NotePause(start_ns + go.clock_ns[0] + go.clock_ns[1], go.clock_ns[2]);
}

absl::Status TraceReader::TakeJsonLine(std::string& line) {
  beginning_.assign(line, 0, kMostExcerpt + 1);  // parsing changes the line
  if (!json_.Parse(line)) {
    return Refuse(absl::StrCat("no record: ", Excerpt(beginning_), ": ", json_.error()));
  }
  const JsonMember* event = json_.Find("event");
  if (event == nullptr && json_.Find("schema") != nullptr) return TakeSchema();
  if (run_.heaps.empty()) {
    return Refuse(absl::StrCat("no trace of neap: found ", Excerpt(beginning_),
                               ", expected {\"schema\":\"neap.trace\",...}"));
  }
  if (event == nullptr || event->kind != JsonMember::Kind::kText) {
    return Refuse(absl::StrCat("no record: ", Excerpt(beginning_), " has no \"event\""));
  }
  return TakeEvent(event->text);
}

// --- The schema line -----------------------------------------------------------------------------

absl::Status TraceReader::TakeSchema() {
  const JsonMember& schema = *json_.Find("schema");
  const JsonMember* version = json_.Find("version");
  if (schema.kind != JsonMember::Kind::kText || schema.text != "neap.trace") {
    return Refuse(absl::StrCat("the schema is ", Excerpt(schema.text),
                               ", not \"neap.trace\": a file of another program"));
  }
  if (version == nullptr || version->kind != JsonMember::Kind::kNumber ||
      version->number != gc::kJsonTraceVersion) {
    return Refuse(absl::StrCat("version ", version == nullptr ? "?" : FactText(*version),
                               " of neap.trace; this program reads version ",
                               gc::kJsonTraceVersion));
  }
  HeapFacts heap;
  for (const JsonMember& member : json_.members()) {
    if (member.key.starts_with("events.")) continue;
    if (member.key == "heap") heap.number = member.number;
    if (member.key == "epoch_ns") heap.epoch_ns = member.number;
    if (member.key == "command") heap.command = std::string(member.text);
    if (member.key == "time_unit") heap.is_virtual = member.text == "ticks";
    // The elements of a list have one path.
    const bool is_more = !heap.facts.empty() && heap.facts.back().first == member.key;
    if (is_more) {
      absl::StrAppend(&heap.facts.back().second, " ", FactText(member));
    } else {
      heap.facts.emplace_back(member.key, FactText(member));
    }
  }
  heap_index_[heap.number] = static_cast<uint32_t>(run_.heaps.size());
  run_.heaps.push_back(std::move(heap));
  lost_by_heap_.push_back(0);
  return absl::OkStatus();
}

// --- Events --------------------------------------------------------------------------------------

absl::Status TraceReader::HeapOf(uint32_t* index) const {
  const JsonMember* heap = json_.Find("heap");
  const auto found = heap_index_.find(heap == nullptr ? 0 : heap->number);
  if (found == heap_index_.end()) {
    return Refuse(absl::StrCat("an event of heap ", heap == nullptr ? 0 : heap->number,
                               ", which has no schema line before it"));
  }
  *index = found->second;
  return absl::OkStatus();
}

template <typename Fields, size_t kSlots>
absl::Status TraceReader::TakeFields(const FieldSlot (&slots)[kSlots],
                                     std::vector<Recorded<Fields>>* events) {
  static_assert(sizeof(Fields) == kSlots * sizeof(uint64_t));
  Recorded<Fields> event;
  const absl::Status status = HeapOf(&event.heap);
  if (!status.ok()) return status;
  uint64_t* const words = reinterpret_cast<uint64_t*>(static_cast<Fields*>(&event));
  size_t next = 0;
  for (const JsonMember& member : json_.members()) {
    if (member.key == "t") event.time = member.number;
    size_t slot = next;
    if (next == kSlots || slots[next].name != member.key) {
      slot = 0;
      while (slot < kSlots && slots[slot].name != member.key) ++slot;
      if (slot == kSlots) continue;
    }
    next = slot + 1;
    const bool is_text = member.kind == JsonMember::Kind::kText;
    const bool is_number =
        member.kind == JsonMember::Kind::kNumber || member.kind == JsonMember::Kind::kNull;
    if (slots[slot].is_text ? !is_text : !is_number) {
      return Refuse(absl::StrCat("field \"", std::string(member.key), "\" is ", FactText(member),
                                 ", not a ",
                                 slots[slot].is_text ? "name" : "number from 0 to 2^64-1"));
    }
    words[slot] = is_text                                  ? Intern(member.text)
                  : member.kind == JsonMember::Kind::kNull ? UINT64_MAX
                                                           : member.number;
  }
  events->push_back(event);
  if (!run_.heaps[event.heap].is_virtual) run_.end_ns = std::max(run_.end_ns, event.time);
  return absl::OkStatus();
}

absl::Status TraceReader::TakeEvent(std::string_view event) {
  if (event == "end") return TakeEnd();
  if (event == "lost") {
    if (const JsonMember* lost = json_.Find("new")) lost_lines_ += lost->number;
    run_.lost = std::max(run_.lost, lost_lines_);
    return absl::OkStatus();
  }
  if (event == "profile" || event.starts_with("profile_")) return TakeProfile(event);
  ++run_.events;
  absl::Status status;
  if (event == "minor") {
    status = TakeFields<gc::MinorEvent>(kMinorSlots, &run_.minors);
    if (!status.ok()) return status;
    const Minor& minor = run_.minors.back();
    NotePause(minor.start_ns, minor.pause_ns);
    NoteLost(minor.heap, minor.lost_events);
  } else if (event == "major") {
    status = TakeFields<gc::MajorEvent>(kMajorSlots, &run_.majors);
    if (!status.ok()) return status;
    const Major& major = run_.majors.back();
    NotePause(major.start_ns, major.pause_ns);
    NoteLost(major.heap, major.lost_events);
  } else if (event == "hook") {
    status = TakeFields<gc::HookEvent>(kHookSlots, &run_.hooks);
  } else if (event == "pool") {
    status = TakeFields<gc::PoolEvent>(kPoolSlots, &run_.pools);
  } else if (event == "limit") {
    status = TakeFields<gc::LimitEvent>(kLimitSlots, &run_.limits);
  } else if (event == "nursery") {
    status = TakeFields<gc::NurseryEvent>(kNurserySlots, &run_.nursery_changes);
  } else if (event != "procs" && event != "pool_op") {
    ++run_.unknown;
  }
  return status;
}

// Of a later version the collections are read, and the profile is not.
absl::Status TraceReader::TakeProfile(std::string_view event) {
  if (event == "profile") {
    const absl::Status status = TakeFields<gc::ProfileEvent>(kProfileSlots, &run_.profiles);
    if (!status.ok()) return status;
    knows_profile_ = run_.profiles.back().version == gc::kProfileEventVersion;
    if (!knows_profile_) run_.profiles.pop_back();
  }
  if (!knows_profile_) {
    ++run_.unknown;
    return absl::OkStatus();
  }
  if (event == "profile_type") {
    return TakeFields<gc::ProfileTypeEvent>(kProfileTypeSlots, &run_.profile_types);
  }
  if (event == "profile_site") {
    return TakeFields<gc::ProfileSiteEvent>(kProfileSiteSlots, &run_.profile_sites);
  }
  if (event != "profile") ++run_.unknown;
  return absl::OkStatus();
}

// Counts of lost events are running totals, one per heap.
void TraceReader::NoteLost(uint32_t heap, uint64_t lost) {
  lost_by_heap_[heap] = std::max(lost_by_heap_[heap], lost);
  uint64_t sum = 0;
  if (lost != 0) {
    for (const uint64_t one : lost_by_heap_) sum += one;
  }
  run_.lost = std::max(run_.lost, sum);
}

absl::Status TraceReader::TakeEnd() {
  run_.has_end = true;
  if (const JsonMember* lost = json_.Find("lost")) run_.lost = std::max(run_.lost, lost->number);
  if (const JsonMember* end = json_.Find("end_ns")) {
    run_.end_ns = std::max(run_.end_ns, end->number);
  }
  return absl::OkStatus();
}

// --- Files ---------------------------------------------------------------------------------------

absl::StatusOr<Run> ReadTraceFile(const std::string& path) {
  const bool is_stdin = path == "-";
  const int file = is_stdin ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return CannotRead(path, errno);
  TraceReader reader(is_stdin ? "(standard input)" : path);
  std::string buffer(kReadBytes, '\0');
  absl::Status status;
  while (status.ok()) {
    const ssize_t bytes = read(file, buffer.data(), buffer.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) status = CannotRead(path, errno);
    if (bytes <= 0) break;
    status = reader.Feed({buffer.data(), static_cast<size_t>(bytes)});
  }
  if (!is_stdin) close(file);
  if (status.ok()) status = reader.Finish();
  if (!status.ok()) return status;
  return reader.TakeRun();
}

}  // namespace neap::trace
