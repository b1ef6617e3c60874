// SPDX-License-Identifier: MIT
#include "proto_reader.h"

#include <stdexcept>

namespace neap::testing {
namespace {

void Require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

uint64_t ReadVarint(const std::string& bytes, size_t* at) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    Require(*at < bytes.size(), "a varint goes on");
    const auto byte = static_cast<unsigned char>(bytes[(*at)++]);
    value |= static_cast<uint64_t>(byte & 127) << shift;
    if (byte < 128) return value;
  }
  throw std::runtime_error("a varint has at most ten bytes");
}

std::vector<uint64_t> ReadPacked(const std::string& bytes) {
  std::vector<uint64_t> values;
  for (size_t at = 0; at < bytes.size();) values.push_back(ReadVarint(bytes, &at));
  return values;
}

uint64_t Number(const std::vector<ProtoField>& fields, int number) {
  for (const ProtoField& field : fields) {
    if (field.number == number) return field.varint;
  }
  return 0;
}

}  // namespace

std::vector<ProtoField> ReadProto(const std::string& bytes) {
  std::vector<ProtoField> fields;
  for (size_t at = 0; at < bytes.size();) {
    const uint64_t tag = ReadVarint(bytes, &at);
    ProtoField field;
    field.number = static_cast<int>(tag >> 3);
    Require((tag & 7) == 0 || (tag & 7) == 2, "only varints and bytes are in profiles");
    field.varint = ReadVarint(bytes, &at);
    if ((tag & 7) == 2) {
      Require(at + field.varint <= bytes.size(), "a field lies in its message");
      field.bytes = bytes.substr(at, field.varint);
      field.is_bytes = true;
      at += field.varint;
    }
    fields.push_back(field);
  }
  return fields;
}

PprofFile ReadPprof(const std::string& bytes) {
  const std::vector<ProtoField> profile = ReadProto(bytes);
  std::vector<std::string> strings;
  for (const ProtoField& field : profile) {
    if (field.number == 6) strings.push_back(field.bytes);
  }
  Require(!strings.empty() && strings[0].empty(), "the first string is the empty one");
  const auto text = [&](uint64_t index) {
    Require(index < strings.size(), "a string exists");
    return strings[index];
  };
  const auto value_type = [&](const std::string& message) {
    const auto fields = ReadProto(message);
    return text(Number(fields, 1)) + "/" + text(Number(fields, 2));
  };
  std::map<uint64_t, std::string> functions, locations;
  for (const ProtoField& field : profile) {
    if (field.number != 5) continue;
    const auto function = ReadProto(field.bytes);
    functions[Number(function, 1)] = text(Number(function, 2)) + " " + text(Number(function, 4));
  }
  for (const ProtoField& field : profile) {
    if (field.number != 4) continue;
    const auto location = ReadProto(field.bytes);
    std::string place;
    for (const ProtoField& line : location) {
      if (line.number != 4) continue;
      const auto parts = ReadProto(line.bytes);
      Require(functions.contains(Number(parts, 1)), "a line's function exists");
      place = functions[Number(parts, 1)] + ":" + std::to_string(Number(parts, 2));
    }
    Require(Number(location, 1) != 0, "a location has an id");
    locations[Number(location, 1)] = place;
  }
  PprofFile file;
  for (const ProtoField& field : profile) {
    if (field.number == 1) file.sample_types.push_back(value_type(field.bytes));
    if (field.number == 11) file.period_type = value_type(field.bytes);
    if (field.number == 12) file.period = static_cast<int64_t>(field.varint);
    if (field.number == 14) file.default_type = text(field.varint);
    if (field.number != 2) continue;
    PprofSample sample;
    for (const ProtoField& part : ReadProto(field.bytes)) {
      if (part.number == 1) {
        for (const uint64_t id : ReadPacked(part.bytes)) {
          Require(locations.contains(id), "a sample's location exists");
          sample.stack.push_back(locations[id]);
        }
      } else if (part.number == 2) {
        for (const uint64_t v : ReadPacked(part.bytes)) {
          sample.values.push_back(static_cast<int64_t>(v));
        }
      } else if (part.number == 3) {
        const auto label = ReadProto(part.bytes);
        sample.labels[text(Number(label, 1))] = {.text = text(Number(label, 2)),
                                                 .number = static_cast<int64_t>(Number(label, 3)),
                                                 .unit = text(Number(label, 4))};
      }
    }
    file.samples.push_back(sample);
  }
  return file;
}

}  // namespace neap::testing
