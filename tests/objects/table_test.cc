// SPDX-License-Identifier: MIT
//
// Tables, function by function.
#include "table.h"

#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "objects_fixture.h"

namespace neap::testing {
namespace {

template <typename Lua>
uint64_t Capacity(Lua&, Handle<Table> t) {
  return t->array.get() == nullptr ? 0 : t->array->length;
}

TEST_SUITE("objects/tables") {
  TEST_CASE("an empty table has nothing") {
    TinyObjects lua;
    Handle<Table> t = lua.NewTable();
    CHECK(lua.Get(t, "x").is_nil());
    CHECK(lua.Get(t, 1).is_nil());
    CHECK(lua.Get(t, lua.Keep(Value::Nil())).is_nil());
    CHECK(lua.Get(t, lua.Keep(Value::Double(NAN))).is_nil());
    CHECK(lua.Get(t, lua.Keep(Value::Boolean(true))).is_nil());
    CHECK(lua.Border(t) == 0);
    CHECK(lua.Pairs(t) == "");
    CHECK(t->metatable() == nullptr);
    CHECK(gc::ObjectBytes(t.get()) == 32);
    CHECK(gc::ObjectBytes(lua.NewTable(3).get()) == 56);
  }

  TEST_CASE("fields: inline ones, then those of a storage that doubles") {
    TinyObjects lua;
    for (const int inlined : {0, 1, 3, 31}) {
      CAPTURE(inlined);
      Handle<Table> t = lua.NewTable(inlined);
      for (int i = 0; i < 60; ++i) {
        CHECK(lua.Set(t, "f" + std::to_string(i), i));
        CHECK(lua.Get(t, "f" + std::to_string(i / 2)) == lua.Int(i / 2));
      }
      lua.MinorGC();
      for (int i = 0; i < 60; ++i) CHECK(lua.Get(t, "f" + std::to_string(i)) == lua.Int(i));
      const uint64_t wanted = inlined == 31 ? 32 : 64;
      CHECK(t->field_storage()->length == wanted);
      CHECK(lua.Count(t) == 60);
    }
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("a field set to nil is absent, keeps its place, and comes back there") {
    TinyObjects lua;
    Handle<Table> t = lua.NewTable();
    for (const char* key : {"a", "b", "c"}) CHECK(lua.Set(t, key, 1));
    Held nil = lua.Keep(Value::Nil());
    CHECK(lua.SetValue(t, "b", nil));
    CHECK(lua.SetValue(t, "none", nil));
    CHECK(lua.Get(t, "b").is_nil());
    CHECK(lua.Pairs(t) == "a=1 c=1 ");
    CHECK(lua.Set(t, "b", 2));
    CHECK(lua.Pairs(t) == "a=1 b=2 c=1 ");
  }

  TEST_CASE("appending doubles the array part: 4, 8, 16") {
    TinyObjects lua;
    Handle<Table> t = lua.NewTable();
    for (int64_t i = 1; i <= 1000; ++i) {
      CHECK(lua.Set(t, i, i * 10));
      CHECK(lua.Border(t) == i);
    }
    CHECK(Capacity(lua, t) == 1024);
    CHECK_FALSE(t->is_dictionary());
    lua.FullGC();
    for (int64_t i = 1; i <= 1000; ++i) CHECK(lua.Get(t, i) == lua.Int(i * 10));
    for (int64_t i = 1000; i >= 1; --i) {
      CHECK(vm::RawSetInteger(lua.objects, t.get(), i, Value::Nil()));
      CHECK(lua.Border(t) == i - 1);
    }
    CHECK(lua.Pairs(t) == "");
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("integers that arrive in any order end in the array part") {
    TinyObjects lua;
    for (const int stride : {-1, 1, 7, 389}) {
      CAPTURE(stride);
      Handle<Table> t = lua.NewTable();
      constexpr int64_t kPrime = 1009;
      for (int64_t i = 1; i < kPrime; ++i) {
        const int64_t key = ((i * stride) % kPrime + kPrime) % kPrime;
        CHECK(lua.Set(t, key, key));
      }
      for (int64_t i = 1; i < kPrime; ++i) REQUIRE(lua.Get(t, i) == lua.Int(i));
      CHECK(lua.Border(t) == kPrime - 1);
      CHECK(lua.Count(t) == kPrime - 1);
      CHECK(Capacity(lua, t) >= 512);
    }
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("keys that wait in the dictionary move when the array part reaches them") {
    TinyObjects lua;
    Handle<Table> t = lua.NewTable();
    for (const int64_t key : {2, 3, 7, 100}) CHECK(lua.Set(t, key, key));
    CHECK(lua.Border(t) == 0);
    CHECK(lua.Set(t, 1, 1));
    CHECK(lua.Border(t) == 3);
    CHECK(lua.Set(t, 4, 4));
    CHECK(lua.Border(t) == 4);
    CHECK(lua.Set(t, 5, 5));
    CHECK(lua.Set(t, 6, 6));
    CHECK(lua.Border(t) == 7);
    CHECK(lua.Pairs(t) == "1=1 2=2 3=3 4=4 5=5 6=6 7=7 100=100 ");
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("a queue does not keep the room of what it has forgotten") {
    TinyObjects lua;
    const bool stress = lua.heap().options().debug.stress_alloc != 0;
    Handle<Table> t = lua.NewTable();
    const int64_t last = stress ? 2000 : 100000;
    for (int64_t i = 1; i <= last; ++i) {
      CHECK(lua.Set(t, i, i));
      if (i > 10) CHECK(vm::RawSetInteger(lua.objects, t.get(), i - 10, Value::Nil()));
    }
    CHECK(lua.Count(t) == 10);
    CHECK(Capacity(lua, t) <= 128);
    CHECK(t->dictionary()->capacity() <= 32);
    for (int64_t i = last - 9; i <= last; ++i) CHECK(lua.Get(t, i) == lua.Int(i));
  }

  TEST_CASE("floats with an integral value are integers; others are keys of their own") {
    TinyObjects lua;
    Handle<Table> t = lua.NewTable();
    CHECK(lua.Set(t, lua.Keep(Value::Double(1.0)), 1));
    CHECK(lua.Set(t, lua.Keep(Value::Double(-0.0)), 2));
    CHECK(lua.Set(t, lua.Keep(Value::Double(-3.0)), 3));
    CHECK(lua.Set(t, lua.Keep(Value::Double(1.5)), 4));
    CHECK(lua.Set(t, lua.Keep(Value::Double(9007199254740992.0)), 5));
    CHECK(lua.Set(t, lua.Keep(Value::Double(1e300)), 6));
    CHECK(lua.Set(t, lua.Keep(Value::Double(INFINITY)), 7));
    CHECK(lua.Get(t, 1) == lua.Int(1));
    CHECK(lua.Get(t, int64_t{0}) == lua.Int(2));
    CHECK(lua.Get(t, -3) == lua.Int(3));
    CHECK(lua.Get(t, int64_t{1} << 53) == lua.Int(5));
    CHECK(lua.Get(t, lua.Keep(lua.Integer(int64_t{1} << 53))) == lua.Int(5));
    CHECK(lua.Get(t, lua.Keep(Value::Double(9007199254740992.0))) == lua.Int(5));
    CHECK(lua.Get(t, (int64_t{1} << 53) + 1).is_nil());
    CHECK(lua.Get(t, lua.Keep(Value::Double(1.5))) == lua.Int(4));
    CHECK(lua.Get(t, lua.Keep(Value::Double(1e300))) == lua.Int(6));
    CHECK(lua.Get(t, lua.Keep(Value::Double(INFINITY))) == lua.Int(7));
    CHECK(lua.Count(t) == 7);
    Value key, value;
    int floats = 0;
    while (vm::Next(lua.objects, t.get(), &key, &value) == NextResult::kFound) {
      floats += key.is_double();
    }
    CHECK(floats == 3);
  }

  TEST_CASE("boxed integers are keys by their value, light userdata by their pointer") {
    TinyObjects lua;
    Handle<Table> t = lua.NewTable();
    int things[30];
    for (int i = 0; i < 30; ++i) {
      CHECK(lua.Set(t, (int64_t{1} << 60) + i, i));
      CHECK(lua.Set(t, INT64_MIN + i, 100 + i));
      CHECK(lua.Set(t, lua.Keep(lua.objects.NewLightUserdata(things + i)), 200 + i));
    }
    lua.FullGC();
    for (int i = 0; i < 30; ++i) {
      CHECK(lua.Get(t, lua.Keep(lua.Integer((int64_t{1} << 60) + i))) == lua.Int(i));
      CHECK(lua.Get(t, INT64_MIN + i) == lua.Int(100 + i));
      CHECK(lua.Get(t, lua.Keep(lua.objects.NewLightUserdata(things + i))) == lua.Int(200 + i));
    }
    CHECK(lua.Count(t) == 90);
    CHECK(lua.Set(t, int64_t{1} << 60, 7));
    CHECK(lua.Count(t) == 90);
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("booleans, tables and long strings are keys") {
    TinyObjects lua;
    Handle<Table> t = lua.NewTable();
    Held yes = lua.Keep(Value::Boolean(true)), no = lua.Keep(Value::Boolean(false));
    CHECK(lua.Set(t, yes, 1));
    CHECK(lua.Set(t, no, 2));
    std::vector<Held> tables;
    for (int i = 0; i < 40; ++i) {
      tables.push_back(lua.Keep(Value::FromObject(lua.objects.NewTable())));
      CHECK(lua.Set(t, tables.back(), i));
    }
    const std::string text(10000, 'x');
    CHECK(lua.Set(t, text, 3));
    CHECK(lua.Set(t, text + "y", 4));
    lua.MinorGC(2);
    lua.FullGC();
    CHECK(lua.Get(t, yes) == lua.Int(1));
    CHECK(lua.Get(t, no) == lua.Int(2));
    for (int i = 0; i < 40; ++i) CHECK(lua.Get(t, tables[i]) == lua.Int(i));
    CHECK(lua.Get(t, text) == lua.Int(3));
    CHECK(lua.Get(t, text + "y") == lua.Int(4));
    CHECK(lua.Get(t, lua.Keep(Value::FromObject(lua.objects.NewTable()))).is_nil());
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("a table with fields that gets another key keeps them, in order") {
    TinyObjects lua;
    for (const int inlined : {0, 2}) {
      Handle<Table> t = lua.NewTable(inlined);
      CHECK(lua.Set(t, 1, 10));
      for (const char* key : {"c", "a", "gone", "b"}) CHECK(lua.Set(t, key, 1));
      CHECK(lua.SetValue(t, "gone", lua.Keep(Value::Nil())));
      CHECK_FALSE(t->is_dictionary());
      CHECK(lua.Set(t, 1000, 2));
      CHECK(t->is_dictionary());
      CHECK(lua.Set(t, "d", 3));
      CHECK(lua.Pairs(t) == "1=10 c=1 a=1 b=1 1000=2 d=3 ");
      CHECK(lua.Get(t, "a") == lua.Int(1));
    }
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("next() gives elements, then fields in order of insertion, in dictionaries too") {
    TinyObjects lua;
    Handle<Table> t = lua.NewTable();
    std::string expected;
    for (int i = 0; i < 500; ++i) {
      const std::string key = "k" + std::to_string(i * 7919 % 500);
      CHECK(lua.Set(t, key, i));
      expected += key + "=" + std::to_string(i) + " ";
    }
    CHECK(t->is_dictionary());
    CHECK(lua.Pairs(t) == expected);
    CHECK(lua.Set(t, 1, 1));
    CHECK(lua.Pairs(t) == "1=1 " + expected);
    lua.FullGC();
    CHECK(lua.Pairs(t) == "1=1 " + expected);
  }

  TEST_CASE("a walk that sets every key to nil goes on to the end, collections in between") {
    TinyObjects lua;
    for (const bool dictionary : {false, true}) {
      CAPTURE(dictionary);
      Handle<Table> t = lua.NewTable();
      for (int i = 1; i <= 10; ++i) CHECK(lua.Set(t, i, i));
      for (int i = 0; i < 10; ++i) CHECK(lua.Set(t, "k" + std::to_string(i), i));
      if (dictionary) {
        for (int i = 0; i < 20; ++i) {
          CHECK(lua.Set(t, lua.Keep(Value::FromObject(lua.objects.NewTable())), i));
        }
      }
      Held key = lua.Keep(Value::Nil());
      int steps = 0;
      for (;;) {
        Value k = key, v;
        const NextResult result = vm::Next(lua.objects, t.get(), &k, &v);
        REQUIRE(result != NextResult::kInvalid);
        if (result == NextResult::kEnd) break;
        key.set(k);
        CHECK(vm::RawSet(lua.objects, t.get(), k, Value::Nil()));
        steps % 5 == 0 ? lua.FullGC() : lua.MinorGC();
        ++steps;
      }
      CHECK(steps == (dictionary ? 40 : 20));
      CHECK(lua.Count(t) == 0);
    }
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("next() refuses keys that are not there") {
    TinyObjects lua;
    Handle<Table> t = lua.NewTable();
    CHECK(lua.Set(t, 1, 1));
    CHECK(lua.Set(t, "x", 1));
    const auto invalid = [&](Value key) {
      Value value;
      return vm::Next(lua.objects, t.get(), &key, &value) == NextResult::kInvalid;
    };
    for (int round = 0; round < 2; ++round) {
      CHECK(invalid(lua.Str("y")));
      CHECK(invalid(lua.Int(100)));
      CHECK(invalid(lua.Int(0)));
      CHECK(invalid(lua.Int(-1)));
      CHECK(invalid(lua.Integer(INT64_MAX)));
      CHECK(invalid(Value::Double(0.5)));
      CHECK(invalid(Value::Boolean(false)));
      CHECK(invalid(Value::FromObject(lua.objects.NewTable())));
      CHECK_FALSE(invalid(lua.Str("x")));
      CHECK_FALSE(invalid(lua.Int(1)));
      CHECK_FALSE(invalid(Value::Double(1.0)));
      CHECK(lua.Set(t, lua.Keep(Value::Boolean(true)), 1));
    }
  }

  TEST_CASE("a border is one, whatever the holes") {
    TinyObjects lua;
    for (uint32_t bits = 0; bits < 1u << 9; ++bits) {
      HandleScope scope(lua.m);
      Handle<Table> t = scope.New(lua.objects.NewTable());
      if (bits & 1) CHECK(vm::ReserveArray(lua.objects, t.get(), 6));
      for (int i = 1; i <= 8; ++i) {
        if (bits >> i & 1) CHECK(lua.Set(t, i, i));
      }
      for (int ask = 0; ask < 2; ++ask) {
        const int64_t border = lua.Border(t);
        REQUIRE((border == 0 || !lua.Get(t, border).is_nil()));
        REQUIRE(lua.Get(t, border + 1).is_nil());
      }
    }
    Handle<Table> t = lua.NewTable();
    CHECK(lua.Set(t, INT64_MAX, 1));
    CHECK(lua.Border(t) == 0);
    for (int64_t i = 1; i > 0 && i <= INT64_MAX / 2; i *= 2) CHECK(lua.Set(t, i, 1));
    const int64_t border = lua.Border(t);
    CHECK(lua.Get(t, border) == lua.Int(1));
    CHECK(lua.Get(t, border + 1).is_nil());
  }

  TEST_CASE("reserved room is used: exact for elements, enough for fields") {
    TinyObjects lua;
    Handle<Table> t = lua.NewTable();
    CHECK(vm::ReserveArray(lua.objects, t.get(), 3));
    CHECK(Capacity(lua, t) == 3);
    CHECK(vm::ReserveArray(lua.objects, t.get(), 2));
    CHECK(lua.Set(t, 3, 3));
    CHECK(lua.Border(t) == 3);  // 3 is a border as well as 0
    for (int i = 1; i <= 4; ++i) CHECK(lua.Set(t, i, i));
    CHECK(Capacity(lua, t) == 6);
    CHECK_FALSE(vm::ReserveArray(lua.objects, t.get(), uint64_t{1} << 40));

    Handle<Table> fields = lua.NewTable();
    CHECK(vm::ReserveFields(lua.objects, fields.get(), 10));
    CHECK(fields->field_storage()->length == 16);
    Handle<Table> map = lua.NewTable();
    CHECK(lua.Set(map, "x", 1));
    CHECK(vm::ReserveFields(lua.objects, map.get(), 1000));
    CHECK(map->is_dictionary());
    const vm::Dictionary* dictionary = map->dictionary();
    CHECK(dictionary->capacity() >= 1001);
    CHECK(vm::ReserveFields(lua.objects, map.get(), 100));
    CHECK(lua.Get(map, "x") == lua.Int(1));
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("elements in a reserved array part are found in both directions") {
    TinyObjects lua;
    Handle<Table> t = lua.NewTable();
    CHECK(vm::ReserveArray(lua.objects, t.get(), 100));
    for (int i = 100; i >= 1; --i) CHECK(lua.Set(t, i, i));
    CHECK(Capacity(lua, t) == 100);
    CHECK(lua.Border(t) == 100);
  }

  TEST_CASE("clearing removes everything, and the table can be filled again") {
    TinyObjects lua;
    for (const bool dictionary : {false, true}) {
      Handle<Table> t = lua.NewTable(1);
      for (int round = 0; round < 3; ++round) {
        for (int i = 1; i <= 20; ++i) CHECK(lua.Set(t, i, i));
        for (int i = 0; i < 20; ++i) CHECK(lua.Set(t, "k" + std::to_string(i), i));
        if (dictionary) CHECK(lua.Set(t, lua.Keep(Value::Boolean(true)), 1));
        CHECK(lua.Count(t) == (dictionary ? 41 : 40));
        vm::Clear(lua.objects, t.get());
        CHECK(lua.Count(t) == 0);
        CHECK(lua.Border(t) == 0);
        CHECK(lua.Get(t, "k3").is_nil());
        lua.MinorGC();
      }
    }
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("a map whose keys come and go stays as large as its live keys want") {
    TinyObjects lua;
    const bool stress = lua.heap().options().debug.stress_alloc != 0;
    Handle<Table> t = lua.NewTable();
    const int last = stress ? 500 : 20000;
    for (int i = 0; i < last; ++i) {
      CHECK(lua.Set(t, "k" + std::to_string(i), i, KeyOrigin::kComputed));
      if (i >= 20) {
        const Value key = lua.Str("k" + std::to_string(i - 20));
        CHECK(vm::RawSet(lua.objects, t.get(), key, Value::Nil()));
      }
    }
    CHECK(lua.Count(t) == 20);
    CHECK(t->dictionary()->capacity() <= 64);
  }

  TEST_CASE("large storages survive: 5,000 elements, 5,000 string keys, old and young values") {
    TinyObjects lua;
    const bool stress = lua.heap().options().debug.stress_alloc != 0;
    const int count = stress ? 1500 : 5000;
    Handle<Table> t = lua.NewTable();
    for (int i = 1; i <= count; ++i) {
      HandleScope scope(lua.m);
      const Held value(scope, lua.Str("v" + std::to_string(i)));
      CHECK(vm::RawSetInteger(lua.objects, t.get(), i, value));
      CHECK(lua.SetValue(t, "k" + std::to_string(i), value));
    }
    lua.MinorGC(2);
    for (int i = 1; i <= count; i += 97) {
      const Held value = lua.Keep(lua.Str("new" + std::to_string(i)));
      CHECK(vm::RawSetInteger(lua.objects, t.get(), i, value));
      CHECK(lua.SetValue(t, "k" + std::to_string(i), value));
    }
    lua.MinorGC();
    CHECK(lua.Broken() == "");
    lua.FullGC();
    for (int i = 1; i <= count; ++i) {
      const std::string text = ((i - 1) % 97 == 0 ? "new" : "v") + std::to_string(i);
      REQUIRE(vm::AsString(lua.Get(t, i))->view() == text);
      REQUIRE(vm::AsString(lua.Get(t, "k" + std::to_string(i)))->view() == text);
    }
    CHECK(lua.Broken() == "");
  }
}

}  // namespace
}  // namespace neap::testing
