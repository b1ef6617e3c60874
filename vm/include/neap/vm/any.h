// SPDX-License-Identifier: MIT
//
// Lua values as the host holds them: Any is a root, Input a parameter, Result an answer.
//
//   lua::Result<lua::Any> config = vm.Run("return { speed = 3, names = { 'a', 'b' } }");
//   if (!config.ok()) return Report(config.error().message, config.error().traceback);
//   const int64_t speed = config->Get("speed").value().ToInteger().value_or(1);
//   config->Set("speed", speed + 1).Check();
//   for (lua::Any key, value; config->Next(&key, &value);) Show(key, value);
//
// An Any keeps its object alive and follows it when the collector moves it. It belongs to the
// thread of its Vm, and is destroyed before the Vm (rules E1, E3 in vm.h). It is not for fields of
// userdata that scripts can reach: a cycle through an Any is never freed, like one of shared_ptr.
//
// Get, Set, Call and so on do what Lua does, metamethods included; what fails is a Result, never an
// exception. They may collect. Raw pointers of neap::gc do not survive them, Any does.
#ifndef NEAP_VM_ANY_H_
#define NEAP_VM_ANY_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "neap/gc/handle.h"
#include "neap/runtime/check.h"

namespace neap::lua {

class Any;
class Core;  // private to vm/api
template <typename T>
class Result;

enum class Kind : uint8_t {
  kNil,
  kBoolean,
  kInteger,
  kFloat,
  kString,
  kTable,
  kFunction,
  kObject,   // full userdata, such as what Vm::New makes
  kPointer,  // light userdata
  kCoroutine,
};

// What is known of a C++ type whose values are userdata; its address stands for the type.
struct ObjectOps {
  size_t bytes;
  void (*destroy)(void* object);
};
template <typename T>
inline constexpr ObjectOps kObjectOps = {sizeof(T),
                                         [](void* object) { static_cast<T*>(object)->~T(); }};

// A parameter: nothing (nil), a boolean, a number, text, or an Any. It refers to text and Any, and
// is for the length of a call.
class Input {
 public:
  using Content = std::variant<std::monostate, bool, int64_t, double, std::string_view, const Any*>;

  Input() = default;
  Input(std::nullptr_t) {}
  template <std::same_as<bool> B>
  Input(B b) : content_(b) {}
  template <std::integral I>
  requires(!std::same_as<I, bool>) Input(I i) : content_(static_cast<int64_t>(i)) {}
  template <std::floating_point F>
  Input(F f) : content_(static_cast<double>(f)) {}
  Input(const char* text) : content_(std::string_view(text)) {}
  Input(std::string_view text) : content_(text) {}
  Input(const std::string& text) : content_(std::string_view(text)) {}
  Input(const Any& any) : content_(&any) {}

  const Content& content() const { return content_; }

 private:
  Content content_;
};

enum class CoroutineStatus : uint8_t { kSuspended, kRunning, kNormal, kDead };

// A Lua value, kept alive. nil when made by default; copies are further roots of the same object.
class Any {
 public:
  Any() = default;
  Any(const Any& other);
  Any(Any&& other) noexcept;
  Any& operator=(const Any& other);
  Any& operator=(Any&& other) noexcept;
  ~Any();

  // --- What it is --------------------------------------------------------------------------------
  Kind kind() const;
  bool is_nil() const { return kind() == Kind::kNil; }
  // Lua's truth: all but nil and false.
  bool is_truthy() const;
  // As type() names it: "nil", "number", ...
  const char* type_name() const;
  // Nothing when it is none of the kind; no conversion from or to strings.
  std::optional<int64_t> ToInteger() const;  // floats with an integral value, too
  std::optional<double> ToNumber() const;
  std::optional<std::string> ToText() const;  // a copy; may hold any bytes
  // The T that Vm::New<T> made; null when it is none. Never moves; lives as long as this Any.
  template <typename T>
  T* To() const {
    return static_cast<T*>(Object(&kObjectOps<T>));
  }
  // Lua's ==, without metamethods.
  bool RawEquals(const Any& other) const;

  // --- As Lua would do ---------------------------------------------------------------------------
  // What tostring() says.
  Result<std::string> ToDisplay() const;
  Result<Any> Get(const Input& key) const;
  Result<void> Set(const Input& key, const Input& value) const;
  // The # operator.
  Result<int64_t> Length() const;
  // Walks a table without metamethods: start with a nil key; false at the end, and when `*key` is
  // not in it. The table may lose keys meanwhile, not gain any.
  bool Next(Any* key, Any* value) const;
  // Calls it; the first result, or nil. All results: CallAll.
  template <typename... A>
  Result<Any> Call(const A&... arguments) const;
  template <typename... A>
  Result<std::vector<Any>> CallAll(const A&... arguments) const;
  Result<std::vector<Any>> CallSpan(std::span<const Input> arguments) const;

  // --- Coroutines (Vm::NewCoroutine) -------------------------------------------------------------
  // Runs it until it yields or returns; the values that it passed. status() says which: kSuspended
  // or kDead. Errors end it.
  template <typename... A>
  Result<std::vector<Any>> Resume(const A&... arguments) const;
  Result<std::vector<Any>> ResumeSpan(std::span<const Input> arguments) const;
  // kDead when it is no coroutine.
  CoroutineStatus status() const;
  // Ends a suspended one: its to-be-closed variables are closed.
  Result<void> Close() const;

 private:
  friend class Core;
  Any(Core* core, gc::Word word);
  void Release();
  void* Object(const ObjectOps* ops) const;
  gc::Word word() const;

  Core* core_ = nullptr;
  gc::Word word_ = 0;        // a value that is no object
  gc::GlobalHandle handle_;  // or the object
};

enum class ErrorKind : uint8_t {
  kScript,  // error(), a run-time error, an error of a native function
  kSyntax,  // the chunk was not understood
  kMemory,  // "not enough memory": the hard limit, or the system's
  kStop,    // a budget is used up, or Vm::Interrupt. No script can catch it
};

struct Error {
  ErrorKind kind = ErrorKind::kScript;
  std::string message;    // the error value as text
  std::string traceback;  // where it was raised, in lines; may be empty
  Any value;              // the error value itself

  // Message and traceback, as the reference implementation's program prints them.
  std::string ToString() const;
};

// A T, or why there is none. Asking for the wrong one is a failed check (rule E2).
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}
  Result(Error error) : content_(std::move(error)) {}

  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & {
    Check();
    return std::get<0>(content_);
  }
  const T& value() const& {
    Check();
    return std::get<0>(content_);
  }
  T&& value() && {
    Check();
    return std::get<0>(std::move(content_));
  }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const {
    NEAP_CHECK(!ok(), "E2: a Result that has a value has no error");
    return std::get<1>(content_);
  }
  void Check() const {
    NEAP_CHECK(ok(), "E2: a Result is asked for its value only if it has one", "%s",
               std::get<1>(content_).message.c_str());
  }

 private:
  std::variant<T, Error> content_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    NEAP_CHECK(!ok(), "E2: a Result that has a value has no error");
    return *error_;
  }
  void Check() const {
    NEAP_CHECK(ok(), "E2: a Result is asked for its value only if it has one", "%s",
               error_->message.c_str());
  }

 private:
  std::optional<Error> error_;
};

template <typename... A>
Result<std::vector<Any>> Any::CallAll(const A&... arguments) const {
  const Input inputs[sizeof...(A) + 1] = {Input(arguments)...};
  return CallSpan({inputs, sizeof...(A)});
}

template <typename... A>
Result<Any> Any::Call(const A&... arguments) const {
  Result<std::vector<Any>> results = CallAll(arguments...);
  if (!results.ok()) return results.error();
  return results->empty() ? Any() : std::move(results->front());
}

template <typename... A>
Result<std::vector<Any>> Any::Resume(const A&... arguments) const {
  const Input inputs[sizeof...(A) + 1] = {Input(arguments)...};
  return ResumeSpan({inputs, sizeof...(A)});
}

}  // namespace neap::lua

#endif  // NEAP_VM_ANY_H_
