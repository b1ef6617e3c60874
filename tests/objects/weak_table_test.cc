// SPDX-License-Identifier: MIT
//
// Weak tables, as the reference manual has them in section 2.5.4.
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "neap/gc/finalizer.h"
#include "objects_fixture.h"

namespace neap::testing {
namespace {

class WeakObjects : public QuietObjects {
 public:
  Handle<Table> NewWeak(std::string_view mode) {
    Handle<Table> metatable = NewTable();
    SetValue(metatable, "__mode", Keep(Str(mode)));
    Handle<Table> t = NewTable();
    CHECK(vm::SetMetatable(objects, t.get(), metatable.get()));
    return t;
  }
  Held NewKey() { return Keep(Value::FromObject(objects.NewTable())); }
};

TEST_SUITE("objects/weak tables") {
  TEST_CASE("the mode is read from __mode when the metatable is set") {
    WeakObjects lua;
    const auto mode = [&](std::string_view text) {
      return static_cast<int>(lua.NewWeak(text)->shape->weak_mode);
    };
    CHECK(mode("k") == vm::kWeakKeys);
    CHECK(mode("v") == vm::kWeakValues);
    CHECK(mode("kv") == vm::kWeakBoth);
    CHECK(mode("vxk") == vm::kWeakBoth);
    CHECK(mode("x") == vm::kStrong);
    CHECK(lua.NewWeak("k")->is_dictionary());
    CHECK_FALSE(lua.NewWeak("x")->is_dictionary());
    Handle<Table> metatable = lua.NewTable(), a = lua.NewTable(), b = lua.NewTable();
    CHECK(vm::SetMetatable(lua.objects, a.get(), metatable.get()));
    CHECK(lua.SetValue(metatable, "__mode", lua.Keep(lua.Str("k"))));
    CHECK(vm::SetMetatable(lua.objects, b.get(), metatable.get()));
    CHECK(a->shape->weak_mode == vm::kStrong);
    CHECK(b->shape->weak_mode == vm::kWeakKeys);
    CHECK(vm::SetMetatable(lua.objects, a.get(), metatable.get()));
    CHECK(a->shape->weak_mode == vm::kWeakKeys);
    CHECK(lua.Set(metatable, "__mode", 1));
    CHECK(vm::SetMetatable(lua.objects, a.get(), metatable.get()));
    CHECK(a->shape->weak_mode == vm::kStrong);
  }

  TEST_CASE("weak values go, in elements, fields and entries; values that are data stay") {
    for (const char* mode : {"v", "kv"}) {
      for (const bool old_table : {false, true}) {
        WeakObjects lua;
        Handle<Table> t = lua.NewWeak(mode);
        if (old_table) lua.FullGC(), lua.FullGC();
        Held kept = lua.NewKey(), lost = lua.NewKey();
        for (int64_t i = 1; i <= 20; ++i) {
          const Value v = i % 2 == 0 ? kept.get() : lost.get();
          CHECK(vm::RawSetInteger(lua.objects, t.get(), i, v));
        }
        CHECK(lua.SetValue(t, "kept", kept));
        CHECK(lua.SetValue(t, "lost", lost));
        CHECK(lua.SetValue(t, "text", lua.Keep(lua.Str("some text"))));
        CHECK(lua.Set(t, "number", 5));
        CHECK(lua.SetValue(t, "big", lua.Keep(lua.Integer(INT64_MAX))));
        lost.set(Value::Nil());
        lua.MinorGC();
        lua.FullGC();
        CHECK(lua.Broken() == "");
        for (int64_t i = 1; i <= 20; ++i) CHECK(lua.Get(t, i).is_nil() == (i % 2 == 1));
        CHECK(lua.Get(t, "kept") == kept.get());
        CHECK(lua.Get(t, "lost").is_nil());
        CHECK(lua.Text(lua.Get(t, "text")) == "some text");
        CHECK(lua.Text(lua.Get(t, "big")) == std::to_string(INT64_MAX));
        CHECK(lua.Count(t) == 14);
      }
    }
  }

  TEST_CASE("weak keys are ephemerons: a value that refers to its key does not keep it") {
    WeakObjects lua;
    Handle<Table> t = lua.NewWeak("k");
    Held kept = lua.NewKey();
    {
      HandleScope scope(lua.m);
      for (int i = 0; i < 30; ++i) {
        Handle<Table> key = scope.New(lua.objects.NewTable());
        Handle<Table> value = scope.New(lua.objects.NewTable());
        CHECK(vm::RawSetInteger(lua.objects, value.get(), 1, Value::FromObject(key.get())));
        CHECK(vm::RawSet(lua.objects, t.get(), Value::FromObject(key.get()),
                         Value::FromObject(value.get())));
      }
      Handle<Table> value = scope.New(lua.objects.NewTable());
      CHECK(vm::RawSetInteger(lua.objects, value.get(), 1, kept));
      CHECK(vm::RawSet(lua.objects, t.get(), kept, Value::FromObject(value.get())));
    }
    CHECK(lua.Set(t, "text", 1));
    CHECK(vm::RawSetInteger(lua.objects, t.get(), 1, Value::FromObject(lua.objects.NewTable())));
    CHECK(lua.Set(t, int64_t{1} << 60, 2));
    CHECK(lua.Count(t) == 34);
    lua.FullGC();
    CHECK(lua.Count(t) == 4);
    CHECK(vm::IsTable(lua.Get(t, kept)));
    CHECK(lua.Get(vm::IsTable(lua.Get(t, kept)) ? lua.Keep(vm::AsTable(lua.Get(t, kept)))
                                                : lua.NewTable(),
                  1) == kept.get());
    CHECK(vm::IsTable(lua.Get(t, 1)));
    CHECK(lua.Get(t, int64_t{1} << 60) == lua.Int(2));
    CHECK(lua.Broken() == "");
    // The dead entries give way to new ones.
    for (int i = 0; i < 40; ++i) CHECK(lua.Set(t, "new" + std::to_string(i), i));
    CHECK(lua.Count(t) == 44);
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("chains of ephemerons hold to their end, and fall from their beginning") {
    WeakObjects lua;
    Handle<Table> t = lua.NewWeak("k");
    Held first = lua.NewKey();
    constexpr int kLinks = 300;
    {
      HandleScope scope(lua.m);
      Held key(scope, first);
      for (int i = 0; i < kLinks; ++i) {
        const Held next(scope, Value::FromObject(lua.objects.NewTable()));
        CHECK(vm::RawSet(lua.objects, t.get(), key, next));
        key.set(next);
      }
    }
    for (int round = 0; round < 3; ++round) {
      lua.MinorGC();
      lua.FullGC();
      CHECK(lua.Count(t) == kLinks);
      CHECK(lua.Broken() == "");
    }
    Value key = first;
    for (int i = 0; i < kLinks; ++i) {
      key = vm::RawGet(lua.objects, t.get(), key);
      REQUIRE(vm::IsTable(key));
    }
    first.set(Value::Nil());
    lua.FullGC();
    CHECK(lua.Count(t) == 0);
  }

  TEST_CASE("an object to be finalized leaves weak values before, and weak keys after") {
    struct Seen {
      WeakObjects* lua;
      Handle<Table> values, keys, both_by_key, both_by_value;
      int calls = 0;
      bool in_values = true, in_keys = false, in_both_by_key = false, in_both_by_value = true;
    };
    WeakObjects lua;
    Seen seen = {&lua, lua.NewWeak("v"), lua.NewWeak("k"), lua.NewWeak("kv"), lua.NewWeak("kv")};
    gc::FinalizerQueue queue(
        lua.heap(),
        [](gc::Mutator&, Handle<Object> object, void* context) {
          auto& s = *static_cast<Seen*>(context);
          const Value v = Value::FromObject(object.get());
          ++s.calls;
          s.in_values = !s.lua->Get(s.values, 1).is_nil();
          s.in_keys = !vm::RawGet(s.lua->objects, s.keys.get(), v).is_nil();
          s.in_both_by_key = !vm::RawGet(s.lua->objects, s.both_by_key.get(), v).is_nil();
          s.in_both_by_value = !s.lua->Get(s.both_by_value, 1).is_nil();
        },
        &seen);
    {
      HandleScope scope(lua.m);
      const Held object(scope, Value::FromObject(lua.objects.NewTable()));
      CHECK(vm::RawSetInteger(lua.objects, seen.values.get(), 1, object));
      CHECK(vm::RawSet(lua.objects, seen.keys.get(), object, lua.Int(1)));
      CHECK(vm::RawSet(lua.objects, seen.both_by_key.get(), object, lua.Int(1)));
      CHECK(vm::RawSetInteger(lua.objects, seen.both_by_value.get(), 1, object));
      queue.Register(lua.m, object.get().object());
    }
    lua.FullGC();
    CHECK(queue.Run(lua.m) == 1);
    CHECK(seen.calls == 1);
    CHECK_FALSE(seen.in_values);
    CHECK(seen.in_keys);
    CHECK(seen.in_both_by_key);
    CHECK_FALSE(seen.in_both_by_value);
    lua.FullGC();
    CHECK(lua.Count(seen.keys) == 0);
    CHECK(lua.Count(seen.both_by_key) == 0);
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("in a table with weak keys and values a pair goes when either goes") {
    WeakObjects lua;
    Handle<Table> t = lua.NewWeak("kv");
    std::vector<Held> keys, values;
    for (int i = 0; i < 40; ++i) {
      keys.push_back(lua.NewKey());
      values.push_back(lua.NewKey());
      CHECK(lua.Set(t, keys.back(), values.back()));
    }
    for (int i = 0; i < 40; ++i) {
      if (i % 4 == 1) keys[i].set(Value::Nil());
      if (i % 4 == 2) values[i].set(Value::Nil());
    }
    lua.FullGC();
    CHECK(lua.Broken() == "");
    CHECK(lua.Count(t) == 20);
    for (int i = 0; i < 40; ++i) {
      if (i % 4 == 0 || i % 4 == 3) CHECK(lua.Get(t, keys[i]) == values[i].get());
      if (i % 4 == 2) CHECK(lua.Get(t, keys[i]).is_nil());
    }
    for (int i = 0; i < 100; ++i) CHECK(lua.Set(t, "s" + std::to_string(i), i));
    CHECK(lua.Count(t) == 120);
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("a removed pair of a weak table does not keep its key") {
    for (const char* mode : {"k", "v", "kv"}) {
      WeakObjects lua;
      Handle<Table> t = lua.NewWeak(mode);
      Held key = lua.NewKey();
      CHECK(lua.Set(t, key, 1));
      CHECK(lua.Set(t, key, lua.Keep(Value::Nil())));
      gc::WeakHandle weak(lua.m, key.get().object());
      lua.FullGC();
      CHECK(weak.get() != nullptr);
      Value k = key, v;
      CHECK(vm::Next(lua.objects, t.get(), &k, &v) == NextResult::kEnd);
      key.set(Value::Nil());
      lua.FullGC();
      CHECK(weak.get() == nullptr);
    }
  }

  TEST_CASE("a table becomes weak and strong again with what it holds") {
    WeakObjects lua;
    Handle<Table> metatable = lua.NewTable();
    CHECK(lua.SetValue(metatable, "__mode", lua.Keep(lua.Str("v"))));
    Handle<Table> t = lua.NewTable(2);
    Held a = lua.NewKey(), b = lua.NewKey(), c = lua.NewKey();
    CHECK(lua.SetValue(t, "a", a));
    CHECK(lua.SetValue(t, "b", b));
    CHECK(vm::RawSetInteger(lua.objects, t.get(), 1, c));
    CHECK(vm::SetMetatable(lua.objects, t.get(), metatable.get()));
    CHECK(lua.Count(t) == 3);
    b.set(Value::Nil());
    lua.FullGC();
    CHECK(lua.Count(t) == 2);
    CHECK(vm::SetMetatable(lua.objects, t.get(), nullptr));
    a.set(Value::Nil());
    c.set(Value::Nil());
    lua.FullGC();
    CHECK(lua.Count(t) == 2);
    CHECK(t->array->type() == vm::kArrayPartType);
    CHECK(t->dictionary()->type() == vm::kDictionaryType);
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("weak tables grow under a collector that runs all the time") {
    TinyObjects lua;
    for (const char* mode : {"k", "v", "kv"}) {
      Handle<Table> metatable = lua.NewTable();
      CHECK(lua.SetValue(metatable, "__mode", lua.Keep(lua.Str(mode))));
      Handle<Table> t = lua.NewTable();
      CHECK(vm::SetMetatable(lua.objects, t.get(), metatable.get()));
      Handle<gc::SlotArray> keys = lua.Keep(lua.m.NewSlots(10));
      for (uint64_t i = 0; i < 500; ++i) {
        HandleScope scope(lua.m);
        const Held key(scope, Value::FromObject(lua.objects.NewTable()));
        lua.m.Store(keys.get(), i % 10, key.get().word());
        CHECK(lua.Set(t, key, key));
        CHECK(vm::RawSetInteger(lua.objects, t.get(), static_cast<int64_t>(i + 1), key));
      }
      for (uint64_t i = 0; i < 10; ++i) {
        const Value key = Value::FromWord(keys->slots()[i]);
        CHECK(vm::RawGet(lua.objects, t.get(), key) == key);
      }
      CHECK(lua.Broken() == "");
    }
  }
}

}  // namespace
}  // namespace neap::testing
