# SPDX-License-Identifier: MIT
"""Reads what `neap trace --perfetto` wrote, with a decoder of its own:

    decode_perfetto.py NEAP WRITE_HOUR_TRACE

The decoder below knows the wire format of protocol buffers and the few field numbers of Perfetto's
schema that are needed; it shares nothing with the writer. Where protoc is installed its
--decode_raw must read the file too. Ends with the line that tests/tally.py counts.
"""

import json
import shutil
import struct
import subprocess
import sys
import tempfile

COLLECTIONS = 2000
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value) of each field; bytes for what has a length."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError(f"field {number} is cut off")
        elif kind == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        else:
            raise ValueError(f"field {number} has wire type {kind}")
        yield number, value


def message(data):
    """Number -> list of values."""
    out = {}
    for number, value in fields(data):
        out.setdefault(number, []).append(value)
    return out


def one(parts, number, default=None):
    return parts.get(number, [default])[0]


class Trace:
    def __init__(self, data):
        self.tracks, self.events, self.names, self.annotation_names = {}, [], {}, {}
        self.sequences, self.first_flags = set(), None
        for number, packet in fields(data):
            if number != 1:
                raise ValueError(f"field {number} beside packets")
            self.take(message(packet))

    def take(self, packet):
        self.sequences.add(one(packet, 10))
        if self.first_flags is None:
            self.first_flags = one(packet, 13)
        if 12 in packet:
            data = message(one(packet, 12))
            for field, names in ((2, self.names), (3, self.annotation_names)):
                for entry in map(message, data.get(field, [])):
                    names[one(entry, 1)] = one(entry, 2).decode()
        if 60 in packet:
            track = message(one(packet, 60))
            self.tracks[one(track, 1)] = track
        if 11 in packet:
            event = message(one(packet, 11))
            self.events.append((one(packet, 8), one(event, 11), one(event, 9),
                                self.names.get(one(event, 10)), event))

    def annotations(self, event):
        out = {}
        for entry in map(message, event.get(4, [])):
            text = one(entry, 6)
            out[self.annotation_names[one(entry, 1)]] = (
                one(entry, 3) if text is None else text.decode())
        return out


class Cases:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, holds, seen=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {what}: {seen}")


def slices(trace, track):
    """(name, start, end, depth, event) of a track; they must nest."""
    out, stack, last = [], [], 0
    for at, where, kind, name, event in sorted(
            (e for e in trace.events if e[1] == track), key=lambda e: e[0]):
        if at < last:
            raise ValueError("events go back in time")
        last = at
        if kind == BEGIN:
            stack.append((name, at, event))
        elif kind == END:
            begun, start, what = stack.pop()
            out.append((begun, start, at, len(stack), what))
    if stack:
        raise ValueError(f"{len(stack)} slices without an end")
    return out


def check_trace(trace, written, cases):
    minors = [e for e in written if e.get("event") == "minor"]
    majors = [e for e in written if e.get("event") == "major"]
    pools = [e for e in written if e.get("event") == "pool"]
    cases.check("one sequence, whose first packet clears the state",
                trace.sequences == {1} and trace.first_flags == 1, trace.sequences)
    names = {one(t, 2, b"").decode(): uuid for uuid, t in trace.tracks.items()}
    cases.check("tracks", {"collections", "pools", "heap", "next goal", "live"} <= set(names),
                names)
    processes = [message(one(t, 3)) for t in trace.tracks.values() if 3 in t]
    cases.check("one process, named after the command",
                [one(p, 6) for p in processes] == [b"neap run server.lua"], processes)
    found = slices(trace, names["collections"])
    outer = [s for s in found if s[3] == 0]
    cases.check("a slice per pause", len(outer) == len(minors) + len(majors), len(outer))
    wanted = sorted((e["start_ns"], e["pause_ns"]) for e in minors + majors)
    cases.check("starts and lengths are those of the trace",
                sorted((s[1], s[2] - s[1]) for s in outer) == wanted)
    marking = sum(s[2] - s[1] for s in found if s[0] == "marking")
    cases.check("phases are nested", marking == sum(e["mark_ns"] for e in majors), marking)
    first = trace.annotations(next(s for s in outer if s[0].startswith("major"))[4])
    cases.check("annotations: cause and the pacer's inputs",
                first["cause"] == "pacer" and first["counter_bytes"] == majors[0]["counter_bytes"]
                and first["memory_limit_bytes"] == "none", first)
    goals = [one(e[4], 30) for e in trace.events if e[1] == names["next goal"]]
    cases.check("a counter per goal", goals == [e["next_goal_bytes"] for e in majors], goals[:3])
    instants = [e for e in trace.events if e[2] == INSTANT]
    cases.check("an instant per pool and cycle", len(instants) == len(pools), len(instants))
    evicted = sum(trace.annotations(e[4]).get("evicted", 0) for e in instants)
    cases.check("evictions", evicted == sum(e["evicted"] for e in pools), evicted)


def main(neap, write_hour_trace):
    cases = Cases()
    with tempfile.TemporaryDirectory() as folder:
        trace, out = f"{folder}/hour.jsonl", f"{folder}/hour.perfetto"
        subprocess.run([write_hour_trace, trace, str(COLLECTIONS)], check=True)
        subprocess.run([neap, "trace", trace, "--perfetto", out], check=True)
        with open(trace, encoding="utf-8") as lines:
            written = [json.loads(line) for line in lines]
        with open(out, "rb") as file:
            data = file.read()
        check_trace(Trace(data), written, cases)
        if shutil.which("protoc"):
            run = subprocess.run(["protoc", "--decode_raw"], input=data, capture_output=True,
                                 check=False)
            cases.check("protoc reads it", run.returncode == 0 and run.stdout.count(b"\n1 {") +
                        run.stdout.startswith(b"1 {") > COLLECTIONS, run.stderr)
    print(f"cases: {cases.passed} passed, {cases.failed} failed")
    return 1 if cases.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
