// SPDX-License-Identifier: MIT
#include <algorithm>

#include "scopes.h"
#include "syntax_error.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

uint16_t DepthOf(const Local* local) { return local != nullptr ? local->depth : 0; }

// The exit of the innermost loop around the block, or null.
Label* LoopExit(const BlockScope* block) {
  while (block != nullptr && block->loop_exit == nullptr) block = block->outer;
  return block != nullptr ? block->loop_exit : nullptr;
}

void CheckCount(size_t count, size_t limit) {
  if (count < limit) return;
  throw SyntaxError{SyntaxError::Kind::kTooLarge,
                    Concat("too many labels/gotos (limit is ", limit, ")")};
}

}  // namespace

Label* Scopes::FindLabel(const Symbol* name) {
  const auto first = labels_.begin() + static_cast<ptrdiff_t>(function_->first_label);
  const auto found = std::find_if(first, labels_.end(),
                                  [name](const Label* label) { return label->name == name; });
  return found != labels_.end() ? *found : nullptr;
}

void Scopes::Jump(Goto* jump) {
  jump->scope = function_->innermost;
  const bool is_break = jump->name->keyword != 0;  // no label has the name of a reserved word
  jump->target = is_break ? LoopExit(function_->block) : FindLabel(jump->name);
  if (jump->target != nullptr) return;
  CheckCount(pending_.size(), kMaxLabels);
  pending_.push_back({jump, jump->scope});
}

void Scopes::Place(Label* label, bool is_last_in_block) {
  if (const Label* other = FindLabel(label->name)) {
    lexer_.Fail(Concat("label '", label->name->view(), "' already defined on line ", other->line));
  }
  CheckCount(labels_.size(), kMaxLabels);
  label->scope = is_last_in_block ? function_->block->block->scope : function_->innermost;
  label->id = function_->function->label_count++;
  labels_.push_back(label);
  ResolvePending(label);
}

// The pending gotos of the label's block, those moved out of blocks inside it too.
void Scopes::ResolvePending(Label* label) {
  const auto first = pending_.begin() + static_cast<ptrdiff_t>(function_->block->first_pending);
  const auto is_resolved = [&](const Pending& pending) {
    if (pending.jump->name != label->name) return false;
    if (DepthOf(pending.scope) < DepthOf(label->scope)) FailJumpIntoScope(pending, *label);
    pending.jump->target = label;
    return true;
  };
  pending_.erase(std::remove_if(first, pending_.end(), is_resolved), pending_.end());
}

void Scopes::MovePendingOut(const BlockScope& block) {
  for (size_t i = block.first_pending; i < pending_.size(); ++i) {
    if (block.outer == nullptr) FailUndefined(*pending_[i].jump);
    pending_[i].scope = block.block->scope;
  }
}

void Scopes::FailUndefined(const Goto& jump) {
  if (jump.name->keyword != 0) lexer_.Fail(Concat("break outside loop at line ", jump.line));
  lexer_.Fail(Concat("no visible label '", jump.name->view(), "' for <goto> at line ", jump.line));
}

void Scopes::FailJumpIntoScope(const Pending& pending, const Label& label) {
  const Local* entered = label.scope;
  while (entered->depth > DepthOf(pending.scope) + 1) entered = entered->outer;
  lexer_.Fail(Concat("<goto ", pending.jump->name->view(), "> at line ", pending.jump->line,
                     " jumps into the scope of local '", entered->name->view(), "'"));
}

}  // namespace neap::vm
