// SPDX-License-Identifier: MIT
//
// What the files of the string library show each other.
#ifndef NEAP_VM_LIBRARY_STRING_FUNCTIONS_H_
#define NEAP_VM_LIBRARY_STRING_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "interpreter/native_call.h"
#include "neap/gc/handle.h"

namespace neap::vm {

// string_patterns.cc
NativeResult StringFind(NativeCall& call);
NativeResult StringMatch(NativeCall& call);
NativeResult StringGmatch(NativeCall& call);
NativeResult StringGsub(NativeCall& call);
// string_format.cc
NativeResult StringFormat(NativeCall& call);
// What string.format makes of argument `format` and those after it, appended to `out`. False: the
// error is set.
[[nodiscard]] bool FormatArguments(NativeCall& call, int format, std::string* out);
// string_packing.cc
NativeResult StringPack(NativeCall& call);
NativeResult StringPackSize(NativeCall& call);
NativeResult StringUnpack(NativeCall& call);

// string_arithmetic.cc: the metamethods of strings, ended by a null name.
extern const NativeEntry kStringMetamethods[];

// Bytes that a loop over a string handles in the time of one step of fuel, about. Larger: long
// strings hide from budgets; smaller: short ones are charged more than a call.
inline constexpr uint64_t kStringBytesPerStep = 64;

// Pushes the bytes of `source` from `offset` on as a string.
[[nodiscard]] bool PushPart(State& state, gc::Handle<String> source, size_t offset, size_t length);
// Room for `count` results; "stack overflow (`what`)" when there is none.
[[nodiscard]] bool EnsureResults(NativeCall& call, uint64_t count, const char* what);
// Guards results that are put together outside the heap: asks the heap for as much memory before
// they grow to twice the size, so that its limits hold for them, too.
class RoomCheck {
 public:
  explicit RoomCheck(State& state) : state_(state) {}
  // False: the error is set. A safepoint when `bytes` is more than was asked for before.
  [[nodiscard]] bool Allows(uint64_t bytes) { return bytes <= allowed_ || AllowsSlow(bytes); }

 private:
  // Bytes that are not asked about. Larger: many scripts at once can exceed their limits by more;
  // smaller: garbage for results of usual size.
  static constexpr uint64_t kSmallResult = uint64_t{1} << 20;

  bool AllowsSlow(uint64_t bytes);

  State& state_;
  uint64_t allowed_ = kSmallResult;
};

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_STRING_FUNCTIONS_H_
