// SPDX-License-Identifier: MIT
//
// A table against a model: random operations on both, with collections in between; after each
// batch the table must hold what the model holds, and the heap must be sound.
//
// A key is described by a kind and a number, so that it can be made again at any time; the model
// maps descriptions to the numbers stored. The run's seed (R2) chooses all of it.
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "doctest/doctest.h"
#include "objects_fixture.h"
#include "support/random.h"

namespace neap::testing {
namespace {

enum class Kind { kInteger, kFloat, kBoolean, kShortString, kLongString, kTable, kLight };
using KeyName = std::pair<Kind, int64_t>;

// What a run draws its keys from.
struct Mix {
  const char* name;
  std::vector<Kind> kinds;
  int64_t range;  // numbers 1 .. range
};

const Mix kMixes[] = {
    {"dense integers", {Kind::kInteger}, 40},
    {"sparse integers", {Kind::kInteger}, 3000},
    {"few fields", {Kind::kShortString}, 12},
    {"many fields", {Kind::kShortString}, 300},
    {"everything",
     {Kind::kInteger, Kind::kInteger, Kind::kFloat, Kind::kBoolean, Kind::kShortString,
      Kind::kLongString, Kind::kTable, Kind::kLight},
     60},
    {"objects", {Kind::kTable, Kind::kLight, Kind::kFloat}, 100},
};

class ModelRun {
 public:
  ModelRun(TinyObjects& lua, const Mix& mix, uint64_t seed)
      : lua_(lua),
        mix_(mix),
        random_(seed),
        table_(lua.NewTable(static_cast<int>(seed % 5))),
        pool_(lua.Keep(lua.m.NewSlots(static_cast<uint64_t>(mix.range) + 1))) {}

  void Step() {
    HandleScope scope(lua_.m);
    const KeyName name = RandomName();
    const uint64_t what = random_.Next() % 100;
    if (what < 60) {
      const auto value = static_cast<int64_t>(random_.Next() % 1000);
      Store(name, value);
    } else if (what < 85) {
      const Value key = KeyOf(name);
      REQUIRE(vm::RawSet(lua_.objects, table_.get(), key, Value::Nil()));
      model_.erase(name);
    } else if (what < 96) {
      const Value key = KeyOf(name);
      CheckValue(name, vm::RawGet(lua_.objects, table_.get(), key));
    } else if (what < 98) {
      lua_.MinorGC();
    } else {
      random_.Next() % 8 == 0 ? lua_.FullGC() : lua_.MinorGC();
    }
  }

  void CheckAll() {
    for (const auto& [name, number] : model_) {
      const Value key = KeyOf(name);
      CheckValue(name, vm::RawGet(lua_.objects, table_.get(), key));
    }
    std::set<KeyName> seen;
    Value key, value;
    while (vm::Next(lua_.objects, table_.get(), &key, &value) == NextResult::kFound) {
      const KeyName name = NameOf(key);
      REQUIRE(seen.insert(name).second);
      CheckValue(name, value);
    }
    REQUIRE(seen.size() == model_.size());
    const int64_t border = lua_.Border(table_);
    REQUIRE((border == 0 || model_.count({Kind::kInteger, border}) == 1));
    REQUIRE(model_.count({Kind::kInteger, border + 1}) == 0);
    REQUIRE(lua_.Broken() == "");
  }

  void Change() {
    switch (random_.Next() % 6) {
      case 0:
        vm::Clear(lua_.objects, table_.get());
        model_.clear();
        return;
      case 1:
        REQUIRE(vm::ReserveArray(lua_.objects, table_.get(), random_.Next() % 100));
        return;
      case 2:
        REQUIRE(vm::ReserveFields(lua_.objects, table_.get(), random_.Next() % 200));
        return;
      case 3: {
        Table* metatable = random_.Next() % 3 == 0 ? nullptr : lua_.objects.NewTable();
        REQUIRE(vm::SetMetatable(lua_.objects, table_.get(), metatable));
        return;
      }
      default:
        return;
    }
  }

 private:
  KeyName RandomName() {
    const Kind kind = mix_.kinds[random_.Next() % mix_.kinds.size()];
    auto number = static_cast<int64_t>(random_.Next() % static_cast<uint64_t>(mix_.range)) + 1;
    if (kind == Kind::kBoolean) return {kind, number % 2};
    if (kind == Kind::kInteger) {
      const uint64_t form = random_.Next() % 20;
      if (form == 0) number = -number;
      if (form == 1) number += int64_t{1} << 60;
      if (form == 2) number += int64_t{1} << 51;  // a float can say it, an inline word cannot
    }
    return {kind, number};
  }

  // The same key in one of its forms: integers as floats, strings that are not the atom.
  Value KeyOf(const KeyName& name) {
    const auto [kind, number] = name;
    switch (kind) {
      case Kind::kInteger: {
        const auto as_float = static_cast<double>(number);
        if (random_.Next() % 4 == 0 && static_cast<int64_t>(as_float) == number) {
          return Value::Double(as_float);
        }
        return lua_.Integer(number);
      }
      case Kind::kFloat:
        return Value::Double(static_cast<double>(number) + 0.5);
      case Kind::kBoolean:
        return Value::Boolean(number != 0);
      case Kind::kShortString:
        return lua_.Str("k" + std::to_string(number));
      case Kind::kLongString:
        return lua_.Str(std::string(200, 'l') + std::to_string(number));
      case Kind::kTable:
        if (pool_->slots()[number] == 0) {
          Table* key = lua_.objects.NewTable();
          lua_.m.Store(pool_.get(), static_cast<uint64_t>(number), gc::ToWord(key));
        }
        return Value::FromWord(pool_->slots()[number]);
      case Kind::kLight:
        return lua_.objects.NewLightUserdata(reinterpret_cast<void*>(number));
    }
    return Value::Nil();
  }

  KeyName NameOf(Value key) {
    if (vm::IsInteger(key)) return {Kind::kInteger, vm::IntegerOf(key)};
    if (key.is_double()) return {Kind::kFloat, static_cast<int64_t>(std::floor(key.as_double()))};
    if (key.is_boolean()) return {Kind::kBoolean, key.is_true()};
    if (vm::IsString(key)) {
      const std::string text(vm::AsString(key)->view());
      if (text[0] == 'k') return {Kind::kShortString, std::atoll(text.c_str() + 1)};
      return {Kind::kLongString, std::atoll(text.c_str() + 200)};
    }
    if (vm::IsLightUserdata(key)) {
      return {Kind::kLight,
              reinterpret_cast<int64_t>(static_cast<vm::LightUserdata*>(key.object())->pointer)};
    }
    for (int64_t i = 0; i <= mix_.range; ++i) {
      if (pool_->slots()[i] == key.word()) return {Kind::kTable, i};
    }
    return {Kind::kTable, -1};
  }

  // Numbers as integers, every third as a string: references cross storages.
  void Store(const KeyName& name, int64_t number) {
    HandleScope scope(lua_.m);
    const Held key(scope, KeyOf(name));
    const Held value(scope, number % 3 == 0 ? lua_.Str(std::to_string(number)) : lua_.Int(number));
    const KeyOrigin origin = random_.Next() % 2 == 0 ? KeyOrigin::kConstant : KeyOrigin::kComputed;
    REQUIRE(vm::RawSet(lua_.objects, table_.get(), key, value, origin));
    model_[name] = number;
  }

  void CheckValue(const KeyName& name, Value value) {
    const auto found = model_.find(name);
    if (found == model_.end()) {
      REQUIRE(value.is_nil());
    } else {
      REQUIRE(lua_.Text(value) == std::to_string(found->second));
    }
  }

  TinyObjects& lua_;
  const Mix& mix_;
  Random random_;
  Handle<Table> table_;
  Handle<gc::SlotArray> pool_;
  std::map<KeyName, int64_t> model_;
};

TEST_SUITE("objects/model") {
  TEST_CASE("random operations do to a table what they do to its model") {
    const bool stress = SwitchesFromEnvironment().stress_alloc != 0;
    const int runs = stress ? 2 : 12;
    for (const Mix& mix : kMixes) {
      for (int run = 0; run < runs; ++run) {
        const uint64_t seed = Seed() + static_cast<uint64_t>(run);
        CAPTURE(mix.name);
        CAPTURE(seed);
        TinyObjects lua;
        ModelRun model(lua, mix, seed);
        for (int batch = 0; batch < 8; ++batch) {
          for (int step = 0; step < (stress ? 60 : 250); ++step) model.Step();
          model.CheckAll();
          model.Change();
          model.CheckAll();
        }
      }
    }
  }
}

}  // namespace
}  // namespace neap::testing
