// SPDX-License-Identifier: MIT
//
// The vocabulary of the object tests: a heap of heap_fixture.h with the objects of one VM, and
// values that survive collections.
//
//   TinyObjects lua;
//   Handle<Table> t = lua.NewTable();
//   lua.Set(t, "x", 1);
//   CHECK(lua.Get(t, "x") == lua.Int(1));
#ifndef NEAP_TESTS_OBJECTS_OBJECTS_FIXTURE_H_
#define NEAP_TESTS_OBJECTS_OBJECTS_FIXTURE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "equality.h"
#include "objects.h"
#include "support/heap_fixture.h"

namespace neap::testing {

using gc::Word;
using vm::KeyOrigin;
using vm::NextResult;
using vm::Objects;
using vm::Shape;
using vm::String;
using vm::Table;
using vm::Value;

inline constexpr uint64_t kTestSeed = 0x5eed;

// A value in a handle.
class Held {
 public:
  Held(HandleScope& scope, Value value) : handle_(scope.New(gc::ToObject(value.word()))) {}
  Value get() const { return Value::FromWord(handle_.word()); }
  operator Value() const { return get(); }
  void set(Value value) { handle_.set(gc::ToObject(value.word())); }

 private:
  Handle<Object> handle_;
};

template <typename HeapKind>
class ObjectsOn : public HeapKind {
 public:
  explicit ObjectsOn(const std::function<void(gc::Options&)>& change = nullptr)
      : HeapKind(change), objects(this->m, kTestSeed) {}

  static Value Int(int64_t i) { return Value::InlineInteger(i); }
  Value Integer(int64_t i) { return objects.NewInteger(i); }
  Value Str(std::string_view text) { return Value::FromObject(objects.NewString(text)); }
  Held Keep(Value value) { return Held(this->scope, value); }
  using HeapKind::Keep;
  Handle<Table> NewTable(int inline_fields = 0) {
    return this->scope.New(objects.NewTable(inline_fields));
  }

  bool Set(Handle<Table> t, const Held& key, const Held& value) {
    return vm::RawSet(objects, t.get(), key, value);
  }
  bool Set(Handle<Table> t, const Held& key, int64_t value) {
    return vm::RawSet(objects, t.get(), key, Int(value));
  }
  bool Set(Handle<Table> t, std::string_view key, int64_t value,
           KeyOrigin origin = KeyOrigin::kConstant) {
    const Value k = Str(key);
    return vm::RawSet(objects, t.get(), k, Int(value), origin);
  }
  bool Set(Handle<Table> t, int64_t key, int64_t value) {
    return vm::RawSetInteger(objects, t.get(), key, Int(value));
  }
  bool SetValue(Handle<Table> t, std::string_view key, const Held& value) {
    const Value k = Str(key);
    return vm::RawSet(objects, t.get(), k, value, KeyOrigin::kConstant);
  }
  Value Get(Handle<Table> t, std::string_view key) {
    const Value k = Str(key);
    return vm::RawGet(objects, t.get(), k);
  }
  Value Get(Handle<Table> t, const Held& key) { return vm::RawGet(objects, t.get(), key); }
  Value Get(Handle<Table> t, int64_t key) { return vm::RawGetInteger(objects, t.get(), key); }
  int64_t Border(Handle<Table> t) { return vm::Border(objects, t.get()); }

  // "1=10 x=20 ": the pairs in the order of next(), keys and values that are integers or strings.
  std::string Pairs(Handle<Table> t) {
    std::string text;
    Value key, value;
    while (vm::Next(objects, t.get(), &key, &value) == NextResult::kFound) {
      text += Text(key) + "=" + Text(value) + " ";
    }
    return text;
  }
  static std::string Text(Value v) {
    if (vm::IsInteger(v)) return std::to_string(vm::IntegerOf(v));
    if (vm::IsString(v)) return std::string(vm::AsString(v)->view());
    return vm::TypeName(vm::TypeOf(v));
  }
  int64_t Count(Handle<Table> t) {
    int64_t count = 0;
    Value key, value;
    while (vm::Next(objects, t.get(), &key, &value) == NextResult::kFound) ++count;
    return count;
  }

  Objects objects;
};

using TinyObjects = ObjectsOn<TinyHeap>;
using QuietObjects = ObjectsOn<QuietHeap>;

}  // namespace neap::testing

#endif  // NEAP_TESTS_OBJECTS_OBJECTS_FIXTURE_H_
