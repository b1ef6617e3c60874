// SPDX-License-Identifier: MIT
//
// os.date and os.time.
#ifndef NEAP_VM_LIBRARY_OS_DATE_H_
#define NEAP_VM_LIBRARY_OS_DATE_H_

#include "interpreter/native_call.h"

namespace neap::vm {

NativeResult OsDate(NativeCall& call);
NativeResult OsTime(NativeCall& call);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_OS_DATE_H_
