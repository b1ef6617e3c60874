// SPDX-License-Identifier: MIT
#include "neap/gc/stats.h"

namespace neap::gc {

const std::vector<StatName>& StatNames() {
  // Never destroyed: threads may ask while the process exits.
  static const auto& names = *new std::vector<StatName>{
#define NEAP_STAT_NAME(field, path, sentence) {#field, path, sentence, &Stats::field},
      NEAP_GC_STATS(NEAP_STAT_NAME)
#undef NEAP_STAT_NAME
  };
  return names;
}

}  // namespace neap::gc
