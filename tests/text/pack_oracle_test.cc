// SPDX-License-Identifier: MIT
//
// Random formats for pack, unpack and packsize, valid and not.
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "doctest/doctest.h"
#include "lua_oracle.h"
#include "support/random.h"
#include "text/pack_format.h"

namespace neap::testing {
namespace {

using vm::PackKind;
using vm::TextStatus;

constexpr int kCases = 6000;
constexpr int kValues = 12;  // more than a random format can ask for

std::string RandomFormat(Random* random) {
  constexpr std::string_view kOptions = "bBhHlLjJTfdniIiIiIsszzxX <>=!!";
  std::string format;
  for (uint64_t n = random->Below(8); n > 0; --n) {
    const char option =
        random->OneIn(150) ? "qQaZ%\0"[random->Below(6)] : kOptions[random->Below(kOptions.size())];
    format += option;
    if (option == 'X' && !random->OneIn(6)) format += "bhijd"[random->Below(5)];
    const bool wants_size = std::string_view("iIs!").find(option) != std::string_view::npos;
    if (wants_size && random->OneIn(2)) {
      const uint64_t power = uint64_t{1} << random->Below(5);
      format += std::to_string(random->OneIn(12) ? random->Below(20) : power);
    }
    if (random->OneIn(8)) format += "c" + std::to_string(random->Below(9));
    if (random->OneIn(300)) format += "c2147483630";
    if (random->OneIn(300)) format += random->OneIn(2) ? "c" : "c99999999999";
  }
  return format;
}

// One integer, one double and one string for each value; the format says which is taken.
struct Values {
  int64_t integer[kValues];
  double real[kValues];
  std::string text[kValues];
};

Values RandomValues(Random* random) {
  Values values;
  for (int i = 0; i < kValues; ++i) {
    values.integer[i] = static_cast<int64_t>(random->Next()) >> random->Below(64);
    values.real[i] = random->OneIn(3) ? std::bit_cast<double>(random->Next()) : random->Unit();
    if (values.real[i] != values.real[i]) values.real[i] = 0;  // payloads of NaN may differ
    for (uint64_t n = random->Below(random->OneIn(20) ? 400 : 6); n > 0; --n) {
      values.text[i] += static_cast<char>(random->OneIn(40) ? 0 : 'a');
    }
  }
  return values;
}

TextStatus Put(vm::PackWriter* writer, const Values& values, int index) {
  switch (writer->item().kind) {
    case PackKind::kSigned:
    case PackKind::kUnsigned:
      return writer->PutInteger(values.integer[index]);
    case PackKind::kFloat:
    case PackKind::kDouble:
      writer->PutNumber(values.real[index]);
      return {};
    default:
      return writer->PutString(values.text[index]);
  }
}

// `kinds` gets a letter for each value taken: which of the three it was.
std::string Pack(std::string_view format, const Values& values, std::string* packed,
                 std::string* kinds) {
  vm::PackWriter writer(format, packed);
  int index = 0;
  while (writer.Next()) {
    if (!vm::HasValue(writer.item().kind)) continue;
    kinds->push_back("iiffsss"[static_cast<int>(writer.item().kind)]);
    const TextStatus status = Put(&writer, values, index);
    ++index;
    if (!status.ok()) return Shown().Error(status, "string.pack", index + 1).text();
  }
  if (!writer.status().ok()) return Shown().Error(writer.status(), "string.pack").text();
  return Shown().String(*packed).text();
}

std::string Unpack(std::string_view format, std::string_view data, int64_t position) {
  size_t offset = 0;
  if (TextStatus status = vm::UnpackStart(position, data.size(), &offset); !status.ok()) {
    return Shown().Error(status, "string.unpack").text();
  }
  vm::PackReader reader(format, data, offset);
  vm::PackValue value;
  Shown shown;
  while (reader.Next(&value)) {
    if (const int64_t* integer = std::get_if<int64_t>(&value)) {
      shown.Integer(*integer);
    } else if (const double* real = std::get_if<double>(&value)) {
      shown.Float(*real);
    } else {
      shown.String(*std::get_if<std::string_view>(&value));
    }
  }
  if (!reader.status().ok()) return Shown().Error(reader.status(), "string.unpack").text();
  return shown.Integer(reader.position()).text();
}

TEST_SUITE_BEGIN("text/pack");

TEST_CASE("pack agrees with the reference") {
  LuaOracle oracle(R"lua(return function(format, kinds, ...)
    local fields, values = {...}, {}
    for i = 1, #kinds do
      local kind, field = kinds:sub(i, i), fields[i]
      values[i] = kind == "i" and integer(field) or kind == "f" and float(field) or field
    end
    return show(pcall(string.pack, format, table.unpack(values)))
  end)lua");
  Random random;
  for (int i = 0; i < kCases; ++i) {
    const std::string format = RandomFormat(&random);
    if (format.find("c2147") != std::string::npos) continue;  // takes the memory at its word
    if (format.find("c99999") != std::string::npos) continue;
    const Values values = RandomValues(&random);
    std::string packed, kinds;
    const std::string answer = Pack(format, values, &packed, &kinds);
    std::vector<std::string> fields = {format, kinds};
    for (size_t k = 0; k < kinds.size(); ++k) {
      fields.push_back(kinds[k] == 'i'   ? LuaOracle::HexWord(values.integer[k])
                       : kinds[k] == 'f' ? LuaOracle::HexWord(values.real[k])
                                         : values.text[k]);
    }
    oracle.Ask(std::move(fields), answer);
  }
  oracle.Compare();
}

TEST_CASE("unpack agrees with the reference, on what was packed and on garbage") {
  LuaOracle oracle(
      "return function(f, s, i) return show(pcall(string.unpack, f, s, integer(i))) end");
  Random random;
  for (int i = 0; i < kCases; ++i) {
    const std::string format = RandomFormat(&random);
    std::string data, kinds;
    if (random.OneIn(2) && format.find("c2147") == std::string::npos &&
        format.find("c99999") == std::string::npos) {
      Pack(format, RandomValues(&random), &data, &kinds);
    } else {
      for (uint64_t n = random.Below(60); n > 0; --n) {
        data += static_cast<char>(random.OneIn(2) ? random.Below(256) : random.OneIn(2) ? 0 : 255);
      }
    }
    const int64_t position = random.OneIn(2) ? 1 : static_cast<int64_t>(random.Below(40)) - 20;
    oracle.Ask({format, data, LuaOracle::HexWord(position)}, Unpack(format, data, position));
  }
  oracle.Compare();
}

TEST_CASE("packsize agrees with the reference") {
  LuaOracle oracle("return function(f) return show(pcall(string.packsize, f)) end");
  Random random;
  for (int i = 0; i < kCases; ++i) {
    const std::string format = RandomFormat(&random);
    size_t size = 0;
    const TextStatus status = vm::PackSize(format, &size);
    oracle.Ask({format}, status.ok() ? Shown().Integer(static_cast<int64_t>(size)).text()
                                     : Shown().Error(status, "string.packsize").text());
  }
  oracle.Compare();
}

TEST_SUITE_END();

}  // namespace
}  // namespace neap::testing
