// SPDX-License-Identifier: MIT
//
// The bullet storages on the managed heap. A storage belongs to the thread of its mutator and must
// be destroyed before it; it opens a handle scope for its life, so storages nest like scopes.
#ifndef NEAP_BENCH_LAB_BULLETS_MANAGED_H_
#define NEAP_BENCH_LAB_BULLETS_MANAGED_H_

#include <memory>

#include "bullets.h"
#include "neap/gc/mutator.h"

namespace neap::lab {

// `fields` is 6 or 20; `kind` one of the managed kinds.
std::unique_ptr<BulletStorage> MakeManagedStorage(gc::Mutator& m, BulletStorageKind kind,
                                                  int fields, int spawn);

// Six-field bullets through a pool that misses, drops and shuffles at random (D14).
std::unique_ptr<BulletStorage> MakeChaoticStorage(gc::Mutator& m, uint64_t seed);

// The part of it that bullets_columns.cc makes: typed and typedfifo.
std::unique_ptr<BulletStorage> MakeColumnStorage(gc::Mutator& m, BulletStorageKind kind, int fields,
                                                 int spawn);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_BULLETS_MANAGED_H_
