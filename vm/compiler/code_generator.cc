// SPDX-License-Identifier: MIT
#include "code_generator.h"

#include "generator.h"

namespace neap::vm {

absl::StatusOr<std::unique_ptr<CodeUnit>> GenerateCode(const Chunk& chunk) {
  try {
    std::unique_ptr<CodeUnit> unit = Generator(chunk.main(), chunk.name()).Generate();
    unit->source = chunk.name();
    return unit;
  } catch (const CodeLimitError& error) {
    return absl::InvalidArgumentError(error.message);
  }
}

}  // namespace neap::vm
