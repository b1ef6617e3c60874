// SPDX-License-Identifier: MIT
//
// The reference implementation as an oracle: a program `lua5.4` (Debian: lua5.4) that runs a script
// of ours on a file of cases. NEAP_REFERENCE_LUA names another one. Nothing of it is linked. To be
// used inside a test case.
//
//   ReferenceLua lua;
//   if (!lua.is_installed()) return;   // a message of the test case says so
//   std::string answers = lua.Run("for line in io.lines(arg[1]) do print(#line) end", "a\nbc\n");
#ifndef NEAP_TESTS_SUPPORT_REFERENCE_LUA_H_
#define NEAP_TESTS_SUPPORT_REFERENCE_LUA_H_

#include <string>
#include <string_view>

namespace neap::testing {

class ReferenceLua {
 public:
  ReferenceLua();

  bool is_installed() const { return release_ >= 0; }
  int release() const { return release_; }
  // Runs a script with one argument, the name of a file with this input; gives what it prints.
  std::string Run(std::string_view script, std::string_view input) const;

 private:
  std::string program_;
  int release_ = -1;  // 8 of 5.4.8; -1: there is no program
};

// Its compiler, which lists what it made of a chunk: `luac5.4`, or NEAP_REFERENCE_LUAC.
class ReferenceCompiler {
 public:
  ReferenceCompiler();

  bool is_installed() const { return is_installed_; }
  std::string List(std::string_view source) const;  // "" when it does not compile

 private:
  std::string program_;
  bool is_installed_ = false;
};

}  // namespace neap::testing

#endif  // NEAP_TESTS_SUPPORT_REFERENCE_LUA_H_
