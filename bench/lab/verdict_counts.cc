// SPDX-License-Identifier: MIT
#include "verdict_counts.h"

namespace neap::lab {

void VerdictCounts::Add(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    switch (row.verdict) {
      case Verdict::kPass:
        ++pass;
        break;
      case Verdict::kFail:
        ++fail;
        break;
      case Verdict::kUndecided:
        ++undecided;
        break;
      case Verdict::kReport:
        ++report;
        break;
    }
    const bool strict =
        row.criterion_class == Class::kExact || row.criterion_class == Class::kBound;
    if (strict && row.verdict != Verdict::kPass) ++strict_failures;
  }
}

}  // namespace neap::lab
