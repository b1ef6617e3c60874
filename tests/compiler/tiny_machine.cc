// SPDX-License-Identifier: MIT
#include "tiny_machine.h"

#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <variant>
#include <vector>

#include "text/concat.h"
#include "text/number.h"

namespace neap::testing {
namespace {

using vm::CodeUnit;
using vm::Instruction;
using vm::Op;

struct Table;
struct Closure;
struct Print {
  auto operator<=>(const Print&) const = default;
};
using Value = std::variant<std::monostate, bool, int64_t, double, std::string,
                           std::shared_ptr<Table>, std::shared_ptr<Closure>, Print>;
using Values = std::vector<Value>;
using Cell = std::shared_ptr<Value>;

struct Table {
  std::map<Value, Value> fields;
};
struct Closure {
  const CodeUnit* unit;
  std::vector<Cell> upvalues;
};

[[noreturn]] void Fail(const std::string& message) { throw std::runtime_error(message); }

bool IsTrue(const Value& value) {
  return !std::holds_alternative<std::monostate>(value) && value != Value(false);
}

Value Normal(const Value& key) {
  if (const auto* real = std::get_if<double>(&key)) {
    if (const auto integer = vm::FloatToInteger(*real, vm::Rounding::kExact)) return *integer;
  }
  return key;
}

Value Get(const Value& object, const Value& key) {
  const auto* table = std::get_if<std::shared_ptr<Table>>(&object);
  if (table == nullptr) Fail("index");
  const auto found = (*table)->fields.find(Normal(key));
  return found != (*table)->fields.end() ? found->second : Value();
}

void Set(const Value& object, const Value& key, const Value& value) {
  const auto* table = std::get_if<std::shared_ptr<Table>>(&object);
  if (table == nullptr || key == Value()) Fail("index");
  (*table)->fields[Normal(key)] = value;
}

std::string Text(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  std::string text;
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    vm::AppendInteger(*integer, &text);
  } else if (const auto* real = std::get_if<double>(&value)) {
    vm::AppendFloat(*real, &text);
  } else {
    text = std::holds_alternative<std::monostate>(value) ? "nil" : "object";
  }
  return text;
}

vm::Number NumberOf(const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  Fail("arithmetic");
}

double RealOf(const vm::Number& number) {
  if (const auto* integer = std::get_if<int64_t>(&number)) return static_cast<double>(*integer);
  return std::get<double>(number);
}

int64_t IntegerOf(const vm::Number& number) {
  if (const auto* integer = std::get_if<int64_t>(&number)) return *integer;
  const auto integer = vm::FloatToInteger(std::get<double>(number), vm::Rounding::kExact);
  if (!integer) Fail("integer");
  return *integer;
}

int64_t Wrapped(uint64_t bits) { return static_cast<int64_t>(bits); }

// Shifts and integer division only as far as the programs of the tests need them.
Value Arithmetic(Op op, const Value& x, const Value& y) {
  const vm::Number left = NumberOf(x);
  const vm::Number right = NumberOf(y);
  const bool is_integer =
      std::holds_alternative<int64_t>(left) && std::holds_alternative<int64_t>(right);
  const double a = RealOf(left);
  const double b = RealOf(right);
  const auto i = is_integer ? static_cast<uint64_t>(std::get<int64_t>(left)) : 0;
  const auto j = is_integer ? static_cast<uint64_t>(std::get<int64_t>(right)) : 0;
  switch (op) {
    case Op::kAdd:
      return is_integer ? Value(Wrapped(i + j)) : Value(a + b);
    case Op::kSubtract:
      return is_integer ? Value(Wrapped(i - j)) : Value(a - b);
    case Op::kMultiply:
      return is_integer ? Value(Wrapped(i * j)) : Value(a * b);
    case Op::kDivide:
      return a / b;
    case Op::kPower:
      return std::pow(a, b);
    case Op::kIntegerDivide:
      return is_integer ? Value(static_cast<int64_t>(std::floor(a / b))) : Value(std::floor(a / b));
    case Op::kModulo: {
      const double rest = a - std::floor(a / b) * b;
      return is_integer ? Value(static_cast<int64_t>(rest)) : Value(rest);
    }
    case Op::kBitAnd:
      return IntegerOf(left) & IntegerOf(right);
    case Op::kBitOr:
      return IntegerOf(left) | IntegerOf(right);
    case Op::kBitXor:
      return IntegerOf(left) ^ IntegerOf(right);
    case Op::kShiftLeft:
      return IntegerOf(left) << IntegerOf(right);
    default:
      return Wrapped(static_cast<uint64_t>(IntegerOf(left)) >> IntegerOf(right));
  }
}

bool Equal(const Value& x, const Value& y) {
  const auto is_number = [](const Value& v) { return v.index() == 2 || v.index() == 3; };
  if (is_number(x) && is_number(y)) return vm::NumberEqual(NumberOf(x), NumberOf(y));
  return x == y;
}

bool Less(const Value& x, const Value& y) {
  const auto* left = std::get_if<std::string>(&x);
  const auto* right = std::get_if<std::string>(&y);
  if (left != nullptr && right != nullptr) return *left < *right;
  return vm::NumberLess(NumberOf(x), NumberOf(y));
}

bool LessEqual(const Value& x, const Value& y) {
  const auto* left = std::get_if<std::string>(&x);
  const auto* right = std::get_if<std::string>(&y);
  if (left != nullptr && right != nullptr) return *left <= *right;
  return vm::NumberLessEqual(NumberOf(x), NumberOf(y));
}

class Machine {
 public:
  std::string output;

  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  // Every cycle of references goes through a table or a closure.
  ~Machine() {
    for (const auto& table : tables_) table->fields.clear();
    for (const auto& closure : closures_) closure->upvalues.clear();
  }

  std::shared_ptr<Table> NewTable() { return tables_.emplace_back(std::make_shared<Table>()); }
  std::shared_ptr<Closure> NewClosure() {
    return closures_.emplace_back(std::make_shared<Closure>());
  }

  Values Call(const Value& callee, Values arguments) {
    if (std::holds_alternative<Print>(callee)) return DoPrint(arguments);
    const auto* closure = std::get_if<std::shared_ptr<Closure>>(&callee);
    if (closure == nullptr) Fail("call");
    return Run(**closure, std::move(arguments));
  }

 private:
  struct Frame {
    const CodeUnit& unit;
    Closure& closure;
    std::vector<Cell> cells;
    Values extra;     // arguments behind the parameters
    Values open;      // up to the top ...
    int open_at = 0;  // ... from this register on
    size_t pc = 0;

    Value& R(int i) { return *cells.at(static_cast<size_t>(i)); }
    Value K(size_t i) const {
      return std::visit([](const auto& constant) { return Value(constant); }, unit.constants[i]);
    }
    // count < 0: up to the top
    Values Take(int first, int count) {
      Values values;
      const int end = count < 0 ? open_at : first + count;
      for (int i = first; i < end; ++i) values.push_back(R(i));
      if (count < 0) values.insert(values.end(), open.begin(), open.end());
      return values;
    }
    void Put(int first, int count, Values values) {
      if (count < 0) {
        open = std::move(values);
        open_at = first;
        return;
      }
      values.resize(static_cast<size_t>(count));
      for (int i = 0; i < count; ++i) R(first + i) = values[static_cast<size_t>(i)];
    }
    void Close(int first) {
      for (size_t i = static_cast<size_t>(first); i < cells.size(); ++i) {
        cells[i] = std::make_shared<Value>(*cells[i]);
      }
    }
  };

  Values DoPrint(const Values& arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      output += vm::Concat(i > 0 ? "\t" : "", Text(arguments[i]));
    }
    output += "\n";
    return {};
  }

  Values Run(Closure& closure, Values arguments) {
    Frame frame{*closure.unit, closure, {}, {}, {}, 0, 0};
    if (++depth_ > 200) Fail("stack overflow");
    const size_t parameters = frame.unit.parameters;
    if (arguments.size() > parameters) {
      frame.extra.assign(arguments.begin() + static_cast<ptrdiff_t>(parameters), arguments.end());
    }
    arguments.resize(parameters);
    for (int i = 0; i < frame.unit.registers; ++i) {
      frame.cells.push_back(std::make_shared<Value>(std::string("dead")));
    }
    for (size_t i = 0; i < parameters; ++i) *frame.cells[i] = arguments[i];
    while (true) {
      if (++steps_ > 1000000) Fail("too long");
      const Instruction in = frame.unit.code[frame.pc++];
      if (IsExit(in.op)) {
        Values results = Leave(frame, in);
        --depth_;
        return results;
      }
      Step(frame, in);
    }
  }

  static bool IsExit(Op op) {
    return op == Op::kReturn || op == Op::kReturn0 || op == Op::kReturn1 || op == Op::kTailCall;
  }

  Values Leave(Frame& f, const Instruction& in) {
    if (in.op == Op::kReturn0) return {};
    if (in.op == Op::kReturn1) return {f.R(in.a)};
    if (in.op == Op::kReturn) return f.Take(in.a, in.b - 1);
    return Call(f.R(in.a), f.Take(in.a + 1, in.b == 0 ? -1 : in.b - 1));
  }

  void Step(Frame& f, const Instruction& in) {
    const auto jump_if = [&](bool condition) {
      if (condition) f.pc = static_cast<size_t>(static_cast<int64_t>(f.pc) + in.sx);
    };
    const auto is_between = [&](Op first, Op last) { return in.op >= first && in.op <= last; };
    if (is_between(Op::kAdd, Op::kShiftRight)) {
      f.R(in.a) = Arithmetic(in.op, f.R(in.b), f.R(in.c));
      return;
    }
    if (is_between(Op::kAddK, Op::kShiftRightK)) {
      const Op op = static_cast<Op>(static_cast<int>(in.op) - static_cast<int>(Op::kAddK) +
                                    static_cast<int>(Op::kAdd));
      const Value constant = f.K(in.c);
      f.R(in.a) =
          in.d == 1 ? Arithmetic(op, constant, f.R(in.b)) : Arithmetic(op, f.R(in.b), constant);
      return;
    }
    switch (in.op) {
      case Op::kMove:
        f.R(in.a) = Value(f.R(in.b));
        break;
      case Op::kLoadInteger:
        f.R(in.a) = int64_t{in.sx};
        break;
      case Op::kLoadConstant:
        f.R(in.a) = f.K(in.x);
        break;
      case Op::kLoadNil:
        f.Put(in.a, in.b, {});
        break;
      case Op::kLoadFalseSkip:
        f.R(in.a) = false;
        ++f.pc;
        break;
      case Op::kLoadFalse:
      case Op::kLoadTrue:
        f.R(in.a) = in.op == Op::kLoadTrue;
        break;
      case Op::kGetUpvalue:
        f.R(in.a) = *f.closure.upvalues[in.b];
        break;
      case Op::kSetUpvalue:
        *f.closure.upvalues[in.b] = f.R(in.a);
        break;
      case Op::kGetGlobal:
        f.R(in.a) = Get(*f.closure.upvalues[in.b], f.K(in.c));
        break;
      case Op::kSetGlobal:
        Set(*f.closure.upvalues[in.b], f.K(in.c), f.R(in.a));
        break;
      case Op::kGetTable:
        f.R(in.a) = Get(f.R(in.b), f.R(in.c));
        break;
      case Op::kGetInteger:
        f.R(in.a) = Get(f.R(in.b), int64_t{in.c});
        break;
      case Op::kGetField:
        f.R(in.a) = Get(f.R(in.b), f.K(in.c));
        break;
      case Op::kSetTable:
        Set(f.R(in.a), f.R(in.b), f.R(in.c));
        break;
      case Op::kSetInteger:
        Set(f.R(in.a), int64_t{in.b}, f.R(in.c));
        break;
      case Op::kSetField:
        Set(f.R(in.a), f.K(in.b), f.R(in.c));
        break;
      case Op::kSelf: {
        const Value object = f.R(in.b);
        f.R(in.a + 1) = object;
        f.R(in.a) = Get(object, f.K(in.c));
        break;
      }
      case Op::kNegate:
        f.R(in.a) = Arithmetic(Op::kMultiply, int64_t{-1}, f.R(in.b));
        break;
      case Op::kNot:
        f.R(in.a) = !IsTrue(f.R(in.b));
        break;
      case Op::kBitNot:
        f.R(in.a) = ~IntegerOf(NumberOf(f.R(in.b)));
        break;
      case Op::kLength:
        f.R(in.a) = Length(f.R(in.b));
        break;
      case Op::kConcat: {
        std::string text;
        for (const Value& part : f.Take(in.a, in.b)) text += Text(part);
        f.R(in.a) = text;
        break;
      }
      case Op::kJump:
      case Op::kLoop:
        return jump_if(true);
      case Op::kJumpIfFalse:
      case Op::kJumpIfTrue:
        return jump_if(IsTrue(f.R(in.a)) == (in.op == Op::kJumpIfTrue));
      case Op::kJumpIfFalseKeep:
      case Op::kJumpIfTrueKeep: {
        const bool jumps = IsTrue(f.R(in.b)) == (in.op == Op::kJumpIfTrueKeep);
        if (jumps) f.R(in.a) = Value(f.R(in.b));
        return jump_if(jumps);
      }
      case Op::kEqual:
      case Op::kNotEqual:
        return jump_if(Equal(f.R(in.a), f.R(in.b)) == (in.op == Op::kEqual));
      case Op::kEqualK:
      case Op::kNotEqualK:
        return jump_if(Equal(f.R(in.a), f.K(in.b)) == (in.op == Op::kEqualK));
      case Op::kLess:
      case Op::kNotLess:
        return jump_if(Less(f.R(in.a), f.R(in.b)) == (in.op == Op::kLess));
      case Op::kLessEqual:
      case Op::kNotLessEqual:
        return jump_if(LessEqual(f.R(in.a), f.R(in.b)) == (in.op == Op::kLessEqual));
      case Op::kLessK:
      case Op::kNotLessK:
        return jump_if(Less(f.R(in.a), f.K(in.b)) == (in.op == Op::kLessK));
      case Op::kLessEqualK:
      case Op::kNotLessEqualK:
        return jump_if(LessEqual(f.R(in.a), f.K(in.b)) == (in.op == Op::kLessEqualK));
      case Op::kGreaterK:
      case Op::kNotGreaterK:
        return jump_if(Less(f.K(in.b), f.R(in.a)) == (in.op == Op::kGreaterK));
      case Op::kGreaterEqualK:
      case Op::kNotGreaterEqualK:
        return jump_if(LessEqual(f.K(in.b), f.R(in.a)) == (in.op == Op::kGreaterEqualK));
      case Op::kClose:
        f.Close(in.a);
        break;
      case Op::kToBeClosed:
        Fail("to be closed");
      default:
        StepLarge(f, in);
    }
  }

  // Calls, loops and what makes objects.
  void StepLarge(Frame& f, const Instruction& in) {
    const auto jump = [&] { f.pc = static_cast<size_t>(static_cast<int64_t>(f.pc) + in.sx); };
    switch (in.op) {
      case Op::kNewTable:
        f.R(in.a) = NewTable();
        break;
      case Op::kNewRecord: {
        const Value table = NewTable();
        int place = in.b;
        for (const uint32_t key : f.unit.templates[in.x].keys) Set(table, f.K(key), f.R(place++));
        f.R(in.a) = table;
        break;
      }
      case Op::kSetList: {
        int64_t index = in.x;
        for (const Value& value : f.Take(in.a + 1, in.b == 0 ? -1 : in.b)) {
          Set(f.R(in.a), ++index, value);
        }
        break;
      }
      case Op::kCall:
        f.Put(in.a, in.c - 1, Call(f.R(in.a), f.Take(in.a + 1, in.b == 0 ? -1 : in.b - 1)));
        break;
      case Op::kVararg:
        f.Put(in.a, in.b - 1, f.extra);
        break;
      case Op::kForPrepare:
        if (!IsInside(f, in.a)) return jump();
        f.R(in.a + 3) = Value(f.R(in.a));
        break;
      case Op::kForLoop:
        f.R(in.a) = Arithmetic(Op::kAdd, f.R(in.a), f.R(in.a + 2));
        if (!IsInside(f, in.a)) break;
        f.R(in.a + 3) = Value(f.R(in.a));
        return jump();
      case Op::kGenericPrepare:
        return jump();
      case Op::kGenericCall:
        f.Put(in.a + 4, in.b, Call(f.R(in.a), f.Take(in.a + 1, 2)));
        break;
      case Op::kGenericLoop:
        if (f.R(in.a + 4) == Value()) break;
        f.R(in.a + 2) = Value(f.R(in.a + 4));
        return jump();
      case Op::kClosure: {
        auto closure = NewClosure();
        closure->unit = f.unit.children[in.x].get();
        for (const vm::UpvalueInfo& upvalue : closure->unit->upvalues) {
          closure->upvalues.push_back(upvalue.is_parent_local ? f.cells[upvalue.index]
                                                              : f.closure.upvalues[upvalue.index]);
        }
        f.R(in.a) = closure;
        break;
      }
      default:
        break;
    }
  }

  static bool IsInside(Frame& f, int a) {
    const bool is_up = Less(int64_t{0}, f.R(a + 2));
    return is_up ? LessEqual(f.R(a), f.R(a + 1)) : LessEqual(f.R(a + 1), f.R(a));
  }

  static Value Length(const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      return static_cast<int64_t>(text->size());
    }
    int64_t length = 0;
    while (Get(value, length + 1) != Value()) ++length;
    return length;
  }

  std::vector<std::shared_ptr<Table>> tables_;
  std::vector<std::shared_ptr<Closure>> closures_;
  int depth_ = 0;
  int steps_ = 0;
};

}  // namespace

std::string RunProgram(const CodeUnit& unit) {
  Machine machine;
  auto globals = machine.NewTable();
  globals->fields[std::string("print")] = Print();
  auto main = machine.NewClosure();
  main->unit = &unit;
  main->upvalues.push_back(std::make_shared<Value>(globals));
  try {
    machine.Call(main, {});
  } catch (const std::runtime_error& error) {
    machine.output += vm::Concat("error: ", error.what(), "\n");
  }
  return machine.output;
}

}  // namespace neap::testing
