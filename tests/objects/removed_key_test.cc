// SPDX-License-Identifier: MIT
//
// Removed keys of dictionaries: what is forgotten, what next() still finds (dictionary.h, D4).
#include <string>
#include <vector>

#include "dictionary.h"
#include "doctest/doctest.h"
#include "neap/gc/handle.h"
#include "objects_fixture.h"

namespace neap::testing {
namespace {

class RemovedKeys : public QuietObjects {
 public:
  // A table with `others` keys, so that it has an index or none.
  Handle<Table> NewDictionary(int64_t others) {
    Handle<Table> t = NewTable();
    for (int64_t i = 1; i <= others; ++i) CHECK(Set(t, -i, i));
    return t;
  }
  Held NewKey(uint32_t hash) {
    Table* key = objects.NewTable();
    if (hash != 0) key->InstallHash(hash);
    return Keep(Value::FromObject(key));
  }
  void Remove(Handle<Table> t, const Held& key) {
    CHECK(vm::RawSet(objects, t.get(), key, Value::Nil()));
    CHECK(Get(t, key).is_nil());
  }
  // The keys that a walk meets from behind `key` on.
  int Behind(Handle<Table> t, Value key) {
    int count = 0;
    Value value;
    for (;; ++count) {
      const NextResult result = vm::Next(objects, t.get(), &key, &value);
      REQUIRE(result != NextResult::kInvalid);
      if (result == NextResult::kEnd) return count;
    }
  }
  bool HasPlace(Handle<Table> t, Value key) {
    Value value;
    return vm::Next(objects, t.get(), &key, &value) != NextResult::kInvalid;
  }
  uint32_t Used(Handle<Table> t) { return t->dictionary()->used; }
};

constexpr int64_t kFew = 1, kMany = 40;

TEST_SUITE("objects/removed keys") {
  TEST_CASE("a removed key is garbage, and next() goes on from it while somebody has it") {
    for (const int64_t others : {kFew, kMany}) {
      CAPTURE(others);
      RemovedKeys lua;
      Handle<Table> t = lua.NewDictionary(others);
      Held key = lua.NewKey(0), last = lua.NewKey(0);
      CHECK(lua.Set(t, key, 1));
      CHECK(lua.Set(t, last, 2));
      gc::WeakHandle weak(lua.m, key.get().object());
      lua.Remove(t, key);
      lua.FullGC();
      CHECK(lua.Behind(t, key) == 1);
      CHECK(lua.Behind(t, last) == 0);
      key.set(Value::Nil());
      lua.FullGC();
      CHECK(weak.get() == nullptr);
      CHECK(lua.Get(t, last) == lua.Int(2));
      CHECK(lua.Broken() == "");
    }
  }

  TEST_CASE("keys of one hash do not get in each other's way") {
    for (const int64_t others : {kFew, kMany}) {
      CAPTURE(others);
      RemovedKeys lua;
      Handle<Table> t = lua.NewDictionary(others);
      std::vector<Held> keys;
      for (int i = 0; i < 4; ++i) keys.push_back(lua.NewKey(77));
      for (int i = 0; i < 3; ++i) CHECK(lua.Set(t, keys[static_cast<size_t>(i)], i));
      // From each of them a walk sees what is behind it, whichever went first.
      lua.Remove(t, keys[1]);
      CHECK(lua.Behind(t, keys[1]) == 1);
      lua.Remove(t, keys[0]);
      CHECK(lua.Behind(t, keys[0]) == 1);
      CHECK(lua.Behind(t, keys[1]) == 1);
      lua.Remove(t, keys[2]);
      CHECK(lua.Behind(t, keys[0]) == 0);
      CHECK(lua.Behind(t, keys[2]) == 0);
      // They come back, and a new one takes the place that has no key.
      const uint32_t used = lua.Used(t);
      CHECK(lua.Set(t, keys[0], 10));
      CHECK(lua.Set(t, keys[3], 13));
      CHECK(lua.Set(t, keys[2], 12));
      CHECK(lua.Used(t) == used);
      CHECK(lua.Get(t, keys[0]) == lua.Int(10));
      CHECK(lua.Get(t, keys[1]).is_nil());
      CHECK(lua.Get(t, keys[2]) == lua.Int(12));
      CHECK(lua.Get(t, keys[3]) == lua.Int(13));
      CHECK(lua.Count(t) == others + 3);
    }
  }

  TEST_CASE("a key that comes and goes needs one place") {
    for (const int64_t others : {kFew, kMany}) {
      RemovedKeys lua;
      Handle<Table> t = lua.NewDictionary(others);
      std::vector<Held> keys = {lua.NewKey(0), lua.Keep(lua.Str("text")),
                                lua.Keep(lua.Integer(int64_t{1} << 60))};
      for (const Held& key : keys) CHECK(lua.Set(t, key, 0));
      const uint32_t used = lua.Used(t);
      for (int round = 0; round < 50; ++round) {
        for (const Held& key : keys) lua.Remove(t, key);
        CHECK(lua.Count(t) == others);
        for (const Held& key : keys) CHECK(lua.Set(t, key, round));
        for (const Held& key : keys) CHECK(lua.Get(t, key) == lua.Int(round));
      }
      CHECK(lua.Used(t) == used);
    }
  }

  TEST_CASE("what never was a key has no place") {
    RemovedKeys lua;
    Handle<Table> t = lua.NewDictionary(kMany);
    Held key = lua.NewKey(0), other = lua.NewKey(0);
    CHECK(lua.Set(t, key, 1));
    lua.Remove(t, key);
    CHECK(lua.HasPlace(t, key));
    CHECK_FALSE(lua.HasPlace(t, other));
    CHECK_FALSE(lua.HasPlace(t, lua.Int(kMany + 1)));
  }

  TEST_CASE("clearing a table forgets its keys") {
    for (const int64_t others : {kFew, kMany}) {
      RemovedKeys lua;
      Handle<Table> t = lua.NewDictionary(others);
      Held key = lua.NewKey(0);
      CHECK(lua.Set(t, key, 1));
      gc::WeakHandle weak(lua.m, key.get().object());
      vm::Clear(lua.objects, t.get());
      CHECK(lua.Count(t) == 0);
      CHECK(lua.Behind(t, key) == 0);
      key.set(Value::Nil());
      lua.FullGC();
      CHECK(weak.get() == nullptr);
    }
  }

  TEST_CASE("an old table forgets a young key") {
    RemovedKeys lua;
    Handle<Table> t = lua.NewDictionary(kMany);
    lua.FullGC();
    lua.FullGC();
    for (int i = 0; i < 20; ++i) {
      Held key = lua.NewKey(0);
      CHECK(lua.Set(t, key, i));
      lua.Remove(t, key);
      key.set(Value::Nil());
      lua.MinorGC();
      CHECK(lua.Broken() == "");
    }
    CHECK(lua.Count(t) == kMany);
  }
}

}  // namespace
}  // namespace neap::testing
