// SPDX-License-Identifier: MIT
//
// Compression for the files that others read compressed.
#ifndef NEAP_VM_CLI_GZIP_H_
#define NEAP_VM_CLI_GZIP_H_

#include <string>
#include <string_view>

namespace neap::cli {

// A gzip member (RFC 1952) of the bytes, without a name or a time: equal bytes give equal files.
std::string Gzip(std::string_view bytes);

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_GZIP_H_
