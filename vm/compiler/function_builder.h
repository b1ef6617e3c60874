// SPDX-License-Identifier: MIT
//
// A CodeUnit in the making: instructions with their lines, jumps that are not resolved yet,
// constants, inline caches, registers and the names of locals. It knows nothing of the syntax but
// what a local and a literal are; what code a construct becomes is the Generator's business.
//
//   B1  Registers 0 .. local_slots()-1 belong to visible locals, local_slots() .. free()-1 are
//       temporaries in use, all above is free. Temporaries are taken and given back as a stack.
//   B2  Between two statements there are no temporaries.
//   B3  A jump in a JumpList has no distance yet; each list is patched exactly once.
#ifndef NEAP_VM_COMPILER_FUNCTION_BUILDER_H_
#define NEAP_VM_COMPILER_FUNCTION_BUILDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ast.h"
#include "code_unit.h"

namespace neap::vm {

using Register = int;
inline constexpr Register kNoRegister = -1;

using JumpList = std::vector<uint32_t>;  // instructions

// Thrown inside this folder only; GenerateCode() makes a status of it.
struct CodeLimitError {
  std::string message;
};

class FunctionBuilder {
 public:
  FunctionBuilder(const Function& function, std::string_view chunk_name);

  // --- Code ---
  uint32_t here() const { return static_cast<uint32_t>(unit_->code.size()); }
  void Emit(uint32_t line, Op op, int a = 0, int b = 0, int c = 0, int d = 0);
  void EmitWide(uint32_t line, Op op, int a, int b, uint32_t x);
  void EmitJump(uint32_t line, Op op, int a, int b, JumpList& list);
  // To an instruction that is there already.
  void EmitJumpBack(uint32_t line, Op op, int a, int b, uint32_t target);
  void PatchTo(JumpList& list, uint32_t target);
  void PatchHere(JumpList& list) { PatchTo(list, here()); }
  // The last instruction is a call of all results: they become those of the function.
  void TurnIntoTailCall();
  // For messages about limits.
  void set_line(uint32_t line) { line_ = line; }

  // --- Registers ---
  Register free() const { return free_; }
  Register local_slots() const { return local_slots_; }
  bool IsTemporary(Register r) const { return r >= local_slots_; }
  bool IsTopmost(Register r) const { return r == free_ - 1; }
  Register Reserve(int count = 1);
  void Release(Register mark) { free_ = mark; }  // `mark` is the first register free again
  // Says that `count` registers from `first` on are written to, without reserving them.
  void Touch(Register first, int count);

  // --- Constants and caches ---
  uint32_t Constant(const Literal& literal);
  uint32_t Constant(const Symbol& text);
  // Its index if it fits a 16-bit operand.
  std::optional<int> SmallConstant(const Literal& literal);
  std::optional<int> SmallConstant(const Symbol& text);
  // The first of the cache words of a field instruction, or nothing when none is left.
  std::optional<int> ReserveCache();

  // --- Locals ---
  // The local of the lowest free slot, which holds its value, becomes visible.
  void ShowLocal(const Local& local);
  // A function's own name: the slot is taken before there is a value ...
  void TakeSlot(const Local& local);
  // ... and debuggers see the variable from here on.
  void NameLocal(const Local& local);
  size_t visible_locals() const { return visible_.size(); }
  void HideLocals(size_t kept);
  // Some visible local is captured or to be closed.
  bool has_closing_locals() const { return closing_locals_ > 0; }

  // --- The result ---
  uint32_t AddChild(std::unique_ptr<CodeUnit> child);
  uint32_t AddTemplate(std::vector<uint32_t> keys);
  std::unique_ptr<CodeUnit> Finish();

 private:
  static constexpr uint32_t kMaxSmall = 0xffff;

  struct Visible {
    const Local* local;
    size_t info;  // in unit_->locals
  };
  // Kind and bits of a literal; symbols are unique, so the pointer will do.
  using ConstantKey = std::pair<ExprKind, uint64_t>;

  uint32_t Add(ConstantKey key, vm::Constant value);

  std::unique_ptr<CodeUnit> unit_;
  const std::string_view chunk_name_;
  uint32_t line_ = 0;
  Register free_ = 0;
  Register local_slots_ = 0;
  int closing_locals_ = 0;
  std::vector<Visible> visible_;
  absl::flat_hash_map<ConstantKey, uint32_t> constants_;
};

}  // namespace neap::vm

#endif  // NEAP_VM_COMPILER_FUNCTION_BUILDER_H_
