// SPDX-License-Identifier: MIT
//
// `neap heap FILE`: what a heap snapshot (`neap run --heap-snapshot=FILE`, or the developer tools
// of a browser) holds; `neap heap A B`: what there is more of in B.
//
//   --top=N       rows of each table; default: 25
//   --retained    the objects that retain most, with their places
//   --path=ID     why that object lives; ids as tostring() shows them (0x2a), or decimal
//   --json        for programs
#ifndef NEAP_VM_CLI_HEAP_COMMAND_H_
#define NEAP_VM_CLI_HEAP_COMMAND_H_

#include <string>
#include <vector>

namespace neap::cli {

// `arguments`: what stands behind `heap`. Exit status: 0; 1 (no such object); 2 (misuse, a file
// that cannot be read or is no heap snapshot).
int RunHeapCommand(const std::vector<std::string>& arguments);

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_HEAP_COMMAND_H_
