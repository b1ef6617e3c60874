// SPDX-License-Identifier: MIT
//
// What each event and each field of a trace means: `neap trace --schema` prints it. Names and order
// come from neap/gc/event.h; a test wants a sentence for every one of them.
#ifndef NEAP_BENCH_TRACE_TRACE_SCHEMA_H_
#define NEAP_BENCH_TRACE_TRACE_SCHEMA_H_

#include <string>
#include <vector>

namespace neap::trace {

struct FieldDoc {
  std::string name;
  std::string meaning;  // with unit when the name has none; never empty
};
struct EventDoc {
  std::string name;  // "minor"
  std::string meaning;
  std::vector<FieldDoc> fields;  // in the order of the record
};
std::vector<EventDoc> TraceSchema();

// The reference page, Markdown of at most 100 columns: the lines of a file, the values, each event.
std::string TraceSchemaText();

}  // namespace neap::trace

#endif  // NEAP_BENCH_TRACE_TRACE_SCHEMA_H_
