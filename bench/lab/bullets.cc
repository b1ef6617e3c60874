// SPDX-License-Identifier: MIT
#include "bullets.h"

#include <utility>

#include "bullets_cpp.h"

namespace neap::lab {
namespace {

constexpr std::pair<BulletStorageKind, const char*> kStorageNames[] = {
#define NEAP_NAME_STORAGE(kind, name) {BulletStorageKind::kind, name},
    NEAP_LAB_BULLET_STORAGES(NEAP_NAME_STORAGE)
#undef NEAP_NAME_STORAGE
};

// Rates and sums: 1,000 to 10,000 from the source's run, 300 from the peer programs.
constexpr std::pair<int, double> kPublishedChecksums[] = {
    {300, 2050992545.0}, {1000, 6838860443.0}, {3000, 20516788286.0}, {10000, 68389346017.0}};

}  // namespace

const char* BulletStorageName(BulletStorageKind kind) {
  return kStorageNames[static_cast<size_t>(kind)].second;
}

std::optional<BulletStorageKind> ParseBulletStorage(std::string_view name) {
  for (const auto& [kind, known] : kStorageNames) {
    if (name == known) return kind;
  }
  return std::nullopt;
}

std::optional<double> PublishedChecksum(int spawn) {
  for (const auto& [rate, checksum] : kPublishedChecksums) {
    if (rate == spawn) return checksum;
  }
  return std::nullopt;
}

double ChecksumOf(BulletStorage& storage, int spawn, int frames) {
  BulletGenerator generator;
  double sum = 0;
  for (int frame = -kBulletWarmFrames; frame < frames; ++frame) {
    storage.Spawn(generator, spawn);
    const double frame_sum = storage.Update();
    if (frame >= 0) sum += frame_sum;
  }
  return std::round(sum);
}

double ReferenceChecksum(int spawn, int frames) {
  return ChecksumOf(*MakeCppStorage(BulletStorageKind::kCppDense, 6, spawn), spawn, frames);
}

}  // namespace neap::lab
