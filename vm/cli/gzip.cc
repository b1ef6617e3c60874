// SPDX-License-Identifier: MIT
#include "gzip.h"

#include <zlib.h>

#include "neap/runtime/check.h"

namespace neap::cli {

std::string Gzip(std::string_view bytes) {
  constexpr int kGzipWindow = 15 + 16;  // the largest window; 16: a gzip header
  constexpr int kMemoryLevel = 8;       // zlib's default
  z_stream stream = {};
  int status = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                            Z_DEFAULT_STRATEGY);
  NEAP_CHECK(status == Z_OK, "Z1: zlib has memory to start", "status=%d", status);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  status = deflate(&stream, Z_FINISH);
  NEAP_CHECK(status == Z_STREAM_END, "Z2: the bound of zlib is enough", "status=%d", status);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace neap::cli
