// SPDX-License-Identifier: MIT
//
// call_sites.h. A site is asked for at each allocation that is noted, so that what is done for
// every frame is one look-up for its function and one for its node; names are made at first sight.
#include "profile/call_sites.h"

#include <algorithm>

#include "interpreter/debug_info.h"
#include "interpreter/function_code.h"
#include "interpreter/state.h"
#include "text/concat.h"

namespace neap::vm {

CallSites::CallSites(State& state) : state_(state), nodes_(1) { state_.heap().AddWeakTable(this); }

CallSites::~CallSites() { state_.heap().RemoveWeakTable(this); }

uint32_t CallSites::Here() {
  frames_.clear();
  for (const Coroutine* co = state_.running(); co != nullptr; co = co->resumer) {
    for (uint32_t index = co->frame_count; index > 0 && frames_.size() < kMaxFrames; --index) {
      if (!IsFunction(FunctionOf(co, index - 1))) continue;  // the host's frame
      const uint32_t function = FunctionAt(co, index - 1);
      if (function == kHostFunction) continue;
      const int64_t line = CurrentLine(co->frames[index - 1]);
      frames_.push_back({function, line > 0 ? static_cast<uint32_t>(line) : uint32_t{0}});
    }
  }
  uint32_t node = 0;
  for (size_t i = frames_.size(); i > 0; --i) node = NodeFor(node, frames_[i - 1]);
  return node;
}

std::vector<CallFrame> CallSites::StackOf(uint32_t site) const {
  std::vector<CallFrame> stack;
  for (; site != 0; site = nodes_[site].caller) stack.push_back(nodes_[site].frame);
  return stack;
}

uint32_t CallSites::NodeFor(uint32_t caller, CallFrame frame) {
  const auto [it, inserted] = node_of_.try_emplace({caller, frame.function, frame.line},
                                                   static_cast<uint32_t>(nodes_.size()));
  if (inserted) nodes_.push_back({caller, frame});
  return it->second;
}

// --- Functions -----------------------------------------------------------------------------------

uint32_t CallSites::FunctionAt(const Coroutine* co, uint32_t index) {
  const Frame& frame = co->frames[index];
  if (frame.code == nullptr) {
    auto* closure = static_cast<NativeClosure*>(FunctionOf(co, index).object());
    const auto address = reinterpret_cast<uint64_t>(closure->function);
    const auto known = native_functions_.find(address);
    if (known != native_functions_.end()) return known->second;
    return native_functions_[address] = AddFunction(co, index);
  }
  const gc::Word prototype = gc::ToWord(frame.code->owner);
  const auto known = prototypes_.find(prototype);
  if (known != prototypes_.end()) return known->second;
  if (state_.heap().IsYoung(frame.code->owner)) young_.push_back(prototype);
  return prototypes_[prototype] = AddFunction(co, index);
}

uint32_t CallSites::AddFunction(const Coroutine* co, uint32_t index) {
  DebugInfo info;
  DescribeFrame(co, index, &info);
  const bool is_native = *info.what == 'C';
  SiteFunction function = {.name = GlobalFunctionName(state_, FunctionOf(co, index)),
                           .file = info.short_source,
                           .line = static_cast<uint32_t>(std::max<int64_t>(info.line_defined, 0)),
                           .is_native = is_native};
  if (function.name.empty()) function.name = info.name.name;
  if (function.name.empty() && is_native) return kHostFunction;
  if (*info.what == 'm') function.name = "main chunk";
  if (function.name.empty()) {
    function.name = Concat("function at ", function.file, ":", function.line);
  }
  // Chunks that are loaded again and again are one function.
  const auto [it, inserted] = functions_by_text_.try_emplace(
      Concat(function.name, "\n", function.file, "\n", function.line),
      static_cast<uint32_t>(functions_.size()));
  if (inserted) functions_.push_back(std::move(function));
  return it->second;
}

// --- The table of prototypes ---------------------------------------------------------------------

void CallSites::SettleYoung(Fates& fates) {
  std::erase_if(young_, [&](gc::Word word) {
    if (fates.After(word) == 0) {
      prototypes_.erase(word);
      return true;
    }
    return !fates.IsYoung(word);
  });
}

void CallSites::SettleAll(Fates& fates) {
  const auto is_dead = [&](gc::Word word) { return fates.After(word) == 0; };
  std::erase_if(young_, is_dead);
  absl::erase_if(prototypes_, [&](const auto& entry) { return is_dead(entry.first); });
}

void CallSites::ForEach(const std::function<void(gc::Word word, bool listed_young)>& visit) {
  for (const auto& [word, function] : prototypes_) {
    visit(word, std::find(young_.begin(), young_.end(), word) != young_.end());
  }
}

}  // namespace neap::vm
