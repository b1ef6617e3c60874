// SPDX-License-Identifier: MIT
//
// escape_flow.h. Two loops: the inner one carries the registers along every way through the code
// until they do not grow (states are kept where ways meet); the outer one repeats it while it finds
// that more is stored somewhere, or that more escapes. Both only ever add, so both end.
#include "escape_flow.h"

#include <algorithm>

namespace neap::vm {
namespace {

// Sites times instructions: beyond it the analysis could take seconds.
constexpr size_t kMostWork = 40'000'000;

bool IsJump(const Instruction& in) {
  return in.op == Op::kJump || in.op == Op::kLoop || in.op == Op::kGenericPrepare ||
         (in.op >= Op::kJumpIfFalse && in.op <= Op::kNotGreaterEqualK) ||
         in.op == Op::kForPrepare || in.op == Op::kForLoop || in.op == Op::kGenericLoop;
}

bool MayGoOn(Op op) {
  return op != Op::kJump && op != Op::kLoop && op != Op::kGenericPrepare &&
         op != Op::kLoadFalseSkip && op != Op::kReturn && op != Op::kReturn0 && op != Op::kReturn1;
}

size_t JumpTarget(size_t pc, const Instruction& in) {
  return static_cast<size_t>(static_cast<int64_t>(pc) + 1 + in.sx);
}

const std::string* TextOf(const CodeUnit& unit, size_t constant) {
  return std::get_if<std::string>(&unit.constants[constant]);
}

// Whether the instruction puts another value into the register, or takes what is there away.
bool Replaces(const Instruction& in, size_t reg) {
  if (in.op == Op::kCall || in.op == Op::kTailCall || in.op == Op::kVararg) return in.a <= reg;
  if (in.op == Op::kSetList) return in.a < reg;
  if (in.op == Op::kLoadNil) return in.a <= reg && reg < size_t{in.a} + in.b;
  if (in.op == Op::kNewRecord) return in.a <= reg;  // its operands are temporary values
  const bool sets_other = in.op == Op::kSetUpvalue || in.op == Op::kSetGlobal ||
                          (in.op >= Op::kSetTable && in.op <= Op::kSetField) || IsJump(in);
  return in.a == reg && !sets_other;
}

// What the object that instruction `pc` makes is called: by the field that the next instruction
// stores it in, or by the first variable that its register is.
std::string NameOf(const CodeUnit& unit, size_t pc) {
  const Instruction made = unit.code[pc];
  if (pc + 1 < unit.code.size()) {
    const Instruction next = unit.code[pc + 1];
    const std::string* name = nullptr;
    if (next.op == Op::kSetGlobal && next.a == made.a) name = TextOf(unit, next.c);
    if (next.op == Op::kSetField && next.c == made.a) name = TextOf(unit, next.b);
    if (name != nullptr) return *name;
  }
  for (const LocalInfo& local : unit.locals) {
    if (local.slot != made.a || local.begin < pc) continue;
    // A constructor's elements come between, or a use of the register for something else.
    for (size_t at = pc + 1; at < local.begin; ++at) {
      if (Replaces(unit.code[at], made.a)) return "";
    }
    return local.name.empty() || local.name[0] == '(' ? "" : local.name;
  }
  return "";
}

}  // namespace

std::string NameOfChild(const CodeUnit& unit, size_t child) {
  for (size_t pc = 0; pc < unit.code.size(); ++pc) {
    if (unit.code[pc].op == Op::kClosure && unit.code[pc].x == child) return NameOf(unit, pc);
  }
  return "";
}

EscapeFlow::EscapeFlow(const CodeUnit& unit, const std::vector<std::vector<bool>>& leaks)
    : unit_(unit), leaks_(leaks), sites_(1), site_at_(unit.code.size()) {
  FindSites();
  FindLeaders();
  is_too_large_ = sites_.size() * unit.code.size() > kMostWork;
}

void EscapeFlow::FindSites() {
  for (size_t i = 0; i < unit_.upvalues.size(); ++i) {
    sites_.push_back({.upvalue = static_cast<int>(i), .is_shared = true});
    // It stands for all that can be reached from it (F4).
    sites_.back().contents = {kElsewhere, static_cast<uint32_t>(sites_.size() - 1)};
  }
  for (size_t pc = 0; pc < unit_.code.size(); ++pc) {
    const Op op = unit_.code[pc].op;
    if (op != Op::kNewTable && op != Op::kNewRecord && op != Op::kClosure) continue;
    site_at_[pc] = static_cast<uint32_t>(sites_.size());
    sites_.push_back({.pc = static_cast<uint32_t>(pc), .is_closure = op == Op::kClosure});
  }
}

void EscapeFlow::FindLeaders() {
  is_leader_.assign(unit_.code.size() + 2, false);
  is_leader_[0] = true;
  for (size_t pc = 0; pc < unit_.code.size(); ++pc) {
    const Instruction& in = unit_.code[pc];
    if (IsJump(in)) is_leader_[JumpTarget(pc, in)] = is_leader_[pc + 1] = true;
    if (in.op == Op::kLoadFalseSkip) is_leader_[pc + 2] = is_leader_[pc + 1] = true;
  }
}

// --- Ways through the code -----------------------------------------------------------------------

void EscapeFlow::Run() {
  if (is_too_large_) {
    for (uint32_t i = 1; i < sites_.size(); ++i) Escape(i, EscapeReason::kTooLarge, 0);
    return;
  }
  do {
    has_changed_ = false;
    Flow();
    Settle();
  } while (has_changed_);
}

void EscapeFlow::Flow() {
  before_.assign(unit_.code.size(), {});
  State start;
  start.registers.assign(size_t{kMaxRegisters} + 2, {kElsewhere});
  start.captors.resize(size_t{kMaxRegisters} + 2);
  Reach(0, start);
  while (!waiting_.empty()) {
    const size_t leader = waiting_.back();
    waiting_.pop_back();
    RunBlock(leader);
  }
}

void EscapeFlow::RunBlock(size_t leader) {
  State state = before_[leader];
  for (size_t pc = leader;; ++pc) {
    const Instruction& in = unit_.code[pc];
    Step(pc, state);
    if (IsJump(in)) Reach(JumpTarget(pc, in), state);
    if (in.op == Op::kLoadFalseSkip) Reach(pc + 2, state);
    if (!MayGoOn(in.op)) return;
    if (is_leader_[pc + 1]) return Reach(pc + 1, state);
  }
}

void EscapeFlow::Reach(size_t pc, const State& state) {
  State& before = before_[pc];
  bool grows = !before.is_reached;
  if (grows) {
    before = state;
    before.is_reached = true;
  } else {
    for (size_t i = 0; i < state.registers.size(); ++i) {
      grows |= Unite(before.registers[i], state.registers[i]);
      grows |= Unite(before.captors[i], state.captors[i]);
    }
  }
  if (grows) waiting_.push_back(pc);
}

bool EscapeFlow::Unite(SiteSet& into, const SiteSet& more) {
  if (std::includes(into.begin(), into.end(), more.begin(), more.end())) return false;
  SiteSet all;
  std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(all));
  into.swap(all);
  return true;
}

// --- What sites are known of ---------------------------------------------------------------------

void EscapeFlow::Escape(uint32_t site, EscapeReason reason, size_t pc, uint32_t by) {
  if (site == kElsewhere || sites_[site].escapes) return;
  has_changed_ = true;
  sites_[site].escapes = true;
  sites_[site].reason = reason;
  sites_[site].reason_pc = static_cast<uint32_t>(pc);
  sites_[site].by = by;
}

void EscapeFlow::EscapeAll(const SiteSet& sites, EscapeReason reason, size_t pc) {
  for (const uint32_t site : sites) Escape(site, reason, pc);
}

void EscapeFlow::EscapeRange(const State& state, size_t first, size_t count, EscapeReason reason,
                             size_t pc) {
  for (size_t i = first; i < std::min(first + count, state.registers.size()); ++i) {
    EscapeAll(state.registers[i], reason, pc);
  }
}

bool EscapeFlow::MayHaveMetamethods(const SiteSet& values) const {
  return std::any_of(values.begin(), values.end(),
                     [&](uint32_t site) { return site == kElsewhere || sites_[site].escapes; });
}

void EscapeFlow::StoreInto(size_t pc, const SiteSet& table, const SiteSet& value) {
  for (const uint32_t site : table) {
    if (site == kElsewhere) {
      EscapeAll(value, EscapeReason::kStoredInTable, pc);
    } else {
      has_changed_ |= Unite(sites_[site].contents, value);  // F3 is settled later
    }
  }
}

EscapeFlow::SiteSet EscapeFlow::LoadFrom(const SiteSet& table) const {
  SiteSet loaded;
  for (const uint32_t site : table) {
    if (site == kElsewhere || sites_[site].escapes || sites_[site].is_shared) {
      Unite(loaded, {kElsewhere});
    }
    if (site != kElsewhere) Unite(loaded, sites_[site].contents);
  }
  return loaded;
}

// F3 and F4, and what closures know.
void EscapeFlow::Settle() {
  for (uint32_t i = 1; i < sites_.size(); ++i) {
    for (const uint32_t inside : SiteSet(sites_[i].contents)) {
      if (inside == kElsewhere || inside == i) continue;
      if (sites_[i].escapes) Escape(inside, EscapeReason::kHeld, sites_[i].pc, i);
      if (sites_[i].is_shared && !sites_[inside].is_shared) {
        sites_[inside].is_shared = has_changed_ = true;
      }
    }
    for (const auto& [closure, upvalue] : sites_[i].captured_by) {
      const size_t child = unit_.code[sites_[closure].pc].x;
      if (sites_[closure].escapes || leaks_[child][upvalue]) {
        Escape(i, EscapeReason::kCaptured, sites_[closure].pc, closure);
      }
    }
  }
}

std::vector<EscapeSite> EscapeFlow::Sites() const {
  const auto line_of = [&](size_t pc) { return unit_.lines.empty() ? 0 : unit_.lines[pc]; };
  std::vector<EscapeSite> found;
  for (const Site& site : sites_) {
    if (&site == &sites_[0] || site.upvalue >= 0) continue;
    found.push_back(
        {.kind = site.is_closure ? EscapeSite::Kind::kClosure : EscapeSite::Kind::kTable,
         .line = line_of(site.pc),
         .name = NameOf(unit_, site.pc),
         .leaves = site.escapes,
         .reason = site.reason,
         .reason_line = site.escapes ? line_of(site.reason_pc) : 0,
         .by_line = site.by == 0 ? 0 : line_of(sites_[site.by].pc)});
  }
  return found;
}

std::vector<bool> EscapeFlow::LeakedUpvalues() const {
  std::vector<bool> leaked;
  for (size_t i = 0; i < unit_.upvalues.size(); ++i) leaked.push_back(sites_[i + 1].escapes);
  return leaked;
}

}  // namespace neap::vm
