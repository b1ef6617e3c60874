// SPDX-License-Identifier: MIT
//
// A second embedder, beside the VM: objects of every layout that a type descriptor can describe.
// They prove that gc/ knows nothing of a language, and they are the material of the heap's tests,
// of the fuzzer and of the benchmarks.
//
//   Node        bitmap     [left][right][key]            lists and trees
//   Pair        all slots  [head][tail]                  any two objects
//   Mixed       custom     [length]([slot][raw])*        raw words that may look like references
//   Dictionary  slots      [part][count]                 finds keys by their hash after they moved
//   Part        custom     [length]([key][value])*       a dictionary's table, an object of its own
//   Buffer      none       [data][bytes]                 stationary; owns memory outside the heap
//   WeakKeyBox  custom     [target]                      weak, cleared after finalizers
//   Text        none       [length][bytes]               a value: weak slots hold it strongly
#ifndef NEAP_TESTS_SUPPORT_TOY_OBJECTS_H_
#define NEAP_TESTS_SUPPORT_TOY_OBJECTS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "neap/gc/handle.h"
#include "neap/gc/mutator.h"
#include "neap/gc/object.h"
#include "neap/gc/type.h"

namespace neap::toy {

struct Node : gc::Object {
  gc::Ref<Node> left;
  gc::Ref<Node> right;
  int64_t key = 0;
  static gc::TypeId Type();
};
static_assert(sizeof(Node) == 32);

struct Pair : gc::Object {
  gc::Ref<gc::Object> head;
  gc::Ref<gc::Object> tail;
  static gc::TypeId Type();
};
static_assert(sizeof(Pair) == 24);

// Element i is one slot and one raw word that the collector may neither read nor change.
struct Mixed : gc::Object {
  uint64_t length = 0;
  gc::Word* slot(uint64_t i) { return body<gc::Word>() + 1 + 2 * i; }
  gc::Word* raw(uint64_t i) { return body<gc::Word>() + 2 + 2 * i; }
  static gc::TypeId Type();
};

struct Part : gc::Object {
  uint64_t length = 0;  // number of entries, a power of two
  gc::Word* key(uint64_t i) { return body<gc::Word>() + 1 + 2 * i; }
  gc::Word* value(uint64_t i) { return body<gc::Word>() + 2 + 2 * i; }
  static gc::TypeId Type();
};

// Maps objects to words by the hash of the key object; open addressing, fixed capacity.
struct Dictionary : gc::Object {
  gc::Ref<Part> part;
  uint64_t count = 0;
  static gc::TypeId Type();

  // `capacity`: entries, a power of two; at most capacity - 1 keys fit.
  static gc::Handle<Dictionary> Make(gc::Mutator& m, gc::HandleScope& scope, uint64_t capacity);
  // Checks that the table has room. (no safepoint)
  void Put(gc::Mutator& m, gc::Object* key, gc::Word value);
  // 0 when absent. (no safepoint)
  gc::Word Get(gc::Mutator& m, gc::Object* key) const;

 private:
  uint64_t Find(gc::Mutator& m, gc::Object* key) const;
};

// Memory outside the heap, released by `drop`. Not moved, because C code would hold `data`.
struct Buffer : gc::Object {
  uint8_t* data = nullptr;
  uint64_t bytes = 0;
  static gc::TypeId Type();

  // Null when the heap has no room.
  static Buffer* TryMake(gc::Mutator& m, uint64_t bytes);
  // (no safepoint)
  void Resize(gc::Mutator& m, uint64_t new_bytes);

  // Process-wide: buffers whose memory is not released yet.
  static int64_t live_count();
  static int64_t live_bytes();
};
static_assert(sizeof(Buffer) == 24);

struct WeakKeyBox : gc::Object {
  gc::Word target = 0;
  static gc::TypeId Type();
};

struct Text : gc::Object {
  uint64_t length = 0;
  uint8_t* data() { return body<uint8_t>() + 8; }
  std::string_view view() { return {reinterpret_cast<const char*>(data()), length}; }
  static gc::TypeId Type();
  static Text* Make(gc::Mutator& m, std::string_view bytes);
};

}  // namespace neap::toy

#endif  // NEAP_TESTS_SUPPORT_TOY_OBJECTS_H_
