// SPDX-License-Identifier: MIT
//
// A growing byte buffer on the managed heap, with the growth of Go's bytes.Buffer: empty at first,
// 64 bytes with the first small write, doubled after that. It is the object of family D: what pools
// of buffers save, leak and hoard.
//
//   BufferObject                       ByteArray
//   | header 8 | storage | length |    | header 8 | capacity 8 | bytes ... |
//                  +-----------------> ^
//
// Filling 4,096 bytes in writes of 8 takes seven arrays, 64 + 128 + ... + 4096 = 8,128 bytes of
// payload, and 16 bytes of header and length each.
#ifndef NEAP_BENCH_LAB_BYTE_BUFFER_H_
#define NEAP_BENCH_LAB_BYTE_BUFFER_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "neap/gc/handle.h"
#include "neap/gc/mutator.h"
#include "neap/gc/type.h"

namespace neap::lab {

inline constexpr uint64_t kFirstBufferBytes = 64;
inline constexpr uint64_t kByteArrayOverhead = sizeof(gc::ByteArray);

struct BufferObject : gc::Object {
  gc::Ref<gc::ByteArray> storage;
  uint64_t length = 0;      // bytes written; the storage may be longer
  uint64_t generation = 0;  // how often Reset was called: a checked view remembers it

  static gc::TypeId Type();
  static BufferObject* New(gc::Mutator& m) { return m.New<BufferObject>(Type()); }
  // Bytes that the storage can take; no safepoint in any of these.
  uint64_t capacity() const { return storage.get() == nullptr ? 0 : storage->length; }
  // Empties the buffer and keeps its storage (Go: Reset).
  void Reset() {
    length = 0;
    ++generation;
  }
  // Copies the bytes out (Go: String).
  std::string Text() const;
};
static_assert(sizeof(BufferObject) == 32);

using BufferHandle = gc::Handle<BufferObject>;

// The part of Append that grows.
void AppendSlow(gc::Mutator& m, BufferHandle buffer, std::string_view bytes);
// Appends; grows when it must, which is a safepoint.
inline void Append(gc::Mutator& m, BufferHandle buffer, std::string_view bytes) {
  if (bytes.empty()) return;  // an empty buffer has no storage to copy nothing into
  BufferObject* const object = buffer.get();
  if (object->capacity() - object->length < bytes.size()) [[unlikely]] {
    AppendSlow(m, buffer, bytes);
    return;
  }
  std::memcpy(object->storage->data() + object->length, bytes.data(), bytes.size());
  object->length += bytes.size();
}
// Makes it what New returned: no storage. (no safepoint)
void DropStorage(gc::Mutator& m, BufferHandle buffer);
// Writes 512 pieces of 8 bytes: the article's payload.
void FillFourKib(gc::Mutator& m, BufferHandle buffer);

// The buffer's bytes without a copy (Go: Bytes): what the next user of the buffer writes shows
// here.
class AliasingView {
 public:
  AliasingView(gc::HandleScope& scope, BufferHandle buffer)
      : storage_(scope.New(buffer->storage.get())), length_(buffer->length) {}
  std::string Text() const;

 private:
  gc::Handle<gc::ByteArray> storage_;
  uint64_t length_;
};

// The same, but it knows which use of the buffer it belongs to.
class CheckedView {
 public:
  CheckedView(gc::HandleScope& scope, BufferHandle buffer)
      : buffer_(scope.New(buffer.get())),
        length_(buffer->length),
        generation_(buffer->generation) {}
  // FailedPrecondition once the buffer was reset for another user.
  absl::StatusOr<std::string> Text() const;

 private:
  BufferHandle buffer_;
  uint64_t length_;
  uint64_t generation_;
};

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_BYTE_BUFFER_H_
