# SPDX-License-Identifier: MIT
"""The same workloads in neap and in other languages, side by side: peers.py BUILD [WORKLOAD...]

BUILD is a build folder with neap, bench/neap_bench and the C++ peers. Every program is run ROUNDS
times (environment, 3), all of them once a round, so that a change of the machine's speed meets them
all; figures are medians. What is not installed is left out and said so. The answers must agree with
the first one's: exit status 1 when one does not, or when a program of neap fails.

Times of frames and of pushes are each program's own, by the wall clock (Lua: CPU time, which is all
that os.clock tells); CPU and peak are the process's, all threads and start-up together.
"""

import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS = int(os.environ.get("ROUNDS", "3"))
LUAS = {"lua5.4": ["lua5.4"], "luajit -joff": ["luajit", "-joff"], "luajit": ["luajit"]}
# Workload -> arguments, Lua file, what its own figures are called. `s`, when a program does not say
# it, is the wall time of the whole process.
WORKLOADS = {
    "bullets": (["3000"], HERE.parent / "lua" / "bullets.lua", {"p50": "p50 ms", "p99": "p99 ms"}),
    "trees": (["16"], HERE.parent / "lua" / "trees.lua", {"s": "seconds"}),
    "ring": (["100000", "1000000"], HERE / "lua" / "ring.lua",
             {"p50_us": "p50 us", "p999_us": "p99.9 us", "worst_ms": "worst ms"}),
}
# bench/lua/bullets.lua speaks to people.
LUA_BULLETS = re.compile(r"p50 ([\d.]+) ms, p99 ([\d.]+) ms, worst ([\d.]+) ms, checksum (\d+)")


def commands(build, workload, scratch):
    """Pairs of name and command, neap first; a string for a command says why there is none."""
    arguments, lua, _ = WORKLOADS[workload]
    bench = build / "bench" / "neap_bench"
    found = [("neap, C++", [bench, "cell", workload, *arguments])]
    lua_arguments = (["fresh"] if workload == "bullets" else []) + arguments
    found.append(("neap, Lua", [build / "neap", lua, *lua_arguments]))
    cpp = build / "bench" / f"peer_{workload}"
    found.append(("C++, mimalloc", [cpp, *arguments] if cpp.exists() else "not built"))
    found.append(("Go", go_command(workload, arguments, scratch)))
    node = shutil.which("node")
    script = HERE / "js" / f"{workload}.mjs"
    found.append(("Node", [node, script, *arguments] if node else "not installed"))
    for name, command in LUAS.items():
        path = shutil.which(command[0])
        found.append((name, [path, *command[1:], lua, *lua_arguments] if path else "not installed"))
    return found


def go_command(workload, arguments, scratch):
    if not shutil.which("go"):
        return "not installed"
    program = pathlib.Path(scratch) / f"go-{workload}"
    build = subprocess.run(["go", "build", "-o", program, "main.go"], cwd=HERE / "go" / workload,
                           env={**os.environ, "GO111MODULE": "off", "GOCACHE": f"{scratch}/cache"},
                           capture_output=True, check=False)
    return [program, *arguments] if build.returncode == 0 else "does not build"


def run(command):
    """One run: the figures as a dictionary, or None when the program failed."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([str(word) for word in command], stdout=out,
                                   stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        seconds = time.monotonic() - start
        out.seek(0)
        text = out.read().decode(errors="replace")
    if status != 0:
        return None
    figures = {"s": seconds, "cpu": usage.ru_utime + usage.ru_stime,
               "peak": usage.ru_maxrss / 1024}
    spoken = LUA_BULLETS.search(text)
    if spoken:
        figures |= zip(("p50", "p99", "max"), map(float, spoken.groups()[:3]))
        figures["chk"] = spoken[4]
    for line in text.splitlines():
        if line.startswith("RESULT"):
            pairs = (word.split("=", 1) for word in line.split()[1:])
            figures |= {key: value if key == "chk" else float(value) for key, value in pairs}
    # trees.lua prints its sum and nothing else.
    figures.setdefault("chk", text.strip().splitlines()[-1])
    figures["chk"] = str(int(float(figures["chk"])))
    return figures


def measure(workload, build, scratch):
    """Rows of one workload, and whether neap's part is right."""
    runs, notes = {}, {}
    found = commands(build, workload, scratch)
    for _ in range(ROUNDS):
        for name, command in found:
            if isinstance(command, str):
                notes[name] = command
                continue
            figures = run(command)
            if figures is None:
                notes[name] = "failed"
            else:
                runs.setdefault(name, []).append(figures)
    return [name for name, _ in found], runs, notes


def table(workload, names, runs, notes):
    own = WORKLOADS[workload][2]
    columns = [*own.items(), *((key, title) for key, title in
                               (("s", "seconds"), ("cpu", "CPU s"), ("peak", "peak MiB"))
                               if key not in own)]
    print(f"\n{workload} {' '.join(WORKLOADS[workload][0])}")
    print(f"  {'':14}" + "".join(f"{title:>11}" for _, title in columns) + "  answer")
    right = True
    answer = runs.get("neap, C++", [{}])[0].get("chk")
    for name in names:
        line = f"  {name:14}"
        if name not in runs or name in notes:
            print(line + "  " + notes.get(name, "no result"))
            right = right and not name.startswith("neap")
            continue
        for key, _ in columns:
            line += f"{statistics.median(figures[key] for figures in runs[name]):11.3f}"
        same = all(figures["chk"] == answer for figures in runs[name])
        right = right and same
        print(line + ("  same" if same else f"  {runs[name][0]['chk']}, not {answer}"))
    return right


def main(arguments):
    if not arguments or any(name not in WORKLOADS for name in arguments[1:]):
        sys.exit(f"peers.py BUILD [{'|'.join(WORKLOADS)}...]")
    build = pathlib.Path(arguments[0]).resolve()
    right = True
    with tempfile.TemporaryDirectory() as scratch:
        for workload in arguments[1:] or WORKLOADS:
            right = table(workload, *measure(workload, build, scratch)) and right
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
