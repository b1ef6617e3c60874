// SPDX-License-Identifier: MIT
#include "neap/gc/profile_event.h"

#include <cstddef>
#include <initializer_list>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "neap/gc/trace.h"

namespace neap::gc {
namespace {

#define NEAP_PROFILE_NAME(name) #name,
constexpr const char* kProfile[] = {NEAP_PROFILE_EVENT_FIELDS(NEAP_PROFILE_NAME)};
constexpr const char* kType[] = {NEAP_PROFILE_TYPE_EVENT_FIELDS(NEAP_PROFILE_NAME)};
constexpr const char* kSite[] = {NEAP_PROFILE_SITE_EVENT_FIELDS(NEAP_PROFILE_NAME)};
#undef NEAP_PROFILE_NAME

// `texts` are the values of the first fields.
template <typename Record, size_t kFields>
std::string Object(const char* event, const char* const (&names)[kFields], const Record& record,
                   std::initializer_list<std::string_view> texts) {
  static_assert(sizeof(Record) == kFields * sizeof(uint64_t));
  const uint64_t* const words = reinterpret_cast<const uint64_t*>(&record);
  std::string out = absl::StrCat("{\"event\":\"", event, "\"");
  for (size_t i = 0; i < kFields; ++i) {
    absl::StrAppend(&out, ",\"", names[i], "\":");
    if (i < texts.size()) {
      AppendJsonString(out, std::data(texts)[i]);
    } else if (words[i] == UINT64_MAX) {
      out += "null";
    } else {
      absl::StrAppend(&out, words[i]);
    }
  }
  return out + "}";
}

template <size_t kFields>
void AppendNames(std::string& out, const char* event, const char* const (&names)[kFields]) {
  absl::StrAppend(&out, out.empty() ? "\"" : ",\"", event, "\":[");
  for (size_t i = 0; i < kFields; ++i) absl::StrAppend(&out, i == 0 ? "\"" : ",\"", names[i], "\"");
  out += ']';
}

}  // namespace

std::string ProfileJson(const ProfileEvent& event) {
  return Object("profile", kProfile, event, {});
}

std::string ProfileTypeJson(const ProfileTypeEvent& event, std::string_view type) {
  return Object("profile_type", kType, event, {type});
}

std::string ProfileSiteJson(const ProfileSiteEvent& event, std::string_view type,
                            std::string_view function, std::string_view file) {
  return Object("profile_site", kSite, event, {type, function, file});
}

std::string ProfileSchemaJson() {
  std::string out;
  AppendNames(out, "profile", kProfile);
  AppendNames(out, "profile_type", kType);
  AppendNames(out, "profile_site", kSite);
  return out;
}

}  // namespace neap::gc
