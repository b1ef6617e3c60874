// SPDX-License-Identifier: MIT
//
// What heap snapshots call the objects of a VM and the references between them: class names by
// which objects are grouped ("table {x, y, hp}", "closure update", "string"), names of fields,
// variables, elements.
//
// Order of calls: Describe(object) before DescribeEdge from it, world stopped; no collection
// between the first and the last call.
#ifndef NEAP_VM_PROFILE_OBJECT_NAMES_H_
#define NEAP_VM_PROFILE_OBJECT_NAMES_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "neap/gc/heap_walk.h"
#include "objects/table.h"

namespace neap::vm {

class State;

// The types of the .heapsnapshot format, in its order.
enum class NodeKind : uint8_t {
  kHidden,
  kArray,
  kString,
  kObject,
  kCode,
  kClosure,
  kRegexp,
  kNumber,
  kNative,
  kSynthetic,
  kConcatenatedString,
  kSlicedString,
  kSymbol,
  kBigint,
  kObjectShape,
};
enum class EdgeName : uint8_t {
  kContext,   // a variable of a closure
  kElement,   // a number
  kProperty,  // a field
  kInternal,
  kHidden,
  kShortcut,
  kWeak,
};

struct ObjectName {
  NodeKind kind = NodeKind::kHidden;
  std::string text;
};
struct ReferenceName {
  EdgeName kind = EdgeName::kInternal;
  std::string text;    // not for kElement
  uint32_t index = 0;  // kElement
};

class ObjectNames {
 public:
  // A root of native code, of which no more is known.
  static constexpr const char* kHandle = "handle";

  explicit ObjectNames(State& state) : state_(state) {}

  ObjectName Describe(gc::Object* object);
  ReferenceName DescribeEdge(const gc::HeapEdge& edge);

 private:
  std::string TableName(Table* table);
  ReferenceName RootName(const gc::HeapEdge& edge);
  ReferenceName TableEdge(Table* table, size_t word);
  ReferenceName ShapeEdge(size_t word, gc::Object* to);
  ReferenceName FieldEdge(const FieldStorage* storage, size_t slot);
  ReferenceName DictionaryEdge(const Dictionary* dictionary, const gc::Word* slot);
  ReferenceName ClosureEdge(gc::Object* closure, size_t word);
  bool StackName(const gc::Word* slot, ReferenceName* name);

  State& state_;
  // Whose fields they are; a table stands before its storage in any walk.
  absl::flat_hash_map<const gc::Object*, Table*> owner_of_storage_;
};

}  // namespace neap::vm

#endif  // NEAP_VM_PROFILE_OBJECT_NAMES_H_
