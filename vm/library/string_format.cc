// SPDX-License-Identifier: MIT
//
// string.format. The format is pinned: tostring may run Lua code, and the scanner goes on in the
// same text afterwards. The result is put together outside the heap.
#include <string>

#include "library/string_functions.h"
#include "text/format_spec.h"
#include "text/number.h"

namespace neap::vm {
namespace {

// Strings of up to this many bytes are one object for %p when they are equal, as in the reference
// implementation.
constexpr uint64_t kShortString = 40;

class Formatter {
 public:
  // `format`: the number of the argument that is the format.
  Formatter(NativeCall& call, int format, std::string* out)
      : call_(call), out_(*out), room_(call.state()), argument_(format) {}

  bool Run(std::string_view format) {
    FormatScanner scanner(format);
    while (scanner.NextDirective(&out_)) {
      if (!call_.has(++argument_)) return call_.ArgumentError(argument_, "no value");
      FormatSpec spec;
      if (!Check(scanner.TakeSpec(&spec)) || !Append(spec)) return false;
      if (!room_.Allows(out_.size())) return false;
    }
    return true;
  }

 private:
  bool Check(const TextStatus& status) { return status.ok() || call_.TextError(status, argument_); }

  bool Append(const FormatSpec& spec) {
    switch (spec.conversion) {
      case 'c':
        return AppendChar(spec);
      case 'd':
      case 'i':
      case 'o':
      case 'u':
      case 'x':
      case 'X':
        return AppendInteger(spec);
      case 'p':
        return AppendPointer(spec);
      case 'q':
        return AppendLiteral();
      case 's':
        return AppendString(spec);
      default:
        return AppendFloat(spec);
    }
  }

  bool AppendChar(const FormatSpec& spec) {
    int64_t code;
    if (!Check(CheckModifiers(spec)) || !call_.CheckInteger(argument_, &code)) return false;
    FormatChar(spec, static_cast<char>(code), &out_);
    return true;
  }

  bool AppendInteger(const FormatSpec& spec) {
    int64_t value;
    if (!call_.CheckInteger(argument_, &value) || !Check(CheckModifiers(spec))) return false;
    FormatInteger(spec, value, &out_);
    return true;
  }

  bool AppendFloat(const FormatSpec& spec) {
    double value;
    if (!call_.CheckNumber(argument_, &value) || !Check(CheckModifiers(spec))) return false;
    FormatFloat(spec, value, &out_);
    return true;
  }

  bool AppendPointer(const FormatSpec& spec) {
    if (!Check(CheckModifiers(spec))) return false;
    Value value = call_.arg(argument_);
    if (IsString(value) && AsString(value)->length <= kShortString) {
      value = Value::FromObject(call_.objects().atoms().Intern(AsString(value)));
    }
    FormatPointer(spec, call_.state().IdentityOf(value), &out_);
    return true;
  }

  bool AppendString(const FormatSpec& spec) {
    if (!call_.state().PushTostring(call_.arg(argument_))) return false;
    const TextStatus status = FormatString(spec, AsString(call_.top())->view(), &out_);
    call_.Pop();
    return Check(status);
  }

  bool AppendLiteral() {
    const Value value = call_.arg(argument_);
    if (IsString(value)) {
      QuoteString(AsString(value)->view(), &out_);
    } else if (IsInteger(value)) {
      QuoteNumber(Number(IntegerOf(value)), &out_);
    } else if (IsNumber(value)) {
      QuoteNumber(Number(NumberOf(value)), &out_);
    } else if (value.is_nil() || value.is_boolean()) {
      out_ += value.is_nil() ? "nil" : value.is_true() ? "true" : "false";
    } else {
      return call_.ArgumentError(argument_, kNoLiteralForm);
    }
    return true;
  }

  NativeCall& call_;
  std::string& out_;
  RoomCheck room_;
  int argument_;  // the one that the last directive is about
};

}  // namespace

bool FormatArguments(NativeCall& call, int format, std::string* out) {
  String* text;
  if (!call.CheckString(format, &text)) return false;
  const gc::Pin<String> pin(call.mutator(), text);
  return Formatter(call, format, out).Run(pin->view());
}

NativeResult StringFormat(NativeCall& call) {
  std::string out;
  return call.ReturnIf(FormatArguments(call, 1, &out) && call.PushString(out));
}

}  // namespace neap::vm
