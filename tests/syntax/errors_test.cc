// SPDX-License-Identifier: MIT
#include "ast_printer.h"
#include "doctest/doctest.h"
#include "parser.h"
#include <fstream>
#include <iostream>
#include <sstream>

TEST_CASE("x") {
  std::ifstream in(getenv("F"));
  std::stringstream s; s << in.rdbuf();
  auto c = neap::vm::Parse(s.str(), "@x.lua");
  if (c.ok()) std::cout << neap::vm::PrintFunction((*c)->main()) << "\n";
  else std::cout << c.status().message() << "\n";
}
