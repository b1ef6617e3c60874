// SPDX-License-Identifier: MIT
//
// Binary chunks: what is written can be read, and nothing else can (B1 to B3 of binary_chunk.cc).
#include "interpreter/binary_chunk.h"

#include <doctest/doctest.h>

#include "compiler/lister.h"
#include "compiler/opcode.h"
#include "programs.h"
#include "support/random.h"
#include "vm/script_fixture.h"

namespace neap::testing {
namespace {

using vm::IsBinaryChunk;
using vm::ReadBinaryChunk;

constexpr size_t kHeaderBytes = 31;

// What the reference implementation 5.4 writes in front of everything.
const std::string kHeader = std::string("\x1bLua\x54\0\x19\x93\r\n\x1a\n\x04\x08\x08", 15) +
                            std::string("\x78\x56\0\0\0\0\0\0", 8) +
                            std::string("\0\0\0\0\0\x28\x77\x40", 8);

// string.dump of a function made from `text`.
std::string Dump(ScriptState& lua, const std::string& text, bool strip = false) {
  const std::string strips = strip ? "true" : "false";
  const std::string error =
      lua.Run("dumped = string.dump(assert(load([==[" + text + "]==], '@p.lua')), " + strips + ")");
  REQUIRE(error == "");
  return lua.Text("dumped");
}

std::string Refusal(const std::string& chunk, const std::string& name = "=chunk") {
  const auto unit = ReadBinaryChunk(chunk, name);
  return unit.ok() ? "" : std::string(unit.status().message());
}

bool Has(const std::string& text, const char* part) { return text.find(part) != text.npos; }

TEST_CASE("the header is that of the reference implementation, then the number of upvalues") {
  ScriptState lua;
  const std::string chunk = Dump(lua, "return x");
  CHECK(chunk.substr(0, kHeaderBytes) == kHeader);
  CHECK(chunk[kHeaderBytes] == 1);
  CHECK(IsBinaryChunk(chunk));
  CHECK(IsBinaryChunk("\x1b"));
  CHECK_FALSE(IsBinaryChunk(""));
  CHECK_FALSE(IsBinaryChunk("return 1"));
}

TEST_CASE("a program comes back as it was") {
  for (const std::string_view program : kPrograms) {
    INFO(program);
    ScriptState lua;
    const std::string chunk = Dump(lua, std::string(program));
    const auto unit = ReadBinaryChunk(chunk, "=other");
    REQUIRE(unit.ok());
    CHECK((*unit)->source == "@p.lua");
    CHECK(lua.Run("local f = assert(load(dumped, 'x', 'b')) "
                  "assert(string.dump(f) == dumped) again = string.dump(f, true)") == "");
    CHECK(Refusal(lua.Text("again")) == "");
  }
}

TEST_CASE("constants of every kind survive: nan, -0.0, extreme integers, long strings, zeros") {
  ScriptState lua;
  CHECK(lua.Run(R"(
    local f = function()
      return 0.1, -0.0, math.mininteger, math.maxinteger, 1 << 53, "a\0b", ("x"):rep(3), nil, true,
             false, 1e308, -1, 0x7fffffffffffffff, "]] \xff"
    end
    local g = load(string.dump(f), "f", "b")
    local a, b = table.pack(f()), table.pack(g())
    assert(a.n == b.n)
    for i = 1, a.n do assert(a[i] == b[i] and math.type(a[i]) == math.type(b[i]), i) end
    assert(1 / b[2] == -math.huge))") == "");
}

TEST_CASE("a stripped chunk has no lines, no names and the source =?") {
  ScriptState lua;
  const char* program = "local a, b = 1, x  local function f() return a .. b end  return f";
  const std::string full = Dump(lua, program), bare = Dump(lua, program, true);
  CHECK(bare.size() < full.size());
  CHECK_FALSE(Has(bare, "p.lua"));
  CHECK_FALSE(Has(bare, "_ENV"));
  CHECK(lua.Run(R"lua(
    local f = load(dumped)
    local info = debug.getinfo(f, "Sl")
    assert(info.source == "=?" and info.short_src == "?" and info.currentline == -1)
    assert(debug.getupvalue(f, 1) == "(no name)")
    local ok, message = pcall(load(string.dump(load("local x; x()"), true)))
    assert(not ok and message:find("^%?:"), message))lua") == "");
}

TEST_CASE("upvalues come without their values; the first is the globals") {
  ScriptState lua;
  CHECK(lua.Run(R"(
    local a, b = 1, 2
    local f = load(string.dump(function() a = b; return a end))
    assert(debug.getupvalue(f, 1) == "a" and select(2, debug.getupvalue(f, 1)) == _G)
    assert(debug.getupvalue(f, 2) == "b" and select(2, debug.getupvalue(f, 2)) == nil)
    assert(not pcall(string.dump, print)))") == "");
}

TEST_CASE("a changed byte anywhere is refused") {
  ScriptState lua;
  const std::string chunk = Dump(lua, "local t = {x = 1} for i = 1, 9 do t[i] = i .. 'a' end");
  for (size_t i = 1; i < chunk.size(); ++i) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string damaged = chunk;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      INFO("byte ", i);
      CHECK(Has(Refusal(damaged), "chunk: bad binary format ("));
    }
  }
}

TEST_CASE("a chunk that is cut off anywhere is truncated") {
  ScriptState lua;
  const std::string chunk = Dump(lua, "return function(...) return ... end, 'text'");
  for (size_t bytes = 1; bytes < chunk.size(); ++bytes) {
    INFO(bytes);
    CHECK(Refusal(chunk.substr(0, bytes)) == "chunk: bad binary format (truncated chunk)");
  }
}

TEST_CASE("each part of the header has its own message") {
  ScriptState lua;
  const std::string chunk = Dump(lua, "return");
  struct Part {
    size_t at;
    const char* message;
  };
  for (const Part& part : {Part{1, "not a binary chunk"},
                           {4, "version mismatch"},
                           {5, "format mismatch"},
                           {6, "corrupted chunk"},
                           {12, "Instruction size mismatch"},
                           {13, "lua_Integer size mismatch"},
                           {14, "lua_Number size mismatch"},
                           {15, "integer format mismatch"},
                           {23, "float format mismatch"},
                           {31, "corrupted chunk"},
                           {32, "not made by this program"},
                           {36, "made by another version of this program"}}) {
    std::string damaged = chunk;
    ++damaged[part.at];
    CHECK(Refusal(damaged) == std::string("chunk: bad binary format (") + part.message + ")");
  }
  // The beginning of what luac 5.4 writes: a source of 7 bytes, then numbers.
  const std::string foreign = kHeader + std::string("\x01\x88@a.lua\x80\x80\0\x01\x02\x85", 14);
  CHECK(Has(Refusal(foreign), "not made by this program"));
}

TEST_CASE("the message names the chunk as load's caller named it") {
  CHECK(Refusal("\x1bMua", "@a.lua") == "a.lua: bad binary format (not a binary chunk)");
  CHECK(Refusal("\x1bMua", "=stdin") == "stdin: bad binary format (not a binary chunk)");
  CHECK(Refusal("\x1bMua", "name") == "name: bad binary format (not a binary chunk)");
  CHECK(Refusal("\x1bMua", "\x1bLua...") ==
        "binary string: bad binary format (not a binary chunk)");
}

// The checksum of binary_chunk.cc (B2), to get past it.
void Sign(std::string* chunk) {
  size_t at = kHeaderBytes + 6;
  while ((*chunk)[at++] & 0x80) continue;  // the size, a varint
  uint64_t sum = 0xcbf29ce484222325;
  const auto step = [&](char c) { sum = (sum ^ static_cast<uint8_t>(c)) * 0x100000001b3; };
  step((*chunk)[kHeaderBytes]);
  for (size_t i = at + 8; i < chunk->size(); ++i) step((*chunk)[i]);
  for (size_t i = 0; i < 8; ++i) (*chunk)[at + i] = static_cast<char>(sum >> (8 * i));
}

TEST_CASE("a forged payload is refused or sound, never worse") {
  ScriptState lua;
  const std::string chunk = Dump(lua,
                                 "local a <close> = x for i = 1, 9 do a[i] = {p = i, q = -1.5} end "
                                 "return function(...) a.z = ... return a:m('long text', nil) end");
  std::string same = chunk;
  Sign(&same);
  REQUIRE(same == chunk);
  Random random;
  int refused = 0, rounds = 3000;
  for (int round = 0; round < rounds; ++round) {
    std::string forged = chunk;
    for (uint64_t n = 1 + random.Below(3); n > 0; --n) {
      const size_t at = kHeaderBytes + 16 + random.Below(chunk.size() - kHeaderBytes - 16);
      forged[at] = static_cast<char>(random.Below(256));
    }
    Sign(&forged);
    const auto unit = ReadBinaryChunk(forged, "=forged");
    if (!unit.ok()) ++refused;
    if (unit.ok()) CHECK_FALSE(vm::ListCode(**unit).empty());
  }
  CHECK(refused > rounds / 10);
}

// Runs it with one instruction changed: the first `from`, found by its operation and register.
std::string RunForged(const char* text, const std::string& from, const std::string& to) {
  ScriptState lua;
  std::string chunk = Dump(lua, text);
  const size_t at = chunk.find(from, kHeaderBytes);
  REQUIRE(at != chunk.npos);
  chunk.replace(at, from.size(), to);
  Sign(&chunk);
  REQUIRE(lua.state.Load(chunk, "=forged", "b"));
  if (lua.state.ProtectedCall(0, 0)) return "";
  const std::string error = vm::State::TextOf(lua.state.FromTop(1));
  lua.state.Pop(1);
  return error;
}

std::string In(vm::Op op, char a, char b) { return {static_cast<char>(op), a, b}; }

TEST_CASE("registers that a forged chunk fills with something else are no crash") {
  CHECK(Has(RunForged("local t = {x, y}", In(vm::Op::kNewTable, 0, 0), In(vm::Op::kLoadTrue, 0, 0)),
            "a list is no table"));
  CHECK(Has(RunForged("for i = 1, 3 do local j = nil end", In(vm::Op::kLoadNil, 4, 1),
                      In(vm::Op::kLoadNil, 1, 1)),
            "the state of a 'for' loop is damaged"));
}

}  // namespace
}  // namespace neap::testing
