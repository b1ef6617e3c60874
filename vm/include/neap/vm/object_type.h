// SPDX-License-Identifier: MIT
//
// C++ types as userdata: what scripts can do with them.
//
//   vm.Define(lua::Type<Bullet>("bullet")
//                 .Method("step", &Bullet::Step)
//                 .Method("position", [](const Bullet& b) { return std::tuple(b.x, b.y); })
//                 .Meta("__tostring", [](const Bullet&) { return "a bullet"; })
//                 .Bytes([](const Bullet& b) { return b.trail.capacity() * sizeof(Point); }))
//       .Check();
//   vm.Set("b", vm.New<Bullet>(1.0, 2.0).value()).Check();      // b:step() in the script
//
// An object lives in the userdata itself, at an address that never changes. Its destructor runs on
// the thread of the Vm some time after the object became unreachable: at a poll of a script, in
// Vm::Idle or Vm::Collect, at the latest when the Vm is destroyed. A destructor may destroy any Any
// that it holds, and does not use the Vm otherwise (rule E4). A script that gets hold of an object
// after its destructor has run (in a __gc metamethod) finds that no method takes it any more.
//
// Not for types that must be destroyed at a known time: give those a `close` method.
#ifndef NEAP_VM_OBJECT_TYPE_H_
#define NEAP_VM_OBJECT_TYPE_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "neap/vm/native.h"

namespace neap::lua {

// What Vm::Define needs to know, without the type.
struct TypeDescription {
  struct Function {
    std::string name;
    Native native;
  };
  const ObjectOps* ops = nullptr;
  std::string name;
  std::vector<Function> methods;
  std::vector<Function> metamethods;
  std::function<size_t(const void* object)> bytes;
};

// A description; good for any number of Vms. Each method takes the object as its first argument.
template <typename T>
class Type {
 public:
  static_assert(alignof(T) <= 16, "userdata are aligned to 16 bytes");
  // `name` is what error messages call it.
  explicit Type(std::string name) {
    description_.ops = &kObjectOps<T>;
    description_.name = std::move(name);
  }

  // A callable whose first parameter is T& (or const T&, T*), or a pointer to a member function.
  template <typename F>
  Type&& Method(std::string name, F function) && {
    description_.methods.push_back({std::move(name), Wrap(std::move(function))});
    return std::move(*this);
  }
  // The same for "__tostring", "__add", ... A "__index" takes the place of the methods.
  template <typename F>
  Type&& Meta(std::string name, F function) && {
    description_.metamethods.push_back({std::move(name), Wrap(std::move(function))});
    return std::move(*this);
  }
  // Bytes that an object owns outside the heap, so that limits and pace of the heap count them. It
  // is asked when the object was made, and after every method of it.
  template <typename F>
  Type&& Bytes(F bytes) && {
    description_.bytes = [bytes](const void* object) -> size_t {
      return bytes(*static_cast<const T*>(object));
    };
    return std::move(*this);
  }

  const TypeDescription& description() const { return description_; }

 private:
  template <typename F>
  static Native Wrap(F function) {
    return ToNative(std::move(function));
  }
  template <typename R, typename... P>
  static Native Wrap(R (T::*method)(P...)) {
    return ToNative(
        [method](T& object, P... p) -> R { return (object.*method)(std::forward<P>(p)...); });
  }
  template <typename R, typename... P>
  static Native Wrap(R (T::*method)(P...) const) {
    return ToNative(
        [method](const T& object, P... p) -> R { return (object.*method)(std::forward<P>(p)...); });
  }

  TypeDescription description_;
};

}  // namespace neap::lua

#endif  // NEAP_VM_OBJECT_TYPE_H_
