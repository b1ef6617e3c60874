// SPDX-License-Identifier: MIT
//
// escape_report.h: the functions of a unit one by one, and the text. The analysis of one function
// is in escape_flow.h.
#include "escape_report.h"

#include "escape_flow.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

// Inner functions first: what they let go of their upvalues decides about the outer one's objects.
// The report has the outer one in front: its place is kept.
std::vector<bool> AddFunction(const CodeUnit& unit, std::string name,
                              std::vector<FunctionEscapes>* functions) {
  const size_t place = functions->size();
  functions->push_back({.name = std::move(name), .line = unit.line, .last_line = unit.last_line});
  std::vector<std::vector<bool>> leaks;
  for (size_t i = 0; i < unit.children.size(); ++i) {
    leaks.push_back(AddFunction(*unit.children[i], NameOfChild(unit, i), functions));
  }
  EscapeFlow flow(unit, leaks);
  flow.Run();
  (*functions)[place].sites = flow.Sites();
  return flow.LeakedUpvalues();
}

std::string ReasonText(const EscapeSite& site) {
  const std::string at = site.reason_line == 0 ? "" : Concat(", line ", site.reason_line);
  const std::string by = Concat(" of line ", site.by_line);
  switch (site.reason) {
    case EscapeReason::kNone:
      return "stays";
    case EscapeReason::kReturned:
      return "leaves: returned" + at;
    case EscapeReason::kTailCalled:
      return "leaves: called in place of the function that made it" + at;
    case EscapeReason::kPassed:
      return "leaves: passed to a call" + at;
    case EscapeReason::kIterated:
      return "leaves: given to an iterator" + at;
    case EscapeReason::kStoredInGlobal:
      return "leaves: stored in a global variable" + at;
    case EscapeReason::kStoredInUpvalue:
      return "leaves: stored in a variable of an outer function" + at;
    case EscapeReason::kStoredInTable:
      return "leaves: stored in a table from elsewhere" + at;
    case EscapeReason::kMetamethod:
      return "leaves: a metamethod may get it" + at;
    case EscapeReason::kHeld:
      return Concat("leaves: held by the table", by, ", which leaves");
    case EscapeReason::kCaptured:
      return Concat("leaves: captured by the closure", by);
    case EscapeReason::kTooLarge:
      return "not looked at: the function is too large";
  }
  return "";
}

std::string Padded(std::string text, size_t columns) {
  if (text.size() < columns) text.resize(columns, ' ');
  return text;
}

}  // namespace

std::vector<FunctionEscapes> FindEscapes(const CodeUnit& unit) {
  std::vector<FunctionEscapes> functions;
  (void)AddFunction(unit, "main chunk", &functions);
  return functions;
}

std::string EscapeText(const std::vector<FunctionEscapes>& functions) {
  std::string text;
  size_t stay = 0, leave = 0;
  for (const FunctionEscapes& function : functions) {
    if (function.sites.empty()) continue;
    text += function.name.empty() ? "function" : function.name;
    if (function.line != 0) text += Concat(", lines ", function.line, "-", function.last_line);
    text += "\n";
    for (const EscapeSite& site : function.sites) {
      ++(site.leaves ? leave : stay);
      const char* kind = site.kind == EscapeSite::Kind::kTable ? "table" : "closure";
      text += Concat("  ", Padded(Concat("line ", site.line), 10), Padded(kind, 8),
                     Padded(site.name.empty() ? "-" : site.name, 16), " ", ReasonText(site), "\n");
    }
  }
  return text +
         Concat(stay, " of ", stay + leave, " tables and closures stay in their functions\n");
}

}  // namespace neap::vm
