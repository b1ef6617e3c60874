// SPDX-License-Identifier: MIT
//
// Dates: seconds since the epoch, tables of fields, texts by strftime. Conversion specifiers are
// checked first, since strftime says nothing about those it does not know.
#include "library/os_date.h"

#include <climits>
#include <ctime>
#include <string>

#include "library/native_setup.h"
#include "library/text_argument.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr std::string_view kPlainSpecifiers = "aAbBcCdDeFgGhHIjmMnprRStTuUVwWxXyYzZ%";
constexpr std::string_view kAfterE = "cCxXyY";
constexpr std::string_view kAfterO = "deHImMSuUVwWy";
constexpr size_t kMaxItemBytes = 250;  // of one conversion

// Length of the specifier that the text starts with (behind its '%'); 0: there is no such one.
size_t SpecifierLength(std::string_view text) {
  if (text.empty()) return 0;
  if (kPlainSpecifiers.find(text[0]) != std::string_view::npos) return 1;
  if (text.size() < 2 || (text[0] != 'E' && text[0] != 'O')) return 0;
  const std::string_view allowed = text[0] == 'E' ? kAfterE : kAfterO;
  return allowed.find(text[1]) != std::string_view::npos ? 2 : 0;
}

bool Format(NativeCall& call, std::string_view format, const std::tm& date, std::string* out) {
  while (!format.empty()) {
    if (format[0] != '%') {
      *out += format[0];
      format.remove_prefix(1);
      continue;
    }
    format.remove_prefix(1);
    const size_t length = SpecifierLength(format);
    if (length == 0) {
      const std::string rest(format.substr(0, format.find('\0')));
      return call.ArgumentError(1, Concat("invalid conversion specifier '%", rest, "'"));
    }
    char item[kMaxItemBytes];
    const std::string specifier = Concat("%", format.substr(0, length));
    out->append(item, std::strftime(item, sizeof(item), specifier.c_str(), &date));
    format.remove_prefix(length);
  }
  return true;
}

// Sets the fields of the table on top.
bool SetDateFields(State& state, const std::tm& date) {
  const bool ok =
      SetIntegerField(state, "year", int64_t{date.tm_year} + 1900) &&
      SetIntegerField(state, "month", int64_t{date.tm_mon} + 1) &&
      SetIntegerField(state, "day", date.tm_mday) && SetIntegerField(state, "hour", date.tm_hour) &&
      SetIntegerField(state, "min", date.tm_min) && SetIntegerField(state, "sec", date.tm_sec) &&
      SetIntegerField(state, "yday", int64_t{date.tm_yday} + 1) &&
      SetIntegerField(state, "wday", int64_t{date.tm_wday} + 1);
  if (!ok || date.tm_isdst < 0) return ok;
  return SetBooleanField(state, "isdst", date.tm_isdst != 0);
}

struct Field {
  const char* name;
  int std::tm::*member;
  int64_t otherwise;  // -1: must be there
  int64_t origin;     // of what the table says, where std::tm has 0
};
constexpr Field kFields[] = {
    {"year", &std::tm::tm_year, -1, 1900}, {"month", &std::tm::tm_mon, -1, 1},
    {"day", &std::tm::tm_mday, -1, 0},     {"hour", &std::tm::tm_hour, 12, 0},
    {"min", &std::tm::tm_min, 0, 0},       {"sec", &std::tm::tm_sec, 0, 0},
};

bool ReadField(NativeCall& call, const Field& field, std::tm* date) {
  if (!call.state().PushField(call.arg(1), field.name)) return false;
  const Value v = call.top();
  call.Pop();
  int64_t i = 0;
  if (!State::ToInteger(v, &i)) {
    if (!v.is_nil()) return call.Error(Concat("field '", field.name, "' is not an integer"));
    if (field.otherwise < 0) {
      return call.Error(Concat("field '", field.name, "' missing in date table"));
    }
    date->*field.member = static_cast<int>(field.otherwise);
    return true;
  }
  const bool fits = i >= 0 ? i - field.origin <= INT_MAX : INT_MIN + field.origin <= i;
  if (!fits) return call.Error(Concat("field '", field.name, "' is out-of-bound"));
  date->*field.member = static_cast<int>(i - field.origin);
  return true;
}

bool ReadDate(NativeCall& call, std::tm* date) {
  for (const Field& field : kFields) {
    if (!ReadField(call, field, date)) return false;
  }
  if (!call.state().PushField(call.arg(1), "isdst")) return false;
  const Value v = call.top();
  call.Pop();
  date->tm_isdst = v.is_nil() ? -1 : v.is_truthy();
  return true;
}

}  // namespace

NativeResult OsDate(NativeCall& call) {
  std::string format = "%c";
  int64_t seconds = static_cast<int64_t>(std::time(nullptr));
  if (!OptText(call, 1, &format) || !call.OptInteger(2, &seconds)) return call.Failed();
  const bool is_utc = format.starts_with('!');
  if (is_utc) format.erase(0, 1);
  const auto when = static_cast<std::time_t>(seconds);
  std::tm date = {};
  if ((is_utc ? gmtime_r(&when, &date) : localtime_r(&when, &date)) == nullptr) {
    return call.ReturnIf(call.Error("date result cannot be represented in this installation"));
  }
  if (std::string_view(format.c_str()) == "*t") {
    return call.ReturnIf(PushNewTable(call.state()) && SetDateFields(call.state(), date));
  }
  std::string text;
  return call.ReturnIf(Format(call, format, date, &text) && call.PushString(text));
}

NativeResult OsTime(NativeCall& call) {
  if (call.is_none_or_nil(1)) {
    return call.ReturnIf(call.PushInteger(static_cast<int64_t>(std::time(nullptr))));
  }
  std::tm date = {};
  if (!call.CheckTable(1) || !ReadDate(call, &date)) return call.Failed();
  const std::time_t seconds = std::mktime(&date);
  call.Push(call.arg(1));
  if (!SetDateFields(call.state(), date)) return call.Failed();
  if (seconds == static_cast<std::time_t>(-1)) {
    return call.ReturnIf(call.Error("time result cannot be represented in this installation"));
  }
  return call.ReturnIf(call.PushInteger(static_cast<int64_t>(seconds)));
}

}  // namespace neap::vm
