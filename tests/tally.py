# SPDX-License-Identifier: MIT
"""Counts test cases in the logs of `meson test`: tally.py MODE TESTLOG.json...

Prints "PASSED FAILED" on stdout, and on stderr one line of summary and one per failed or skipped
program. Meson counts programs; a person wants cases. The runner (main.cc) ends with a line
`cases: N passed, N failed`. A program without that line counts as one case: a script, or a program
that died before its end, which has failed.
"""

import json
import re
import sys

CASES = re.compile(r"^cases: (\d+) passed, (\d+) failed$", re.MULTILINE)
GOOD = ("OK", "EXPECTEDFAIL")


def read_log(path):
    """Yields (name, result, output) for each program of one testlog.json."""
    with open(path, encoding="utf-8") as log:
        for line in log:
            test = json.loads(line)
            yield test["name"], test["result"], test.get("stdout") or ""


def count(result, output):
    """Returns (passed, failed) of one program."""
    cases = CASES.findall(output)
    if not cases:
        return (1, 0) if result in GOOD else (0, 1)
    passed, failed = map(int, cases[-1])
    if result not in GOOD and failed == 0:
        failed = 1  # every case passed and the program failed all the same: a leak, a bad exit
    return passed, failed


def main(mode, paths):
    passed = failed = programs = 0
    for path in paths:
        for name, result, output in read_log(path):
            if result == "SKIP":
                print(f"dev: {mode}: skipped {name}", file=sys.stderr)
                continue
            programs += 1
            p, f = count(result, output)
            passed, failed = passed + p, failed + f
            if f:
                print(f"dev: {mode}: FAILED {name}: {f} of {p + f} ({result})", file=sys.stderr)
    print(f"dev: {mode}: {programs} programs, {passed} cases passed, {failed} failed",
          file=sys.stderr)
    print(passed, failed)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
