# SPDX-License-Identifier: MIT
"""The layer rules that include paths alone do not enforce.

L1  "neap/X/..." is included only from X's layer or from one above it.
L2  No include climbs out of its folder ("../").
L3  A third-party header stays where it belongs: spdlog and fmt in runtime/log.cc, mimalloc in
    runtime/ and in what measures against it, RapidJSON in bench/ and vm/profile/, CLI11 in
    vm/cli/, doctest in tests/.
L4  The name of a header is unique in the tree, so that an include line names one file.

    check_layers.py TREE          prints each breach, exit status 1 when there is one
    check_layers.py --self-test   plants a breach of each rule and wants to see exactly those
"""

import collections
import re

import lint

RANK = {"runtime": 0, "gc": 1, "pool": 2, "vm": 3, "bench": 4, "vm/cli": 5, "tests": 6}
UNKNOWN = 99  # nobody may include from a layer that does not exist
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')


def layer_of(path):
    return "vm/cli" if path.startswith("vm/cli/") else path.split("/")[0]


# Third-party header, by its first letters -> may this file include it?
THIRD_PARTY = {
    "spdlog/": lambda path, layer: path == "runtime/log.cc",
    "fmt/": lambda path, layer: path == "runtime/log.cc",
    "mimalloc": lambda path, layer: layer in ("runtime", "bench"),
    "rapidjson/": lambda path, layer: layer == "bench" or path.startswith("vm/profile/"),
    "CLI/": lambda path, layer: layer == "vm/cli",
    "doctest": lambda path, layer: layer == "tests",
}


def broken_rule(path, include):
    """The rule that this include line of this file breaks, or None."""
    layer = layer_of(path)
    if ".." in include.split("/"):
        return "L2"
    if include.startswith("neap/"):
        target = include.split("/")[1]
        return "L1" if RANK.get(target, UNKNOWN) > RANK.get(layer, UNKNOWN) else None
    for prefix, allowed in THIRD_PARTY.items():
        if include.startswith(prefix) and not allowed(path, layer):
            return "L3"
    return None


def check(tree):
    headers = collections.defaultdict(list)
    for path in lint.sources(tree, RANK, (".h", ".cc")):
        if path.endswith(".h"):
            headers[path.rsplit("/", 1)[-1]].append(path)
        for number, line in enumerate(lint.lines(tree, path), 1):
            match = INCLUDE.match(line)
            rule = broken_rule(path, match[1]) if match else None
            if rule:
                yield f"{path}:{number}: {rule}: {match[1]}"
    for name, paths in headers.items():
        if len(paths) > 1:
            yield f"{name}: L4: {' '.join(paths)}"


PLANTED = {
    "runtime/breaks_l1.cc": '#include "neap/gc/heap.h"',
    "vm/breaks_l2.cc": '#include "../gc/marker.h"',
    "gc/breaks_l3.cc": "#include <spdlog/spdlog.h>",
    "gc/breaks_l4.h": "",
    "vm/breaks_l4.h": "",
    "vm/cli/keeps_all.cc": '#include "neap/pool/pool.h"',
}

if __name__ == "__main__":
    lint.main(check, PLANTED, ["L1", "L2", "L3", "L4"])
