// SPDX-License-Identifier: MIT
//
// Functions, blocks and variables; jumps are in scopes_jumps.cc.
#include "scopes.h"

#include <algorithm>

#include "text/concat.h"

namespace neap::vm {

// --- Functions and blocks ------------------------------------------------------------------------

void Scopes::OpenFunction(FunctionScope* scope, Function* function) {
  scope->function = function;
  scope->outer = function_;
  scope->first_label = labels_.size();
  function_ = scope;
  if (scope->outer != nullptr) {
    function->parent = scope->outer->function;
    function->index = static_cast<uint32_t>(scope->outer->functions.size());
    scope->outer->functions.push_back(function);
  } else {
    AddUpvalue(
        *scope,
        {.name = environment_, .variable = nullptr, .is_parent_local = true, .parent_index = 0});
  }
}

void Scopes::CloseFunction() {
  FunctionScope& scope = *function_;
  scope.function->locals = arena_.Copy(std::span<Local* const>(scope.locals));
  scope.function->upvalues = arena_.Copy(std::span<const CapturedVariable>(scope.upvalues));
  scope.function->functions = arena_.Copy(std::span<Function* const>(scope.functions));
  function_ = scope.outer;
}

void Scopes::OpenBlock(BlockScope* scope, Block* block) {
  block->scope = function_->innermost;
  scope->block = block;
  scope->outer = function_->block;
  scope->first_label = labels_.size();
  scope->first_pending = pending_.size();
  scope->is_inside_close = scope->outer != nullptr && scope->outer->is_inside_close;
  function_->block = scope;
}

void Scopes::OpenLoop(BlockScope* scope, Block* block, Label* exit) {
  OpenBlock(scope, block);
  scope->loop_exit = exit;
  exit->scope = function_->innermost;
  exit->id = function_->function->label_count++;
}

void Scopes::CloseBlock() {
  FunctionScope& function = *function_;
  const BlockScope& scope = *function.block;
  while (function.innermost != scope.block->scope) {
    Local* local = function.innermost;
    local->scope_end = lexer_.token().offset;
    if (local->constant == nullptr) --function.slots;
    function.innermost = local->outer;
  }
  labels_.resize(scope.first_label);
  function.function->needs_close |= scope.block->needs_close;
  function.block = scope.outer;
  MovePendingOut(scope);
}

// --- Variables -----------------------------------------------------------------------------------

void Scopes::FailLimit(const FunctionScope& scope, std::string_view what, size_t limit) {
  const uint32_t line = scope.function->line;
  const std::string where = line == 0 ? "main function" : Concat("function at line ", line);
  lexer_.FailNear(Concat("too many ", what, " (limit is ", limit, ") in ", where));
}

Local* Scopes::Declare(const Symbol* name) {
  FunctionScope& scope = *function_;
  if (scope.depth() + scope.declared + 1u > kMaxLocals) {
    FailLimit(scope, "local variables", kMaxLocals);
  }
  ++scope.declared;
  Local* local = arena_.New<Local>(Local{.name = name, .line = lexer_.last_line()});
  local->index = static_cast<uint32_t>(scope.locals.size());
  scope.locals.push_back(local);
  return local;
}

void Scopes::Show(Local* local) {
  FunctionScope& scope = *function_;
  --scope.declared;
  local->depth = static_cast<uint16_t>(scope.depth() + 1);
  local->outer = scope.innermost;
  local->scope_begin = lexer_.token().offset;
  scope.innermost = local;
  if (local->constant == nullptr) {
    local->slot = scope.slots++;
    scope.function->slots = std::max(scope.function->slots, scope.slots);
  }
  if (local->attribute == Attribute::kClose) {
    scope.block->block->needs_close = true;
    scope.block->is_inside_close = true;
  }
}

namespace {

Local* FindVisible(const FunctionScope& scope, const Symbol* name) {
  Local* local = scope.innermost;
  while (local != nullptr && local->name != name) local = local->outer;
  return local;
}

Literal* UseConstant(SyntaxArena& arena, const Literal& value, uint32_t line) {
  Literal* use = arena.New<Literal>(value);
  use->line = line;
  return use;
}

}  // namespace

void Scopes::MarkCaptured(FunctionScope& scope, Local* local) {
  local->is_captured = true;
  BlockScope* block = scope.block;
  const auto starts_behind = [local](const BlockScope& inner) {
    return inner.block->scope != nullptr && inner.block->scope->depth >= local->depth;
  };
  while (starts_behind(*block)) block = block->outer;
  block->block->needs_close = true;
}

int Scopes::AddUpvalue(FunctionScope& scope, const CapturedVariable& upvalue) {
  if (scope.upvalues.size() + 1 > kMaxUpvalues) FailLimit(scope, "upvalues", kMaxUpvalues);
  scope.upvalues.push_back(upvalue);
  return static_cast<int>(scope.upvalues.size() - 1);
}

// From the inside out in search of the variable, then back, adding it to the list of each function
// in between. The depth of the recursion is that of the nesting of functions.
int Scopes::FindUpvalue(FunctionScope& scope, const Symbol* name, const Literal** constant) {
  const auto known =
      std::find_if(scope.upvalues.begin(), scope.upvalues.end(),
                   [name](const CapturedVariable& upvalue) { return upvalue.name == name; });
  if (known != scope.upvalues.end()) return static_cast<int>(known - scope.upvalues.begin());
  if (scope.outer == nullptr) return -1;
  FunctionScope& parent = *scope.outer;
  if (Local* local = FindVisible(parent, name)) {
    if (local->constant != nullptr) {
      *constant = local->constant;
      return -1;
    }
    MarkCaptured(parent, local);
    return AddUpvalue(scope, {.name = name,
                              .variable = local,
                              .is_parent_local = true,
                              .parent_index = static_cast<uint8_t>(local->slot)});
  }
  const int index = FindUpvalue(parent, name, constant);
  if (index < 0) return index;
  CapturedVariable upvalue = parent.upvalues[static_cast<size_t>(index)];
  upvalue.is_parent_local = false;
  upvalue.parent_index = static_cast<uint8_t>(index);
  return AddUpvalue(scope, upvalue);
}

// Null: no variable in sight has this name.
Expr* Scopes::ResolveVariable(const Symbol* name, uint32_t line) {
  if (Local* local = FindVisible(*function_, name)) {
    if (local->constant != nullptr) return UseConstant(arena_, *local->constant, line);
    LocalRef* ref = arena_.New<LocalRef>();
    ref->kind = ExprKind::kLocal;
    ref->line = line;
    ref->local = local;
    return ref;
  }
  const Literal* constant = nullptr;
  const int index = FindUpvalue(*function_, name, &constant);
  if (constant != nullptr) return UseConstant(arena_, *constant, line);
  if (index < 0) return nullptr;
  UpvalueRef* ref = arena_.New<UpvalueRef>();
  ref->kind = ExprKind::kUpvalue;
  ref->line = line;
  ref->index = static_cast<uint8_t>(index);
  ref->variable = function_->upvalues[static_cast<size_t>(index)].variable;
  ref->name = name;
  return ref;
}

Expr* Scopes::Resolve(const Symbol* name, uint32_t line) {
  if (Expr* variable = ResolveVariable(name, line)) return variable;
  Index* global = arena_.New<Index>();
  global->kind = ExprKind::kIndex;
  global->line = line;
  global->object = ResolveVariable(environment_, line);
  Literal* key = arena_.New<Literal>();
  key->kind = ExprKind::kString;
  key->line = line;
  key->text = name;
  global->key = key;
  global->is_global = true;
  return global;
}

}  // namespace neap::vm
