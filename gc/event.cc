// SPDX-License-Identifier: MIT
#include "neap/gc/event.h"

namespace neap::gc {

const char* CauseName(Cause cause) {
  switch (cause) {
#define NEAP_CAUSE_CASE(name, text) \
  case Cause::name:                 \
    return text;
    NEAP_GC_CAUSES(NEAP_CAUSE_CASE)
#undef NEAP_CAUSE_CASE
  }
  return "unknown";
}

}  // namespace neap::gc
