// SPDX-License-Identifier: MIT
//
// A bullet as a managed object: a header and the fields, no references.
#ifndef NEAP_BENCH_LAB_MANAGED_BULLET_H_
#define NEAP_BENCH_LAB_MANAGED_BULLET_H_

#include <cstdint>

#include "bullet_fields.h"
#include "neap/gc/object.h"
#include "neap/gc/type.h"

namespace neap::lab {

// Bytes of one managed bullet: 8 for the header, 8 a field.
constexpr size_t ManagedBulletBytes(int fields) { return 8 + 8 * static_cast<size_t>(fields); }

template <int kFields>
struct ManagedBullet : gc::Object {
  explicit ManagedBullet(const Shot& shot) : fields(shot) {}
  BulletFields<kFields> fields;

  static gc::TypeId Type() {
    static const gc::TypeId type =
        gc::RegisterType({.name = kFields == 6 ? "bullet" : "bullet-20",
                          .layout = gc::Layout::kNone,
                          .base_bytes = static_cast<uint32_t>(sizeof(ManagedBullet))});
    return type;
  }
};
static_assert(sizeof(ManagedBullet<6>) == ManagedBulletBytes(6));
static_assert(sizeof(ManagedBullet<20>) == ManagedBulletBytes(20));

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_MANAGED_BULLET_H_
