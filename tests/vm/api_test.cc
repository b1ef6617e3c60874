// SPDX-License-Identifier: MIT
//
// The embedding API on one thread: values, calls, native functions, types, coroutines, misuse.
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "doctest/doctest.h"
#include "support/check_failure.h"
#include "vm/api_fixture.h"

namespace neap::testing {
namespace {

using lua::Any;
using lua::ErrorKind;
using lua::Kind;
using lua::Result;

TEST_SUITE("vm/api") {
  TEST_CASE("scripts return values of every kind") {
    ApiVm vm;
    const Result<Any> function = vm.Load(
        "return nil, true, 12, 1.5, 'text', {}, print, coroutine.create(print), 1 << 60, ...");
    const std::vector<Any> v = function->CallAll(7, "x").value();
    REQUIRE(v.size() == 11);
    CHECK(v[0].is_nil());
    CHECK(v[1].is_truthy());
    CHECK(v[2].kind() == Kind::kInteger);
    CHECK(v[2].ToInteger() == 12);
    CHECK(v[3].kind() == Kind::kFloat);
    CHECK(v[3].ToNumber() == 1.5);
    CHECK(v[3].ToInteger() == std::nullopt);
    CHECK(v[4].ToText() == "text");
    CHECK(v[5].kind() == Kind::kTable);
    CHECK(v[6].kind() == Kind::kFunction);
    CHECK(v[7].kind() == Kind::kCoroutine);
    CHECK(v[8].ToInteger() == int64_t{1} << 60);
    CHECK(v[9].ToInteger() == 7);
    CHECK(v[10].ToText() == "x");
    CHECK(std::string(v[5].type_name()) == "table");
  }

  TEST_CASE("tables are read, built and walked") {
    ApiVm vm;
    Any t = vm.NewTable().value();
    for (int i = 1; i <= 100; ++i) t.Set(i, i * i).Check();
    t.Set("name", "squares").Check();
    vm.Set("t", t).Check();
    CHECK(vm.Say("return t[10] .. t.name .. #t") == "100squares100");
    CHECK(t.Length().value() == 100);
    int64_t sum = 0;
    int count = 0;
    for (Any key, value; t.Next(&key, &value); ++count) sum += value.ToInteger().value_or(0);
    CHECK(count == 101);
    CHECK(sum == 338350);
    CHECK(t.Get("missing")->is_nil());
    CHECK(t.Set(nullptr, 1).error().message.find("index is nil") != std::string::npos);
  }

  TEST_CASE("indexing and length obey metamethods, and their errors are results") {
    ApiVm vm;
    const Any t = vm.Run(
                        "return setmetatable({}, { __index = function(_, k) return k .. '!' end,"
                        " __newindex = function() error('read only') end,"
                        " __len = function() return 42 end,"
                        " __tostring = function() return 'me' end })")
                      .value();
    CHECK(t.Get("x")->ToText() == "x!");
    CHECK(t.Set("x", 1).error().message.find("read only") != std::string::npos);
    CHECK(t.Length().value() == 42);
    CHECK(t.ToDisplay().value() == "me");
    CHECK(vm.Run("return 1")->Get("x").error().message.find("attempt to index a number") == 0);
    CHECK(Any().Get("x").error().message == "attempt to index a nil value");
  }

  TEST_CASE("many values stay rooted while everything moves") {
    ApiVm vm;
    std::vector<Any> kept;
    for (int i = 0; i < 3000; ++i) {
      kept.push_back(vm.Run("local i = ... return { i = " + std::to_string(i) + " }").value());
    }
    std::vector<Any> copies = kept;
    kept.erase(kept.begin(), kept.begin() + 1000);
    vm.Collect();
    for (int i = 0; i < 3000; ++i) {
      REQUIRE(copies[static_cast<size_t>(i)].Get("i")->ToInteger() == i);
    }
    CHECK(kept[0].RawEquals(copies[1000]));
    CHECK_FALSE(kept[0].RawEquals(copies[1001]));
  }

  TEST_CASE("errors carry message, value, kind and traceback") {
    ApiVm vm;
    vm.Run("function inner() error('boom') end function outer() inner() end").Check();
    const Result<Any> result = vm.Get("outer")->Call();
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().kind == ErrorKind::kScript);
    CHECK(result.error().message == "chunk:1: boom");
    CHECK(result.error().traceback.find("function 'inner'") != std::string::npos);
    CHECK(result.error().traceback.find("function 'outer'") != std::string::npos);
    CHECK(result.error().ToString().find("boom\nstack traceback:") != std::string::npos);
    const Result<Any> table = vm.Run("error({ code = 7 })");
    CHECK(table.error().value.Get("code")->ToInteger() == 7);
    CHECK(table.error().message == "(error object is a table value)");
    const Result<Any> syntax = vm.Load("x = = 1", "=bad");
    CHECK(syntax.error().kind == ErrorKind::kSyntax);
    CHECK(syntax.error().message.find("bad:1:") == 0);
    CHECK(vm.Say("return 'alive'") == "alive");
  }

  TEST_CASE("typed functions convert arguments and results") {
    ApiVm vm;
    vm.Register("add", [](int64_t a, double b) { return static_cast<double>(a) + b; });
    vm.Register("join",
                [](std::string_view a, const std::string& b) { return b + std::string(a); });
    vm.Register("opt", [](std::optional<int> n, bool flag) { return n.value_or(-1) + flag; });
    vm.Register("two", [] { return std::tuple(1, std::string("two"), std::optional<int>()); });
    vm.Register("same", [](Any v) { return v; });
    vm.Register("maybe", [](int n) -> Result<int> {
      if (n < 0) return lua::Error{.message = "negative"};
      return n * 2;
    });
    vm.Register("small", [](int8_t n) { return n; });
    CHECK(vm.Say("return add(1, 2.5)") == "3.5");
    CHECK(vm.Say("return join('a', 12)") == "12a");
    CHECK(vm.Say("return opt(nil, true)") == "0");
    CHECK(vm.Say("return opt(5)") == "5");
    CHECK(vm.Say("return table.concat({ two() }, ',')") == "1,two");
    CHECK(vm.Say("return select('#', two())") == "3");
    CHECK(vm.Say("local t = {} return same(t) == t") == "true");
    CHECK(vm.Say("return maybe(4)") == "8");
    CHECK(vm.Say("return maybe(-4)") == "error: test:1: negative");
    CHECK(vm.Say("return add('x', 1)") ==
          "error: test:1: bad argument #1 to 'add' (number expected, got string)");
    CHECK(vm.Say("return add(1.5, 1)") ==
          "error: test:1: bad argument #1 to 'add' (number has no integer representation)");
    CHECK(vm.Say("return small(200)") ==
          "error: test:1: bad argument #1 to 'small' (value out of range)");
  }

  TEST_CASE("a native function in the general form sees all arguments and calls back") {
    ApiVm vm;
    vm.Register("sum", lua::Native([](lua::Call& call) {
                  double sum = 0, x = 0;
                  for (int i = 1; i <= call.count(); ++i) {
                    if (!call.Read(i, &x)) return false;
                    sum += x;
                  }
                  return call.Push(sum);
                }));
    vm.Register("twice", lua::Native([](lua::Call& call) {
                  const Any f = call.Get(1);
                  for (int i = 0; i < 2; ++i) {
                    const Result<Any> result = f.Call(i);
                    if (!result.ok()) return call.Fail(result.error());
                    if (!call.Push(*result)) return false;
                  }
                  return true;
                }));
    CHECK(vm.Say("return sum(1, 2, 3.5)") == "6.5");
    CHECK(vm.Say("return sum(1, {})") ==
          "error: test:1: bad argument #2 to 'sum' (number expected, got table)");
    CHECK(vm.Say("local a, b = twice(function(i) return i + 10 end) return a * b") == "110");
    CHECK(vm.Say("return select(2, pcall(twice, function() error({}) end)) ~= nil") == "true");
    CHECK(vm.Say("twice(function() error('inner', 0) end)") == "error: inner");
  }

  TEST_CASE("a C++ exception becomes a Lua error") {
    ApiVm vm;
    vm.Register("fail", [] { throw std::runtime_error("from C++"); });
    CHECK(vm.Say("return select(2, pcall(fail))").find("from C++") != std::string::npos);
    CHECK(vm.Say("fail()") == "error: test:1: from C++");
  }

  struct Counter {
    explicit Counter(int64_t start, int* dead = nullptr) : value(start), dead_count(dead) {}
    Counter(Counter&& other) noexcept
        : value(other.value),
          dead_count(std::exchange(other.dead_count, nullptr)),
          buffer(std::move(other.buffer)) {}
    ~Counter() {
      if (dead_count != nullptr) ++*dead_count;
    }
    int64_t Add(int64_t n) { return value += n; }
    int64_t Get() const { return value; }
    int64_t value;
    int* dead_count;
    std::vector<char> buffer;
  };

  lua::Type<Counter> CounterType() {
    return lua::Type<Counter>("counter")
        .Method("add", &Counter::Add)
        .Method("get", &Counter::Get)
        .Method("grow", [](Counter& c, size_t bytes) { c.buffer.resize(c.buffer.size() + bytes); })
        .Method("split", [](Counter& c) { return Counter(c.value / 2, c.dead_count); })
        .Meta("__tostring", [](const Counter& c) { return "#" + std::to_string(c.value); })
        .Meta("__add", [](const Counter& a, const Counter& b) { return a.value + b.value; })
        .Bytes([](const Counter& c) { return c.buffer.capacity(); });
  }

  TEST_CASE("objects of C++ types have methods and metamethods, and die") {
    int dead = 0;
    {
      ApiVm vm;
      vm.Define(CounterType()).Check();
      Any counter = vm.New<Counter>(5, &dead).value();
      vm.Set("c", counter).Check();
      CHECK(vm.Say("c:add(3) return c:get()") == "8");
      CHECK(vm.Say("return c") == "#8");
      CHECK(vm.Say("return c + c:split()") == "12");
      CHECK(vm.Say("c.add({}, 1)") ==
            "error: test:1: bad argument #1 to 'add' (counter expected, got table)");
      CHECK(vm.Say("c.add(io.stdout, 1)").find("counter expected, got FILE*") != std::string::npos);
      CHECK(vm.Say("return getmetatable(c)") == "counter");
      REQUIRE(counter.To<Counter>() != nullptr);
      CHECK(counter.To<Counter>()->value == 8);
      CHECK(counter.To<std::string>() == nullptr);
      vm.Collect();
      CHECK(dead == 1);  // the half
      counter = Any();
      vm.Say("c = nil");
      vm.Collect();
      CHECK(dead == 2);
      vm.Set("d", vm.New<Counter>(1, &dead).value()).Check();
    }
    CHECK(dead == 3);
  }

  TEST_CASE("destructors run at polls of a script") {
    int dead = 0;
    ApiVm vm;
    vm.Define(CounterType()).Check();
    vm.Register("make", [&] { return Counter(1, &dead); });
    CHECK(vm.Say("for i = 1, 20000 do make() local t = {} end") == "nil");
    CHECK(dead > 1000);
  }

  TEST_CASE("an object that a finalizer gets hold of after its end is refused") {
    int dead = 0;
    ApiVm vm;
    vm.Define(CounterType()).Check();
    vm.Register("make", [&] { return Counter(1, &dead); });
    vm.Run(
          "said = nil; local c = make()"
          " setmetatable({ c = c }, { __gc = function(o) said = select(2, pcall(c.get, o.c)) end "
          "})")
        .Check();
    vm.Collect();
    vm.Collect();
    CHECK(dead == 1);
    CHECK(vm.Get("said")->ToDisplay()->find("the object is destroyed") != std::string::npos);
  }

  TEST_CASE("bytes of objects are the heap's off-heap bytes") {
    ApiVm vm;
    vm.Define(CounterType()).Check();
    vm.Set("c", vm.New<Counter>(5).value()).Check();
    const uint64_t before = vm.heap().Snapshot().off_heap_bytes;
    vm.Run("c:grow(1000000)").Check();
    CHECK(vm.heap().Snapshot().off_heap_bytes >= before + 1000000);
    vm.Run("c = nil").Check();
    vm.Collect();
    CHECK(vm.heap().Snapshot().off_heap_bytes <= before);
  }

  TEST_CASE("an object of an undefined type is an error") {
    ApiVm vm;
    CHECK(vm.New<Counter>(1).error().message.find("not defined") != std::string::npos);
  }

  TEST_CASE("native functions are destroyed when nobody can call them") {
    auto token = std::make_shared<int>(1);
    {
      ApiVm vm;
      vm.Register("f", [token] { return *token; });
      CHECK(vm.Say("return f()") == "1");
      CHECK(token.use_count() == 2);
      vm.Say("f = nil");
      vm.Collect();
      CHECK(token.use_count() == 1);
      const Any kept = vm.Run("return { 5 }").value();
      vm.Register("g", [token, kept] { return kept.Get(1); });
      CHECK(vm.Say("return g()") == "5");
    }
    CHECK(token.use_count() == 1);
  }

  TEST_CASE("the host runs coroutines") {
    ApiVm vm;
    const Any body = vm.Run(
                           "return function(a) local b = coroutine.yield(a + 1)"
                           " local c = coroutine.yield(b * 2) return 'end', c end")
                         .value();
    Any co = vm.NewCoroutine(body).value();
    CHECK(co.status() == lua::CoroutineStatus::kSuspended);
    CHECK(co.Resume(1).value()[0].ToInteger() == 2);
    vm.Collect();
    CHECK(co.Resume(21).value()[0].ToInteger() == 42);
    const std::vector<Any> last = co.Resume("x").value();
    CHECK(last[0].ToText() == "end");
    CHECK(last[1].ToText() == "x");
    CHECK(co.status() == lua::CoroutineStatus::kDead);
    CHECK(co.Resume().error().message == "cannot resume dead coroutine");
    co = vm.NewCoroutine(vm.Run("return function() error('inside') end").value()).value();
    const auto failed = co.Resume();
    CHECK(failed.error().message == "chunk:1: inside");
    CHECK(failed.error().traceback.find("chunk:1:") != std::string::npos);
    // A native body.
    co = vm.NewCoroutine(vm.Run("return error").value()).value();
    CHECK(co.Resume("at once").error().message == "at once");
    CHECK(co.status() == lua::CoroutineStatus::kDead);
    CHECK(vm.Say("return 1 + 1") == "2");
    co = vm.NewCoroutine(vm.Run("return function() local x <close> = setmetatable({}, {"
                                " __close = function() closed = true end })"
                                " coroutine.yield() end")
                             .value())
             .value();
    co.Resume().value();
    co.Close().Check();
    CHECK(vm.Get("closed")->is_truthy());
    CHECK_FALSE(vm.NewCoroutine(vm.Make(1).value()).ok());
  }

  TEST_CASE("a sandbox has nothing that reaches out") {
    ApiVm vm({.libraries = lua::Libraries::kSandbox});
    for (const char* name :
         {"io", "os", "debug", "package", "require", "load", "loadfile", "dofile", "string.dump"}) {
      CHECK_MESSAGE(vm.Say(std::string("return ") + name) == "nil", name);
    }
    CHECK(vm.Say("return ('x'):rep(3) .. math.max(1, 2) .. utf8.char(65)") == "xxx2A");
    CHECK(vm.Say("collectgarbage('stop') return collectgarbage('count') > 0") == "true");
    ApiVm bare({.libraries = lua::Libraries::kNone});
    CHECK(bare.Say("return print") == "nil");
  }

  TEST_CASE("warnings go where the host wants them") {
    std::string said;
    ApiVm vm({.warn = [&](std::string_view piece, bool) { said += piece; }});
    CHECK(vm.Say("warn('a', 'b')") == "nil");
    CHECK(said == "ab");
  }

  TEST_CASE("binary chunks are loaded only when asked for") {
    ApiVm vm;
    const std::string code =
        vm.Run("return string.dump(function() return 3 end)")->ToText().value();
    CHECK_FALSE(vm.Load(code).ok());
    CHECK(vm.Load(code, "=b", lua::ChunkKind::kAny)->Call()->ToInteger() == 3);
  }

  TEST_CASE("finalizers run when the Vm ends") {
    int ran = 0;
    {
      ApiVm vm;
      vm.Register("note", [&] { ++ran; });
      vm.Run("x = setmetatable({}, { __gc = function() note() end })").Check();
    }
    CHECK(ran == 1);
  }

  TEST_CASE("two Vms on one thread share a mutator") {
    gc::Heap heap(TinyOptions());
    gc::Mutator m(heap);
    ApiVm a(m), b(m);
    a.Run("x = 'a' .. 1").Check();
    b.Run("x = 'b' .. 2").Check();
    a.Register("other", [&] { return b.Get("x")->ToText().value(); });
    CHECK(a.Say("return x .. other()") == "a1b2");
  }

  TEST_CASE("misuse is a failed check that names its rule") {
    ApiVm vm;
    CHECK_THROWS_WITH_AS(vm.Run("error()").value(), doctest::Contains("E2"), CheckFailure);
    ApiVm other;
    Any theirs = other.NewTable().value();
    CHECK_THROWS_WITH_AS(vm.Set("x", theirs).Check(), doctest::Contains("E5"), CheckFailure);
    std::string said;
    std::thread([&] {
      try {
        vm.Run("return 1").Check();
      } catch (const CheckFailure& failure) {
        said = failure.what();
      }
    }).join();
    CHECK(said.find("E1") != std::string::npos);
    CHECK(vm.Say("return 1") == "1");
  }

  TEST_CASE("a destructor that uses the Vm is a failed check") {
    ApiVm vm;
    struct Rude {
      lua::Vm* vm;
      std::string* said;
      ~Rude() {
        try {
          (void)vm->Run("return 1");
        } catch (const CheckFailure& failure) {
          *said = failure.what();
        }
      }
    };
    std::string said;
    vm.Define(lua::Type<Rude>("rude")).Check();
    vm.New<Rude>(Rude{&vm, &said}).Check();
    said.clear();
    vm.Collect();
    CHECK(said.find("E4") != std::string::npos);
  }
}

}  // namespace
}  // namespace neap::testing
