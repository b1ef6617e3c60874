// SPDX-License-Identifier: MIT
#include "remembered_set.h"

namespace neap::gc {

void RememberedSet::Take(Object* object) {
  const uint64_t header = object->header();
  if (header & Object::kReachedBit) return;
  object->set_header(header | Object::kReachedBit);
  entries_.push_back(object);
}

void RememberedSet::TakeLog(std::vector<Object*>& log) {
  for (Object* object : log) Take(object);
  log.clear();
}

void RememberedSet::TakeRetained() {
  for (Object* object : retained_) Take(object);
  retained_.clear();
}

void RememberedSet::EndMinor() {
  for (Object* object : entries_) object->set_header(object->header() & ~Object::kReachedBit);
  entries_.clear();
}

}  // namespace neap::gc
