// SPDX-License-Identifier: MIT
//
// What the heap knows of a language: a type descriptor, and nothing else. Size and trace read only
// the object's own header and body (what it points to may already have been forwarded).
//
//   struct Node : gc::Object { gc::Ref<Node> left, right; int64_t key; };
//   const gc::TypeId kNode = gc::RegisterType({.name = "node",
//                                              .layout = gc::Layout::kBitmap,
//                                              .base_bytes = sizeof(Node),
//                                              .slot_bitmap = 0b011});
#ifndef NEAP_GC_TYPE_H_
#define NEAP_GC_TYPE_H_

#include <cstddef>
#include <cstdint>

#include "neap/gc/object.h"

namespace neap::gc {

enum class Layout : uint8_t {
  kNone,    // no references: bytes, numbers
  kSlots,   // every word from `first_slot_bytes` to the end of the object is a slot
  kBitmap,  // bit i of slot_bitmap: word i of the body is a slot (fixed part only, 64 words)
  kCustom,  // `trace` visits the slots
};

// What a custom trace function reports to. Implemented by the collector, the verifier and the heap
// walker; a trace function must report the same slots in the same order to each.
class Tracer {
 public:
  // `count` strong slots in a row.
  virtual void VisitSlots(Word* first, size_t count) = 0;
  void VisitSlot(Word* slot) { VisitSlots(slot, 1); }
  // A weak slot. Cleared (set to `cleared`) when its target is not otherwise reachable:
  //   kBeforeFinalizers  before objects with finalizers are resurrected (Lua's weak values)
  //   kAfterFinalizers   after (Lua's weak keys)
  //   kEvenValues        after, and targets of a type with `is_value` too, which the other two
  //                      treat as strong
  enum class Weakness : uint8_t { kBeforeFinalizers, kAfterFinalizers, kEvenValues };
  virtual void VisitWeak(Word* slot, Word cleared, Weakness weakness) = 0;
  // The value is reachable through this pair only while the key is; when the key dies both slots
  // are set to `cleared` (after finalizers).
  virtual void VisitEphemeron(Word* key, Word* value, Word cleared) = 0;
  // The type of the object that a slot leads to, which may have been forwarded: what is reported
  // may depend on it.
  static TypeId TypeOf(Word word) {
    const uint64_t header = ToObject(word)->header();
    if ((header & Object::kForwardedBit) == 0) return ToObject(word)->type();
    return ToObject(header & ~uint64_t{1})->type();
  }

 protected:
  ~Tracer() = default;
};

struct TypeDescriptor {
  const char* name = "";
  Layout layout = Layout::kNone;
  // Size in bytes, header included, of an object of length 0. Rounded up to 8.
  uint32_t base_bytes = kMinObjectBytes;
  // Variable-size types: the first body word is the length (elements), and the size is
  // base_bytes + (length << element_shift), rounded up to 8. kFixedSize: no length.
  static constexpr uint8_t kFixedSize = 0xff;
  uint8_t element_shift = kFixedSize;
  uint32_t first_slot_bytes = kHeaderBytes;  // kSlots: offset of the first slot from the header
  uint64_t slot_bitmap = 0;                  // kBitmap
  void (*trace)(Object* object, Tracer& tracer) = nullptr;  // kCustom
  // True: objects of this type are values (strings, boxed numbers); weak slots hold them strongly.
  bool is_value = false;
  // True: the custom trace function may report weak slots or ephemerons.
  bool has_weak_slots = false;
  // Bytes outside the heap that this object owns, or null. Counted by the pacer while it lives. May
  // read the object itself only: it is called for unreachable ones too.
  size_t (*off_heap_bytes)(const Object* object) = nullptr;
  // Called for an object that is about to be freed or overwritten, while the world may be stopped:
  // releases off-heap memory. May not touch other objects, allocate or block. Only for objects
  // allocated with AllocateStationary or large ones; null for none. (Finalizers are another thing:
  // neap/gc/finalizer.h.)
  void (*drop)(Object* object) = nullptr;

  bool operator==(const TypeDescriptor&) const = default;
};

// Registers a type for the whole process; ids count from 1 (0 is never a type). Thread safe. Checks
// that fewer than kFirstChosenType types exist and that the descriptor is consistent.
TypeId RegisterType(const TypeDescriptor& descriptor);
// The same under an id that the embedder chose, kFirstChosenType or above, so that its type tests
// are comparisons with constants and kinds of objects are ranges of ids. Checks that no other type
// has the id; registering an equal descriptor again (two embedders of one language) does nothing.
void RegisterTypeAs(TypeId id, const TypeDescriptor& descriptor);
inline constexpr TypeId kFirstChosenType = 0x8000;
// Checks that the type exists.
const TypeDescriptor& GetType(TypeId id);
// Null for an id that was never registered.
const TypeDescriptor* FindType(TypeId id);

// Size in bytes of an object: header included, multiple of 8, at least kMinObjectBytes.
size_t ObjectBytes(const Object* object);
// Size that an object of `type` and `length` elements has; 0 when it does not fit in 2^47 bytes.
size_t BytesFor(TypeId type, uint64_t length);

// Built-in types that every embedder needs. Bodies: an 8-byte length, then the elements.
struct ByteArray : Object {  // kNone; zeroed at allocation
  uint64_t length;
  uint8_t* data() { return reinterpret_cast<uint8_t*>(this) + sizeof(ByteArray); }
  static TypeId Type();
};
struct SlotArray : Object {  // kSlots; zeroed at allocation
  uint64_t length;
  Word* slots() {
    return reinterpret_cast<Word*>(reinterpret_cast<char*>(this) + sizeof(SlotArray));
  }
  static TypeId Type();
};
struct WeakBox : Object {  // one weak slot, cleared to 0 before finalizers
  Word target;
  static TypeId Type();
};
struct EphemeronTable : Object {  // pairs key, value; dead pairs become 0, 0
  uint64_t length;                // number of pairs
  Word* pairs() {
    return reinterpret_cast<Word*>(reinterpret_cast<char*>(this) + sizeof(EphemeronTable));
  }
  static TypeId Type();
};

}  // namespace neap::gc

#endif  // NEAP_GC_TYPE_H_
