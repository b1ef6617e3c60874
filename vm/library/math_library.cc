// SPDX-License-Identifier: MIT
//
// math (manual 6.7). The generator of random numbers is the payload of a userdata that random and
// randomseed share as their upvalue.
#include <bit>
#include <cmath>
#include <ctime>
#include <new>
#include <numbers>
#include <optional>

#include "interpreter/native_call.h"
#include "interpreter/userdata_maker.h"
#include "library/library.h"
#include "text/lua_random.h"
#include "text/number.h"

namespace neap::vm {
namespace {

// --- Rounding and integers -----------------------------------------------------------------------

// An integer if it can be one. `value` is integral, or not finite.
bool PushIntegral(NativeCall& call, double value) {
  const std::optional<int64_t> integer = FloatToInteger(value, Rounding::kExact);
  if (integer) return call.PushInteger(*integer);
  call.PushNumber(value);
  return true;
}

template <double (*round)(double)>
NativeResult Round(NativeCall& call) {
  if (IsInteger(call.arg(1))) return call.ReturnValue(call.arg(1));
  double value;
  if (!call.CheckNumber(1, &value)) return call.Failed();
  return call.ReturnIf(PushIntegral(call, round(value)));
}
double Floor(double x) { return std::floor(x); }
double Ceil(double x) { return std::ceil(x); }

NativeResult MathAbs(NativeCall& call) {
  if (IsInteger(call.arg(1))) {
    const int64_t i = IntegerOf(call.arg(1));
    const uint64_t magnitude = i < 0 ? 0 - static_cast<uint64_t>(i) : static_cast<uint64_t>(i);
    return call.ReturnIf(call.PushInteger(static_cast<int64_t>(magnitude)));
  }
  double value;
  if (!call.CheckNumber(1, &value)) return call.Failed();
  return call.ReturnValue(Value::Double(std::fabs(value)));
}

NativeResult MathFmod(NativeCall& call) {
  if (IsInteger(call.arg(1)) && IsInteger(call.arg(2))) {
    const int64_t a = IntegerOf(call.arg(1));
    const int64_t b = IntegerOf(call.arg(2));
    if (b == 0) return call.ReturnIf(call.ArgumentError(2, "zero"));
    return call.ReturnIf(call.PushInteger(b == -1 ? 0 : a % b));  // no overflow
  }
  double a;
  double b;
  if (!call.CheckNumber(1, &a) || !call.CheckNumber(2, &b)) return call.Failed();
  return call.ReturnValue(Value::Double(std::fmod(a, b)));
}

NativeResult MathModf(NativeCall& call) {
  if (IsInteger(call.arg(1))) {
    call.Push(call.arg(1));
    call.PushNumber(0.0);
    return call.Return(2);
  }
  double value;
  if (!call.CheckNumber(1, &value)) return call.Failed();
  const double integral = value < 0 ? std::ceil(value) : std::floor(value);
  if (!PushIntegral(call, integral)) return call.Failed();
  call.PushNumber(value == integral ? 0.0 : value - integral);  // the test is for infinities
  return call.Return(2);
}

NativeResult MathToInteger(NativeCall& call) {
  int64_t integer;
  if (State::ToInteger(call.arg(1), &integer)) return call.ReturnIf(call.PushInteger(integer));
  if (!call.CheckAny(1)) return call.Failed();
  return call.ReturnValue(Value::Nil());
}

NativeResult MathUlt(NativeCall& call) {
  int64_t a;
  int64_t b;
  if (!call.CheckInteger(1, &a) || !call.CheckInteger(2, &b)) return call.Failed();
  return call.ReturnValue(Value::Boolean(static_cast<uint64_t>(a) < static_cast<uint64_t>(b)));
}

NativeResult MathType(NativeCall& call) {
  if (!call.CheckAny(1)) return call.Failed();
  const Value v = call.arg(1);
  if (!IsNumber(v)) return call.ReturnValue(Value::Nil());
  return call.ReturnIf(call.PushString(IsInteger(v) ? "integer" : "float"));
}

// --- Floats --------------------------------------------------------------------------------------

template <double (*function)(double)>
NativeResult Float(NativeCall& call) {
  double value;
  if (!call.CheckNumber(1, &value)) return call.Failed();
  return call.ReturnValue(Value::Double(function(value)));
}
double Sqrt(double x) { return std::sqrt(x); }
double Sin(double x) { return std::sin(x); }
double Cos(double x) { return std::cos(x); }
double Tan(double x) { return std::tan(x); }
double Asin(double x) { return std::asin(x); }
double Acos(double x) { return std::acos(x); }
double Exp(double x) { return std::exp(x); }
double Degrees(double x) { return x * (180.0 / std::numbers::pi); }
double Radians(double x) { return x * (std::numbers::pi / 180.0); }

NativeResult MathAtan(NativeCall& call) {
  double y;
  double x = 1;
  if (!call.CheckNumber(1, &y) || !call.OptNumber(2, &x)) return call.Failed();
  return call.ReturnValue(Value::Double(std::atan2(y, x)));
}

double Logarithm(double x, double base) {
  if (base == 2) return std::log2(x);
  if (base == 10) return std::log10(x);
  return std::log(x) / std::log(base);
}

NativeResult MathLog(NativeCall& call) {
  double x;
  double base;
  if (!call.CheckNumber(1, &x)) return call.Failed();
  if (call.is_none_or_nil(2)) return call.ReturnValue(Value::Double(std::log(x)));
  if (!call.CheckNumber(2, &base)) return call.Failed();
  return call.ReturnValue(Value::Double(Logarithm(x, base)));
}

// --- Least and greatest --------------------------------------------------------------------------

// The argument that stands first in order, or last. Anything that compares will do.
template <bool greatest>
NativeResult Extreme(NativeCall& call) {
  if (!call.has(1)) return call.ReturnIf(call.ArgumentError(1, "value expected"));
  int chosen = 1;
  for (int i = 2; i <= call.count(); ++i) {
    bool better;
    const Value next = call.arg(i);
    const Value best = call.arg(chosen);
    if (!call.state().Less(greatest ? best : next, greatest ? next : best, &better)) {
      return call.Failed();
    }
    if (better) chosen = i;
  }
  return call.ReturnValue(call.arg(chosen));
}

// --- Random numbers ------------------------------------------------------------------------------

LuaRandom& GeneratorOf(NativeCall& call) {
  return *static_cast<LuaRandom*>(AsUserdata(call.upvalue(1))->payload());
}

// The bounds of math.random(m) and (m, n). False: the error is set.
bool CheckBounds(NativeCall& call, int64_t* low, int64_t* high) {
  if (call.count() > 2) return call.Error("wrong number of arguments");
  if (call.count() == 2 && !call.CheckInteger(1, low)) return false;
  return call.CheckInteger(call.count(), high);
}

NativeResult MathRandom(NativeCall& call) {
  LuaRandom& random = GeneratorOf(call);  // never moves
  if (call.count() == 0) return call.ReturnValue(Value::Double(random.NextFloat()));
  int64_t low = 1;
  int64_t high;
  const bool ok = CheckBounds(call, &low, &high);
  if (ok && call.count() == 1 && high == 0) {
    return call.ReturnIf(call.PushInteger(static_cast<int64_t>(random.Next())));
  }
  if (ok && low <= high) return call.ReturnIf(call.PushInteger(random.Between(low, high)));
  random.Next();  // errors use up a number in the reference implementation
  return call.ReturnIf(ok && call.ArgumentError(call.count(), kEmptyInterval));
}

struct Seed {
  uint64_t n1;
  uint64_t n2;
};

// From the time and an address. Not for secrets.
Seed ArbitrarySeed(LuaRandom& random) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const auto time =
      static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  return {time ^ reinterpret_cast<uint64_t>(&random), random.Next()};
}

// Integers seed as they are, floats by their value if it is integral, else by their bits.
bool CheckSeed(NativeCall& call, Seed* seed) {
  int64_t n2 = 0;
  if (IsInteger(call.arg(1))) {
    seed->n1 = static_cast<uint64_t>(IntegerOf(call.arg(1)));
  } else {
    double value;
    if (!call.CheckNumber(1, &value)) return false;
    const std::optional<int64_t> integer = FloatToInteger(value, Rounding::kExact);
    seed->n1 = integer ? static_cast<uint64_t>(*integer) : std::bit_cast<uint64_t>(value);
  }
  if (!call.OptInteger(2, &n2)) return false;
  seed->n2 = static_cast<uint64_t>(n2);
  return true;
}

NativeResult MathRandomSeed(NativeCall& call) {
  LuaRandom& random = GeneratorOf(call);
  Seed seed;
  if (!call.has(1)) {
    seed = ArbitrarySeed(random);
  } else if (!CheckSeed(call, &seed)) {
    return call.Failed();
  }
  random.Seed(seed.n1, seed.n2);
  return call.ReturnIf(call.PushInteger(static_cast<int64_t>(seed.n1)) &&
                           call.PushInteger(static_cast<int64_t>(seed.n2)),
                       2);
}

// --- Opening -------------------------------------------------------------------------------------

constexpr NativeEntry kFunctions[] = {
    {"abs", MathAbs},
    {"acos", Float<Acos>},
    {"asin", Float<Asin>},
    {"atan", MathAtan},
    {"ceil", Round<Ceil>},
    {"cos", Float<Cos>},
    {"deg", Float<Degrees>},
    {"exp", Float<Exp>},
    {"floor", Round<Floor>},
    {"fmod", MathFmod},
    {"log", MathLog},
    {"max", Extreme<true>},
    {"min", Extreme<false>},
    {"modf", MathModf},
    {"rad", Float<Radians>},
    {"sin", Float<Sin>},
    {"sqrt", Float<Sqrt>},
    {"tan", Float<Tan>},
    {"tointeger", MathToInteger},
    {"type", MathType},
    {"ult", MathUlt},
    {nullptr, nullptr},
};

bool SetNumber(State& state, const char* name, double value) {
  state.Push(Value::Double(value));
  return SetFieldFromTop(state, name);
}

bool SetInteger(State& state, const char* name, int64_t value) {
  const Value integer = state.objects().NewInteger(value);
  if (integer.is_nil()) return state.MemoryError();
  state.Push(integer);
  return SetFieldFromTop(state, name);
}

// Library and generator are on top.
bool SetRandomFunction(State& state, const char* name, NativeFunction function) {
  NativeClosure* closure = NewNativeClosure(state, function, 1);
  if (closure == nullptr) return state.MemoryError();
  state.mutator().Store(closure, &closure->values()[0], state.FromTop(1).word());
  state.Push(state.FromTop(2));
  state.Push(Value::FromObject(closure));
  if (!SetFieldFromTop(state, name)) return false;
  state.Pop(1);
  return true;
}

bool SetRandomFunctions(State& state) {
  Userdata* generator = NewUserdata(state, sizeof(LuaRandom), 0);
  if (generator == nullptr) return state.MemoryError();
  LuaRandom* random = new (generator->payload()) LuaRandom;
  const std::optional<uint64_t> given = state.options().random_seed;
  const Seed seed = given ? Seed{*given, 0} : ArbitrarySeed(*random);
  random->Seed(seed.n1, seed.n2);
  state.Push(Value::FromObject(generator));
  if (!SetRandomFunction(state, "random", MathRandom) ||
      !SetRandomFunction(state, "randomseed", MathRandomSeed)) {
    return false;
  }
  state.Pop(1);
  return true;
}

}  // namespace

bool OpenMath(State& state) {
  Table* table = state.objects().NewTable();
  if (table == nullptr) return state.MemoryError();
  state.Push(Value::FromObject(table));
  return SetFunctions(state, kFunctions) && SetNumber(state, "pi", std::numbers::pi) &&
         SetNumber(state, "huge", HUGE_VAL) && SetInteger(state, "maxinteger", INT64_MAX) &&
         SetInteger(state, "mininteger", INT64_MIN) && SetRandomFunctions(state);
}

}  // namespace neap::vm
