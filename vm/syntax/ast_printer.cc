// SPDX-License-Identifier: MIT
//
// Printing a node means replacing it by the pieces it consists of, text and smaller nodes, on a
// stack of our own: the C++ stack does not grow with the depth of the tree (A5 in ast.h).
#include "ast_printer.h"

#include <vector>

#include "quoted_text.h"
#include "text/concat.h"
#include "text/number.h"

namespace neap::vm {
namespace {

constexpr std::string_view kBinaryNames[] = {
#define NEAP_VM_TEXT(name, text, left, right) text,
    NEAP_VM_BINARY_OPERATORS(NEAP_VM_TEXT)
#undef NEAP_VM_TEXT
};
constexpr std::string_view kUnaryNames[] = {
#define NEAP_VM_TEXT(name, text) text,
    NEAP_VM_UNARY_OPERATORS(NEAP_VM_TEXT)
#undef NEAP_VM_TEXT
};

std::string RealText(double value) {
  std::string text;
  AppendFloat(value, &text, 17);
  return text;
}

std::string LocalName(const Local& local) {
  if (local.constant != nullptr) return std::string(local.name->view());
  return Concat(local.name->view(), local.is_captured ? "*" : "", "@", local.slot);
}

std::string_view AttributeText(Attribute attribute) {
  switch (attribute) {
    case Attribute::kConst:
      return "<const>";
    case Attribute::kClose:
      return "<close>";
    case Attribute::kNone:
      break;
  }
  return "";
}

class Printer {
 public:
  std::string Print(const Function& function) {
    Add(function);
    while (!pieces_.empty() || !stack_.empty()) {
      stack_.insert(stack_.end(), pieces_.rbegin(), pieces_.rend());
      pieces_.clear();
      const Piece piece = std::move(stack_.back());
      stack_.pop_back();
      indent_ = piece.indent;
      Expand(piece);
    }
    return std::move(text_);
  }

 private:
  // One of the pointers is set, or none: then it is text.
  struct Piece {
    const Expr* expr = nullptr;
    const Stat* stat = nullptr;
    const Block* block = nullptr;
    int indent = 0;  // of the lines that it starts
    std::string text;
  };

  void Expand(const Piece& piece) {
    if (piece.expr != nullptr) {
      ExpandExpr(*piece.expr);
    } else if (piece.stat != nullptr) {
      ExpandStat(*piece.stat);
    } else if (piece.block != nullptr) {
      for (const Stat* stat : piece.block->statements) {
        AddLine();
        pieces_.push_back({.stat = stat, .indent = indent_});
      }
    } else {
      text_ += piece.text;
    }
  }

  template <typename... Parts>
  void Add(const Parts&... parts) requires(requires(std::string& text) {
    AppendPiece(text, parts);
  } && ...) {
    pieces_.push_back({.indent = indent_, .text = Concat(parts...)});
  }
  void Add(const Expr* expr) { pieces_.push_back({.expr = expr, .indent = indent_}); }
  void Add(const Block& block) { pieces_.push_back({.block = &block, .indent = indent_ + 1}); }
  void AddLine(int more = 0) {
    Add("\n", std::string(2 * static_cast<size_t>(indent_ + more), ' '));
  }
  void AddOperand(const Expr* expr) {
    Add(" ");
    Add(expr);
  }
  void AddOperands(std::span<Expr* const> exprs) {
    for (const Expr* expr : exprs) AddOperand(expr);
  }
  void AddList(std::span<Expr* const> exprs) {
    Add("(");
    for (size_t i = 0; i < exprs.size(); ++i) {
      if (i > 0) Add(" ");
      Add(exprs[i]);
    }
    Add(")");
  }
  void AddLocals(std::span<Local* const> locals) {
    std::string text = "(";
    for (const Local* local : locals) {
      text +=
          Concat(text.size() > 1 ? " " : "", LocalName(*local), AttributeText(local->attribute));
    }
    Add(text, ")");
  }

  // (function 1-3 (a@0 ...) (^0=_ENV@0)
  //   (return))
  void Add(const Function& function) {
    Add("(function ", function.line, "-", function.last_line, " ");
    std::string names;
    for (size_t i = 0; i < function.parameters; ++i) {
      names += Concat(names.empty() ? "" : " ", LocalName(*function.locals[i]));
    }
    if (function.is_vararg) names += names.empty() ? "..." : " ...";
    Add("(", names, ") (");
    for (size_t i = 0; i < function.upvalues.size(); ++i) {
      const CapturedVariable& upvalue = function.upvalues[i];
      Add(i > 0 ? " " : "", upvalue.name->view(), upvalue.is_parent_local ? "@" : "^",
          upvalue.parent_index);
    }
    Add(")");
    Add(*function.body);
    Add(")");
  }

  void AddLiteral(const Literal& literal) {
    switch (literal.kind) {
      case ExprKind::kNil:
        return Add("nil");
      case ExprKind::kFalse:
        return Add("false");
      case ExprKind::kTrue:
        return Add("true");
      case ExprKind::kInteger:
        return Add(literal.integer);
      case ExprKind::kFloat:
        return Add(RealText(literal.real));
      default:
        return Add(QuotedText(literal.text->view()));
    }
  }

  void AddIndex(const Index& index) {
    if (index.is_global) return Add(As<const Literal>(*index.key).text->view());
    Add("(index");
    AddOperand(index.object);
    AddOperand(index.key);
    Add(")");
  }

  void AddTable(const TableConstructor& table) {
    Add("(table");
    for (const TableItem& item : table.items) {
      if (item.key == nullptr) {
        AddOperand(item.value);
        continue;
      }
      Add(" [");
      Add(item.key);
      Add("]=");
      Add(item.value);
    }
    Add(")");
  }

  void ExpandExpr(const Expr& expr);
  void ExpandStat(const Stat& stat);
  void AddIf(const If& stat);
  void AddNumericFor(const NumericFor& stat);
  void AddGenericFor(const GenericFor& stat);
  void AddJump(const Goto& jump);

  std::string text_;
  int indent_ = 0;
  std::vector<Piece> stack_;   // still to print, the next one last
  std::vector<Piece> pieces_;  // of the node being expanded, in order
};

void Printer::ExpandExpr(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kVararg:
      return Add("...");
    case ExprKind::kFunction:
      return Add(*As<const FunctionExpr>(expr).function);
    case ExprKind::kLocal:
      return Add(LocalName(*As<const LocalRef>(expr).local));
    case ExprKind::kUpvalue:
      return Add(As<const UpvalueRef>(expr).name->view(), "^", As<const UpvalueRef>(expr).index);
    case ExprKind::kIndex:
      return AddIndex(As<const Index>(expr));
    case ExprKind::kCall:
      Add("(call");
      AddOperand(As<const Call>(expr).callee);
      AddOperands(As<const Call>(expr).arguments);
      return Add(")");
    case ExprKind::kMethodCall:
      Add("(method");
      AddOperand(As<const MethodCall>(expr).object);
      Add(" ", As<const MethodCall>(expr).method->view());
      AddOperands(As<const MethodCall>(expr).arguments);
      return Add(")");
    case ExprKind::kUnary:
      Add("(", kUnaryNames[static_cast<size_t>(As<const Unary>(expr).op)]);
      AddOperand(As<const Unary>(expr).operand);
      return Add(")");
    case ExprKind::kBinary:
      Add("(", kBinaryNames[static_cast<size_t>(As<const Binary>(expr).op)]);
      AddOperand(As<const Binary>(expr).left);
      AddOperand(As<const Binary>(expr).right);
      return Add(")");
    case ExprKind::kTable:
      return AddTable(As<const TableConstructor>(expr));
    case ExprKind::kParen:
      Add("(paren");
      AddOperand(As<const Paren>(expr).inner);
      return Add(")");
    default:
      return AddLiteral(As<const Literal>(expr));
  }
}

void Printer::AddIf(const If& stat) {
  Add("(if");
  for (const IfClause& clause : stat.clauses) {
    if (&clause != stat.clauses.data()) {
      AddLine();
      Add("elseif");
    }
    AddOperand(clause.condition);
    Add(*clause.body);
  }
  if (stat.otherwise != nullptr) {
    AddLine();
    Add("else");
    Add(*stat.otherwise);
  }
  Add(")");
}

void Printer::AddNumericFor(const NumericFor& stat) {
  Add("(for ", LocalName(*stat.variable));
  AddOperand(stat.start);
  AddOperand(stat.limit);
  if (stat.step != nullptr) AddOperand(stat.step);
  Add(*stat.body);
  Add(")");
}

void Printer::AddGenericFor(const GenericFor& stat) {
  Add("(for-in ");
  AddLocals(stat.variables);
  Add(" ");
  AddList(stat.values);
  Add(*stat.body);
  Add(")");
}

void Printer::AddJump(const Goto& jump) {
  const std::string_view closing = NeedsClose(jump) ? " closing" : "";
  if (jump.name->keyword != 0) return Add("(break", closing, ")");
  Add("(goto ", jump.name->view(), ":", jump.target->id, closing, ")");
}

void Printer::ExpandStat(const Stat& stat) {
  switch (stat.kind) {
    case StatKind::kLocal:
      Add("(local ");
      AddLocals(As<const LocalStat>(stat).locals);
      AddOperands(As<const LocalStat>(stat).values);
      return Add(")");
    case StatKind::kLocalFunction:
      Add("(local-function ", LocalName(*As<const LocalFunction>(stat).local), " ");
      Add(*As<const LocalFunction>(stat).function);
      return Add(")");
    case StatKind::kAssign:
      Add("(set ");
      AddList(As<const Assign>(stat).targets);
      AddOperands(As<const Assign>(stat).values);
      return Add(")");
    case StatKind::kCall:
      return Add(As<const CallStat>(stat).call);
    case StatKind::kDo:
      Add(As<const Do>(stat).body->needs_close ? "(do closing" : "(do");
      Add(*As<const Do>(stat).body);
      return Add(")");
    case StatKind::kIf:
      return AddIf(As<const If>(stat));
    case StatKind::kWhile:
      Add("(while");
      AddOperand(As<const While>(stat).condition);
      Add(*As<const While>(stat).body);
      return Add(")");
    case StatKind::kRepeat:
      Add("(repeat");
      Add(*As<const Repeat>(stat).body);
      AddLine();
      Add("until");
      AddOperand(As<const Repeat>(stat).condition);
      return Add(")");
    case StatKind::kNumericFor:
      return AddNumericFor(As<const NumericFor>(stat));
    case StatKind::kGenericFor:
      return AddGenericFor(As<const GenericFor>(stat));
    case StatKind::kReturn:
      Add(As<const Return>(stat).is_tail_call ? "(tail-return" : "(return");
      AddOperands(As<const Return>(stat).values);
      return Add(")");
    case StatKind::kGoto:
      return AddJump(As<const Goto>(stat));
    case StatKind::kLabel:
      return Add("(label ", As<const Label>(stat).name->view(), ":", As<const Label>(stat).id, ")");
  }
}

}  // namespace

std::string PrintFunction(const Function& function) { return Printer().Print(function); }

}  // namespace neap::vm
