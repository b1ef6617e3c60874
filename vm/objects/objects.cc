// SPDX-License-Identifier: MIT
//
// Makers. The fast paths take their memory from the allocation buffer and write every word, the
// padding of strings included; what does not fit there goes the heap's slow way, which may collect.
#include "objects.h"

#include <cstring>

#include "dictionary.h"
#include "neap/runtime/check.h"

namespace neap::vm {
namespace {

String* TryBumpString(gc::Mutator& m, uint64_t length) {
  const size_t bytes = String::BytesFor(length);
  if (bytes > gc::kMaxNurseryObjectBytes) return nullptr;
  auto* string = static_cast<String*>(m.TryBump(bytes));
  if (string == nullptr) return nullptr;
  string->set_header(Object::MakeHeader(kStringType));
  string->length = length;
  // The last word holds the NUL and the padding.
  *reinterpret_cast<Word*>(reinterpret_cast<char*>(string) + bytes - sizeof(Word)) = 0;
  return string;
}

}  // namespace

Objects::Objects(gc::Mutator& mutator, uint64_t hash_seed)
    : m_(mutator), atoms_(mutator.heap(), hash_seed) {
  RegisterTypes();
  for (int i = 0; i <= kMaxInlineFields; ++i) {
    roots_[i] = NewRootShape(m_, i);
    NEAP_CHECK(roots_[i] != nullptr, "O1: there is memory for the first objects of a VM");
    root_handles_[i] = gc::GlobalHandle(m_, roots_[i]);
  }
  index_name_ = KeepAtom("__index");
  newindex_name_ = KeepAtom("__newindex");
}

gc::GlobalHandle Objects::KeepAtom(std::string_view text) {
  const String* atom = NewAtom(text);
  NEAP_CHECK(atom != nullptr, "O1: there is memory for the first objects of a VM");
  return gc::GlobalHandle(m_, atom);
}

bool Objects::HasIndexField(const Table* table) const {
  return !RawGetAtom(table, index_name_.as<String>()).is_nil() ||
         !RawGetAtom(table, newindex_name_.as<String>()).is_nil();
}

uint32_t Objects::HashOf(Value key) {
  if (IsString(key)) return atoms_.Hash(AsString(key));
  const uint32_t stored = DictionaryKey::Of(key).StoredHash();
  return stored != 0 ? stored : m_.Hash(key.object());
}

String* Objects::NewString(std::string_view text) {
  if (text.size() > kMaxStringBytes) return nullptr;
  String* string = TryBumpString(m_, text.size());
  if (string == nullptr) {
    string = static_cast<String*>(m_.TryAllocate(kStringType, text.size()));
    if (string == nullptr) return nullptr;
  }
  if (!text.empty()) std::memcpy(string->data(), text.data(), text.size());
  return string;
}

String* Objects::NewAtom(std::string_view text) {
  if (String* known = atoms_.Find(text)) return known;
  String* string = NewString(text);
  return string == nullptr ? nullptr : atoms_.Intern(string);
}

String* Objects::NewStringOf(uint64_t length) {
  if (length > kMaxStringBytes) return nullptr;
  String* string = TryBumpString(m_, length);
  if (string == nullptr) return static_cast<String*>(m_.TryAllocate(kStringType, length));
  std::memset(string->data(), 0, length);
  return string;
}

Table* Objects::NewTable(int inline_fields) {
  NEAP_DCHECK(inline_fields >= 0 && inline_fields <= kMaxInlineFields,
              "O2: a table has at most kMaxInlineFields inline fields", "fields=%d", inline_fields);
  const auto type = static_cast<gc::TypeId>(kTableType + inline_fields);
  const size_t bytes = Table::BytesFor(inline_fields);
  auto* table = static_cast<Table*>(m_.TryBump(bytes));
  if (table != nullptr) {
    std::memset(static_cast<void*>(table), 0, bytes);
    table->set_header(Object::MakeHeader(type));
  } else {
    table = static_cast<Table*>(m_.TryAllocate(type));
    if (table == nullptr) return nullptr;
  }
  gc::InitSlot(table->shape.slot(), gc::ToWord(root_shape(inline_fields)));
  return table;
}

Value Objects::NewBoxedInteger(int64_t i) {
  auto* box = static_cast<BoxedInteger*>(m_.TryAllocate(kBoxedIntegerType));
  if (box == nullptr) return Value::Nil();
  box->value = i;
  return Value::FromObject(box);
}

Value Objects::NewLightUserdata(void* pointer) {
  auto* box = static_cast<LightUserdata*>(m_.TryAllocate(kLightUserdataType));
  if (box == nullptr) return Value::Nil();
  box->pointer = pointer;
  return Value::FromObject(box);
}

}  // namespace neap::vm
