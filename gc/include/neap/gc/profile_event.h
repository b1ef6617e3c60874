// SPDX-License-Identifier: MIT
//
// The allocation profile of a run as records of its JSON trace: by type and by place, what was
// allocated and what became of it. Unlike the events of neap/gc/event.h they do not pass through a
// ring: a profile is known when the program has ended, so that its records are the last of the
// file before the end line, and a file that is cut off has lost them.
//
//   {"event":"profile","version":1,"sample_bytes":0,...,"types":2,"sites":3}
//   {"event":"profile_type","type":"table",...}                     as many as `types` says
//   {"event":"profile_site","type":"table","function":"make",...}   as many as `sites` says
//
// Fields are listed once, here, in the order of the JSON; text comes first. New ones go to the end.
// Objects and bytes are whole numbers; of a sampled profile they are estimates, rounded.
//
// A writer bounds the rows: what has fewest bytes is summed up in one row without a type, whose
// `rows` says how many it stands for.
#ifndef NEAP_GC_PROFILE_EVENT_H_
#define NEAP_GC_PROFILE_EVENT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace neap::gc {

// Counts up when a reader of the old records would misread the new ones.
inline constexpr uint64_t kProfileEventVersion = 1;

#define NEAP_PROFILE_EVENT_FIELDS(X)                                \
  X(version)                                                        \
  X(sample_bytes) /* mean distance of samples; 0: all were noted */ \
  X(minors)       /* collections while it was taken */              \
  X(majors)                                                         \
  X(duration_ns)                                                    \
  X(samples) /* objects noted */                                    \
  X(objects) /* allocated */                                        \
  X(bytes)                                                          \
  X(types) /* records that follow */                                \
  X(sites)

// What became of the objects of a row (allocation_profiler.h).
#define NEAP_PROFILE_ROW_FIELDS(X)                                          \
  X(rows) /* 1; more: so many rows with fewer bytes, summed up */           \
  X(samples)                                                                \
  X(objects)                                                                \
  X(bytes)                                                                  \
  X(met_objects)      /* whose first minor collection came */               \
  X(survived_objects) /* of these, found alive by it */                     \
  X(survivals)        /* minors survived while young, sum of all objects */ \
  X(settled_objects)  /* that died young, or grew old by surviving */       \
  X(promoted_objects) /* of these, grew old */                              \
  X(dead_objects)     /* found dead by a collection of the run */           \
  X(life_p50_bytes)   /* allocated by the program from birth to death, */   \
  X(life_p90_bytes)   /* of the dead; upper bounds to a power of two; */    \
  X(life_p99_bytes)   /* 0: none is dead, 2^64-1: beyond the scale */       \
  X(live_objects)     /* alive after the run's last collection */           \
  X(live_bytes)

#define NEAP_PROFILE_TYPE_EVENT_FIELDS(X) X(type) NEAP_PROFILE_ROW_FIELDS(X)
#define NEAP_PROFILE_SITE_EVENT_FIELDS(X) \
  X(type)                                 \
  X(function) /* "(host)": no script */   \
  X(file)                                 \
  X(line) /* 0: unknown */                \
  NEAP_PROFILE_ROW_FIELDS(X)

// The words of a record. A field that is text is an index into a table of its reader's; its writer
// leaves it 0 and gives the text beside.
#define NEAP_DECLARE_PROFILE_WORD(name) uint64_t name = 0;
struct ProfileEvent {
  NEAP_PROFILE_EVENT_FIELDS(NEAP_DECLARE_PROFILE_WORD)
};
struct ProfileTypeEvent {
  NEAP_PROFILE_TYPE_EVENT_FIELDS(NEAP_DECLARE_PROFILE_WORD)
};
struct ProfileSiteEvent {
  NEAP_PROFILE_SITE_EVENT_FIELDS(NEAP_DECLARE_PROFILE_WORD)
};
#undef NEAP_DECLARE_PROFILE_WORD

// JSON objects without a line feed. Text may hold any bytes (AppendJsonString).
std::string ProfileJson(const ProfileEvent& event);
std::string ProfileTypeJson(const ProfileTypeEvent& event, std::string_view type);
std::string ProfileSiteJson(const ProfileSiteEvent& event, std::string_view type,
                            std::string_view function, std::string_view file);

// For the schema line: `"profile":["version",...],...` of all three, without braces.
std::string ProfileSchemaJson();

}  // namespace neap::gc

#endif  // NEAP_GC_PROFILE_EVENT_H_
