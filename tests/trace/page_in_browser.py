# SPDX-License-Identifier: MIT
"""The page of `neap trace --html` in a real browser, headless:

    page_in_browser.py NEAP WRITE_HOUR_TRACE [--screenshots FOLDER] [--collections N]

Opens the page of an hour's trace over the DevTools protocol (a pipe, nothing to install) on a
desktop and on a phone, light and dark; clicks, drags, presses keys, follows links; looks at what
the page then says and at the pixels of the charts. Prints how long opening took. Without a
Chromium exit status 77: skipped. Ends with the line that tests/tally.py counts.
"""

import argparse
import base64
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SKIPPED = 77
OPENS_WITHIN_S = 5
DESKTOP, PHONE = (1200, 900), (390, 844)


class Browser:
    """One page, by the DevTools protocol: messages end with a byte 0."""

    def __init__(self, program, folder):
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def connect():  # the browser reads descriptor 3 and writes 4
            ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_browser, from_browser)]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             f"--user-data-dir={folder}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=page, flatten=True)
        self.session = attached["sessionId"]
        self.call("Page.enable")
        self.call("Runtime.enable")

    def read(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.into, 1 << 16)
            if not piece:
                raise RuntimeError("the browser is gone")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def exceptions(self):
        return [e for e in self.events if e.get("method") == "Runtime.exceptionThrown"]

    def open(self, url, size, scheme):
        """Seconds until the page is ready: drawn, with a chosen collection."""
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1],
                  deviceScaleFactor=1 if size == DESKTOP else 2, mobile=size == PHONE)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url="about:blank")
        start = time.monotonic()
        self.call("Page.navigate", url=url)
        while not self.run("document.documentElement?.dataset.ready && document.readyState === "
                           "'complete'"):
            if time.monotonic() - start > 60:
                raise RuntimeError("the page is not ready after a minute")
            time.sleep(0.02)
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return time.monotonic() - start

    def mouse(self, kind, x, y, button="left"):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1,
                  buttons=1 if kind == "mouseMoved" and button == "left" else 0)

    def key(self, key):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def screenshot(self, path):
        size = self.run("[document.documentElement.scrollWidth, "
                        "document.documentElement.scrollHeight]")
        image = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                          clip={"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1})
        pathlib.Path(path).write_bytes(base64.b64decode(image["data"]))

    def close(self):
        self.process.kill()
        self.process.wait()


class Cases:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, holds, seen=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {what}: {seen}")


# How many pixels of a chart's plot are not of the ground: > 0 when something is drawn.
INK = """((name) => { const c = document.querySelector(`[data-chart=${name}] canvas`);
  const p = c.getContext('2d').getImageData(c.width * .2, 0, c.width * .7, c.height * .85).data;
  let ink = 0; for (let i = 3; i < p.length; i += 4) ink += p[i] > 0; return ink; })"""
WHY = "document.querySelector('#why-body h3').textContent"
RANGE = "document.querySelector('.bar output').textContent"
BOX = """(() => { const c = document.querySelector('[data-chart=pauses] canvas');
  c.scrollIntoView({block: 'center'}); const r = c.getBoundingClientRect();
  return [r.left, r.top, r.width, r.height]; })()"""
CONTRAST = """(() => { const rgb = (c) => c.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const light = (c) => rgb(c).map((v) => v / 255).map((v) => v <= .03928 ? v / 12.92
    : ((v + .055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [.2126, .7152, .0722][i], 0);
  const ground = light(getComputedStyle(document.body).backgroundColor);
  let least = 21; for (const e of document.querySelectorAll('p, td, th, li, h2, dt')) {
    const ink = light(getComputedStyle(e).color), [a, b] = [ink, ground].sort((x, y) => y - x);
    least = Math.min(least, (a + .05) / (b + .05)); } return least; })()"""


def check_charts(browser, cases, where):
    for chart in ("heap", "pauses", "survivors", "hits", "evictions"):
        ink = browser.run(f"{INK}('{chart}')")
        cases.check(f"{where}: chart {chart} shows something", ink > 200, ink)
    row = browser.run("document.querySelector('#allocations tbody tr').innerText")
    cases.check(f"{where}: allocations by type", row.split("\t")[:5] ==
                ["table", "4.12 MiB", "98.5 %", "90,000", "10.0 %"], row)
    names = browser.run("[...document.querySelectorAll('#allocations td:first-child')]"
                        ".map((cell) => cell.textContent)")
    cases.check(f"{where}: places, whatever they are called",
                "table  handle  server.lua:42" in names and "string  <b>  server.lua:7" in names,
                names)
    cases.check(f"{where}: text can be read", browser.run(CONTRAST) >= 4.5, browser.run(CONTRAST))
    wide = browser.run("document.documentElement.scrollWidth - innerWidth")
    cases.check(f"{where}: nothing sticks out sideways", wide <= 0, wide)
    cases.check(f"{where}: no script failed", not browser.exceptions(), browser.exceptions())


def check_interaction(browser, cases):
    longest = browser.run(WHY)
    cases.check("the longest pause is chosen at first", "80.0 ms" in longest, longest)
    left, top, width, height = browser.run(BOX)
    middle = top + height / 2
    browser.mouse("mouseMoved", left + width / 2, middle, "none")
    tip = browser.run("document.querySelector('[data-chart=pauses] .tip').textContent")
    cases.check("the pointer shows the nearest collection", " at 1" in tip and " s" in tip, tip)
    browser.mouse("mousePressed", left + width * 0.3, middle)
    browser.mouse("mouseReleased", left + width * 0.3, middle)
    clicked = browser.run(WHY)
    cases.check("a click chooses", clicked != longest, clicked)
    cases.check("why is said", "full" in browser.run("document.querySelector('#why-body p')"
                                                     ".textContent") or "Major" in clicked)
    cases.check("the address keeps it", "minor=" in browser.run("location.hash") or
                "major=" in browser.run("location.hash"), browser.run("location.hash"))
    browser.run("document.querySelector('[data-chart=pauses] canvas').focus()")
    browser.key("ArrowRight")
    right = browser.run(WHY)
    browser.key("ArrowLeft")
    cases.check("arrows go to the next and back", right != clicked and browser.run(WHY) == clicked,
                right)
    whole = browser.run(RANGE)
    browser.mouse("mousePressed", left + width * 0.4, middle)
    browser.mouse("mouseMoved", left + width * 0.5, middle)
    browser.mouse("mouseReleased", left + width * 0.5, middle)
    near = browser.run(RANGE)
    cases.check("a drag looks closer", near != whole and "from=" in browser.run("location.hash"),
                near)
    browser.key("0")
    cases.check("0 shows all", browser.run(RANGE) == whole, browser.run(RANGE))
    # Two looks between two frames: the second counts.
    twice = browser.run("document.querySelector('[data-action=in]').click();"
                        f"document.querySelector('[data-action=all]').click(); {RANGE}")
    cases.check("the text says what was looked at last", twice == whole, twice)
    browser.run("document.querySelector('[data-action=in]').click()")
    cases.check("a button looks closer", browser.run(RANGE) != whole)
    browser.run("document.querySelector('[data-action=all]').click()")
    link = browser.run("document.querySelectorAll('td a')[3].getAttribute('href')")
    browser.run("document.querySelectorAll('td a')[3].click()")
    browser.run("new Promise((done) => setTimeout(done, 100))")
    number = int(link.split("=")[1])
    cases.check("a link of the table chooses", f" {number}," in browser.run(WHY), browser.run(WHY))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("neap")
    parser.add_argument("write_hour_trace")
    parser.add_argument("--screenshots")
    parser.add_argument("--collections", type=int, default=20_000)
    arguments = parser.parse_args()
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        print("no Chromium")
        return SKIPPED
    cases = Cases()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        trace, page = f"{folder}/hour.jsonl", f"{folder}/hour.html"
        subprocess.run([arguments.write_hour_trace, trace, str(arguments.collections)], check=True)
        start = time.monotonic()
        subprocess.run([arguments.neap, "trace", trace, "--html", page], check=True)
        print(f"page written in {time.monotonic() - start:.2f} s, {os.path.getsize(page)} bytes of "
              f"{os.path.getsize(trace)}")
        browser = Browser(program, f"{folder}/profile")
        try:
            for name, size in (("desktop", DESKTOP), ("phone", PHONE)):
                for scheme in ("light", "dark"):
                    spent = browser.open(f"file://{page}", size, scheme)
                    print(f"{name} {scheme}: open in {spent:.2f} s")
                    cases.check(f"{name} {scheme}: opens in time", spent < OPENS_WITHIN_S, spent)
                    check_charts(browser, cases, f"{name} {scheme}")
                    if arguments.screenshots:
                        browser.screenshot(f"{arguments.screenshots}/{name}-{scheme}.png")
            browser.open(f"file://{page}", DESKTOP, "light")
            check_interaction(browser, cases)
            browser.open(f"file://{page}#major=7&from=1000&to=2000", DESKTOP, "light")
            cases.check("an address opens what it names", "Major cycle 7," in browser.run(WHY),
                        browser.run(WHY))
        finally:
            browser.close()
    print(f"cases: {cases.passed} passed, {cases.failed} failed")
    return 1 if cases.failed else 0


if __name__ == "__main__":
    sys.exit(main())
