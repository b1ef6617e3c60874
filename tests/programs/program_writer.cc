// SPDX-License-Identifier: MIT
#include "programs/program_writer.h"

#include <algorithm>
#include <utility>

#include "programs/prelude.h"

namespace neap::testing {
namespace {

constexpr int kMaxStatements = 150;
constexpr int kMaxDepth = 5;
constexpr int kMaxFunctions = 4;
constexpr int kExprDepth = 3;

// Loops of every kind of bound: empty, one round, at the ends of the integers, of floats. A loop
// that would take too long ends with the fuel.
const std::initializer_list<std::string_view> kLoopBounds = {
    "1, 3",
    "3, 1, -1",
    "1, 0",
    "math.maxinteger - 2, math.maxinteger",
    "math.mininteger + 2, math.mininteger, -1",
    "math.maxinteger - 1, math.huge",
    "math.mininteger, math.mininteger + 10, 4",
    "1, 2, 0.25",
    "1.0, 3",
    "-3, 3, 2",
    "10, 1, -4",
    "3, 2.5",
    "1, 3.9",
    "0x1fffffffffffe, 0x2000000000001",
    "-0x2000000000001, -0x1ffffffffffff",
    "9007199254740991, 9007199254740993.0",
    "1, math.huge, 0x4000000000000000",
    "math.mininteger, math.maxinteger, math.maxinteger",
    "-1, -math.huge, math.mininteger",
    "1, 3, 0",
    "'1', 2",
    "1, 0/0",
    "0.1, 0.35, 0.1",
    "1, -1, -0.5",
};

}  // namespace

std::string ProgramOfSeed(uint64_t seed) {
  const std::string bytes = BytesOfSeed(seed);
  Choices choices(bytes);
  return ProgramWriter(choices).Program();
}

std::string ProgramWriter::Program() {
  text_ = kPrelude;
  while (!choices_.is_over() && statements_ < kMaxStatements) {
    // Each in a function of its own: an error ends no more than that, registers do not run out.
    Line({"out(try(function(...)"});
    std::vector<Variable> outer = variables_;
    ++functions_;
    Block(8);
    --functions_;
    variables_ = std::move(outer);
    Line({"end, 1, 'two', nil))"});
  }
  Line({"out(fuel, g, h)"});
  return std::move(text_);
}

void ProgramWriter::Line(Texts parts) {
  for (const std::string_view part : parts) text_ += part;
  text_ += '\n';
}

// --- Variables -----------------------------------------------------------------------------------

std::string ProgramWriter::NewName() {
  return Pick({"a", "b", "c", "d", "e", "i", "k", "n", "p", "q", "s", "t", "x", "y", "z"});
}

std::string ProgramWriter::Find(Kind kind, bool to_assign) {
  std::vector<size_t> found;
  for (size_t i = 0; i < variables_.size(); ++i) {
    const Variable& variable = variables_[i];
    const bool is_shadowed =
        std::any_of(variables_.begin() + static_cast<ptrdiff_t>(i) + 1, variables_.end(),
                    [&](const Variable& later) { return later.name == variable.name; });
    if (variable.kind != kind || is_shadowed || (to_assign && variable.is_constant)) continue;
    found.push_back(i);
  }
  return found.empty() ? "" : variables_[found[choices_.Below(found.size())]].name;
}

// --- Blocks --------------------------------------------------------------------------------------

void ProgramWriter::Block(size_t most) {
  const size_t visible = variables_.size();
  ++depth_;
  for (size_t n = choices_.Below(most) + 1; n > 0; --n) Statement();
  --depth_;
  variables_.resize(visible);
}

void ProgramWriter::LoopBody(size_t most) {
  ++loops_;
  Line({"spin()"});
  Block(most);
  --loops_;
}

void ProgramWriter::Statement() {
  if (choices_.is_over() || ++statements_ > kMaxStatements || depth_ > kMaxDepth) return Print();
  switch (choices_.Below(26)) {
    case 0:
    case 1:
      return Print();
    case 2:
    case 3:
    case 4:
      return LocalStatement();
    case 5:
    case 6:
    case 7:
      return Assignment();
    case 8:
      return If();
    case 9:
    case 10:
      return NumericFor();
    case 11:
      return GenericFor();
    case 12:
      return While();
    case 13:
      return Goto();
    case 14:
      return Closures();
    case 15:
      return Try();
    case 16:
      return FunctionStatement();
    case 17:
      return ListStatement();
    case 18:
      return RecordStatement();
    case 19:
    case 20:
      return ObjectStatement();
    case 21:
      return GeneratorStatement();
    case 22:
      return CloseStatement();
    case 23:
      return CollectStatement();
    case 24:
      return TextStatement();
    default:
      return SimpleStatement();
  }
}

void ProgramWriter::SimpleStatement() {
  switch (choices_.Below(8)) {
    case 0:
      return Line({loops_ > 0 ? "if " + Condition(2) + " then break end" : "spin()"});
    case 1:
      return PackStatement();
    case 2:
      return LoadStatement();
    case 3:
      return Raise();
    case 4:
      if (is_generator_) return Line({"out(coroutine.yield(", Any(2), ", ", Number(2), "))"});
      return Line({"out(coroutine.isyieldable(), select(2, coroutine.running()))"});
    case 5:
      if (functions_ < 2) return Print();
      return Line({"do leave() return ", Any(2), ", ", Any(1), " end"});
    case 6:
      if (functions_ < 2) return Print();
      return Line({"if ", Condition(2), " then leave() return ", Call(2), " end"});
    default:
      Line({"do"});
      Block(4);
      return Line({"end"});
  }
}

// --- Statements ----------------------------------------------------------------------------------

void ProgramWriter::LocalStatement() {
  const std::string name = NewName();
  switch (choices_.Below(8)) {
    case 0:
    case 1:
    case 2:
      Line({"local ", name, " = ", Number(kExprDepth)});
      return Declare(name, Kind::kNumber);
    case 3:
      Line({"local ", name, " = cut(", String(kExprDepth), ")"});
      return Declare(name, Kind::kString);
    case 4:
      Line({"local ", name, " <const> = ", Number(1)});
      return Declare(name, Kind::kNumber, true);
    case 5:
      Line({"local ", name, " = ", List()});
      return Declare(name, Kind::kList);
    case 6:
      Line({"local ", name, " = ", Record()});
      return Declare(name, Kind::kRecord);
    default: {
      const std::string second = name == "w" ? "v" : "w";
      Line({"local ", name, ", ", second, " = ", Number(2), ", ", Call(2)});
      Declare(name, Kind::kNumber);
      return Declare(second, Kind::kNumber);
    }
  }
}

void ProgramWriter::Assignment() {
  const std::string number = Find(Kind::kNumber, true);
  switch (choices_.Below(6)) {
    case 0:
      return Line({Pick({"g", "h"}), " = ", Number(kExprDepth)});
    case 1: {
      const std::string text = Find(Kind::kString, true);
      if (text.empty()) return Print();
      return Line({text, " = cut(", String(kExprDepth), ")"});
    }
    case 2: {
      const std::string record = Find(Kind::kRecord);
      if (record.empty() || number.empty()) return Print();
      return Line({number, ", ", record, ".x, g = ", record, ".y, ", Number(2), ", ", number});
    }
    default:
      if (number.empty()) return Line({"h = ", Number(kExprDepth)});
      return Line({number, " = ", Number(kExprDepth)});
  }
}

void ProgramWriter::Print() {
  switch (choices_.Below(5)) {
    case 0:
      return Line({"out(g, h)"});
    case 1:
      return Line({"out(", Number(kExprDepth), ",\n  ", Any(2), ")"});
    case 2:
      return Line({"out(", String(kExprDepth), ")"});
    case 3:
      return Line({"out(", Condition(kExprDepth), ", ", Number(2), ")"});
    default:
      return Line({"out(", Any(kExprDepth), ", ", Call(2), ")"});
  }
}

void ProgramWriter::If() {
  Line({"if ", Condition(kExprDepth), " then"});
  Block(4);
  if (choices_.OneIn(3)) {
    Line({"elseif ", Condition(2), " then"});
    Block(3);
  }
  if (choices_.OneIn(2)) {
    Line({"else"});
    Block(3);
  }
  Line({"end"});
}

void ProgramWriter::NumericFor() {
  const std::string name = NewName();
  const std::string bounds =
      choices_.OneIn(3) ? Number(1) + ", " + Number(1) + ", " + Number(1) : Pick(kLoopBounds);
  const size_t visible = variables_.size();
  Line({"for ", name, " = ", bounds, " do"});
  // Declared but not found inside before: the variable of a loop may be captured and assigned.
  Declare(name, Kind::kNumber);
  LoopBody(4);
  if (choices_.OneIn(3)) Line({"out(", name, ")"});
  variables_.resize(visible);
  Line({"end"});
}

void ProgramWriter::GenericFor() {
  const std::string list = Find(Kind::kList), record = Find(Kind::kRecord);
  const std::string key = "k", value = "v";
  const size_t visible = variables_.size();
  switch (choices_.Below(6)) {
    case 0:
      Line({"for k, v in ipairs(", list.empty() ? "{4, 5, nil, 7}" : list, ") do"});
      Declare(value, Kind::kNumber);
      break;
    case 1:
      Line({"for k, v in sorted(", record.empty() ? "{x = 1, y = 2}" : record, ") do"});
      Declare(value, Kind::kNumber);
      break;
    case 2:
      Line({"for k, v in string.gmatch(", String(2), ", '(%w)(%w*)') do"});
      Declare(key, Kind::kString);
      Declare(value, Kind::kString);
      break;
    case 3:
      Line({"for k, v in function(s, c) if c < s then return c + 1, c * s end end, ", Small(),
            ", 0, closer('loop') do"});
      Declare(key, Kind::kNumber);
      Declare(value, Kind::kNumber);
      break;
    case 4:
      Line({"for k in coroutine.wrap(function() for j = 1, ", Small(),
            " do coroutine.yield(j * j) end end) do"});
      Declare(key, Kind::kNumber);
      break;
    default:
      Line({"for k, v in ", Any(1), " do"});
      break;
  }
  LoopBody(4);
  variables_.resize(visible);
  Line({"end"});
}

void ProgramWriter::While() {
  if (choices_.OneIn(2)) {
    Line({"while ", Condition(2), " do"});
    LoopBody(4);
    Line({"if spin() or ", Condition(1), " then break end"});
    return Line({"end"});
  }
  Line({"repeat"});
  const size_t visible = variables_.size();
  Line({"local r = ", Number(1)});
  Declare("r", Kind::kNumber);
  Line({"local f = function() r = r + 1 return r end"});
  Line({"do"});
  LoopBody(3);
  Line({"end"});
  Line({"until f() > ", Number(1), " or f() ~= r or ", Condition(1)});
  variables_.resize(visible);
}

void ProgramWriter::Goto() {
  const std::string label = "l" + std::to_string(++labels_);
  switch (choices_.Below(3)) {
    case 0:
      Line({"for i = 1, 3 do"});
      Line({"local j = i"});
      Line({"if ", Condition(2), " then goto ", label, " end"});
      LoopBody(3);
      Line({"out('round', i, j)"});
      Line({"::", label, "::"});
      return Line({"end"});
    case 1:
      Line({"do local n = 0"});
      Line({"::", label, "::"});
      Line({"local m = function() n = n + 1 return n end"});
      Block(2);
      return Line({"if m() < ", Small(), " and not spin() then goto ", label, " end end"});
    default:
      Line({"do do goto ", label, " end"});
      Block(2);
      return Line({"::", label, ":: end"});
  }
}

// Functions made in a loop, each with variables of its own, which share one of the outside.
void ProgramWriter::Closures() {
  Line({"do local fs, shared = {}, ", Number(1)});
  Line({"for i = 1, 3 do"});
  Line({"local own = i * ", Number(1)});
  Line(
      {"fs[i] = function(n) i, own, shared = i + 1, own + n, shared + 1 return i, own, shared "
       "end"});
  if (choices_.OneIn(3)) Line({"if ", Condition(1), " then break end"});
  Line({"end"});
  for (size_t n = choices_.Below(3) + 1; n > 0; --n) {
    Line({"out(fs[", Pick({"1", "2", "3", "#fs"}), "](", Number(1), "))"});
  }
  Line({"end"});
}

void ProgramWriter::Try() {
  if (functions_ >= kMaxFunctions) return Raise();
  const bool traced = choices_.OneIn(3);
  Line({"out(", traced ? "trace" : "try", "(function(...)"});
  const int loops = std::exchange(loops_, 0);
  const bool generates = is_generator_;  // yields go through protected calls
  const bool varargs = std::exchange(has_varargs_, true);
  ++functions_;
  Line({"enter()"});
  Block(4);
  Line({"leave()"});
  --functions_;
  loops_ = loops;
  is_generator_ = generates;
  has_varargs_ = varargs;
  Line({"end, ", Any(1), "))"});
}

void ProgramWriter::Raise() {
  switch (choices_.Below(6)) {
    case 0:
      return Line({"if ", Condition(2), " then error(", String(1), ") end"});
    case 1:
      return Line(
          {"if ", Condition(2), " then error(", Any(1), ", ", Pick({"0", "1", "2"}), ") end"});
    case 2:
      return Line({"out(select('#', assert(", Any(2), ", 'asserted', 3)))"});
    case 3:
      return Line({"out(try(error, ", Any(1), "))"});
    case 4:
      return Line({"out(try(", Any(1), ", ", Any(1), "))"});
    default:
      return Line({"out(try(string.rep, ", Any(1), ", -1, ", Any(1), "))"});
  }
}

void ProgramWriter::FunctionStatement() {
  if (functions_ >= kMaxFunctions) return Print();
  const std::string name = NewName();
  const bool is_recursive = choices_.OneIn(2);
  if (is_recursive) Declare(name, Kind::kFunction);
  text_ += is_recursive ? "local function " + name : "local " + name + " = function";
  FunctionBody(2);
  if (!is_recursive) Declare(name, Kind::kFunction);
  Line({"out(", name, "(", Number(1), ", ", Number(1), "))"});
}

void ProgramWriter::FunctionBody(int parameters) {
  const size_t visible = variables_.size();
  const bool varargs = std::exchange(has_varargs_, choices_.OneIn(2));
  const int loops = std::exchange(loops_, 0);
  const bool generates = std::exchange(is_generator_, false);
  text_ += '(';
  for (int i = 0; i < parameters; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    text_ += i > 0 ? ", " + name : name;
    Declare(name, Kind::kNumber);
  }
  if (has_varargs_) text_ += parameters > 0 ? ", ..." : "...";
  Line({")"});
  ++functions_;
  Line({"enter() do"});
  Block(4);
  Line({"end"});
  const std::string result = choices_.OneIn(4) ? Call(1) : Number(2);
  Line({"leave()\nreturn ", result, has_varargs_ && choices_.OneIn(3) ? ", ..." : ""});
  --functions_;
  has_varargs_ = varargs;
  loops_ = loops;
  is_generator_ = generates;
  variables_.resize(visible);
  Line({"end"});
}

}  // namespace neap::testing
