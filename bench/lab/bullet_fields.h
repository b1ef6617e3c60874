// SPDX-License-Identifier: MIT
//
// The fields of a bullet: the article's six doubles, or twenty (its second run). The fourteen more
// are written when a bullet is made or reused, from `dmg`, and never read: they only make it
// bigger.
//
//   managed, 6 fields:   | header 8 | x | y | vx | vy | ttl | dmg |                 56 bytes
//   managed, 20 fields:  | header 8 | x | y | vx | vy | ttl | dmg | 14 more |      168 bytes
#ifndef NEAP_BENCH_LAB_BULLET_FIELDS_H_
#define NEAP_BENCH_LAB_BULLET_FIELDS_H_

#include "bullets.h"

namespace neap::lab {

template <int kFields>
struct BulletFields : Shot {
  BulletFields() = default;
  explicit BulletFields(const Shot& shot) { Overwrite(shot); }
  void Overwrite(const Shot& shot) {
    static_cast<Shot&>(*this) = shot;
    for (double& field : more) field = shot.dmg;
  }
  double more[kFields - 6];
};

template <>
struct BulletFields<6> : Shot {
  BulletFields() = default;
  explicit BulletFields(const Shot& shot) : Shot(shot) {}
  void Overwrite(const Shot& shot) { static_cast<Shot&>(*this) = shot; }
};

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_BULLET_FIELDS_H_
