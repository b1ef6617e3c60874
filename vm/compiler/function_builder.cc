// SPDX-License-Identifier: MIT
#include "function_builder.h"

#include <algorithm>
#include <bit>

#include "chunk_id.h"
#include "neap/runtime/check.h"
#include "text/concat.h"

namespace neap::vm {

FunctionBuilder::FunctionBuilder(const Function& function, std::string_view chunk_name)
    : unit_(std::make_unique<CodeUnit>()), chunk_name_(chunk_name), line_(function.line) {
  unit_->line = function.line;
  unit_->last_line = function.last_line;
  unit_->parameters = function.parameters;
  unit_->is_vararg = function.is_vararg;
  for (const vm::CapturedVariable& upvalue : function.upvalues) {
    unit_->upvalues.push_back({.name = std::string(upvalue.name->view()),
                               .is_parent_local = upvalue.is_parent_local,
                               .index = upvalue.parent_index});
  }
}

// --- Code ----------------------------------------------------------------------------------------

void FunctionBuilder::Emit(uint32_t line, Op op, int a, int b, int c, int d) {
  EmitWide(line, op, a, b, static_cast<uint32_t>(c) | static_cast<uint32_t>(d) << 16);
}

void FunctionBuilder::EmitWide(uint32_t line, Op op, int a, int b, uint32_t x) {
  NEAP_DCHECK(a >= 0 && a <= 0xff && b >= 0 && b <= 0xffff, "operands fit an instruction",
              "op=%s a=%d b=%d", OpName(op), a, b);
  Instruction instruction{
      .op = op, .a = static_cast<uint8_t>(a), .b = static_cast<uint16_t>(b), .x = x};
  unit_->code.push_back(instruction);
  unit_->lines.push_back(line);
  line_ = line;
}

void FunctionBuilder::EmitJump(uint32_t line, Op op, int a, int b, JumpList& list) {
  list.push_back(here());
  EmitWide(line, op, a, b, 0);
}

void FunctionBuilder::EmitJumpBack(uint32_t line, Op op, int a, int b, uint32_t target) {
  EmitWide(line, op, a, b, target - (here() + 1));
}

void FunctionBuilder::PatchTo(JumpList& list, uint32_t target) {
  for (const uint32_t jump : list) {
    unit_->code[jump].sx = static_cast<int32_t>(target - (jump + 1));
  }
  list.clear();
}

void FunctionBuilder::TurnIntoTailCall() {
  Instruction& call = unit_->code.back();
  NEAP_DCHECK(call.op == Op::kCall && call.c == 0, "a tail call is an open call", "op=%s",
              OpName(call.op));
  call.op = Op::kTailCall;
  call.c = has_closing_locals() ? 1 : 0;
}

// --- Registers -----------------------------------------------------------------------------------

Register FunctionBuilder::Reserve(int count) {
  const Register first = free_;
  Touch(first, count);
  free_ += count;
  return first;
}

void FunctionBuilder::Touch(Register first, int count) {
  if (first + count > kMaxRegisters) {
    throw CodeLimitError{Concat(ChunkId(chunk_name_), ":", line_,
                                ": function or expression needs too many registers")};
  }
  unit_->registers = std::max(unit_->registers, static_cast<uint8_t>(first + count));
}

// --- Constants and caches ------------------------------------------------------------------------

uint32_t FunctionBuilder::Add(ConstantKey key, vm::Constant value) {
  const auto index = static_cast<uint32_t>(unit_->constants.size());
  const auto [entry, is_new] = constants_.try_emplace(key, index);
  if (is_new) unit_->constants.push_back(std::move(value));
  return entry->second;
}

uint32_t FunctionBuilder::Constant(const Symbol& text) {
  const ConstantKey key(ExprKind::kString, reinterpret_cast<uintptr_t>(&text));
  const auto known = constants_.find(key);
  return known != constants_.end() ? known->second : Add(key, std::string(text.view()));
}

uint32_t FunctionBuilder::Constant(const Literal& literal) {
  switch (literal.kind) {
    case ExprKind::kString:
      return Constant(*literal.text);
    case ExprKind::kInteger:
      return Add({literal.kind, static_cast<uint64_t>(literal.integer)}, literal.integer);
    case ExprKind::kFloat:
      return Add({literal.kind, std::bit_cast<uint64_t>(literal.real)}, literal.real);
    case ExprKind::kNil:
      return Add({literal.kind, 0}, std::monostate());
    default:
      return Add({literal.kind, 0}, literal.kind == ExprKind::kTrue);
  }
}

std::optional<int> FunctionBuilder::SmallConstant(const Symbol& text) {
  const uint32_t index = Constant(text);
  return index <= kMaxSmall ? std::optional<int>(index) : std::nullopt;
}

std::optional<int> FunctionBuilder::SmallConstant(const Literal& literal) {
  const uint32_t index = Constant(literal);
  return index <= kMaxSmall ? std::optional<int>(index) : std::nullopt;
}

std::optional<int> FunctionBuilder::ReserveCache() {
  if (unit_->caches > kMaxSmall) return std::nullopt;
  const int first = static_cast<int>(unit_->caches);
  unit_->caches += kCacheWords;
  return first;
}

// --- Locals --------------------------------------------------------------------------------------

void FunctionBuilder::ShowLocal(const Local& local) {
  TakeSlot(local);
  NameLocal(local);
}

void FunctionBuilder::TakeSlot(const Local& local) {
  NEAP_DCHECK(local.slot == local_slots_, "B1: a local takes the lowest free slot",
              "slot=%d free=%d", static_cast<int>(local.slot), local_slots_);
  ++local_slots_;
  if (free_ < local_slots_) Reserve();
  if (local.is_captured || local.attribute == Attribute::kClose) ++closing_locals_;
}

void FunctionBuilder::NameLocal(const Local& local) {
  visible_.push_back({&local, unit_->locals.size()});
  unit_->locals.push_back({.name = std::string(local.name->view()),
                           .begin = here(),
                           .end = here(),
                           .slot = static_cast<uint8_t>(local.slot)});
}

void FunctionBuilder::HideLocals(size_t kept) {
  while (visible_.size() > kept) {
    const Visible& last = visible_.back();
    unit_->locals[last.info].end = here();
    if (last.local->is_captured || last.local->attribute == Attribute::kClose) --closing_locals_;
    visible_.pop_back();
    --local_slots_;
  }
  free_ = local_slots_;
}

// --- The result ----------------------------------------------------------------------------------

uint32_t FunctionBuilder::AddChild(std::unique_ptr<CodeUnit> child) {
  unit_->children.push_back(std::move(child));
  return static_cast<uint32_t>(unit_->children.size() - 1);
}

uint32_t FunctionBuilder::AddTemplate(std::vector<uint32_t> keys) {
  unit_->templates.push_back({.keys = std::move(keys)});
  return static_cast<uint32_t>(unit_->templates.size() - 1);
}

std::unique_ptr<CodeUnit> FunctionBuilder::Finish() {
  HideLocals(0);
  return std::move(unit_);
}

}  // namespace neap::vm
