// SPDX-License-Identifier: MIT
//
// Lua programs that run: valid for neap and for the reference implementation 5.4, ending, and
// printing the same whoever runs them. Bytes steer the choices (choices.h).
//
//   W1  They end: every round of a loop and every call of a function takes from a tank of fuel
//       (`spin`, `enter`), and an empty one raises an error each time it is asked.
//   W2  Nothing of an implementation is printed: no addresses, no order of pairs() but sorted, no
//       length of a table with holes, no sign of a nan; calls nest less deep than 200 C levels.
//   W3  What depends on collections is printed only after a full one, when it no longer does.
//
// Most operands have the type that is asked for; one in twenty has any, so that errors happen, with
// their messages. Names are few, so that locals shadow and closures capture.
#ifndef NEAP_TESTS_PROGRAMS_PROGRAM_WRITER_H_
#define NEAP_TESTS_PROGRAMS_PROGRAM_WRITER_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "programs/choices.h"

namespace neap::testing {

class ProgramWriter {
 public:
  explicit ProgramWriter(Choices& choices) : choices_(choices) {}

  // Once.
  std::string Program();

 private:
  enum class Kind { kNumber, kString, kList, kRecord, kObject, kFunction, kGenerator };
  struct Variable {
    std::string name;
    Kind kind;
    bool is_constant;
  };
  using Texts = std::initializer_list<std::string_view>;

  // --- program_writer.cc: variables and statements -----------------------------------------------
  // Appends the parts and ends the line.
  void Line(Texts parts);
  std::string Pick(Texts texts) { return std::string(texts.begin()[choices_.Below(texts.size())]); }
  std::string NewName();
  void Declare(const std::string& name, Kind kind, bool is_constant = false) {
    variables_.push_back({name, kind, is_constant});
  }
  // A visible one; empty when there is none.
  std::string Find(Kind kind, bool to_assign = false);

  void Block(size_t most);
  void LoopBody(size_t most);
  void Statement();
  void SimpleStatement();
  void LocalStatement();
  void Assignment();
  void Print();
  void If();
  void NumericFor();
  void GenericFor();
  void While();
  void Goto();
  void Closures();
  void Try();
  void Raise();
  void FunctionStatement();
  // Parameters (numbers), body and end; the name of the function is written already.
  void FunctionBody(int parameters);

  // --- write_expressions.cc ----------------------------------------------------------------------
  std::string Number(int depth);
  std::string NumberLeaf();
  std::string NumberCall(int depth);
  std::string String(int depth);
  std::string StringLeaf();
  std::string StringCall(int depth);
  std::string Condition(int depth);
  std::string Any(int depth);
  std::string Wild();
  std::string Small();  // an integer literal, 0 to 9
  std::string Call(int depth);

  // --- write_objects.cc: statements about tables, metatables, coroutines, the collector ----------
  void ListStatement();
  void RecordStatement();
  void ObjectStatement();
  void NewObject();
  void Metamethod(std::string_view event);
  void GeneratorStatement();
  void NewGenerator();
  void CloseStatement();
  void CollectStatement();
  void TextStatement();
  void PackStatement();
  void LoadStatement();
  std::string List();
  std::string Record();

  Choices& choices_;
  std::string text_;
  std::vector<Variable> variables_;
  int depth_ = 0;      // of blocks
  int loops_ = 0;      // around, in this function
  int functions_ = 0;  // around
  bool has_varargs_ = true;
  bool is_generator_ = false;  // yields, in this function
  int statements_ = 0;
  int labels_ = 0;
};

// The program of a seed.
std::string ProgramOfSeed(uint64_t seed);

}  // namespace neap::testing

#endif  // NEAP_TESTS_PROGRAMS_PROGRAM_WRITER_H_
