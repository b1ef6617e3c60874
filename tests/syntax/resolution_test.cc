// SPDX-License-Identifier: MIT
//
// What the resolver says about functions, their locals and upvalues, against the listing of the
// reference compiler (`luac5.4 -l -l`). Both are brought to one text:
//
//   function 2-4 params 1 ... functions 0 locals x y upvalues a@0 b^1
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "ast.h"
#include "doctest/doctest.h"
#include "parser.h"
#include "program_generator.h"
#include "support/random.h"
#include "support/reference_lua.h"

namespace neap::testing {
namespace {

using vm::Function;
using vm::Local;

// The names of locals as a debugger sees them, which knows nothing of compile-time constants.
void Describe(const Function& function, std::ostream& out) {
  out << "function " << function.line << "-" << (function.line == 0 ? 0 : function.last_line)
      << " params " << int{function.parameters} << (function.is_vararg ? " ..." : "")
      << " functions " << function.functions.size() << " locals";
  for (const Local* local : function.locals) {
    if (local->constant == nullptr) out << " " << local->name->view();
  }
  out << " upvalues";
  for (const vm::CapturedVariable& upvalue : function.upvalues) {
    out << " " << upvalue.name->view() << (upvalue.is_parent_local ? "@" : "^")
        << int{upvalue.parent_index};
  }
  out << "\n";
  for (const Function* inner : function.functions) Describe(*inner, out);
}

// The fields of a line of a list, which are separated (and preceded) by tabs.
std::vector<std::string> Fields(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream rest(line.substr(std::min<size_t>(line.size(), 1)));
  for (std::string field; std::getline(rest, field, '\t');) fields.push_back(field);
  return fields;
}

// "main <FILE:0,0> (...", "function <FILE:2,4> (..."
std::string LinesOf(const std::string& header) {
  const size_t begin = header.rfind(':') + 1;
  std::string lines = header.substr(begin, header.rfind('>') - begin);
  std::replace(lines.begin(), lines.end(), ',', '-');
  return lines;
}

// "1+ param, 5 slots, 2 upvalues, 1 local, 0 constants, 0 functions"
std::string CountsOf(const std::string& line) {
  const std::string first = line.substr(0, line.find(' '));
  const size_t last = line.rfind(", ") + 2;
  const bool is_vararg = first.ends_with('+');
  return " params " + first.substr(0, first.size() - (is_vararg ? 1 : 0)) +
         (is_vararg ? " ..." : "") + " functions " + line.substr(last, line.find(' ', last) - last);
}

std::string DescribeListing(const std::string& listing) {
  enum class List { kOther, kLocals, kUpvalues } list = List::kOther;
  std::istringstream lines(listing);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const bool is_item = line.starts_with('\t');
    if (line.starts_with("main <") || line.starts_with("function <")) {
      text += std::string(text.empty() ? "" : "\n") + "function " + LinesOf(line);
      list = List::kOther;
    } else if (line.find(" slots, ") != std::string::npos && !is_item) {
      text += CountsOf(line);
    } else if (line.starts_with("locals (")) {
      text += " locals";
      list = List::kLocals;
    } else if (line.starts_with("upvalues (")) {
      text += " upvalues";
      list = List::kUpvalues;
    } else if (is_item && list == List::kLocals) {
      text += " " + Fields(line).at(1);
    } else if (is_item && list == List::kUpvalues) {
      const std::vector<std::string> fields = Fields(line);
      text += " " + fields.at(1) + (fields.at(2) == "1" ? "@" : "^") + fields.at(3);
    }
  }
  return text + "\n";
}

TEST_SUITE_BEGIN("syntax");

TEST_CASE("locals and upvalues of random programs are those of the reference compiler") {
  const ReferenceCompiler compiler;
  if (!compiler.is_installed()) return;
  Random random;
  ProgramGenerator generator(random);
  int compared = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string source = generator.Program();
    const auto chunk = vm::Parse(source, "=t");
    if (!chunk.ok()) continue;
    const std::string listing = compiler.List(source);
    if (listing.empty()) continue;  // a limit of the code generator
    std::ostringstream ours;
    Describe((*chunk)->main(), ours);
    CAPTURE(source);
    CHECK(ours.str() == DescribeListing(listing));
    ++compared;
  }
  MESSAGE("compared ", compared);
  CHECK(compared > 100);
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
