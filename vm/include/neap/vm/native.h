// SPDX-License-Identifier: MIT
//
// Native functions: C++ that scripts call.
//
//   vm.SetFunction("length", [](double x, double y) { return std::hypot(x, y); }).Check();
//   vm.SetFunction("find", [&](std::string_view name, std::optional<int64_t> from)
//                              -> lua::Result<std::tuple<int64_t, std::string>> { ... }).Check();
//   vm.SetFunction("sum", lua::Native([](lua::Call& call) {
//                    double sum = 0, x = 0;
//                    for (int i = 1; i <= call.count(); sum += x, ++i) {
//                      if (!call.Read(i, &x)) return false;
//                    }
//                    return call.Push(sum);
//                  })).Check();
//
// A typed function is any callable with one signature. Parameters: bool, integers, floats,
// std::string, std::string_view (good until the function returns), std::optional of these (nil or
// none: empty), Any, T& and T* of userdata types; Call& and Vm& take no argument. Wrong arguments
// raise Lua's own errors ("bad argument #1 to 'length' (number expected, got nil)"). Results: void,
// the same types, T by value of a userdata type, std::tuple of several, Result of any of them.
//
// Errors: return an Error, or Call::Fail. A C++ exception that leaves the function becomes a Lua
// error with its what(). The function is destroyed, on the thread of the Vm, some time after the
// last script forgot it.
#ifndef NEAP_VM_NATIVE_H_
#define NEAP_VM_NATIVE_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "neap/vm/any.h"

namespace neap::lua {

class Vm;

// One call of a native function, good while it runs. Arguments are numbered from 1.
class Call {
 public:
  Vm& vm();
  int count() const;
  // nil when there is none.
  Any Get(int i) const;
  bool is_none_or_nil(int i) const;
  // Each reads argument i by Lua's rules of conversion. False: the error is set; return false.
  bool Read(int i, bool* value);  // any value, by its truth
  bool Read(int i, int64_t* value);
  bool Read(int i, double* value);
  bool Read(int i, std::string* value);
  bool Read(int i, Any* value);  // there must be one; may be nil
  template <typename T>
  bool ReadObject(int i, T** object) {
    *object = static_cast<T*>(Object(i, &kObjectOps<T>));
    return *object != nullptr;
  }
  // Adds a result. False: no memory, the error is set.
  bool Push(const Input& result);
  // Each sets the error and returns false. The message gets the caller's position in front.
  bool Fail(std::string_view message);
  bool Fail(const Error& error);
  // "bad argument #i to 'f' (message)".
  bool FailArgument(int i, std::string_view message);
  // The object in argument i may hold more or less memory now (Type::Bytes). False: more than the
  // heap's hard limit allows, the error is set.
  bool Measure(int i);

 private:
  friend class Core;
  Call(Core* core, void* native_call) : core_(core), native_call_(native_call) {}
  void* Object(int i, const ObjectOps* ops);

  Core* core_;
  void* native_call_;
};

// The general form. True: what was pushed are the results; false: the error is set.
using Native = std::function<bool(Call& call)>;

// --- What follows turns typed callables into this form -------------------------------------------

namespace typed {

template <typename T>
inline constexpr bool kIsText = std::same_as<T, std::string> || std::same_as<T, std::string_view> ||
                                std::same_as<T, const char*>;
template <typename T>
inline constexpr bool kIsPlain = std::is_arithmetic_v<T> || kIsText<T> || std::same_as<T, Any> ||
                                 std::same_as<T, std::nullptr_t>;

// How parameter type P is read. Objects of userdata types come by reference or pointer.
template <typename P>
struct Argument {
  using T = std::remove_cvref_t<std::remove_pointer_t<std::remove_cvref_t<P>>>;
  static_assert(!kIsPlain<T> && std::is_class_v<T> &&
                    (std::is_lvalue_reference_v<P> || std::is_pointer_v<P>),
                "a parameter of a native function has a type that scripts can pass: see native.h");
  static constexpr int kTaken = 1;
  T* object = nullptr;
  bool Read(Call& call, int i) { return call.ReadObject(i, &object); }
  P Pass() {
    if constexpr (std::is_pointer_v<P>) {
      return object;
    } else {
      return *object;
    }
  }
};

template <typename T>
struct ReadValue {
  static constexpr int kTaken = 1;
  T value{};
  bool Read(Call& call, int i) { return call.Read(i, &value); }
  T& Pass() { return value; }
};

template <typename P>
requires(std::same_as<P, bool> || std::same_as<P, std::string> ||
         std::same_as<P, Any>) struct Argument<P> : ReadValue<P> {
};
template <>
struct Argument<const std::string&> : ReadValue<std::string> {};
template <>
struct Argument<const Any&> : ReadValue<Any> {};

template <std::integral P>
requires(!std::same_as<P, bool>) struct Argument<P> {
  static constexpr int kTaken = 1;
  int64_t value = 0;
  bool Read(Call& call, int i) {
    if (!call.Read(i, &value)) return false;
    return std::in_range<P>(value) || call.FailArgument(i, "value out of range");
  }
  P Pass() { return static_cast<P>(value); }
};

template <std::floating_point P>
struct Argument<P> {
  static constexpr int kTaken = 1;
  double value = 0;
  bool Read(Call& call, int i) { return call.Read(i, &value); }
  P Pass() { return static_cast<P>(value); }
};

template <>
struct Argument<std::string_view> {
  static constexpr int kTaken = 1;
  std::string value;  // a copy: strings of the heap move
  bool Read(Call& call, int i) { return call.Read(i, &value); }
  std::string_view Pass() { return value; }
};

template <typename P>
struct Argument<std::optional<P>> {
  static constexpr int kTaken = 1;
  Argument<P> inner;
  bool is_present = false;
  bool Read(Call& call, int i) {
    is_present = !call.is_none_or_nil(i);
    return !is_present || inner.Read(call, i);
  }
  std::optional<P> Pass() { return is_present ? std::optional<P>(inner.Pass()) : std::nullopt; }
};

template <>
struct Argument<Call&> {
  static constexpr int kTaken = 0;
  Call* call = nullptr;
  bool Read(Call& of, int) {
    call = &of;
    return true;
  }
  Call& Pass() { return *call; }
};

template <>
struct Argument<Vm&> {
  static constexpr int kTaken = 0;
  Vm* vm = nullptr;
  bool Read(Call& of, int) {
    vm = &of.vm();
    return true;
  }
  Vm& Pass() { return *vm; }
};

template <typename A>
bool ReadNext(A& argument, Call& call, int* i) {
  const int at = *i;
  *i += A::kTaken;
  return argument.Read(call, at);
}

// --- Results -------------------------------------------------------------------------------------

template <typename T>
bool PushObject(Call& call, T&& object);  // vm.h

template <typename T>
struct Pusher {
  static bool Push(Call& call, T&& result) {
    if constexpr (kIsPlain<T>) {
      return call.Push(Input(result));
    } else {
      return PushObject(call, std::move(result));
    }
  }
};
template <typename T>
struct Pusher<std::optional<T>> {
  static bool Push(Call& call, std::optional<T>&& result) {
    return result ? Pusher<T>::Push(call, std::move(*result)) : call.Push(Input());
  }
};
template <typename... T>
struct Pusher<std::tuple<T...>> {
  static bool Push(Call& call, std::tuple<T...>&& results) {
    return std::apply([&](T&... r) { return (Pusher<T>::Push(call, std::move(r)) && ...); },
                      results);
  }
};
template <typename T>
struct Pusher<Result<T>> {
  static bool Push(Call& call, Result<T>&& result) {
    if (!result.ok()) return call.Fail(result.error());
    if constexpr (std::is_void_v<T>) {
      return true;
    } else {
      return Pusher<T>::Push(call, std::move(*result));
    }
  }
};

template <typename R, typename... P, typename F>
bool Invoke(F& function, Call& call) {
  std::tuple<Argument<P>...> arguments;
  int i = 1;
  const auto read = [&](auto&... a) { return (ReadNext(a, call, &i) && ...); };
  if (!std::apply(read, arguments)) return false;
  const auto run = [&](auto&... a) -> R { return function(static_cast<P>(a.Pass())...); };
  if constexpr (std::is_void_v<R>) {
    std::apply(run, arguments);
    return true;
  } else {
    return Pusher<std::remove_cvref_t<R>>::Push(call, std::apply(run, arguments));
  }
}

// --- Signatures ----------------------------------------------------------------------------------

template <typename F>
struct Signature : Signature<decltype(&F::operator())> {};
#define NEAP_VM_SIGNATURE(spelling)                                                              \
  template <typename R, typename C, typename... P>                                               \
  struct Signature<R (C::*)(P...) spelling> {                                                    \
    template <typename F>                                                                        \
    static Native Wrap(F function) {                                                             \
      return [f = std::move(function)](Call& call) mutable { return Invoke<R, P...>(f, call); }; \
    }                                                                                            \
  };
NEAP_VM_SIGNATURE()
NEAP_VM_SIGNATURE(const)
NEAP_VM_SIGNATURE(noexcept)
NEAP_VM_SIGNATURE(const noexcept)
#undef NEAP_VM_SIGNATURE

}  // namespace typed

inline Native ToNative(Native function) { return function; }
template <typename R, typename... P>
Native ToNative(R (*function)(P...)) {
  return [function](Call& call) { return typed::Invoke<R, P...>(function, call); };
}
template <typename F>
requires(std::is_class_v<F> && !std::same_as<F, Native>) Native ToNative(F function) {
  return typed::Signature<F>::Wrap(std::move(function));
}

}  // namespace neap::lua

#endif  // NEAP_VM_NATIVE_H_
