// SPDX-License-Identifier: MIT
//
// The tree as text, for tests and for people: one statement a line, expressions as s-expressions.
//
//   local a <const>, b = f(1), "x"      (local (a@0<const> b@1) (call f 1) "x")
//   a.b.c = not b                       (set ((index (index a@0 "b") "c")) (not b@1))
//
// A local is printed with its slot (a@0), an upvalue with its number (a^0), a global by its name
// alone. Names of captured locals end in `*`. Constants stand folded. Floats are printed so that
// they read back equal, and never look like integers. Not a format to parse.
#ifndef NEAP_VM_SYNTAX_AST_PRINTER_H_
#define NEAP_VM_SYNTAX_AST_PRINTER_H_

#include <string>

#include "ast.h"

namespace neap::vm {

std::string PrintFunction(const Function& function);

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_AST_PRINTER_H_
