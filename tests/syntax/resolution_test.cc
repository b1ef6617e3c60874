// SPDX-License-Identifier: MIT
//
// What the resolver says about functions, their locals and upvalues, against the listing of the
// reference compiler (`luac5.4 -l -l`). Both are brought to one text:
//
//   function 2-4 params 1 ... functions 0 locals x y upvalues a@0 b^1
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "ast.h"
#include "doctest/doctest.h"
#include "parser.h"
#include "program_generator.h"
#include "reference_lua.h"
#include "support/random.h"

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
  for (const vm::Upvalue& upvalue : function.upvalues) {
    out << " " << upvalue.name->view() << (upvalue.is_parent_local ? "@" : "^")
        << int{upvalue.parent_index};
  }
  out << "\n";
  for (const Function* inner : function.functions) Describe(*inner, out);
}

std::string DescribeListing(const std::string& listing) {
  static const std::regex kHeader(R"((?:main|function) <.*:(\d+),(\d+)> \(.*)");
  static const std::regex kCounts(R"((\d+)(\+?) params?, .* (\d+) functions?)");
  static const std::regex kLocal(R"(\t\d+\t(.*)\t\d+\t\d+)");
  static const std::regex kUpvalue(R"(\t\d+\t(.*)\t(\d+)\t(\d+))");
  std::istringstream lines(listing);
  std::ostringstream out;
  bool in_locals = false;
  bool in_upvalues = false;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, kHeader)) {
      out << "function " << match[1] << "-" << match[2];
      in_upvalues = false;
    } else if (std::regex_match(line, match, kCounts)) {
      out << " params " << match[1] << (match[2].length() > 0 ? " ..." : "") << " functions "
          << match[3];
    } else if (line.starts_with("locals (")) {
      out << " locals";
      in_locals = true;
    } else if (line.starts_with("upvalues (")) {
      out << " upvalues";
      in_locals = false;
      in_upvalues = true;
    } else if (in_locals && std::regex_match(line, match, kLocal)) {
      out << " " << match[1];
    } else if (in_upvalues && std::regex_match(line, match, kUpvalue)) {
      out << " " << match[1] << (match[2] == "1" ? "@" : "^") << match[3];
    } else if (in_upvalues && line.empty()) {
      out << "\n";
    }
  }
  std::string text = out.str();
  if (!text.ends_with("\n")) text += "\n";
  return text;
}

TEST_SUITE_BEGIN("syntax");

TEST_CASE("locals and upvalues of random programs are those of the reference compiler") {
  const ReferenceCompiler compiler;
  if (!compiler.is_installed()) return;
  Random random;
  ProgramGenerator generator(random);
  int compared = 0;
  for (int i = 0; i < 600; ++i) {
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
  CHECK(compared > 200);
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
