// SPDX-License-Identifier: MIT
//
// Values: types, sizes, equality, order of strings.
#include "equality.h"

#include <clocale>
#include <cmath>
#include <limits>
#include <string>

#include "doctest/doctest.h"
#include "function.h"
#include "objects_fixture.h"

namespace neap::testing {
namespace {

static_assert(Table::BytesFor(0) == 32);
static_assert(Table::BytesFor(3) == 56);
static_assert(Table::BytesFor(6) == 80);
static_assert(vm::LuaClosure::BytesFor(1) + sizeof(vm::Upvalue) == 48);

TEST_SUITE("objects/values") {
  TEST_CASE("every kind has the size that its layout says") {
    vm::RegisterTypes();
    vm::RegisterTypes();
    for (int n = 0; n <= vm::kMaxInlineFields; ++n) {
      CHECK(gc::BytesFor(static_cast<gc::TypeId>(vm::kTableType + n), 0) == Table::BytesFor(n));
    }
    for (int n = 0; n <= vm::kMaxUpvalues; ++n) {
      if (n > vm::kCommonUpvalues) {
        vm::RegisterLuaClosureType(n);
        vm::RegisterNativeClosureType(n);
      }
      CHECK(gc::BytesFor(static_cast<gc::TypeId>(vm::kLuaClosureType + n), 0) ==
            vm::LuaClosure::BytesFor(n));
      CHECK(gc::BytesFor(static_cast<gc::TypeId>(vm::kNativeClosureType + n), 0) ==
            vm::NativeClosure::BytesFor(n));
    }
    for (const uint64_t length : {0, 1, 7, 8, 9, 100}) {
      CHECK(gc::BytesFor(vm::kStringType, length) == String::BytesFor(length));
      CHECK(gc::BytesFor(vm::kArrayPartType, length) == 24 + 8 * length);
      CHECK(gc::BytesFor(vm::kFieldStorageType, length) == 16 + 8 * length);
    }
    CHECK(gc::BytesFor(vm::kDictionaryType, 9) == sizeof(vm::Dictionary) + 4 * 16);
    CHECK(gc::BytesFor(vm::kUserdataType, 16) == 80);
  }

  TEST_CASE("closures of every size keep what they hold") {
    TinyObjects lua;
    for (const int n : {0, 1, 2, 59, 60, 61, 62, 63, 64, 65, 200, 255}) {
      CAPTURE(n);
      HandleScope scope(lua.m);
      Handle<vm::LuaClosure> closure = scope.New(static_cast<vm::LuaClosure*>(
          lua.m.Allocate(static_cast<gc::TypeId>(vm::kLuaClosureType + n))));
      Handle<vm::NativeClosure> native = scope.New(static_cast<vm::NativeClosure*>(
          lua.m.Allocate(static_cast<gc::TypeId>(vm::kNativeClosureType + n))));
      CHECK(closure->upvalue_count() == n);
      CHECK(native->value_count() == n);
      for (int i = 0; i < n; ++i) {
        String* text = lua.objects.NewString(std::to_string(i));
        lua.m.Store(closure.get(), closure->upvalues() + i, text);
        lua.m.Store(native.get(), native->values() + i, text);
      }
      lua.MinorGC(3);
      lua.FullGC();
      for (int i = 0; i < n; ++i) {
        const Value held = Value::FromWord(native->values()[i]);
        REQUIRE(vm::AsString(held)->view() == std::to_string(i));
        REQUIRE(closure->upvalues()[i] == held.word());
      }
      CHECK(lua.Broken() == "");
    }
  }

  TEST_CASE("types have the names of the reference implementation") {
    TinyObjects lua;
    const auto name = [](Value v) { return std::string(vm::TypeName(vm::TypeOf(v))); };
    CHECK(name(Value::Nil()) == "nil");
    CHECK(name(Value::Boolean(false)) == "boolean");
    CHECK(name(Value::Boolean(true)) == "boolean");
    CHECK(name(lua.Int(0)) == "number");
    CHECK(name(Value::Double(0.5)) == "number");
    CHECK(name(lua.Integer(INT64_MAX)) == "number");
    CHECK(name(lua.Str("")) == "string");
    CHECK(name(Value::FromObject(lua.objects.NewAtom("a"))) == "string");
    CHECK(name(Value::FromObject(lua.NewTable(31).get())) == "table");
    CHECK(name(lua.objects.NewLightUserdata(nullptr)) == "userdata");
    CHECK(name(Value::FromObject(lua.m.Allocate(vm::kUserdataType, 8))) == "userdata");
    CHECK(name(Value::FromObject(lua.m.Allocate(vm::kLuaClosureType + 255))) == "function");
    CHECK(name(Value::FromObject(lua.m.Allocate(vm::kNativeClosureType))) == "function");
  }

  TEST_CASE("numbers are equal exactly when their values are") {
    QuietObjects lua;
    const double two53 = 9007199254740992.0, two63 = 9223372036854775808.0;
    CHECK(vm::RawEqual(lua.Int(1), Value::Double(1.0)));
    CHECK(vm::RawEqual(Value::Double(0.0), Value::Double(-0.0)));
    CHECK(vm::RawEqual(Value::Double(-0.0), lua.Int(0)));
    CHECK_FALSE(vm::RawEqual(lua.Int(1), Value::Double(1.5)));
    CHECK_FALSE(vm::RawEqual(lua.Int(1), lua.Int(2)));
    CHECK_FALSE(vm::RawEqual(Value::Double(NAN), Value::Double(NAN)));
    CHECK(vm::RawEqual(lua.Integer(int64_t{1} << 53), Value::Double(two53)));
    CHECK_FALSE(vm::RawEqual(lua.Integer((int64_t{1} << 53) + 1), Value::Double(two53)));
    CHECK(vm::RawEqual(lua.Integer(INT64_MAX), lua.Integer(INT64_MAX)));
    CHECK_FALSE(vm::RawEqual(lua.Integer(INT64_MAX), lua.Integer(INT64_MAX - 1)));
    CHECK_FALSE(vm::RawEqual(lua.Integer(INT64_MAX), Value::Double(two63)));
    CHECK(vm::RawEqual(lua.Integer(INT64_MIN), Value::Double(-two63)));
    CHECK_FALSE(vm::RawEqual(lua.Int(0), Value::Nil()));
    CHECK_FALSE(vm::RawEqual(Value::Boolean(false), Value::Nil()));
  }

  TEST_CASE("strings are equal by text, light userdata by pointer, tables by identity") {
    QuietObjects lua;
    CHECK(vm::RawEqual(lua.Str("tide"), lua.Str("tide")));
    CHECK_FALSE(vm::RawEqual(lua.Str("tide"), lua.Str("tidy")));
    CHECK_FALSE(vm::RawEqual(lua.Str("tide"), lua.Str("tides")));
    CHECK(vm::RawEqual(Value::FromObject(lua.objects.NewAtom("tide")), lua.Str("tide")));
    CHECK_FALSE(vm::RawEqual(lua.Str("1"), lua.Int(1)));
    int x = 0;
    CHECK(vm::RawEqual(lua.objects.NewLightUserdata(&x), lua.objects.NewLightUserdata(&x)));
    CHECK_FALSE(
        vm::RawEqual(lua.objects.NewLightUserdata(&x), lua.objects.NewLightUserdata(nullptr)));
    const Value t = Value::FromObject(lua.NewTable().get());
    CHECK(vm::RawEqual(t, t));
    CHECK_FALSE(vm::RawEqual(t, Value::FromObject(lua.NewTable().get())));
    CHECK_FALSE(vm::RawEqual(t, lua.Str("table")));
  }

  TEST_CASE("strings are ordered by bytes and length; a NUL is a byte like others") {
    QuietObjects lua;
    using std::string_literals::operator""s;
    const std::string ordered[] = {"",      "\0"s, "\0\0"s, "\0a"s,  "a",     "a\0"s,
                                   "a\0b"s, "aa",  "ab",    "\x7f"s, "\x80"s, "\xff"s};
    const auto check = [&] {
      for (size_t i = 0; i < std::size(ordered); ++i) {
        for (size_t j = 0; j < std::size(ordered); ++j) {
          const int order = vm::StringCompare(lua.objects.NewString(ordered[i]),
                                              lua.objects.NewString(ordered[j]));
          REQUIRE((order < 0) == (i < j));
          REQUIRE((order > 0) == (i > j));
        }
      }
    };
    check();
  }

  TEST_CASE("in another locale, parts between NULs are collated one by one") {
    QuietObjects lua;
    if (std::setlocale(LC_COLLATE, "C.UTF-8") == nullptr) return;
    using std::string_literals::operator""s;
    const auto compare = [&](const std::string& a, const std::string& b) {
      return vm::StringCompare(lua.objects.NewString(a), lua.objects.NewString(b));
    };
    CHECK(compare("a\0b"s, "a\0b"s) == 0);
    CHECK(compare("a\0b"s, "a\0c"s) < 0);
    CHECK(compare("a"s, "a\0"s) < 0);
    CHECK(compare("a\0"s, "a"s) > 0);
    CHECK(compare("a\0z"s, "b"s) < 0);
    std::setlocale(LC_COLLATE, "C");
  }

  TEST_CASE("strings of every length end in a NUL, small and large ones") {
    TinyObjects lua;
    for (const size_t length : {0, 1, 6, 7, 8, 9, 15, 16, 8000, 8167, 8168, 8175, 8176, 100000}) {
      CAPTURE(length);
      const std::string text(length, 'x');
      const String* string = lua.objects.NewString(text);
      REQUIRE(string != nullptr);
      CHECK(string->view() == text);
      CHECK(string->data()[length] == '\0');
      const String* zeros = lua.objects.NewStringOf(length);
      CHECK(zeros->view() == std::string(length, '\0'));
      CHECK(zeros->data()[length] == '\0');
    }
    CHECK(lua.objects.NewStringOf(vm::kMaxStringBytes + 1) == nullptr);
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("integers that do not fit into a word are boxed, and no others") {
    QuietObjects lua;
    for (const int64_t i : {INT64_MIN, Value::kMinInline - 1, Value::kMinInline, int64_t{-1},
                            int64_t{0}, Value::kMaxInline, Value::kMaxInline + 1, INT64_MAX}) {
      const Value v = lua.Integer(i);
      CHECK(vm::IntegerOf(v) == i);
      CHECK(vm::IsBoxedInteger(v) == !Value::FitsInline(i));
    }
  }
}

}  // namespace
}  // namespace neap::testing
