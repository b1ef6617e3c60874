// SPDX-License-Identifier: MIT
//
// Reads protocol buffers' wire format, and of it the messages of pprof profiles: written from the
// format's description, apart from the code that writes them.
#ifndef NEAP_TESTS_PROFILE_PROTO_READER_H_
#define NEAP_TESTS_PROFILE_PROTO_READER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace neap::testing {

struct ProtoField {
  int number = 0;
  uint64_t varint = 0;
  std::string bytes;
  bool is_bytes = false;
};
// The fields in order; throws std::runtime_error when the bytes are no message.
std::vector<ProtoField> ReadProto(const std::string& bytes);

struct PprofLabel {
  std::string text;
  int64_t number = 0;
  std::string unit;
};
struct PprofSample {
  std::vector<std::string> stack;  // "function file:line", innermost first
  std::vector<int64_t> values;
  std::map<std::string, PprofLabel> labels;
};
struct PprofFile {
  std::vector<std::string> sample_types;  // "alloc_space/bytes"
  std::vector<PprofSample> samples;
  std::string period_type, default_type;
  int64_t period = 0;
};
// Checks that every id and index that is used exists; throws std::runtime_error otherwise.
PprofFile ReadPprof(const std::string& bytes);

}  // namespace neap::testing

#endif  // NEAP_TESTS_PROFILE_PROTO_READER_H_
