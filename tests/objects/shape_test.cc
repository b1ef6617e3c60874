// SPDX-License-Identifier: MIT
//
// Shapes: shared, bounded, and gone when nothing uses them.
#include "shape.h"

#include <string>

#include "doctest/doctest.h"
#include "objects_fixture.h"

namespace neap::testing {
namespace {

template <typename Lua>
int CountShapes(Lua& lua) {
  int shapes = 0;
  lua.FullGC();
  lua.heap().WalkReachable(lua.m, [&](Object* o) { shapes += o->type() == vm::kShapeType; });
  return shapes - vm::kMaxInlineFields;  // the roots are one
}

std::string Key(int i) { return "key" + std::to_string(i); }

TEST_SUITE("objects/shapes") {
  TEST_CASE("tables with the same fields in the same order share a shape, others do not") {
    TinyObjects lua;
    Handle<Table> a = lua.NewTable(), b = lua.NewTable(), c = lua.NewTable();
    CHECK(a->shape.get() == lua.objects.root_shape(0));
    for (const char* key : {"x", "y", "z"}) {
      CHECK(lua.Set(a, key, 1));
      CHECK(lua.Set(b, key, 2));
      CHECK(a->shape.get() == b->shape.get());
    }
    for (const char* key : {"y", "x", "z"}) CHECK(lua.Set(c, key, 3));
    CHECK(a->shape.get() != c->shape.get());
    CHECK(a->shape->id() != c->shape->id());
    CHECK(a->shape->id() != 0);
    CHECK(lua.Pairs(a) == "x=1 y=1 z=1 ");
    CHECK(lua.Pairs(b) == "x=2 y=2 z=2 ");
    CHECK(lua.Pairs(c) == "y=3 x=3 z=3 ");
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("shapes never move, and their ids stay") {
    TinyObjects lua;
    Handle<Table> t = lua.NewTable();
    for (int i = 0; i < 40; ++i) CHECK(lua.Set(t, Key(i), i));
    const Shape* shape = t->shape.get();
    const uint32_t id = shape->id();
    lua.MinorGC(3);
    lua.FullGC();
    CHECK(t->shape.get() == shape);
    CHECK(shape->id() == id);
    for (int i = 0; i < 40; ++i) CHECK(lua.Get(t, Key(i)) == lua.Int(i));
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("shapes that branch off do not see each other's keys, below and above the index") {
    TinyObjects lua;
    for (const int common : {0, 3, 7, 8, 9, 16, 30}) {
      CAPTURE(common);
      Handle<Table> a = lua.NewTable(), b = lua.NewTable();
      for (int i = 0; i < common; ++i) {
        CHECK(lua.Set(a, Key(i), i));
        CHECK(lua.Set(b, Key(i), i));
      }
      Handle<Table> base = lua.NewTable();
      for (int i = 0; i < common; ++i) CHECK(lua.Set(base, Key(i), i));
      for (int i = 0; i < 20; ++i) {
        CHECK(lua.Set(a, "left" + std::to_string(i), i));
        CHECK(lua.Set(b, "right" + std::to_string(i), i));
      }
      for (int i = 0; i < 20; ++i) {
        CHECK(lua.Get(a, "left" + std::to_string(i)) == lua.Int(i));
        CHECK(lua.Get(b, "right" + std::to_string(i)) == lua.Int(i));
        CHECK(lua.Get(a, "right" + std::to_string(i)).is_nil());
        CHECK(lua.Get(b, "left" + std::to_string(i)).is_nil());
        CHECK(lua.Get(base, "left" + std::to_string(i)).is_nil());
      }
      CHECK_FALSE(a->is_dictionary());
      CHECK(lua.Count(base) == common);
    }
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("a branch that died can be grown again, with the same keys or with others") {
    TinyObjects lua;
    Handle<Table> keep = lua.NewTable();
    for (int i = 0; i < 12; ++i) CHECK(lua.Set(keep, Key(i), i));
    for (int round = 0; round < 6; ++round) {
      HandleScope scope(lua.m);
      Handle<Table> t = scope.New(lua.objects.NewTable());
      for (int i = 0; i < 12; ++i) CHECK(lua.Set(t, Key(i), i));
      for (int i = 0; i < 12; ++i) {
        CHECK(lua.Set(t, (round % 3 == 0 ? "odd" : "even") + std::to_string(i), i));
      }
      CHECK(lua.Count(t) == 24);
      t.set(nullptr);
      lua.FullGC();
      CHECK(lua.Broken() == "");
    }
  }

  TEST_CASE("constant keys stay fields up to kMaxFields, computed ones up to 16") {
    TinyObjects lua;
    Handle<Table> constant = lua.NewTable(), computed = lua.NewTable();
    for (int i = 0; i < 200; ++i) {
      CHECK(lua.Set(constant, Key(i), i));
      CHECK(lua.Set(computed, "computed" + std::to_string(i), i, KeyOrigin::kComputed));
      CHECK(constant->is_dictionary() == (i >= static_cast<int>(Shape::kMaxFields)));
      CHECK(computed->is_dictionary() == (i >= 16));
    }
    for (int i = 0; i < 200; ++i) {
      CHECK(lua.Get(constant, Key(i)) == lua.Int(i));
      CHECK(lua.Get(computed, "computed" + std::to_string(i)) == lua.Int(i));
    }
    CHECK(lua.Count(constant) == 200);
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("many children by computed keys: a map; dead children do not count") {
    QuietObjects lua;
    Handle<gc::SlotArray> tables = lua.Keep(lua.m.NewSlots(20));
    const auto make = [&](int i) {
      HandleScope scope(lua.m);
      Handle<Table> t = scope.New(lua.objects.NewTable());
      CHECK(lua.Set(t, Key(i), i, KeyOrigin::kComputed));
      lua.m.Store(tables.get(), static_cast<uint64_t>(i % 20), gc::ToWord(t.get()));
      return t->is_dictionary();
    };
    for (int i = 0; i < 20; ++i) CHECK(make(i) == (i >= 16));
    for (uint64_t i = 0; i < 20; ++i) lua.m.Store(tables.get(), i, Word{0});
    lua.FullGC();
    for (int i = 20; i < 40; ++i) CHECK(make(i) == (i >= 36));
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("shapes that nothing uses go, with their transitions") {
    TinyObjects lua;
    const int before = CountShapes(lua);
    {
      HandleScope scope(lua.m);
      Handle<Table> t = scope.New(lua.objects.NewTable());
      for (int i = 0; i < 30; ++i) CHECK(lua.Set(t, Key(i), i));
      CHECK(CountShapes(lua) == before + 30);
    }
    CHECK(CountShapes(lua) == before);
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("10,000 tables, each with a metatable of its own, leave no shapes behind") {
    TinyObjects lua;
    const bool stress = lua.heap().options().debug.stress_alloc != 0;
    const int before = CountShapes(lua);
    for (int i = 0; i < (stress ? 500 : 10000); ++i) {
      HandleScope scope(lua.m);
      Handle<Table> t = scope.New(lua.objects.NewTable());
      Table* metatable = lua.objects.NewTable();
      REQUIRE(vm::SetMetatable(lua.objects, t.get(), metatable));
      REQUIRE(lua.Set(t, "x", i));
      REQUIRE(t->metatable() != nullptr);
    }
    CHECK(CountShapes(lua) <= before + 1);
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("tables with the same metatable share a shape; changing it to and fro makes no more") {
    TinyObjects lua;
    Handle<Table> m1 = lua.NewTable(), m2 = lua.NewTable();
    Handle<Table> a = lua.NewTable(), b = lua.NewTable();
    for (Handle<Table> t : {a, b}) {
      CHECK(lua.Set(t, "x", 1));
      CHECK(vm::SetMetatable(lua.objects, t.get(), m1.get()));
      CHECK(lua.Set(t, "y", 2));
    }
    CHECK(a->shape.get() == b->shape.get());
    CHECK(a->metatable() == m1.get());
    const Shape* with_m1 = a->shape.get();
    for (int i = 0; i < 50; ++i) {
      CHECK(vm::SetMetatable(lua.objects, a.get(), m2.get()));
      CHECK(a->metatable() == m2.get());
      CHECK(vm::SetMetatable(lua.objects, a.get(), nullptr));
      CHECK(a->metatable() == nullptr);
      CHECK(vm::SetMetatable(lua.objects, a.get(), m1.get()));
      CHECK(a->metatable() == m1.get());
    }
    CHECK(a->shape.get() == with_m1);
    CHECK(lua.Pairs(a) == "x=1 y=2 ");
    CHECK(CountShapes(lua) <= 8);
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("dictionary tables keep their metatable, and share shapes by it") {
    TinyObjects lua;
    Handle<Table> metatable = lua.NewTable();
    Handle<Table> a = lua.NewTable(), b = lua.NewTable();
    CHECK(lua.Set(a, "x", 1));
    CHECK(vm::SetMetatable(lua.objects, a.get(), metatable.get()));
    CHECK(lua.Set(a, lua.Keep(Value::Boolean(true)), 2));
    CHECK(a->is_dictionary());
    CHECK(a->metatable() == metatable.get());
    CHECK(lua.Set(b, lua.Keep(Value::Boolean(true)), 2));
    CHECK(vm::SetMetatable(lua.objects, b.get(), metatable.get()));
    CHECK(a->shape.get() == b->shape.get());
    CHECK(vm::SetMetatable(lua.objects, b.get(), nullptr));
    CHECK(b->metatable() == nullptr);
    CHECK(lua.Pairs(a) == "x=1 boolean=2 ");
    CHECK(lua.Broken() == "");
  }
}

}  // namespace
}  // namespace neap::testing
