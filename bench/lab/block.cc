// SPDX-License-Identifier: MIT
#include "block.h"

#include <map>
#include <mutex>

#include "neap/runtime/check.h"

namespace neap::lab {

gc::TypeId BlockType(size_t payload_bytes) {
  static std::mutex mutex;
  static std::map<size_t, gc::TypeId> types;
  NEAP_CHECK(payload_bytes >= 16 && payload_bytes % 8 == 0, "a block holds two words at least",
             "payload_bytes=%zu", payload_bytes);
  const std::lock_guard lock(mutex);
  const auto found = types.find(payload_bytes);
  if (found != types.end()) return found->second;
  const gc::TypeId type = gc::RegisterType(
      {.name = "lab-block", .base_bytes = static_cast<uint32_t>(gc::kHeaderBytes + payload_bytes)});
  types.emplace(payload_bytes, type);
  return type;
}

}  // namespace neap::lab
