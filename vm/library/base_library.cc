// SPDX-License-Identifier: MIT
//
// The base library (manual 6.1): what is left of it besides base_parts.h, and the table of globals.
//
// Functions that return a value of their own every time (`type` a name, `pairs` the function
// `next`) are closures over those values: calling them allocates nothing.
#include <cstdio>
#include <string>

#include "library/base_iterators.h"
#include "library/base_parts.h"
#include "library/library.h"
#include "library/native_setup.h"
#include "text/char_class.h"
#include "text/number.h"

namespace neap::vm {
namespace {

NativeResult Print(NativeCall& call) {
  for (int i = 1; i <= call.count(); ++i) {
    if (!call.state().PushTostring(call.arg(i))) return call.Failed();
    const std::string_view text = AsString(call.top())->view();
    if (i > 1) std::fputc('\t', stdout);
    std::fwrite(text.data(), 1, text.size(), stdout);
    call.Pop();
  }
  std::fputc('\n', stdout);
  std::fflush(stdout);
  return call.Return(0);
}

NativeResult Select(NativeCall& call) {
  const int64_t count = call.count();
  if (IsString(call.arg(1)) && call.text(1).starts_with('#')) {
    return call.ReturnIf(call.PushInteger(count - 1));
  }
  int64_t i = 0;
  if (!call.CheckInteger(1, &i)) return call.Failed();
  if (i < 0) i += count;
  if (i > count) i = count;
  if (i < 1) return call.ReturnIf(call.ArgumentError(1, "index out of range"));
  return call.Return(static_cast<uint32_t>(count - i));
}

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return INT32_MAX;
}

// The integer that the text spells in the base; wraps around. False: none.
bool ParseInteger(std::string_view text, int base, int64_t* value) {
  constexpr std::string_view kSpace = " \f\n\r\t\v";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return false;
  text = text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
  const bool is_negative = text[0] == '-';
  if (is_negative || text[0] == '+') text.remove_prefix(1);
  if (text.empty()) return false;
  uint64_t sum = 0;
  for (const char c : text) {
    const int digit = DigitOf(c);
    if (digit >= base) return false;
    sum = sum * static_cast<uint64_t>(base) + static_cast<uint64_t>(digit);
  }
  *value = static_cast<int64_t>(is_negative ? 0 - sum : sum);
  return true;
}

NativeResult ToNumberInBase(NativeCall& call) {
  int64_t base = 0;
  if (!call.CheckInteger(2, &base) || !call.CheckType(1, LuaType::kString)) return call.Failed();
  if (base < 2 || base > 36) return call.ReturnIf(call.ArgumentError(2, "base out of range"));
  int64_t value = 0;
  if (!ParseInteger(call.text(1), static_cast<int>(base), &value)) {
    return call.ReturnValue(Value::Nil());
  }
  return call.ReturnIf(call.PushInteger(value));
}

NativeResult ToNumber(NativeCall& call) {
  if (!call.is_none_or_nil(2)) return ToNumberInBase(call);
  const Value v = call.arg(1);
  if (IsNumber(v)) return call.ReturnValue(v);
  if (!call.CheckAny(1)) return call.Failed();
  return call.ReturnValue(IsString(v) ? call.state().ToNumberValue(v) : Value::Nil());
}

NativeResult ToString(NativeCall& call) {
  if (!call.CheckAny(1)) return call.Failed();
  return call.ReturnIf(call.state().PushTostring(call.arg(1)));
}

NativeResult Type(NativeCall& call) {
  if (!call.CheckAny(1)) return call.Failed();
  return call.ReturnValue(call.upvalue(1 + static_cast<int>(TypeOf(call.arg(1)))));
}

NativeResult Warn(NativeCall& call) {
  String* ignored = nullptr;
  if (!call.CheckString(1, &ignored)) return call.Failed();
  for (int i = 2; i <= call.count(); ++i) {
    if (!call.CheckString(i, &ignored)) return call.Failed();
  }
  State& state = call.state();
  for (int i = 1; i <= call.count() && state.warn != nullptr; ++i) {
    const std::string piece(call.text(i));
    state.warn(state, piece, i < call.count());
  }
  return call.Return(0);
}

constexpr NativeEntry kFunctions[] = {
    {"assert", BaseAssert},
    {"collectgarbage", BaseCollectGarbage},
    {"dofile", BaseDoFile},
    {"error", BaseError},
    {"getmetatable", BaseGetMetatable},
    {"load", BaseLoad},
    {"loadfile", BaseLoadFile},
    {"next", BaseNext},
    {"pcall", BasePcall},
    {"print", Print},
    {"rawequal", BaseRawEqual},
    {"rawget", BaseRawGet},
    {"rawlen", BaseRawLen},
    {"rawset", BaseRawSet},
    {"select", Select},
    {"setmetatable", BaseSetMetatable},
    {"tonumber", ToNumber},
    {"tostring", ToString},
    {"warn", Warn},
    {"xpcall", BaseXpcall},
    {nullptr, nullptr},
};

// Below: on top is the table of globals.

bool SetTypeFunction(State& state) {
  for (int type = 0; type < kLuaTypes; ++type) {
    String* name = state.objects().NewAtom(TypeName(static_cast<LuaType>(type)));
    if (name == nullptr) return state.MemoryError();
    state.Push(Value::FromObject(name));
  }
  return PushClosure(state, Type, kLuaTypes) && SetFieldFromTop(state, "type");
}

bool SetTraversals(State& state) {
  state.Push(RawField(state, AsTable(state.FromTop(1)), "next"));
  if (!PushClosure(state, BasePairs, 1) || !SetFieldFromTop(state, "pairs")) return false;
  return PushClosure(state, BaseIpairsStep, 0) && PushClosure(state, BaseIpairs, 1) &&
         SetFieldFromTop(state, "ipairs");
}

}  // namespace

bool OpenBase(State& state) {
  state.Push(state.globals_value());
  if (!SetFunctions(state, kFunctions) || !SetTypeFunction(state) || !SetTraversals(state)) {
    return false;
  }
  state.Push(state.globals_value());
  return SetFieldFromTop(state, "_G") && SetTextField(state, "_VERSION", "Lua 5.4");
}

}  // namespace neap::vm
