# SPDX-License-Identifier: MIT
"""What the checks of this folder share: finding files, the report, the proof that a check can fail.

A check is a function from the path of a tree to its breaches, each "PLACE: RULE" or
"PLACE: RULE: MORE".
"""

import pathlib
import re
import sys
import tempfile


def sources(tree, folders, endings):
    """Paths, relative to the tree and sorted, of the files in `folders` (or of those names)."""
    found = set()
    for folder in folders:
        top = pathlib.Path(tree, folder)
        paths = top.rglob("*") if top.is_dir() else [top]
        found.update(
            path.relative_to(tree).as_posix()
            for path in paths
            if path.is_file() and path.name.endswith(tuple(endings))
        )
    return sorted(found)


def lines(tree, path):
    return pathlib.Path(tree, path).read_text(encoding="utf-8").splitlines()


def rules_found(check, files):
    """Writes {path: text} as a tree and returns the sorted rules that the check says it breaks."""
    with tempfile.TemporaryDirectory() as tree:
        for path, text in files.items():
            file = pathlib.Path(tree, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return sorted(re.search(r": (\w+)", breach)[1] for breach in check(tree))


def main(check, planted, wanted):
    if sys.argv[1] == "--self-test":
        found = rules_found(check, planted)
        sys.exit(0 if found == wanted else f"planted breaches of {wanted}, found {found}")
    breaches = list(check(sys.argv[1]))
    print("\n".join(breaches))
    sys.exit(1 if breaches else 0)
