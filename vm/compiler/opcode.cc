// SPDX-License-Identifier: MIT
#include "opcode.h"

#include <cstddef>

namespace neap::vm {
namespace {

constexpr const char* kNames[] = {
#define NEAP_VM_NAME(name, operands, live) #name,
    NEAP_VM_OPCODES(NEAP_VM_NAME)
#undef NEAP_VM_NAME
};
constexpr const char* kOperands[] = {
#define NEAP_VM_TEXT(name, operands, live) operands,
    NEAP_VM_OPCODES(NEAP_VM_TEXT)
#undef NEAP_VM_TEXT
};

}  // namespace

const char* OpName(Op op) { return kNames[static_cast<size_t>(op)] + 1; }

const char* OpOperands(Op op) { return kOperands[static_cast<size_t>(op)]; }

}  // namespace neap::vm
