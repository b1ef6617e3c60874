// SPDX-License-Identifier: MIT
#include "byte_buffer.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace neap::lab {
namespace {

std::string Copy(gc::ByteArray* storage, uint64_t length) {
  if (storage == nullptr) return "";
  return std::string(reinterpret_cast<const char*>(storage->data()), length);
}

void Grow(gc::Mutator& m, BufferHandle buffer, uint64_t wanted) {
  const uint64_t capacity =
      std::max({wanted, 2 * buffer->capacity(), buffer->capacity() == 0 ? kFirstBufferBytes : 0});
  gc::ByteArray* const grown = m.NewBytes(capacity);
  if (buffer->length > 0) std::memcpy(grown->data(), buffer->storage->data(), buffer->length);
  m.Store(buffer.get(), buffer->storage.slot(), grown);
}

}  // namespace

gc::TypeId BufferObject::Type() {
  static const gc::TypeId type = gc::RegisterType({.name = "buffer",
                                                   .layout = gc::Layout::kBitmap,
                                                   .base_bytes = sizeof(BufferObject),
                                                   .slot_bitmap = 0b001});
  return type;
}

std::string BufferObject::Text() const { return Copy(storage.get(), length); }

void AppendSlow(gc::Mutator& m, BufferHandle buffer, std::string_view bytes) {
  Grow(m, buffer, buffer->length + bytes.size());
  Append(m, buffer, bytes);
}

void DropStorage(gc::Mutator& m, BufferHandle buffer) {
  m.Store(buffer.get(), buffer->storage.slot(), gc::Word{0});
  buffer->Reset();
}

void FillFourKib(gc::Mutator& m, BufferHandle buffer) {
  for (int i = 0; i < 512; ++i) Append(m, buffer, "12345678");
}

std::string AliasingView::Text() const { return Copy(storage_.get(), length_); }

absl::StatusOr<std::string> CheckedView::Text() const {
  if (buffer_->generation != generation_) {
    return absl::FailedPreconditionError(absl::StrCat("the buffer was reset: use ", generation_,
                                                      " of it is over, it is in use ",
                                                      buffer_->generation));
  }
  return Copy(buffer_->storage.get(), length_);
}

}  // namespace neap::lab
