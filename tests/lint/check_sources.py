# SPDX-License-Identifier: MIT
"""What a reviewer should not have to look for in a source file.

F1  The licence line stands first (second after a #! line).
F2  A header's guard is NEAP_..._H_, spelled after its include path.
F3  No line is longer than 100 columns; no tab, no blank at the end of a line.
F4  No path of somebody's machine.
F5  A file of the library has at most 500 lines: a longer one is two nouns (but the dispatch loop).

    check_sources.py TREE          prints each breach, exit status 1 when there is one
    check_sources.py --self-test   plants a breach of each rule and wants to see exactly those
"""

import re

import lint

FOLDERS = ("runtime", "gc", "pool", "vm", "bench", "tests", "dev", "meson.build", ".ci")
ENDINGS = (".h", ".cc", ".sh", ".py", "meson.build", "dev", "run")
LICENCE = "SPDX-License-Identifier: MIT"
MAX_COLUMNS = 100
MAX_LINES = 500
LONGER = ("vm/interpreter/interpreter.cc",)  # the dispatch loop is one function
MACHINE_PATH = re.compile(r"(?<![\w/])/(?:work|home|root)/\w")


def guard_of(path):
    name = path.split("/include/")[-1]
    name = name[len("neap/"):] if name.startswith("neap/") else name
    return "NEAP_" + re.sub(r"\W", "_", name[:-len(".h")]).upper() + "_H_"


def check_line(line):
    """The rule that the line breaks by itself, or None."""
    if len(line) > MAX_COLUMNS or "\t" in line or line != line.rstrip():
        return "F3"
    return "F4" if MACHINE_PATH.search(line) else None


def check(tree):
    for path in lint.sources(tree, FOLDERS, ENDINGS):
        text = lint.lines(tree, path)
        if not any(LICENCE in line for line in text[:2]):
            yield f"{path}:1: F1"
        if path.endswith(".h") and f"#ifndef {guard_of(path)}" not in text:
            yield f"{path}:1: F2: {guard_of(path)}"
        for number, line in enumerate(text, 1):
            rule = check_line(line)
            if rule:
                yield f"{path}:{number}: {rule}"
        is_bounded = path.endswith((".h", ".cc")) and not path.startswith("tests/")
        if is_bounded and path not in LONGER and len(text) > MAX_LINES:
            yield f"{path}:{len(text)}: F5"


FIRST_LINE = "// " + LICENCE + "\n"
PLANTED = {
    "gc/breaks_f1.cc": "int x;\n",
    "gc/breaks_f2.h": FIRST_LINE + "#ifndef KEEPS\n#endif\n",
    "gc/breaks_f3.cc": FIRST_LINE + "int x; \n",
    "gc/breaks_f4.cc": FIRST_LINE + "// see " + "/home" + "/me/x\n",
    "gc/breaks_f5.cc": FIRST_LINE + "//\n" * MAX_LINES,
    "gc/include/neap/gc/keeps_all.h": FIRST_LINE + "#ifndef NEAP_GC_KEEPS_ALL_H_\n#endif\n",
}

if __name__ == "__main__":
    lint.main(check, PLANTED, ["F1", "F2", "F3", "F4", "F5"])
