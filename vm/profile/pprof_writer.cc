// SPDX-License-Identifier: MIT
//
// pprof_writer.h. Field numbers are those of profile.proto.
//
// All places of a program are few beside its samples: a location is made for each pair of function
// and line, once, and its id is its index + 1, since 0 is no id.
#include "profile/pprof_writer.h"

#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "profile/proto_message.h"

namespace neap::vm {
namespace {

// profile.proto, message Profile.
enum ProfileField {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kStringTable = 6,
  kTimeNanos = 9,
  kDurationNanos = 10,
  kPeriodType = 11,
  kPeriod = 12,
  kDefaultSampleType = 14,
};

class Writer {
 public:
  explicit Writer(const AllocationProfile& profile) : profile_(profile) { (void)String(""); }

  std::string Write() {
    out_.Nested(kSampleType, ValueType("alloc_objects", "count"));
    out_.Nested(kSampleType, ValueType("alloc_space", "bytes"));
    out_.Nested(kSampleType, ValueType("inuse_objects", "count"));
    out_.Nested(kSampleType, ValueType("inuse_space", "bytes"));
    for (const AllocationSample& sample : profile_.samples) AddSample(sample);
    AddMapping();
    for (size_t i = 0; i < locations_.size(); ++i) AddLocation(i + 1, locations_[i]);
    for (size_t i = 0; i < profile_.functions.size(); ++i) {
      AddFunction(i + 1, profile_.functions[i]);
    }
    out_.NonZero(kTimeNanos, static_cast<uint64_t>(profile_.start_unix_ns));
    out_.NonZero(kDurationNanos, static_cast<uint64_t>(profile_.duration_ns));
    out_.Nested(kPeriodType, ValueType("space", "bytes"));
    out_.NonZero(kPeriod, profile_.sample_bytes == 0 ? 1 : profile_.sample_bytes);
    out_.NonZero(kDefaultSampleType, String("alloc_space"));
    for (const std::string_view text : strings_) out_.Text(kStringTable, text);
    return out_.bytes();
  }

 private:
  uint64_t String(std::string_view text) {
    const auto [it, inserted] = string_ids_.try_emplace(std::string(text), strings_.size());
    if (inserted) strings_.push_back(std::string(text));
    return it->second;
  }

  ProtoMessage ValueType(std::string_view type, std::string_view unit) {
    ProtoMessage message;
    message.NonZero(1, String(type));
    message.NonZero(2, String(unit));
    return message;
  }

  uint64_t Location(const CallFrame& frame) {
    const auto [it, inserted] =
        location_ids_.try_emplace(std::pair(frame.function, frame.line), locations_.size() + 1);
    if (inserted) locations_.push_back(frame);
    return it->second;
  }

  // One for each fate and age that objects of this stack and type met.
  void AddSample(const AllocationSample& sample) {
    std::vector<uint64_t> stack;
    for (const CallFrame& frame : sample.stack) stack.push_back(Location(frame));
    for (size_t fate = 0; fate < gc::kFates; ++fate) {
      for (size_t age = 0; age < gc::AllocationRecord::kAges; ++age) {
        const gc::AllocationCount& count = sample.at_end.fates[fate][age];
        if (count.objects > 0) {
          AddCount(stack, sample.type, static_cast<gc::Fate>(fate), age, count);
        }
      }
    }
  }

  void AddCount(const std::vector<uint64_t>& stack, const std::string& type, gc::Fate fate,
                uint64_t age, const gc::AllocationCount& count) {
    const bool is_live = fate == gc::Fate::kYoung || fate == gc::Fate::kOld;
    const auto objects = static_cast<uint64_t>(std::llround(count.objects));
    const auto bytes = static_cast<uint64_t>(std::llround(count.bytes));
    ProtoMessage message;
    message.Packed(1, stack);
    message.Packed(2, {objects, bytes, is_live ? objects : 0, is_live ? bytes : 0});
    ProtoMessage label;
    label.NonZero(1, String("type"));
    label.NonZero(2, String(type));
    message.Nested(3, label);
    label = {};
    label.NonZero(1, String("space"));
    label.NonZero(2, String(!is_live ? "dead" : fate == gc::Fate::kOld ? "old" : "young"));
    message.Nested(3, label);
    label = {};
    label.NonZero(1, String("age"));
    label.NonZero(3, age);
    label.NonZero(4, String("collections"));
    message.Nested(3, label);
    out_.Nested(kSample, message);
  }

  // Names and lines are here: a reader need not look for a binary to find them in.
  void AddMapping() {
    ProtoMessage message;
    message.NonZero(1, 1);
    message.NonZero(5, String(profile_.program.empty() ? "neap" : profile_.program));
    for (const int has : {7, 8, 9}) message.NonZero(has, 1);  // functions, files, lines
    out_.Nested(kMapping, message);
  }

  void AddLocation(uint64_t id, const CallFrame& frame) {
    ProtoMessage line;
    line.NonZero(1, frame.function + 1);
    line.NonZero(2, frame.line);
    ProtoMessage message;
    message.NonZero(1, id);
    message.NonZero(2, 1);
    message.Nested(4, line);
    out_.Nested(kLocation, message);
  }

  void AddFunction(uint64_t id, const SiteFunction& function) {
    ProtoMessage message;
    message.NonZero(1, id);
    message.NonZero(2, String(function.name));
    message.NonZero(3, String(function.name));
    message.NonZero(4, String(function.file));
    message.NonZero(5, function.line);
    out_.Nested(kFunction, message);
  }

  const AllocationProfile& profile_;
  ProtoMessage out_;
  std::vector<std::string> strings_;
  absl::flat_hash_map<std::string, uint64_t> string_ids_;
  std::vector<CallFrame> locations_;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint64_t> location_ids_;
};

}  // namespace

std::string PprofBytes(const AllocationProfile& profile) { return Writer(profile).Write(); }

}  // namespace neap::vm
