// SPDX-License-Identifier: MIT
//
// Writes messages in the wire format of protocol buffers (protobuf.dev, "Encoding"): a tag per
// field, variable-length integers, lengths in front of what is nested. Enough to export; nothing is
// read, and no schema is known: whoever calls knows the numbers of the fields.
//
//   ProtoMessage event;
//   event.Number(9, 1);
//   event.Text(23, "minor");
//   ProtoMessage packet;
//   packet.Nested(11, event);
//   file += packet.bytes();
#ifndef NEAP_VM_PROFILE_PROTO_MESSAGE_H_
#define NEAP_VM_PROFILE_PROTO_MESSAGE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace neap::vm {

class ProtoMessage {
 public:
  // uint64, int64 (as two's complement), bool, enum.
  void Number(uint32_t field, uint64_t value) {
    AppendVarint(uint64_t{field} << 3);
    AppendVarint(value);
  }
  // The same; 0, which is the default of every field, is left out.
  void NonZero(uint32_t field, uint64_t value) {
    if (value != 0) Number(field, value);
  }
  // A repeated number in one piece.
  void Packed(uint32_t field, const std::vector<uint64_t>& values) {
    ProtoMessage packed;
    for (const uint64_t value : values) packed.AppendVarint(value);
    Nested(field, packed);
  }
  // string, bytes.
  void Text(uint32_t field, std::string_view text) {
    AppendVarint(uint64_t{field} << 3 | 2);
    AppendVarint(text.size());
    bytes_.append(text);
  }
  void Nested(uint32_t field, const ProtoMessage& message) { Text(field, message.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void AppendVarint(uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>(value | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace neap::vm

#endif  // NEAP_VM_PROFILE_PROTO_MESSAGE_H_
