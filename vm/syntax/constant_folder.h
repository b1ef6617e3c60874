// SPDX-License-Identifier: MIT
//
// What is computed at compile time. A compile-time constant (a local with <const> whose value is
// known) takes no slot and no upvalue, so it is visible to debuggers and to the limits of a
// function what is folded and what is not: the rules are those of the reference implementation.
//
//   - Arithmetic and bitwise operators of two numerals, unless the operation would raise an error
//     (an operand without an integer value, a division by zero of any kind), or gives NaN or a
//     float zero: 0.0 and -0.0 are equal as constants, and one would stand for the other.
//   - `not` of any constant; `and`, `or` of two constants when the result is the second one.
//   - Not comparisons, not concatenation, not the length of a string.
//
// Operands are not reordered: `x + 1 + 2` holds two additions.
#ifndef NEAP_VM_SYNTAX_CONSTANT_FOLDER_H_
#define NEAP_VM_SYNTAX_CONSTANT_FOLDER_H_

#include "ast.h"
#include "syntax_arena.h"

namespace neap::vm {

bool IsLiteral(const Expr& expr);

// The literal that the operation gives, or null when it stays as it is.
Literal* FoldUnary(SyntaxArena& arena, UnaryOp op, const Expr& operand);
Literal* FoldBinary(SyntaxArena& arena, BinaryOp op, const Expr& left, const Expr& right);

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_CONSTANT_FOLDER_H_
