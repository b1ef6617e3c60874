// SPDX-License-Identifier: MIT
//
// Where the tables and closures of one function go. A data flow analysis over its bytecode: for
// each register, at each place, the sites whose objects may be in it. A site is an instruction that
// makes an object; the value of an upvalue is followed as one, too, so that the outer function
// learns what becomes of what it let be captured.
//
// The rules. A site escapes when a value of it
//
//   F1  is returned, passed to a call, stored in a global variable, in an upvalue, or in a table
//       that may come from elsewhere
//   F2  is an operand beside a value that may have metamethods, which would get it: of arithmetic,
//       comparison, concatenation, or as a key. It has none itself: setmetatable takes it as an
//       argument, which is F1
//   F3  is stored in a table of the function that escapes
//   F4  is in a variable that a closure captured, and the closure escapes, or lets go of the
//       variable (F1-F5 in the closure's own function, whatever it reads out of it included)
//   F5  is a closure that is called in tail position: it runs on when the frame is gone
//
// Calling a closure lets nothing go by itself: a function cannot name its own closure. So a literal
// that is called at once stays. A for loop's iterator gets its state: that is passing (F1).
//
// What a load from a table gives: everything that is ever stored into any table that may be meant;
// and things from elsewhere, if the table escapes or a closure knows it.
#ifndef NEAP_VM_COMPILER_ESCAPE_FLOW_H_
#define NEAP_VM_COMPILER_ESCAPE_FLOW_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "escape_report.h"

namespace neap::vm {

// The name by which `unit` stores its child function: of a variable, a field; empty: none is seen.
std::string NameOfChild(const CodeUnit& unit, size_t child);

class EscapeFlow {
 public:
  // `leaks`: LeakedUpvalues of each child.
  EscapeFlow(const CodeUnit& unit, const std::vector<std::vector<bool>>& leaks);

  void Run();
  // Afterwards:
  std::vector<EscapeSite> Sites() const;
  // For each upvalue of the unit, whether what is in it, or in a table in it, may be let go.
  std::vector<bool> LeakedUpvalues() const;

 private:
  // Site numbers in order; 0 stands for a value from elsewhere.
  using SiteSet = std::vector<uint32_t>;
  static constexpr uint32_t kElsewhere = 0;

  struct Site {
    uint32_t pc = 0;
    int upvalue = -1;  // of this number; -1: made by the instruction
    bool is_closure = false;
    bool escapes = false;
    bool is_shared = false;  // a closure knows it, so that more may be stored in it than is seen
    EscapeReason reason = EscapeReason::kNone;
    uint32_t reason_pc = 0;
    uint32_t by = 0;                                       // site
    SiteSet contents;                                      // what is stored in it
    std::vector<std::pair<uint32_t, size_t>> captured_by;  // closures, and in which upvalue
  };
  struct State {
    std::vector<SiteSet> registers;
    std::vector<SiteSet> captors;  // of the variable in a register: closures
    bool is_reached = false;
  };

  void FindSites();
  void FindLeaders();
  void Flow();
  void RunBlock(size_t leader);
  void Reach(size_t pc, const State& state);
  void Step(size_t pc, State& state);
  bool StepMoves(size_t pc, State& state);
  bool StepTables(size_t pc, State& state);
  bool StepCalls(size_t pc, State& state);
  void StepOperands(size_t pc, State& state);
  void MakeClosure(size_t pc, State& state);
  void NoteCaptured(const State& state);
  void NoteInUpvalue(uint32_t site, uint32_t closure, size_t upvalue);
  const std::vector<UpvalueInfo>& UpvaluesOf(uint32_t closure) const {
    return unit_.children[unit_.code[sites_[closure].pc].x]->upvalues;
  }
  void StoreInto(size_t pc, const SiteSet& table, const SiteSet& value);
  SiteSet LoadFrom(const SiteSet& table) const;
  void Escape(uint32_t site, EscapeReason reason, size_t pc, uint32_t by = 0);
  void EscapeAll(const SiteSet& sites, EscapeReason reason, size_t pc);
  void EscapeRange(const State& state, size_t first, size_t count, EscapeReason reason, size_t pc);
  bool MayHaveMetamethods(const SiteSet& values) const;
  void Settle();
  void Set(State& state, size_t index, SiteSet value);
  void Forget(State& state, size_t from);
  static bool Unite(SiteSet& into, const SiteSet& more);
  uint32_t SiteAt(size_t pc) const { return site_at_[pc]; }

  const CodeUnit& unit_;
  const std::vector<std::vector<bool>>& leaks_;
  std::vector<Site> sites_;  // 0: elsewhere
  std::vector<uint32_t> site_at_;
  std::vector<bool> is_leader_;
  std::vector<State> before_;  // of leaders
  std::vector<size_t> waiting_;
  bool has_changed_ = false;  // what sites hold or whether they escape
  bool is_too_large_ = false;
};

}  // namespace neap::vm

#endif  // NEAP_VM_COMPILER_ESCAPE_FLOW_H_
