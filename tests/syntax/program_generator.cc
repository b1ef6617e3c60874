// SPDX-License-Identifier: MIT
#include "program_generator.h"

#include <algorithm>
#include <utility>

namespace neap::testing {
namespace {

constexpr int kMaxDepth = 6;

const std::vector<std::string_view> kNames = {"a", "b", "c", "x", "y", "f", "_ENV", "self"};
const std::vector<std::string_view> kLabels = {"top", "out", "next"};
const std::vector<std::string_view> kOperators = {
    "+",  "-",  "*",  "/",  "//", "%",  "^", "..", "&",   "|", "~",
    "<<", ">>", "==", "~=", "<",  "<=", ">", ">=", "and", "or"};
const std::vector<std::string_view> kLiterals = {"nil",
                                                 "true",
                                                 "false",
                                                 "0",
                                                 "1",
                                                 "7",
                                                 "0x10",
                                                 "1e2",
                                                 ".5",
                                                 "0x.8p1",
                                                 "0xffffffffffffffffff",
                                                 "9223372036854775808",
                                                 "'s'",
                                                 "\"\\n\\x41\\65\\u{20AC}\\z \t\"",
                                                 "[[long\nstring]]",
                                                 "[==[a]]b]==]",
                                                 "'a\\\nb'",
                                                 "0.0",
                                                 "1e308",
                                                 "3.0"};
// What mutations put anywhere: all kinds of tokens, whole and broken.
const std::vector<std::string_view> kStrayTokens = {"and",         "break",
                                                    "do",          "else",
                                                    "elseif",      "end",
                                                    "false",       "for",
                                                    "function",    "goto",
                                                    "if",          "in",
                                                    "local",       "nil",
                                                    "not",         "or",
                                                    "repeat",      "return",
                                                    "then",        "true",
                                                    "until",       "while",
                                                    "+",           "-",
                                                    "*",           "/",
                                                    "//",          "%",
                                                    "^",           "#",
                                                    "&",           "~",
                                                    "|",           "<<",
                                                    ">>",          "==",
                                                    "~=",          "<=",
                                                    ">=",          "<",
                                                    ">",           "=",
                                                    "(",           ")",
                                                    "{",           "}",
                                                    "[",           "]",
                                                    "::",          ";",
                                                    ":",           ",",
                                                    ".",           "..",
                                                    "...",         "a",
                                                    "x",           "1",
                                                    "1.5",         "'s'",
                                                    "\"t\"",       "[[l]]",
                                                    "3x",          "0x",
                                                    "1..2",        "0x1p",
                                                    "1e",          "'open",
                                                    "\"a\\q\"",    "'\\xg'",
                                                    "'\\300'",     "'\\u{110000000}'",
                                                    "'\\u{zz}'",   "'\\u{41'",
                                                    "'\\u41'",     "[=x",
                                                    "[==[",        "--[[",
                                                    "--",          "--[==[ c ]==]",
                                                    "@",           "$",
                                                    "!",           "\\",
                                                    "`",           "?",
                                                    "<const>",     "<close>",
                                                    "<other>",     "::top::",
                                                    "goto out",    "break;",
                                                    "\"\\\r\n\"",  "'a\\z\n\n b'",
                                                    "\r",          "\n\r",
                                                    "\x01",        "\xff",
                                                    "\xe2\x82\xac"};

}  // namespace

std::string_view ProgramGenerator::Name() { return Pick(kNames); }

void ProgramGenerator::EmitAll(const Texts& tokens) {
  for (const std::string_view token : tokens) Emit(token);
}

// --- The grammar ---------------------------------------------------------------------------------

void ProgramGenerator::Block() {
  for (uint64_t n = random_.Below(depth_ < 2 ? 6 : 3); n > 0; --n) Statement();
  if (!random_.OneIn(8)) return;
  Emit("return");
  if (!random_.OneIn(3)) ExprList();
  if (random_.OneIn(3)) Emit(";");
}

void ProgramGenerator::Statement() {
  if (depth_ >= kMaxDepth) return Emit(";");
  ++depth_;
  switch (random_.Below(is_tame_ ? 6 : 12)) {
    case 0:
    case 1:
      Assignment();
      break;
    case 2:
      Call();
      break;
    case 3:
    case 4:
      LocalStatement();
      break;
    case 5:
      CompoundStatement();
      break;
    case 6:
      EmitAll({"::", Pick(kLabels), "::"});
      break;
    case 7:
      random_.OneIn(3) ? Emit("break") : EmitAll({"goto", Pick(kLabels)});
      break;
    default:
      CompoundStatement();
      break;
  }
  --depth_;
}

void ProgramGenerator::CompoundStatement() {
  switch (random_.Below(8)) {
    case 0:
      Emit("do");
      Block();
      return Emit("end");
    case 1:
      Emit("while");
      Expr();
      Emit("do");
      Block();
      return Emit("end");
    case 2:
      Emit("repeat");
      Block();
      Emit("until");
      return Expr();
    case 3:
      Emit("if");
      Expr();
      Emit("then");
      if (!is_tame_ && random_.OneIn(4)) Emit("break");
      Block();
      if (random_.OneIn(3)) {
        Emit("elseif");
        Expr();
        Emit("then");
        Block();
      }
      if (random_.OneIn(2)) {
        Emit("else");
        Block();
      }
      return Emit("end");
    case 4:
      EmitAll({"for", Name(), "="});
      Expr();
      Emit(",");
      Expr();
      if (random_.OneIn(2)) {
        Emit(",");
        Expr();
      }
      Emit("do");
      Block();
      return Emit("end");
    case 5:
      EmitAll({"for", Name()});
      if (random_.OneIn(2)) EmitAll({",", Name()});
      Emit("in");
      ExprList();
      Emit("do");
      Block();
      return Emit("end");
    case 6:
      EmitAll({"function", Name()});
      if (random_.OneIn(3)) EmitAll({".", Name()});
      if (random_.OneIn(4)) EmitAll({":", Name()});
      return FunctionBody();
    default:
      EmitAll({"local", "function", Name()});
      return FunctionBody();
  }
}

void ProgramGenerator::LocalStatement() {
  const Texts attributes = {"<const>", "<const>", "<close>"};
  Emit("local");
  const uint64_t count = random_.Between(1, 3);
  for (uint64_t i = 0; i < count; ++i) {
    if (i > 0) Emit(",");
    Emit(Name());
    if (!is_tame_ && random_.OneIn(3)) Emit(Pick(attributes));
  }
  if (random_.OneIn(4)) return;
  Emit("=");
  ExprList();
}

void ProgramGenerator::Assignment() {
  Variable();
  while (random_.OneIn(4)) {
    Emit(",");
    Variable();
  }
  Emit("=");
  ExprList();
}

void ProgramGenerator::Variable() {
  if (random_.OneIn(2)) return Emit(Name());
  Suffixed();
  if (random_.OneIn(2)) return EmitAll({".", Name()});
  Emit("[");
  Expr();
  Emit("]");
}

void ProgramGenerator::Call() {
  Suffixed();
  if (random_.OneIn(3)) EmitAll({":", Name()});
  switch (random_.Below(6)) {
    case 0:
      return Emit("'s'");
    case 1:
      return Table();
    default:
      Emit("(");
      if (random_.OneIn(2)) ExprList();
      return Emit(")");
  }
}

void ProgramGenerator::Suffixed() {
  if (depth_ < kMaxDepth && random_.OneIn(6)) {
    Emit("(");
    Expr();
    return Emit(")");
  }
  Emit(Name());
  if (random_.OneIn(5)) EmitAll({".", Name()});
}

void ProgramGenerator::FunctionBody() {
  Emit("(");
  const uint64_t count = random_.Below(3);
  for (uint64_t i = 0; i < count; ++i) EmitAll({Name(), ","});
  Emit("...");
  if (!random_.OneIn(3)) {  // without the dots; their uses inside become errors now and then
    tokens_.pop_back();
    if (count > 0) tokens_.pop_back();
  }
  Emit(")");
  Block();
  Emit("end");
}

void ProgramGenerator::ExprList() {
  Expr();
  while (random_.OneIn(4)) {
    Emit(",");
    Expr();
  }
}

void ProgramGenerator::Expr() {
  if (depth_ >= kMaxDepth) return Emit(Pick(kLiterals));
  ++depth_;
  if (random_.OneIn(5)) Emit(Pick({"-", "not", "#", "~"}));
  Operand();
  while (random_.OneIn(3)) {
    Emit(Pick(kOperators));
    Operand();
  }
  --depth_;
}

void ProgramGenerator::Operand() {
  switch (random_.Below(9)) {
    case 0:
    case 1:
      return Emit(Pick(kLiterals));
    case 2:
    case 3:
    case 4:
      return Variable();
    case 5:
      return Call();
    case 6:
      return Table();
    case 7:
      if (!is_tame_ && random_.OneIn(2)) return Emit("...");
      Emit("(");
      Expr();
      return Emit(")");
    default:
      Emit("function");
      return FunctionBody();
  }
}

void ProgramGenerator::Table() {
  Emit("{");
  for (uint64_t n = random_.Below(4); n > 0; --n) {
    if (random_.OneIn(3)) {
      EmitAll({Name(), "="});
    } else if (random_.OneIn(3)) {
      Emit("[");
      Expr();
      EmitAll({"]", "="});
    }
    Expr();
    Emit(random_.OneIn(2) ? "," : ";");
  }
  Emit("}");
}

// --- Text ----------------------------------------------------------------------------------------

std::string ProgramGenerator::Join() {
  std::string text;
  for (const std::string& token : tokens_) {
    text += token;
    text += Pick({" ", " ", " ", "\n", "\t", "\r\n", " --[[ c\n]] ", " -- c\n"});
  }
  return text;
}

std::string ProgramGenerator::Program() {
  tokens_.clear();
  depth_ = 0;
  is_tame_ = random_.OneIn(2);
  for (uint64_t n = random_.Between(1, 6); n > 0; --n) Statement();
  if (random_.OneIn(4)) Block();
  return Join();
}

void ProgramGenerator::MutateTokens() {
  for (uint64_t n = random_.Between(1, 3); n > 0 && !tokens_.empty(); --n) {
    const size_t i = random_.Below(tokens_.size());
    const auto at = tokens_.begin() + static_cast<ptrdiff_t>(i);
    switch (random_.Below(5)) {
      case 0:
        tokens_.erase(at);
        break;
      case 1:
        tokens_.insert(at, std::string(*at));
        break;
      case 2:
        std::swap(*at, tokens_[random_.Below(tokens_.size())]);
        break;
      case 3:
        tokens_.insert(at, std::string(Pick(kStrayTokens)));
        break;
      default:
        *at = Pick(kStrayTokens);
        break;
    }
  }
}

void ProgramGenerator::MutateBytes(std::string& text) {
  for (uint64_t n = random_.Between(1, 3); n > 0 && !text.empty(); --n) {
    const size_t i = random_.Below(text.size());
    const char byte =
        static_cast<char>(random_.OneIn(4) ? random_.Below(256) : random_.Between(' ', '~'));
    switch (random_.Below(4)) {
      case 0:
        text.erase(i, 1);
        break;
      case 1:
        text.insert(i, 1, byte);
        break;
      case 2:
        text[i] = byte;
        break;
      default:
        text.resize(i);
        break;
    }
  }
}

std::string ProgramGenerator::MutatedProgram() {
  Program();
  const bool by_bytes = random_.OneIn(3);
  if (!by_bytes) MutateTokens();
  std::string text = Join();
  if (by_bytes) MutateBytes(text);
  return text;
}

}  // namespace neap::testing
