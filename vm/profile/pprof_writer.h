// SPDX-License-Identifier: MIT
//
// Allocation profiles in the format of pprof (github.com/google/pprof, proto/profile.proto), for
// `go tool pprof` and all that reads it.
//
//   sample types   alloc_objects/count, alloc_space/bytes, inuse_objects/count, inuse_space/bytes
//   stack          Lua functions and lines, native functions without a line; innermost first
//   labels         type    "table", "string", ...
//                  space   "young", "old", or "dead": where the object is after the run
//                  age     the minor collections it survived while young, unit "collections"
#ifndef NEAP_VM_PROFILE_PPROF_WRITER_H_
#define NEAP_VM_PROFILE_PPROF_WRITER_H_

#include <string>

#include "profile/allocation_profile.h"

namespace neap::vm {

// An encoded profile.proto message. Readers take it as it is or compressed by gzip, as files are.
std::string PprofBytes(const AllocationProfile& profile);

}  // namespace neap::vm

#endif  // NEAP_VM_PROFILE_PPROF_WRITER_H_
