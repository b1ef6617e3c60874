// SPDX-License-Identifier: MIT
//
// Search paths: templates separated by ';', with '?' where the name goes. Pure text and files.
#ifndef NEAP_VM_LIBRARY_PACKAGE_PATHS_H_
#define NEAP_VM_LIBRARY_PACKAGE_PATHS_H_

#include <string>
#include <string_view>

namespace neap::vm {

inline constexpr const char* kDefaultLuaPath =
    "/usr/local/share/lua/5.4/?.lua;/usr/local/share/lua/5.4/?/init.lua;"
    "/usr/local/lib/lua/5.4/?.lua;/usr/local/lib/lua/5.4/?/init.lua;"
    "/usr/share/lua/5.4/?.lua;/usr/share/lua/5.4/?/init.lua;./?.lua;./?/init.lua";
inline constexpr const char* kDefaultNativePath =
    "/usr/local/lib/lua/5.4/?.so;/usr/lib/x86_64-linux-gnu/lua/5.4/?.so;/usr/lib/lua/5.4/?.so;"
    "/usr/local/lib/lua/5.4/loadall.so;./?.so";

std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to);

// The path in NAME_5_4 or NAME of the environment, with the default in place of ";;"; the default
// when there is none.
std::string PathFromEnvironment(const std::string& name, std::string_view otherwise);

// The first file of the path that can be read: true, `*result` is its name. Otherwise what was
// tried, a line each, as error messages show it. `separator` (one character, or none) becomes
// `replacement` in the name.
[[nodiscard]] bool SearchPath(std::string_view name, std::string_view path,
                              std::string_view separator, std::string_view replacement,
                              std::string* result);

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_PACKAGE_PATHS_H_
