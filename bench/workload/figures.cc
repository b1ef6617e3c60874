// SPDX-License-Identifier: MIT
//
// From what a run saw to the figures that are reported, and those as JSON.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "number_text.h"
#include "rapidjson/document.h"
#include "workload.h"

namespace neap::workload {
namespace {

using lab::FrameSample;

constexpr double kNsPerMs = 1e6;
constexpr double kMib = 1 << 20;

double Sum(const std::vector<FrameSample>& frames, lab::FrameField field) {
  double sum = 0;
  for (const FrameSample& frame : frames) sum += static_cast<double>(frame.*field);
  return sum;
}

// The fields of a frame in JSON, in this order.
constexpr lab::FrameField kFrameFields[] = {&FrameSample::cpu_ns,    &FrameSample::wall_ns,
                                            &FrameSample::minors,    &FrameSample::majors,
                                            &FrameSample::gc_cpu_ns, &FrameSample::gc_pause_ns};

std::string FrameJson(const FrameSample& frame) {
  std::string text = "[";
  for (const lab::FrameField field : kFrameFields) {
    absl::StrAppend(&text, text.size() == 1 ? "" : ",", frame.*field);
  }
  return text + "]";
}

bool ReadFrame(const rapidjson::Value& value, FrameSample* frame) {
  if (!value.IsArray() || value.Size() != std::size(kFrameFields)) return false;
  for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
    if (!value[i].IsUint64()) return false;
    frame->*kFrameFields[i] = value[i].GetUint64();
  }
  return true;
}

}  // namespace

const std::vector<FigureName>& FigureNames() {
  static const std::vector<FigureName> names = {
#define NEAP_LIST_FIGURE(name, unit, sentence) {#name, unit, sentence, &Figures::name},
      NEAP_WORKLOAD_FIGURES(NEAP_LIST_FIGURE)
#undef NEAP_LIST_FIGURE
  };
  return names;
}

Figures FiguresOf(const Run& run, bool with_frames) {
  Figures f;
  const auto percentile = [&run](double fraction) {
    return lab::PercentileMs(run.frames, &FrameSample::cpu_ns, fraction);
  };
  f.p50_ms = percentile(0.5);
  f.p90_ms = percentile(0.9);
  f.p99_ms = percentile(0.99);
  f.max_ms = percentile(1);
  f.mean_ms = lab::MeanMs(run.frames, &FrameSample::cpu_ns);
  f.wall_p99_ms = lab::PercentileMs(run.frames, &FrameSample::wall_ns, 0.99);
  f.minors = static_cast<double>(run.minors);
  f.majors = static_cast<double>(run.majors);
  f.gc_ms = static_cast<double>(run.gc_cpu_ns) / kNsPerMs;
  const double all_ns = Sum(run.frames, &FrameSample::cpu_ns);
  if (all_ns > 0) f.gc_share = Sum(run.frames, &FrameSample::gc_cpu_ns) / all_ns;
  const lab::FrameTail tail = lab::TailOf(run.frames);
  f.tail_gc_share = tail.gc_share_of_excess;
  if (tail.frames > 0) f.tail_with_gc = static_cast<double>(tail.with_collection) / tail.frames;
  f.rest_with_gc = tail.share_of_others;
  f.longest_pause_ms = static_cast<double>(run.longest_pause_cpu_ns) / kNsPerMs;
  f.alloc_mib = static_cast<double>(run.alloc_bytes) / kMib;
  f.alloc_objects = static_cast<double>(run.alloc_objects);
  f.copied_mib = static_cast<double>(run.copied_bytes) / kMib;
  f.promoted_mib = static_cast<double>(run.promoted_bytes) / kMib;
  f.in_place_mib = static_cast<double>(run.in_place_bytes) / kMib;
  f.page_faults = static_cast<double>(run.page_faults);
  f.peak_mib = static_cast<double>(run.peak_bytes) / kMib;
  f.checksum = run.checksum;
  if (with_frames) f.frames = run.frames;
  return f;
}

std::string ToJson(const Figures& figures) {
  std::string text = "{";
  for (const FigureName& name : FigureNames()) {
    const double value = figures.*name.value;
    absl::StrAppend(&text, text.size() == 1 ? "" : ",", "\"", name.name,
                    "\":", std::isfinite(value) ? lab::ShortestNumber(value) : "null");
  }
  if (!figures.frames.empty()) {
    absl::StrAppend(&text, ",\"frames\":[");
    for (size_t i = 0; i < figures.frames.size(); ++i) {
      absl::StrAppend(&text, i == 0 ? "" : ",", FrameJson(figures.frames[i]));
    }
    absl::StrAppend(&text, "]");
  }
  return text + "}";
}

absl::StatusOr<Figures> FiguresFromJson(const std::string& text) {
  const auto refuse = [&text](const std::string& why) {
    return absl::InvalidArgumentError(
        absl::StrCat("not the figures of a run (", why, "): ", text.substr(0, 80)));
  };
  rapidjson::Document document;
  document.Parse(text.data(), text.size());
  if (document.HasParseError() || !document.IsObject()) return refuse("no JSON object");
  Figures figures;
  for (const FigureName& name : FigureNames()) {
    const auto member = document.FindMember(name.name);
    if (member == document.MemberEnd()) return refuse(absl::StrCat("no ", name.name));
    if (member->value.IsNull()) {
      figures.*name.value = std::nan("");
    } else if (member->value.IsNumber()) {
      figures.*name.value = member->value.GetDouble();
    } else {
      return refuse(absl::StrCat(name.name, " is no number"));
    }
  }
  const auto frames = document.FindMember("frames");
  if (frames == document.MemberEnd()) return figures;
  if (!frames->value.IsArray()) return refuse("frames is no list");
  for (const rapidjson::Value& value : frames->value.GetArray()) {
    if (!ReadFrame(value, &figures.frames.emplace_back())) return refuse("a frame is no frame");
  }
  return figures;
}

}  // namespace neap::workload
