// SPDX-License-Identifier: MIT
//
// Statements of written programs about tables, metatables, coroutines, closing and collecting.
#include <utility>

#include "programs/program_writer.h"

namespace neap::testing {

// --- Lists: no holes, numbers and strings only ---------------------------------------------------

std::string ProgramWriter::List() {
  switch (choices_.Below(5)) {
    case 0:
      return "{}";
    case 1:
      return "{3, 1, 2}";
    case 2:
      return "{10, 20.5, 30, 40, 50, 60, 70, 80}";
    case 3:
      return "{" + Small() + ", " + Small() + "; " + Small() + ",}";
    default:
      return "table.pack(string.byte(" + StringLeaf() + ", 1, -1))";
  }
}

void ProgramWriter::ListStatement() {
  const std::string list = Find(Kind::kList);
  if (list.empty()) {
    const std::string name = NewName();
    Line({"local ", name, " = ", List()});
    return Declare(name, Kind::kList);
  }
  switch (choices_.Below(12)) {
    case 0:
      return Line({"table.insert(", list, ", (", Number(2), ") or 1)"});
    case 1:
      return Line({"table.insert(", list, ", ", Small(), ", ", Small(), ")"});
    case 2:
      return Line({list, "[#", list, " + 1] = (", Number(2), ") or 0"});
    case 3:
      return Line(
          {"for i = 1, ", Pick({"5", "40", "200"}), " do ", list, "[#", list, " + 1] = i % 7 end"});
    case 4:
      return Line(
          {"out(table.remove(", list, Pick({")", ", 1)", ", #" + list + ")"}), ", #", list, ")"});
    case 5:
      return Line({"table.sort(", list,
                   Pick({")", ", function(a, b) return a > b end)",
                         ", function(a, b) spin() return tostring(a) < tostring(b) end)"})});
    case 6:
      return Line({"out(table.unpack(", list, ", 1, 4))"});
    case 7:
      return Line({"out(table.concat(", list, ", ' ', 1, math.min(#", list, ", 9)))"});
    case 8:
      return Line({"out(#table.move(", list, ", 1, #", list, ", 2, {0}), #", list, ")"});
    case 9:
      return Line({"while #", list, " > ", Small(), " do ", list, "[#", list, "] = nil end"});
    case 10:
      return Line({"out(next({}), rawlen(", list, "), rawget(", list, ", 1), rawequal(", list, ", ",
                   list, "), select('#', table.unpack(", list, ")))"});
    default:
      return Line({"do local n = 0 for i, v in ipairs(", list, ") do n = n + i end out(n, #", list,
                   ") end"});
  }
}

// --- Records: keys of all kinds, values of all kinds ---------------------------------------------

std::string ProgramWriter::Record() {
  switch (choices_.Below(5)) {
    case 0:
      return "{}";
    case 1:
      return "{x = " + Number(1) + ", y = " + Number(1) + "}";
    case 2:
      return "{x = 1, y = 'two', [1] = " + Small() + ", [-1] = 4, [2.5] = 5, [true] = 6}";
    case 3:
      return "{[1.0] = 'float', [2^53] = 'big', x = {x = 1}, 9}";
    default:
      return "{n = 1, y = " + Number(1) + ", [" + Pick(Texts{"'x'", "1", "-1", "1 << 50"}) +
             "] = " + String(1) + "}";
  }
}

void ProgramWriter::RecordStatement() {
  const std::string record = Find(Kind::kRecord);
  if (record.empty()) {
    const std::string name = NewName();
    Line({"local ", name, " = ", Record()});
    return Declare(name, Kind::kRecord);
  }
  const std::string key = Pick(Texts{"x", "y", "z", "long_name", "n"});
  switch (choices_.Below(9)) {
    case 0:
    case 1:
      return Line({record, ".", key, " = ", Any(2)});
    case 2:
      return Line({record, "[", Number(1), "] = ", Number(1)});
    case 3:
      return Line({record, "[", String(1), "] = ", Any(1)});
    case 4:
      return Line({record, ".", key, " = nil"});
    case 5:
      return Line({"for i = 1, ", Pick(Texts{"3", "20", "60"}), " do ", record, "['k' .. i % ",
                   Pick(Texts{"3", "50"}), "] = i end"});
    case 6:
      // What is stored does not depend on the order of the keys. (W2)
      Line({"do local total = 0"});
      Line({"for each in pairs(", record, ") do total = total + 1 ", record,
            "[each] = ", Pick(Texts{"nil", "each", "1"}), " end"});
      return Line({"out(total, next(", record, ") == nil) end"});
    case 7:
      return Line({"rawset(", record, ", ", Any(1), ", ", Number(1), ")"});
    default:
      return Line({"for k, v in sorted(", record, ") do out(k, v) end"});
  }
}

// --- Objects -------------------------------------------------------------------------------------

void ProgramWriter::ObjectStatement() {
  const std::string object = Find(Kind::kObject);
  if (object.empty()) return NewObject();
  switch (choices_.Below(9)) {
    case 0:
      return Line({object, Pick(Texts{".x", ".fresh", "[1]", "[2.0]", ".y"}), " = ", Number(2)});
    case 1:
      return Line({"out(rawget(", object, ", 'x'), ", object, ".x, ", object, ".y)"});
    case 2:
      return Line({"out(", object, "(", Number(1), has_varargs_ ? ", ...))" : "))"});
    case 3:
      return Line({"out(", Number(2), ", ", object, " == ", object, ")"});
    case 4:
      return Line({"out(tostring(", object, "), #", object, ")"});
    case 5:
      return Line({"do local closed <close> = ", object, " out(closed) end"});
    case 6:
      return Line({"for k, v in pairs(", object, ") do out(k, v) break end"});
    case 7:
      return Line({"out(", Condition(2), ", ", String(2), ")"});
    default:
      return NewObject();
  }
}

void ProgramWriter::NewObject() {
  if (functions_ >= 4) return Print();
  const std::string name = NewName();
  Line({"local ", name, " = setmetatable({x = ", Number(1), "}, {__name = 'thing',"});
  Line({"__tostring = function() return 'object' end,"});
  Line({"__pairs = function(o) return next, {1}, nil end,"});
  static constexpr std::string_view kEvents[] = {
      "__index", "__newindex", "__call", "__eq",  "__lt",  "__le",  "__concat", "__len",  "__unm",
      "__close", "__add",      "__sub",  "__mul", "__mod", "__shl", "__bnot",   "__band", "__idiv"};
  bool has_less = false;
  for (const std::string_view event : kEvents) {
    const size_t before = text_.size();
    // Debian's build of the reference implementation makes a missing __le of __lt, as 5.3 did.
    if (event == "__le" ? has_less : choices_.OneIn(3)) Metamethod(event);
    if (event == "__lt") has_less = text_.size() > before;
  }
  Line({choices_.OneIn(8) ? "__metatable = 'locked'})" : "})"});
  // What other objects have not, it may have from a class.
  if (choices_.OneIn(4)) {
    Line({"if try(setmetatable, ", name, ", getmetatable(", name,
          ")) then out(getmetatable('').__name) end"});
  }
  Declare(name, Kind::kObject);
}

void ProgramWriter::Metamethod(std::string_view event) {
  Line({event, " = "});
  if (event == "__index" && choices_.OneIn(2)) return Line({"{y = 7, [1] = 'one'},"});
  if (event == "__newindex") {
    return Line({"function(o, k, v) enter() out('new', k) rawset(o, k, v) leave() end,"});
  }
  text_ += "function";
  const size_t visible = variables_.size();
  const int loops = std::exchange(loops_, 0);
  const bool generates = std::exchange(is_generator_, is_generator_ && choices_.OneIn(2));
  const bool varargs = std::exchange(has_varargs_, true);
  ++functions_;
  Line({"(o, v, ...) enter()"});
  if (choices_.OneIn(3)) {
    Line({"do"});
    Block(2);
    Line({"end"});
  }
  if (is_generator_) Line({"coroutine.yield('in metamethod')"});
  // Not of the object's own operators, which would be recursion only.
  const std::string result =
      event == "__lt" || event == "__le" || event == "__eq" ? Condition(1) : Number(1);
  Line({"leave() return ", result, " end,"});
  --functions_;
  variables_.resize(visible);
  loops_ = loops;
  is_generator_ = generates;
  has_varargs_ = varargs;
}

// --- Coroutines ----------------------------------------------------------------------------------

void ProgramWriter::NewGenerator() {
  const std::string name = NewName();
  Line({"local ", name, " = coroutine.wrap(function(a, ...) enter()"});
  const size_t visible = variables_.size();
  const int loops = std::exchange(loops_, 0);
  const bool generates = std::exchange(is_generator_, true);
  const bool varargs = std::exchange(has_varargs_, true);
  Declare("a", Kind::kNumber);
  ++functions_;
  if (choices_.OneIn(4)) Line({"local closed <close> = closer('in coroutine')"});
  Line({"do"});
  Block(4);
  Line({"end"});
  Line({"for i = 1, 5 do spin() a = (coroutine.yield(i, ", Number(1), ") or 0) + 1 end"});
  Line({"leave() return 'done', a end)"});
  --functions_;
  variables_.resize(visible);
  loops_ = loops;
  is_generator_ = generates;
  has_varargs_ = varargs;
  Declare(name, Kind::kGenerator);
}

void ProgramWriter::GeneratorStatement() {
  const std::string generator = Find(Kind::kGenerator);
  if (generator.empty()) return functions_ < 4 ? NewGenerator() : Print();
  switch (choices_.Below(6)) {
    case 0:
      return functions_ < 4 ? NewGenerator() : Print();
    case 1:
      return Line({"for i = 1, ", Small(), " do out(i, resume(", generator, ", i)) end"});
    case 2:
      return Line({"out(try(", generator, ", ", Any(1), "))"});
    case 3: {
      Line({"do local co = coroutine.create(", generator, ")"});
      Line({"out(coroutine.status(co), resume(coroutine.resume, co, 1))"});
      return Line({"out(coroutine.status(co), coroutine.close(co)) end"});
    }
    case 4: {
      Line({"do local co = coroutine.create(function(...)"});
      Line({"local c <close> = closer('co', ", Pick(Texts{"false", "true"}), ")"});
      Line({"local x = coroutine.yield(...) out(x, coroutine.status(coroutine.running()))"});
      Line({"error(", Any(1), ") end)"});
      Line({"out(coroutine.resume(co, 1, 2))"});
      if (choices_.OneIn(2)) Line({"out(coroutine.resume(co, ", Number(1), "))"});
      Line({"out(coroutine.status(co), coroutine.close(co))"});
      return Line({"out(coroutine.resume(co), coroutine.status(co)) end"});
    }
    default:
      return Line({"out(resume(", generator, "))"});
  }
}

// --- Closing, collecting -------------------------------------------------------------------------

void ProgramWriter::CloseStatement() {
  Line({"do"});
  const size_t visible = variables_.size();
  Line({"local closed <close> = closer('c', ", Pick(Texts{"false", "true", "g"}), ")"});
  if (choices_.OneIn(3))
    Line({"local too <close> = ", Pick(Texts{"nil", "false", "closer('d')", "g", "{}"})});
  Block(3);
  variables_.resize(visible);
  if (functions_ > 1 && choices_.OneIn(3)) Line({"do leave() return ", Call(1), " end"});
  Line({"end"});
}

void ProgramWriter::CollectStatement() {
  switch (choices_.Below(6)) {
    case 0:
      return Line({"collectgarbage()"});
    case 1:
      return Line({"collectgarbage('step', ", Small(), ")"});
    case 2: {
      Line({"do local keep, weak = {}, setmetatable({}, {__mode = ",
            Pick(Texts{"'k'", "'v'", "'kv'"}), "})"});
      Line({"fill(weak, keep, ", Pick(Texts{"3", "10", "40"}), ", ", Pick(Texts{"1", "2", "5"}),
            ")"});
      Line({"collectgarbage() out('weak', count(weak), #keep)"});
      return Line({"keep = nil collectgarbage() out(count(weak)) end"});
    }
    case 3:
      Line({"finalized = 0 litter(", Small(), ")"});
      return Line({"collectgarbage() collectgarbage() out('finalized', finalized)"});
    case 4:
      return Line({"collectgarbage('", Pick(Texts{"generational", "incremental"}), "')"});
    default:
      return Line({"for i = 1, 30 do local t = {i, {i}, x = {}} t[1.5] = t spin() end"});
  }
}

// --- Libraries -----------------------------------------------------------------------------------

void ProgramWriter::TextStatement() {
  switch (choices_.Below(6)) {
    case 0:
      return Line({"for p, c in utf8.codes('x' .. ", String(1), ") do out(p, c) spin() end"});
    case 1:
      return Line({"out((", String(2), "):byte(1, 5))"});
    case 2:
      return Line({"out(string.gsub(", String(2), ", '.', function(c) ",
                   is_generator_ ? "" : "spin() ", "return ", Any(0), " end))"});
    case 3:
      return Line({"out(string.find(", String(2), ", ", String(1), ", ", Number(1), ", true))"});
    case 4:
      return Line({"out(#tostring(", Number(2), "), ", String(2), " < ", String(2), ")"});
    default:
      return Line({"out(", String(3), ")"});
  }
}

void ProgramWriter::PackStatement() {
  const std::string format = Pick(Texts{"<i8", ">I2", "<d", "z", "s1", "<i16", "!4 i1 i4", ">n",
                                        "<j", "f", "x b", "i17", "c4"});
  const bool is_text = format == "z" || format == "s1" || format == "c4";
  Line({"out(try(function(...) local p = string.pack('", format, "', ",
        is_text ? String(1) : Number(1), ", ", Number(0), ")"});
  Line({"return #p, string.unpack('", format, "', p) end))"});
}

void ProgramWriter::LoadStatement() {
  switch (choices_.Below(4)) {
    case 0:
      return Line(
          {"out(load(",
           Pick(Texts{"'return 1 + '", "'x ='", "'goto nowhere'", "'local x <const> = 1 x = 2'",
                      "'for'", "'return ...'", "'::a:: ::a::'", "'break'", "'\"'",
                      "'return \"\\\\q\"'", "'a.b:c = 1'", "'return 0x'"}),
           ", '=text'))"});
    case 1:
      return Line({"out(try(load('local a, b = ... return a + b', '=sum'), ", Number(1), ", ",
                   Number(1), "))"});
    case 2:
      return Line({"out(try(load(string.dump(function(a, b) return a * b, a .. b end)), ",
                   Number(1), ", ", "num(", Number(1), ")))"});
    default:
      return Line({"do local e = {} load('x = 1 y = x + 1 z = ...', '=env', 't', e)(", Any(1),
                   ") for k, v in sorted(e) do out(k, v) end end"});
  }
}

}  // namespace neap::testing
