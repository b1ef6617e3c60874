// SPDX-License-Identifier: MIT
//
// What a library keeps for a state outside the heap: native pools, functions that wait for a cycle.
// It is attached once, found by its key, and destroyed with the state, on the state's thread.
#ifndef NEAP_VM_INTERPRETER_ATTACHMENT_H_
#define NEAP_VM_INTERPRETER_ATTACHMENT_H_

namespace neap::vm {

class State;

class Attachment {
 public:
  virtual ~Attachment() = default;
  // At the first poll after a major cycle, or after State::RequestAttention; where finalizers run,
  // and as one of them. Errors are the attachment's to report (State::CallDeferred).
  virtual void AfterCycle(State& state) = 0;
};

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_ATTACHMENT_H_
