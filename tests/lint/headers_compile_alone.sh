#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Every public header compiles by itself, with the include paths of its own layer and those below,
# so that a user may include any one first. A header that a source of its layer includes before
# anything else has been compiled so by the build; the others are compiled here.
#
#   headers_compile_alone.sh TREE COMPILER...      exit status 1 when one does not compile
set -euo pipefail
cd "$1"
shift
export COMPILER="$*"

# compile_header HEADER INCLUDE-FLAG...
compile_header() {
  # COMPILER may be several words (ccache c++): split on purpose.
  $COMPILER -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Wno-missing-field-initializers \
    "${@:2}" -x c++ - <<<"#include \"${1#*/include/}\"" || {
    echo "$1 does not compile alone"
    return 1
  }
}
export -f compile_header

# first_includes LAYER: the first include of each of its sources.
first_includes() {
  find "$1" -name '*.cc' -exec grep -m 1 -h '^#include' {} \; | sort -u
}

paths=()
jobs=()
headers=0
for layer in runtime gc pool vm; do
  [[ -d "$layer/include" ]] || continue
  paths+=("-I$layer/include")
  built="$(first_includes "$layer")"
  while read -r header; do
    headers=$((headers + 1))
    grep -qxF "#include \"${header#*/include/}\"" <<<"$built" || jobs+=("$header ${paths[*]}")
  done < <(find "$layer/include" -name '*.h' | sort)
done
echo "$headers headers, ${#jobs[@]} of them to compile: ${jobs[*]%% *}"
((headers > 0))
((${#jobs[@]} == 0)) ||
  printf '%s\n' "${jobs[@]}" | xargs -P "$(nproc)" -L 1 bash -c 'compile_header "$@"' compile_header
