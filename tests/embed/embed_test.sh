#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Installs neap into a folder of its own, builds the sample against nothing but that, runs it.
#
#   embed_test.sh SAMPLE BUILD-FOLDER COMPILER...
set -euo pipefail
sample="$1"
build="$2"
compiler=("${@:3}")

installed="$(mktemp -d)"
trap 'rm -rf "$installed"' EXIT
DESTDIR="$installed" meson install -C "$build" --no-rebuild --quiet --tags devel

pc="$(find "$installed" -name neap.pc)"
export PKG_CONFIG_PATH="${pc%/*}"
read -ra flags <<<"$(pkg-config --cflags --libs neap)"
"${compiler[@]}" -std=c++20 -O2 -Wall -Werror "$sample" "${flags[@]}" -o "$installed/sample"
"$installed/sample"
