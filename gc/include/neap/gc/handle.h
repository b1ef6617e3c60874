// SPDX-License-Identifier: MIT
//
// Roots for native code: local scopes, global handles, weak handles, pins.
//
//   HandleScope  LIFO per thread; a Handle is a pointer to a slot that the collector updates
//   GlobalHandle a root until it is destroyed; any thread that holds a P
//   WeakHandle   does not keep its target alive; empty once the target died
//   Pin          keeps one object alive *and in place*; its block's other objects still move
//
// A handle used after its scope closed is a failed check (rule H1): closed slots are poisoned.
#ifndef NEAP_GC_HANDLE_H_
#define NEAP_GC_HANDLE_H_

#include <cstddef>
#include <cstdint>

#include "neap/gc/mutator.h"
#include "neap/gc/object.h"
#include "neap/runtime/check.h"

namespace neap::gc {

template <typename T>
class Handle {
 public:
  Handle() = default;
  T* get() const {
    NEAP_CHECK(*slot_ != kClosedHandle, "H1: a handle is used only while its scope is open");
    return reinterpret_cast<T*>(*slot_);
  }
  T* operator->() const { return get(); }
  // Lets the handle hold another object. (no safepoint)
  void set(const T* object) { *slot_ = reinterpret_cast<Word>(object); }
  Word word() const { return *slot_; }

 private:
  friend class HandleScope;
  explicit Handle(Word* slot) : slot_(slot) {}
  Word* slot_ = nullptr;
};

class HandleScope {
 public:
  explicit HandleScope(Mutator& m) : mutator_(m), next_(m.handle_next_), end_(m.handle_end_) {}
  ~HandleScope() { mutator_.PopHandles(next_, end_); }
  HandleScope(const HandleScope&) = delete;
  HandleScope& operator=(const HandleScope&) = delete;

  // A slot for `object` (may be null), valid until this scope closes. Checks that this is the
  // innermost open scope's thread. (no safepoint)
  template <typename T>
  Handle<T> New(T* object) {
    return Handle<T>(mutator_.NewHandleSlot(reinterpret_cast<Word>(object)));
  }

 private:
  Mutator& mutator_;
  Word* const next_;
  Word* const end_;
};

// A root with a life of its own. Creating, reading and destroying need a held P (no safepoint).
class GlobalHandle {
 public:
  GlobalHandle() = default;
  GlobalHandle(Mutator& m, const Object* object);
  ~GlobalHandle() { Reset(); }
  GlobalHandle(GlobalHandle&& other) noexcept;
  GlobalHandle& operator=(GlobalHandle&& other) noexcept;
  Object* get() const { return slot_ == nullptr ? nullptr : ToObject(*slot_); }
  template <typename T>
  T* as() const {
    return static_cast<T*>(get());
  }
  void set(const Object* object);
  void Reset();

 private:
  Heap* heap_ = nullptr;
  Word* slot_ = nullptr;
};

// Empty (null) from the collection on that found the target unreachable (before finalizers).
class WeakHandle {
 public:
  WeakHandle() = default;
  WeakHandle(Mutator& m, const Object* object);
  ~WeakHandle() { Reset(); }
  WeakHandle(WeakHandle&& other) noexcept;
  WeakHandle& operator=(WeakHandle&& other) noexcept;
  Object* get() const { return slot_ == nullptr ? nullptr : ToObject(*slot_); }
  void Reset();

 private:
  Heap* heap_ = nullptr;
  Word* slot_ = nullptr;
};

// Scoped, LIFO per thread. The object keeps its address until the pin is destroyed.
template <typename T>
class Pin {
 public:
  Pin(Mutator& m, T* object) : mutator_(m), object_(object) { m.pins_.push_back(object); }
  ~Pin() {
    NEAP_DCHECK(!mutator_.pins_.empty() && mutator_.pins_.back() == object_,
                "H2: pins are released in reverse order");
    mutator_.pins_.pop_back();
  }
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  T* get() const { return object_; }
  T* operator->() const { return object_; }

 private:
  Mutator& mutator_;
  T* const object_;
};

}  // namespace neap::gc

#endif  // NEAP_GC_HANDLE_H_
