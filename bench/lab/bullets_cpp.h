// SPDX-License-Identifier: MIT
//
// The bullet storages in plain C++ on malloc (mimalloc where the program is linked with it): the
// yardstick that runs beside the managed ones. Nothing here knows a heap.
#ifndef NEAP_BENCH_LAB_BULLETS_CPP_H_
#define NEAP_BENCH_LAB_BULLETS_CPP_H_

#include <memory>

#include "bullets.h"

namespace neap::lab {

// `fields` is 6 or 20; `kind` one of the cpp- kinds.
std::unique_ptr<BulletStorage> MakeCppStorage(BulletStorageKind kind, int fields, int spawn);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_BULLETS_CPP_H_
