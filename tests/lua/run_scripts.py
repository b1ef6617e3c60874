# SPDX-License-Identifier: MIT
"""Runs scripts with the `neap` program: run_scripts.py NEAP FOLDER [NAME...]

A script of the folder passes when it exits with status 0 and its last line is what its first line
says: `-- expect: ok`. A script without that line fails. NAME: only the scripts whose names contain
one of these. Ends with the line that tests/tally.py counts: each script is a case. Switches of
NEAP_DEBUG reach the scripts through the environment.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

EXPECT = "-- expect: "
TIMEOUT_S = float(os.environ.get("NEAP_SCRIPT_TIMEOUT", "300"))


def expected(path):
    """The last line that the script promises, or None."""
    with open(path, encoding="latin-1") as script:
        first = script.readline().rstrip("\n")
    return first[len(EXPECT):] if first.startswith(EXPECT) else None


def problem(program, path):
    """Runs the script in a folder of its own; what is wrong with it, or None."""
    wanted = expected(path)
    if wanted is None:
        return f"no line '{EXPECT}...' at its beginning"
    with tempfile.TemporaryDirectory() as folder:
        try:
            run = subprocess.run([program, path], cwd=folder, stdin=subprocess.DEVNULL,
                                 capture_output=True, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            return f"still runs after {TIMEOUT_S:.0f} s"
    lines = run.stdout.decode("latin-1").splitlines() or [""]
    if run.returncode != 0:
        return f"exit status {run.returncode}\n{run.stderr.decode('latin-1')}"
    return None if lines[-1] == wanted else f"last line '{lines[-1]}', expected '{wanted}'"


def main(program, folder, names):
    scripts = sorted(pathlib.Path(folder).glob("*.lua"))
    if names:
        scripts = [path for path in scripts if any(name in path.name for name in names)]
    failed = 0
    for path in scripts:
        wrong = problem(os.path.abspath(program), path.resolve())
        failed += wrong is not None
        print(f"FAILED {path.name}: {wrong}" if wrong else f"passed {path.name}", flush=True)
    print(f"cases: {len(scripts) - failed} passed, {failed} failed")
    return 0 if scripts and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
