// SPDX-License-Identifier: MIT
//
// Where a Lua program is, as a number: call stacks, each kept once.
//
//   CallSites sites(state);
//   uint32_t site = sites.Here();                      // at an allocation
//   for (const CallFrame& frame : sites.StackOf(site)) // later: innermost first
//     Print(sites.function(frame.function).name, frame.line);
//
// Stacks share their outer parts: a tree, in which a site is a node that knows its function, its
// line, and its caller's node. Site 0 is the host: no function runs.
//
// A function is known by its prototype, whose address tells it apart as long as it lives; the table
// of prototypes is a weak one (gc::WeakTable), so that watching keeps no code alive, and forgets
// the address when the code dies. What was recorded keeps its name. A native function is known by
// its code's address, and named as the first script that is seen calling it does.
//
// Thread safety: of its State's thread.
#ifndef NEAP_VM_PROFILE_CALL_SITES_H_
#define NEAP_VM_PROFILE_CALL_SITES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "interpreter/coroutine.h"
#include "neap/gc/heap.h"

namespace neap::vm {

class State;

// What profiles say of a function. Names have no angle brackets: pprof takes those for a template.
struct SiteFunction {
  std::string name;   // as it was called first: "main chunk", "update", "string.rep"
  std::string file;   // short source; "[C]" for native ones
  uint32_t line = 0;  // where it is defined; 0: a main chunk, a native function
  bool is_native = false;
};

struct CallFrame {
  uint32_t function = 0;  // of CallSites
  uint32_t line = 0;      // being executed; 0: native, or stripped
};

class CallSites final : public gc::WeakTable {
 public:
  // Frames beyond so many are left out, outermost first.
  static constexpr size_t kMaxFrames = 128;

  explicit CallSites(State& state);
  ~CallSites();
  CallSites(const CallSites&) = delete;
  CallSites& operator=(const CallSites&) = delete;

  // The site of what runs now, the resumers of a coroutine included. (no safepoint)
  uint32_t Here();
  // Innermost first.
  std::vector<CallFrame> StackOf(uint32_t site) const;
  const SiteFunction& function(uint32_t id) const { return functions_[id]; }
  size_t function_count() const { return functions_.size(); }

  // --- gc::WeakTable: of prototypes, which never move
  // ---------------------------------------------
  void SettleYoung(Fates& fates) override;
  void SettleAll(Fates& fates) override;
  void ForEach(const std::function<void(gc::Word word, bool listed_young)>& visit) override;

 private:
  struct Node {
    uint32_t caller;
    CallFrame frame;
  };

  // A native function that no script called or named: how the host calls scripts. Not in stacks.
  static constexpr uint32_t kHostFunction = UINT32_MAX;

  uint32_t FunctionAt(const Coroutine* co, uint32_t index);
  uint32_t AddFunction(const Coroutine* co, uint32_t index);
  uint32_t NodeFor(uint32_t caller, CallFrame frame);

  State& state_;
  std::vector<SiteFunction> functions_;
  absl::flat_hash_map<std::string, uint32_t> functions_by_text_;
  std::vector<Node> nodes_;
  absl::flat_hash_map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> node_of_;
  absl::flat_hash_map<uint64_t, uint32_t> native_functions_;  // address of code -> function
  absl::flat_hash_map<gc::Word, uint32_t> prototypes_;        // -> function
  std::vector<gc::Word> young_;                               // of prototypes_
  std::vector<CallFrame> frames_;                             // scratch of Here
};

}  // namespace neap::vm

#endif  // NEAP_VM_PROFILE_CALL_SITES_H_
