// SPDX-License-Identifier: MIT
//
// Expressions of written programs. At depth 0, and when the choices are over, they are leaves.
#include "programs/program_writer.h"

namespace neap::testing {
namespace {

// Around what fits inline (50 bits), exactly into a float (53 bits), into an integer (64 bits).
const std::initializer_list<std::string_view> kNumbers = {
    "1",
    "0",
    "2",
    "-1",
    "3",
    "7",
    "10",
    "255",
    "-128",
    "65536",
    "0x7fffffff",
    "0x80000000",
    "-0x80000001",
    "0x1ffffffffffff",
    "0x2000000000000",
    "-0x2000000000000",
    "-0x2000000000001",
    "0x3ffffffffffff",
    "0x4000000000000",
    "9007199254740991",
    "9007199254740993",
    "math.maxinteger",
    "math.mininteger",
    "0x7ffffffffffffffe",
    "-9223372036854775807",
    "0xffffffffffffffff",
    "9223372036854775808",
    "0.5",
    "-0.0",
    "0.1",
    "3.0",
    "-2.5",
    "1e15",
    "9007199254740992.0",
    "9223372036854775807.0",
    "-9223372036854775808.0",
    "1e100",
    "1e308",
    "5e-324",
    "math.huge",
    "-math.huge",
    "(0/0)",
    "0x.8p1",
    "1e2",
};

const std::initializer_list<std::string_view> kStrings = {
    "'a'",
    "''",
    "'10'",
    "'0x10'",
    "' 3.5 '",
    "'hello world'",
    "'1e1'",
    "'a\\1b'",
    "'\\u{20AC}\\xff'",
    "'x\\ny'",
    "'key'",
    "'x'",
    "'the quick brown fox jumps over the lazy dog, twice'",
    "'-0x8000000000000000'",
    "'9223372036854775808'",
    "'%d+'",
    "'nan'",
    "'1 2'",
};

}  // namespace

std::string ProgramWriter::Small() {
  return std::string(1, static_cast<char>('0' + choices_.Below(10)));
}

// --- Numbers -------------------------------------------------------------------------------------

std::string ProgramWriter::NumberLeaf() {
  switch (choices_.Below(10)) {
    case 0:
    case 1:
      return Small();
    case 2:
    case 3:
      return Pick(kNumbers);
    case 4:
      return Pick({"g", "h"});
    case 5: {
      const std::string record = Find(Kind::kRecord);
      return record.empty() ? "2" : record + Pick({".x", ".y", "[1]", "['x']", ".none", "[1.0]"});
    }
    case 6: {
      const std::string list = Find(Kind::kList);
      return list.empty()             ? "#'four'"
             : Pick({"#", ""}) == "#" ? "#" + list
                                      : list + "[" + Small() + "]";
    }
    default: {
      const std::string name = Find(Kind::kNumber);
      return name.empty() ? Pick(kNumbers) : name;
    }
  }
}

std::string ProgramWriter::Number(int depth) {
  if (depth <= 0 || choices_.is_over()) return NumberLeaf();
  const int d = depth - 1;
  switch (choices_.Below(20)) {
    case 0:
    case 1:
    case 2:
      return NumberLeaf();
    case 3:
      return Wild();
    case 4:
      return "(" + Number(d) + Pick({" & ", " | ", " ~ ", " << ", " >> "}) + Number(d) + ")";
    case 5:
      return "(" + Number(d) + Pick({" // ", " % ", " / ", "^"}) + Number(d) + ")";
    case 6:
      return "(" + Number(d) + Pick({" % ", " // "}) + Small() + ")";
    case 7:
      return Pick({"- ", "~ ", "- - "}) + Number(d);
    case 8:
      return "(" + Condition(d) + " and " + Number(d) + " or " + Number(d) + ")";
    case 9:
      return "(" + Small() + Pick({" + ", " - ", " * ", " / ", " << ", " >> ", " ~ ", " ^ "}) +
             Number(d) + ")";
    case 10:
      return "(" + String(d) + Pick({" + ", " * ", " // "}) + Number(d) + ")";
    case 11:
    case 12:
    case 13:
      return NumberCall(d);
    case 14:
      return Call(d);
    case 15: {
      const std::string object = Find(Kind::kObject);
      if (object.empty()) return NumberLeaf();
      switch (choices_.Below(6)) {
        case 0:
          return object + Pick({".x", ".y", ".missing", "[1]", "[2.5]"});
        case 1:
          return object + "(" + Number(d) + ")";
        case 2:
          return Pick({"#", "- ", "~"}) + object;
        case 3:
          return "(" + Number(d) + Pick({" + ", " - ", " // ", " & "}) + object + ")";
        default:
          return "(" + object + Pick({" + ", " * ", " % ", " << ", " - "}) + Number(d) + ")";
      }
    }
    default:
      return "(" + Number(d) + Pick({" + ", " - ", " * "}) + Number(d) + ")";
  }
}

std::string ProgramWriter::NumberCall(int depth) {
  const std::string list = Find(Kind::kList);
  switch (choices_.Below(14)) {
    case 0:
      return Pick({"math.floor(", "math.ceil(", "math.abs(", "math.sqrt("}) + Number(depth) + ")";
    case 1:
      return Pick({"math.max(", "math.min("}) + Number(depth) + ", " + Number(depth) + ")";
    case 2:
      return "math.tointeger(" + Number(depth) + ")";
    case 3:
      return "tonumber(" + String(depth) + ")";
    case 4:
      return "tonumber(" + String(depth) + ", " + Pick({"16", "10", "2", "36", "37"}) + ")";
    case 5:
      return "#" + String(depth);
    case 6:
      return "string.byte(" + String(depth) + ", " + Number(depth) + ")";
    case 7:
      return has_varargs_ ? Pick({"select('#', ...)", "(...)", "select(2, ...)", "select(-1, ...)"})
                          : "select('#', nil, nil)";
    case 8:
      return "select(" + Number(depth) + ", 10, 20, 30)";
    case 9:
      return "(select(2, math.modf(" + Number(depth) + ")))";
    case 10:
      return list.empty() ? "1" : "table.unpack(" + list + ", 1, " + Small() + ")";
    case 11:
      return list.empty() ? "2" : "table.remove(" + list + ")";
    case 12:
      return "string.find(" + String(depth) + ", " +
             Pick({"'o'", "'%d+'", "'()'", "'[^%w]'", "'x', 1, true", "'l+', -3", "'(h)(.)'",
                   "'%'"}) +
             ")";
    default:
      return "utf8.len(" + String(depth) + ")";
  }
}

std::string ProgramWriter::Call(int depth) {
  const std::string name = Find(Kind::kFunction);
  if (!name.empty()) {
    if (choices_.OneIn(6)) return name + "(" + Call(0) + ")";
    return name + "(" + Number(depth - 1) + ", " + Number(depth - 1) +
           (has_varargs_ && choices_.OneIn(3) ? ", ...)" : ")");
  }
  const std::string generator = Find(Kind::kGenerator);
  if (generator.empty()) return Number(0);
  return "resume(" + generator + ", " + Number(depth - 1) + ")";
}

// --- Strings -------------------------------------------------------------------------------------

std::string ProgramWriter::StringLeaf() {
  const std::string name = Find(Kind::kString);
  return name.empty() || choices_.OneIn(3) ? Pick(kStrings) : name;
}

std::string ProgramWriter::String(int depth) {
  if (depth <= 0 || choices_.is_over()) return StringLeaf();
  const int d = depth - 1;
  switch (choices_.Below(10)) {
    case 0:
    case 1:
      return StringLeaf();
    case 2:
      return "(" + String(d) + " .. " + String(d) + ")";
    case 3:
      return "(" + String(d) + " .. num(" + Number(d) + ") .. " + String(d) + ")";
    case 4:
      return "show(" + Number(d) + ")";
    case 5: {
      const std::string object = Find(Kind::kObject);
      if (object.empty()) return "(num(" + Wild() + ") .. " + String(d) + ")";
      return "show(" +
             (choices_.OneIn(2) ? object + " .. " + String(d) : Small() + " .. " + object) + ")";
    }
    default:
      return StringCall(d);
  }
}

std::string ProgramWriter::StringCall(int depth) {
  const std::string text = String(depth);
  switch (choices_.Below(16)) {
    case 0:
      return "(" + text + "):sub(" + Number(depth) + ", " + Number(depth) + ")";
    case 1:
      return "(" + text + "):" + Pick({"upper", "lower", "reverse"}) + "()";
    case 2:
      return "(" + text + "):rep(" + Pick({"2", "0", "-1", "3, ','"}) + ")";
    case 3:
      return "(" + text + "):gsub(" +
             Pick({"'o', 'O'", "'%w+', '<%0>'", "'(.)(.)', '%2%1'", "'', '-'",
                   "'%d', {['1'] = 'one'}", "'.', function(c) return c == 'a' and 'A' end",
                   "'x', '%2'", "'b*', '|', 2", "'^%s*(.-)%s*$', '%1'", "'%f[%w]%w', string.upper",
                   "'o', {}, 1.5"}) +
             ")";
    case 4:
      return "string.format(" +
             Pick({"'%5.1f|%-5s|%05d', num(g) + 0.0, 'ab', 42", "'%q', 1 / 3", "'%q', 'a\\n\\0b\"'",
                   "'%x %X %o', 255, 255, 8", "'%g %e %a', 0.1, 12345.678, 0.5", "'%i', 3.0",
                   "'%d', 3.5", "'%c%c', 72, 105", "'%%%s', true", "'%10.3s|', 'abcdef'",
                   "'%q', math.mininteger", "'%+d % d %#x', 1, 2, 3", "'%s %s', 1", "'%y', 1",
                   "'%.20s', 'x'", "'%.3q', 1"}) +
             ")";
    case 5:
      return "string.format('%d', " + Number(depth) + ")";
    case 6:
      return "string.format('%.14g', num(" + Number(depth) + "))";
    case 7:
      return "type(" + Any(depth) + ")";
    case 8:
      return "tostring(math.type(" + Any(depth) + "))";
    case 9:
      return "(" + text + "):match(" +
             Pick({"'%a+'", "'(%d+)'", "'^(.)'", "'.-$'", "'%b()'", "'[a-f]+'", "'%S+', 3",
                   "'(()%w)'", "'[]'", "'%g'"}) +
             ")";
    case 10:
      return "string.char(" + Small() + " + 60, 98)";
    case 11: {
      const std::string list = Find(Kind::kList);
      return list.empty()
                 ? text
                 : "table.concat(" + list + Pick({")", ", ',')", ", '', 2)", ", '-', 1, 9)"});
    }
    case 12:
      return "utf8.char(" + Number(1) + ")";
    case 13:
      return "string.pack('<i4', " + Number(depth) + ")";
    case 14:
      return "(" + Condition(depth) + " and " + text + " or 'else')";
    default:
      return "select(-1, 'a', " + text + ")";
  }
}

// --- Conditions, anything ------------------------------------------------------------------------

std::string ProgramWriter::Condition(int depth) {
  if (depth <= 0 || choices_.is_over()) {
    return choices_.Below(2) == 0 ? NumberLeaf() + Pick({" > ", " < ", " == ", " <= "}) + Small()
                                  : Pick({"true", "false", "nil", "g"});
  }
  const int d = depth - 1;
  switch (choices_.Below(10)) {
    case 0:
      return "not " + Any(d);
    case 1:
      return "(" + Condition(d) + Pick({" and ", " or "}) + Condition(d) + ")";
    case 2:
      return "(" + String(d) + Pick({" < ", " <= ", " == ", " ~= ", " > ", " >= "}) + String(d) +
             ")";
    case 3:
      return "(" + Any(d) + Pick({" == ", " ~= "}) + Any(d) + ")";
    case 4:
      return "(" + Any(0) + Pick({" < ", " >= "}) + Number(d) + ")";
    case 5: {
      const std::string object = Find(Kind::kObject), other = Find(Kind::kObject);
      if (object.empty()) return Condition(0);
      return "(" + object + Pick({" < ", " <= ", " == ", " > ", " >= ", " ~= "}) +
             (choices_.OneIn(3) ? Number(d) : other) + ")";
    }
    case 6:
      return "math.ult(" + Number(d) + ", " + Number(d) + ")";
    default:
      return "(" + Number(d) + Pick({" < ", " <= ", " == ", " ~= ", " > ", " >= "}) + Number(d) +
             ")";
  }
}

std::string ProgramWriter::Any(int depth) {
  switch (choices_.Below(8)) {
    case 0:
    case 1:
    case 2:
      return Number(depth);
    case 3:
    case 4:
      return String(depth);
    case 5:
      return Condition(depth);
    case 6: {
      const std::string object = Find(Kind::kObject);
      return object.empty() ? NumberLeaf() : object;
    }
    default:
      return Wild();
  }
}

std::string ProgramWriter::Wild() {
  switch (choices_.Below(10)) {
    case 0:
    case 1:
      return NumberLeaf();
    case 2:
      return "nil";
    case 3:
      return Pick({"true", "false"});
    case 4:
      return "{}";
    case 5:
      return Pick({"undefined", "undefined.field", "math.none", "g.field", "('x').y", "print"});
    case 6:
      return "(function(...) return ... end)(" + Number(0) + ", 2)";
    case 7: {
      const std::string record = Find(Kind::kRecord);
      return record.empty() ? "nil" : record + Pick({".none.x", "[nil]", ":method(1)", ".x.y"});
    }
    default:
      return StringLeaf();
  }
}

}  // namespace neap::testing
