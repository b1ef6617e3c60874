// SPDX-License-Identifier: MIT
//
// The reference implementation as an oracle: a program `lua5.4` (Debian: lua5.4) that loads chunks
// and says what it thinks of them. NEAP_REFERENCE_LUA names another one. It is started once for a
// batch of chunks; nothing of it is linked.
//
//   ReferenceLua lua;
//   if (!lua.is_installed()) return;   // says so on stderr
//   std::vector<std::string> messages = lua.Load(sources);   // "" where the chunk is accepted
#ifndef NEAP_TESTS_SYNTAX_REFERENCE_LUA_H_
#define NEAP_TESTS_SYNTAX_REFERENCE_LUA_H_

#include <string>
#include <string_view>
#include <vector>

namespace neap::testing {

// The name of every chunk that Load loads.
inline constexpr std::string_view kReferenceChunkName = "@chunk.lua";

class ReferenceLua {
 public:
  ReferenceLua();

  bool is_installed() const { return release_ >= 0; }
  // Releases before 5.4.6 give another line where they say what an argument list should close.
  bool has_old_call_lines() const { return release_ < 6; }
  // Runs load() in the main chunk of a script. The texts must not be the same as precompiled code.
  std::vector<std::string> Load(const std::vector<std::string>& sources) const;
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

#endif  // NEAP_TESTS_SYNTAX_REFERENCE_LUA_H_
