// SPDX-License-Identifier: MIT
#include "neap/pool/recorder.h"

#include "neap/runtime/check.h"

namespace neap::pool {

const char* PlaceName(Place place) {
  switch (place) {
#define NEAP_PLACE_NAME(name, text) \
  case Place::name:                 \
    return text;
    NEAP_POOL_PLACES(NEAP_PLACE_NAME)
#undef NEAP_PLACE_NAME
  }
  return "unknown";
}

void Recorder::Add(const OpRecord& record) {
  std::lock_guard lock(mutex_);
  NEAP_CHECK(records_.size() < max_records_, "P9: a record of operations is whole",
             "max_records=%zu", max_records_);
  records_.push_back(record);
}

void Recorder::Clear() {
  std::lock_guard lock(mutex_);
  records_.clear();
}

}  // namespace neap::pool
