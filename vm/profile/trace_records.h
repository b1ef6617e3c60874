// SPDX-License-Identifier: MIT
//
// An allocation profile as the records that a trace ends with (neap/gc/profile_event.h).
#ifndef NEAP_VM_PROFILE_TRACE_RECORDS_H_
#define NEAP_VM_PROFILE_TRACE_RECORDS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "profile/allocation_profile.h"

namespace neap::vm {

// Rows beyond so many are summed up in the last one. Fewer: what is asked for is missing. More: a
// program that makes functions at run time ends its trace with megabytes of rows.
inline constexpr size_t kMostTraceTypes = 100;
inline constexpr size_t kMostTraceSites = 200;

// JSON objects, one a record, most bytes first. Names are cut to a few hundred bytes.
std::vector<std::string> TraceRecords(const AllocationProfile& profile,
                                      size_t most_types = kMostTraceTypes,
                                      size_t most_sites = kMostTraceSites);

}  // namespace neap::vm

#endif  // NEAP_VM_PROFILE_TRACE_RECORDS_H_
