# SPDX-License-Identifier: MIT
"""Times Lua programs in `neap` and in the other Luas of this machine: compare.py NEAP [PATH...]

PATH: programs, or folders of them; without one, those of this folder. The other Luas are those of
LUAS that are found; the first one found is what the ratios are over. Every round runs each Lua
once, one after the other, so that a change of the machine's speed meets them all; a figure is the
median over ROUNDS (environment, 3) of the seconds of CPU time, all threads of a process together. A
Lua that fails a program, or prints other lines than the first, is shown as such and left out of its
mean. Exit status 1 when neap is one of these, or a checksum of the bullets is another.
"""

import math
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

LUAS = {
    "lua5.4": ["lua5.4"],
    "luajit -joff": ["luajit", "-joff"],
    "luajit": ["luajit"],
    "luau": ["luau", "-O2"],
}
ROUNDS = int(os.environ.get("ROUNDS", "3"))
TIMEOUT_S = 300
# Not timed with the others: their output is the result, as that of lab_*.lua.
TOLD_APART = {"bullets.lua", "escape.lua", "own_workload.lua", "pool_costs.lua", "sizes.lua"}
STARTS = 41
# Of the bullets at 3,000 a frame, in every language (bench/lab/bullets.cc).
CHECKSUM = " 20516788286"


def cpu_seconds(command):
    """Runs the command once: its CPU seconds and what it printed, or None when it failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                             timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return None if run.returncode != 0 else (used, run.stdout)


def programs(paths):
    """The Lua files that the paths stand for."""
    found = []
    for path in map(pathlib.Path, paths):
        found += sorted(path.glob("*.lua")) if path.is_dir() else [path]
    return [path for path in found
            if path.name not in TOLD_APART and not path.name.startswith("lab_")]


def times_of(luas, program):
    """Median seconds by name of the Lua; a word instead of a number when there is none."""
    seconds = {name: [] for name in luas}
    wrong, wanted = {}, None
    for _ in range(ROUNDS):
        for name, command in luas.items():
            if name in wrong:
                continue
            result = cpu_seconds([*command, str(program)])
            if result is None:
                wrong[name] = "fails"
                continue
            if wanted is None:
                wanted = result[1]
            if result[1] != wanted:
                wrong[name] = "differs"
            seconds[name].append(result[0])
    return {name: wrong.get(name) or statistics.median(seconds[name]) for name in luas}


def print_table(luas, base, paths):
    """A line a program: seconds of the base, and how many times as fast the others are. True when
    neap ran all of them."""
    others = [name for name in luas if name != base]
    print(f"{'program':<18}{base + ', s':>12}" + "".join(f"{name:>14}" for name in others))
    ratios = {name: [] for name in others}
    is_sound = True
    for program in programs(paths):
        times = times_of(luas, program)
        is_sound = is_sound and not isinstance(times["neap"], str)
        cells = []
        for name in others:
            if isinstance(times[name], float) and isinstance(times[base], float):
                ratios[name].append(times[base] / max(times[name], 0.001))
                cells.append(f"{ratios[name][-1]:>13.2f}x")
            else:
                cells.append(f"{times[name] if isinstance(times[name], str) else '-':>14}")
        first = f"{times[base]:>12.2f}" if isinstance(times[base], float) else f"{times[base]:>12}"
        print(f"{program.stem:<18}{first}" + "".join(cells), flush=True)
    means = ""
    for name in others:
        logs = [math.log(ratio) for ratio in ratios[name]]
        means += f"{math.exp(statistics.fmean(logs)):>13.2f}x" if logs else f"{'-':>14}"
    print(f"{'geometric mean':<18}{'':>12}{means}")
    print(f"{'slowest':<18}{'':>12}" +
          "".join(f"{min(ratios[name]):>13.2f}x" if ratios[name] else f"{'-':>14}"
                  for name in others))
    return is_sound


def print_bullets(luas, here):
    """What each Lua says of the bullets in each storage. True when the checksums are right."""
    is_sound = True
    for storage in ("fresh", "pool", "columns"):
        for name, command in luas.items():
            result = cpu_seconds([*command, str(here / "bullets.lua"), storage, "3000"])
            said = result[1].decode().strip() if result else "fails"
            if result and not said.endswith(CHECKSUM):
                said += ", WRONG"
            is_sound = is_sound and said.endswith(CHECKSUM)
            print(f"{name:<14}{said}", flush=True)
    return is_sound


def print_start(neap):
    """The start of an empty script, the empty heap, and the size of the program."""
    def median_ms(command):
        times = []
        for _ in range(STARTS):
            start = time.perf_counter()
            subprocess.run(command, check=False)
            times.append((time.perf_counter() - start) * 1000)
        return statistics.median(times)

    with tempfile.TemporaryDirectory() as folder:
        empty = os.path.join(folder, "empty.lua")
        pathlib.Path(empty).write_text("", encoding="ascii")
        start_ms = median_ms([neap, empty]) - median_ms(["true"])
        count = subprocess.run([neap, "-e", "collectgarbage() print(collectgarbage('count'))"],
                               capture_output=True, check=False).stdout.decode().strip()
        stripped = os.path.join(folder, "neap")
        subprocess.run(["strip", "-o", stripped, neap], check=False)
        size_mb = os.path.getsize(stripped) / 1e6 if os.path.exists(stripped) else float("nan")
    print(f"start of an empty script {start_ms:.2f} ms (3 wanted), empty heap {count} KiB "
          f"(1024 wanted), stripped program {size_mb:.2f} MB (4 wanted)")


def main(neap, paths):
    here = pathlib.Path(__file__).resolve().parent
    found = {name: command for name, command in LUAS.items() if shutil.which(command[0])}
    if not found:
        print("compare.py: none of " + ", ".join(LUAS) + " is on this machine", file=sys.stderr)
        return 1
    base = next(iter(found))
    luas = {base: found.pop(base), "neap": [neap], **found}
    print(f"How many times as fast as {base}, by CPU time, median of {ROUNDS}")
    is_sound = print_table(luas, base, paths or [here])
    if not paths:
        print()
        is_sound = print_bullets(luas, here) and is_sound
        print()
        sys.stdout.flush()
        subprocess.run([neap, str(here / "sizes.lua")], check=True)
        print_start(neap)
    return 0 if is_sound else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__.strip().splitlines()[0], file=sys.stderr)
        sys.exit(2)
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2:]))
