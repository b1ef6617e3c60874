// SPDX-License-Identifier: MIT
//
// Cases travel in a file, a line each, every field in hexadecimal behind an 'x'; answers come back
// through a pipe, a line each.
#include "lua_oracle.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "doctest/doctest.h"
#include "support/reference_lua.h"

namespace neap::testing {
namespace {

// In front of the chunk, which becomes the body of the function `chunk`.
constexpr std::string_view kPrelude = R"lua(
local function hex(s) return (s:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end
local function unhex(h)
  return (h:gsub("%x%x", function(x) return string.char(tonumber(x, 16)) end))
end
function integer(word) return (string.unpack("<j", unhex(word))) end
function float(word) return (string.unpack("<d", unhex(word))) end
local function word(v)
  local t = math.type(v) or type(v)
  if t == "integer" then return "i" .. v end
  if t == "float" then return v ~= v and "fnan" or "f" .. hex(string.pack("<d", v)) end
  if t == "string" then return "s" .. hex(v) end
  return tostring(v)
end
function show(ok, ...)
  if not ok then return "e" .. tostring((...)):gsub("^[^ ]*:%d+: ", "") end
  local words = table.pack(...)
  for i = 1, words.n do words[i] = word(words[i]) end
  return table.concat(words, " ")
end
local function chunk()
)lua";
constexpr std::string_view kLoop = R"lua(
end
local answer = chunk()
for line in io.lines(arg[1]) do
  local fields = {}
  for h in line:gmatch("x(%x*)") do fields[#fields + 1] = unhex(h) end
  print(hex((answer(table.unpack(fields)))))
end
)lua";

constexpr int kShownDifferences = 8;

std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(c));
    text += digits;
  }
  return text;
}

std::string Unhex(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    const std::string digits(text.substr(i, 2));
    bytes.push_back(static_cast<char>(std::strtol(digits.c_str(), nullptr, 16)));
  }
  return bytes;
}

std::string LittleEndian(uint64_t word) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(word >> (8 * i)));
  return Hex(bytes);
}

}  // namespace

Shown& Shown::Integer(int64_t value) { return Add("i" + std::to_string(value)); }

Shown& Shown::Float(double value) {
  if (std::isnan(value)) return Add("fnan");
  return Add("f" + LittleEndian(std::bit_cast<uint64_t>(value)));
}

Shown& Shown::Numeric(const vm::Number& value) {
  if (const int64_t* integer = std::get_if<int64_t>(&value)) return Integer(*integer);
  return Float(*std::get_if<double>(&value));
}

Shown& Shown::String(std::string_view value) { return Add("s" + Hex(value)); }

Shown& Shown::Error(const vm::TextStatus& status, std::string_view function, int argument) {
  if (status.kind() != vm::TextStatus::Kind::kArgument) {
    text_ = "e" + status.message();
    return *this;
  }
  if (status.argument() != vm::TextStatus::kValueAtHand) argument = status.argument();
  text_ = "ebad argument #" + std::to_string(argument) + " to '" + std::string(function) + "' (" +
          status.message() + ")";
  return *this;
}

std::string LuaOracle::HexWord(int64_t value) { return LittleEndian(static_cast<uint64_t>(value)); }
std::string LuaOracle::HexWord(double value) {
  return LittleEndian(std::bit_cast<uint64_t>(value));
}

void LuaOracle::Compare() {
  REQUIRE(!cases_.empty());
  const ReferenceLua lua;
  if (!lua.is_installed()) return;
  std::string input;
  for (const Case& one : cases_) {
    for (const std::string& field : one.fields) input += "x" + Hex(field) + " ";
    input += "\n";
  }
  const std::string script = std::string(kPrelude).append(chunk_).append(kLoop);
  std::istringstream output(lua.Run(script, input));
  std::vector<std::string> lines;
  for (std::string line; std::getline(output, line);) lines.push_back(line);
  REQUIRE(lines.size() == cases_.size());
  int differences = 0;
  for (size_t i = 0; i < cases_.size(); ++i) {
    const std::string expected = Unhex(lines[i]);
    if (cases_[i].answer == expected) continue;
    if (++differences > kShownDifferences) continue;
    std::string fields;
    for (const std::string& field : cases_[i].fields) fields += " [" + field + "]";
    INFO("case:", fields);
    CHECK(cases_[i].answer == expected);
  }
  CHECK(differences == 0);
}

}  // namespace neap::testing
