// SPDX-License-Identifier: MIT
//
// read and lines, of files and of the library.
#ifndef NEAP_VM_LIBRARY_IO_LINES_H_
#define NEAP_VM_LIBRARY_IO_LINES_H_

#include "interpreter/native_call.h"

namespace neap::vm {

NativeResult IoRead(NativeCall& call);
NativeResult IoLines(NativeCall& call);
NativeResult FileRead(NativeCall& call);
NativeResult FileLines(NativeCall& call);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_IO_LINES_H_
