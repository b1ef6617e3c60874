// SPDX-License-Identifier: MIT
#include "interpreter/event_names.h"

namespace neap::vm {

const char* EventText(Event event) {
  static constexpr const char* kTexts[] = {
#define NEAP_VM_DEFINE(name, text) text,
      NEAP_VM_EVENTS(NEAP_VM_DEFINE)
#undef NEAP_VM_DEFINE
  };
  return kTexts[static_cast<int>(event)];
}

}  // namespace neap::vm
