// SPDX-License-Identifier: MIT
//
// Random Lua programs as lists of tokens: valid ones from the grammar, and the same after a few
// mutations, which are mostly wrong in one place, as programs of people are. Names are few, so that
// they meet: locals shadow, upvalues are captured, labels clash.
#ifndef NEAP_TESTS_SYNTAX_PROGRAM_GENERATOR_H_
#define NEAP_TESTS_SYNTAX_PROGRAM_GENERATOR_H_

#include <string>
#include <string_view>
#include <vector>

#include "support/random.h"

namespace neap::testing {

class ProgramGenerator {
 public:
  explicit ProgramGenerator(Random& random) : random_(random) {}

  // Grammatical, though it may still assign to a constant or jump to a missing label.
  std::string Program();
  // A program with one to three tokens, or one to three bytes, changed.
  std::string MutatedProgram();

 private:
  using Texts = std::vector<std::string_view>;

  void Emit(std::string_view token) { tokens_.emplace_back(token); }
  void EmitAll(const Texts& tokens);
  std::string_view Pick(const Texts& texts) { return texts[random_.Below(texts.size())]; }
  std::string_view Name();
  std::string Join();

  void Block();
  void Statement();
  void CompoundStatement();
  void LocalStatement();
  void Assignment();
  void Call();
  void FunctionBody();
  void Variable();
  void Suffixed();
  void Expr();
  void ExprList();
  void Operand();
  void Table();
  void MutateTokens();
  void MutateBytes(std::string& text);

  Random& random_;
  std::vector<std::string> tokens_;
  int depth_ = 0;
  bool is_tame_ = false;  // without what is often wrong: attributes, jumps, varargs
};

}  // namespace neap::testing

#endif  // NEAP_TESTS_SYNTAX_PROGRAM_GENERATOR_H_
