// SPDX-License-Identifier: MIT
//
// Which tables and closures never leave the function that makes them: `neap dump --escape`. A
// report for people; the generator does not use it, and every table and closure is an object of the
// heap. Those that stay are the ones that could be kept off it.
//
//   for (const FunctionEscapes& function : FindEscapes(*unit))
//     for (const EscapeSite& site : function.sites)
//       if (!site.leaves) ...
//
// Conservative: what is said to stay stays, whatever the rest of the program does, as long as
// nobody looks into the function from outside with the debug library. What is said to leave may yet
// stay.
#ifndef NEAP_VM_COMPILER_ESCAPE_REPORT_H_
#define NEAP_VM_COMPILER_ESCAPE_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "code_unit.h"

namespace neap::vm {

// Why an object may outlive the run of its function; the first reason found.
enum class EscapeReason : uint8_t {
  kNone,             // it stays
  kReturned,         // by return
  kTailCalled,       // it runs on when the frame is gone
  kPassed,           // as an argument of a call
  kIterated,         // as state or control value of a for loop's iterator
  kStoredInGlobal,   //
  kStoredInUpvalue,  // a variable of an outer function
  kStoredInTable,    // in one that came from elsewhere
  kMetamethod,       // an operand beside a value whose metamethod would get it
  kHeld,             // in a table that leaves (`by_line`)
  kCaptured,         // by a closure that leaves, or that lets it go (`by_line`)
  kTooLarge,         // not looked at: the function has too many sites
};

struct EscapeSite {
  enum class Kind : uint8_t { kTable, kClosure };
  Kind kind = Kind::kTable;
  uint32_t line = 0;  // 0: stripped
  std::string name;   // of the variable or field that it is first given to; empty: none
  bool leaves = false;
  EscapeReason reason = EscapeReason::kNone;
  uint32_t reason_line = 0;
  uint32_t by_line = 0;  // of the table or closure in between
};

struct FunctionEscapes {
  std::string name;  // as far as its own closure has one; "main chunk"
  uint32_t line = 0, last_line = 0;
  std::vector<EscapeSite> sites;  // in the order of the code
};

// Every function of the unit, the outer before the inner. The unit must be sound (code_checker.h).
std::vector<FunctionEscapes> FindEscapes(const CodeUnit& unit);

// A table for people: a line for each function, a line for each site, a count at the end.
std::string EscapeText(const std::vector<FunctionEscapes>& functions);

}  // namespace neap::vm

#endif  // NEAP_VM_COMPILER_ESCAPE_REPORT_H_
