// SPDX-License-Identifier: MIT
//
// Style of the page, and the charts of its script: canvases over one shared stretch of time.
//
// A chart has series of points in ascending order of time. What falls on one column of pixels is
// drawn as the line from its smallest to its largest value, so that an hour of collections costs as
// much to draw as a minute, and the one long pause among a thousand short ones stays visible.
//
// Series kinds: "points" (marks, or their span per column), "line" (joined), "step" (holds until
// the next point). A value that is not finite, or not above 0 on a logarithmic axis, is left out.
#include "page_assets.h"

namespace neap::trace {

const std::string_view kPageStyle = R"css(
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.6rem;
margin:1.1rem 0;padding:0;list-style:none}
.tiles li{background:var(--sheet);border:1px solid var(--rule);border-radius:8px;
padding:.55rem .8rem}
.tiles b{display:block;font-size:1.2rem;font-variant-numeric:tabular-nums}
.tiles span{color:var(--soft);font-size:.85rem}
.problems{margin:.6rem 0;padding-left:1.4rem}
.problems li{margin:.6rem 0}
.problems .remedy{display:block;color:var(--soft)}
.bar{position:sticky;top:0;z-index:2;background:var(--sheet);padding:.5rem 0;display:flex;
flex-wrap:wrap;gap:.5rem;align-items:center;border-bottom:1px solid var(--rule)}
.bar output{font-size:.88rem;color:var(--soft);font-variant-numeric:tabular-nums}
button{font:inherit;font-size:.9rem;min-width:2.6rem;min-height:2.4rem;padding:.2rem .7rem;
border:1px solid var(--rule);border-radius:6px;background:var(--sheet);color:var(--ink);
cursor:pointer}
button:hover{border-color:var(--accent)}
button:focus-visible,canvas:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
figure.time{max-width:none}
.canvas{position:relative;touch-action:pan-y}
.canvas canvas{display:block;width:100%;height:220px;cursor:crosshair}
.cross{position:absolute;top:0;bottom:22px;width:0;border-left:1px dashed var(--soft);
pointer-events:none}
.chosen{position:absolute;top:0;bottom:22px;width:0;border-left:2px solid var(--accent);
pointer-events:none}
.range{position:absolute;top:0;bottom:22px;background:var(--accent);opacity:.18;
pointer-events:none}
.canvas .tip{transform:none;white-space:normal;max-width:15rem}
.swatch{display:inline-block;width:.9rem;height:.25rem;border-radius:2px;background:currentColor}
#why .phases{display:flex;height:1.4rem;border-radius:4px;overflow:hidden;margin:.6rem 0;
background:var(--note-ground)}
#why .phases i{display:block;background:currentColor;min-width:1px}
#why ul.legend b{font-weight:600}
#why dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .9rem;font-size:.88rem}
#why dt{color:var(--soft)}
#why dd{margin:0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
@media (min-width:900px){#why dl{grid-template-columns:max-content 1fr max-content 1fr}}
@media (max-width:640px){.bar output:first-of-type{display:none}
.canvas canvas{height:190px}.tiles{grid-template-columns:1fr 1fr}
.tiles b{font-size:1.05rem}}
@media print{.bar{display:none}}
)css";

const std::string_view kPageCharts = R"js(
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const digits = (v) => v === 0 ? '0' : Math.abs(v) >= 99.95 ? v.toFixed(0)
  : Math.abs(v) >= 9.995 ? v.toFixed(1) : v.toFixed(2);
const units = {
  time: (ns) => ns === 0 ? '0' : ns < 1e3 ? Math.round(ns) + ' ns' : ns < 1e6
    ? digits(ns / 1e3) + ' \u00b5s' : ns < 1e9 ? digits(ns / 1e6) + ' ms' : digits(ns / 1e9) + ' s',
  bytes: (b) => b < 1024 ? Math.round(b) + ' B' : b < 1048576 ? digits(b / 1024) + ' KiB'
    : b < 1073741824 ? digits(b / 1048576) + ' MiB' : digits(b / 1073741824) + ' GiB',
  percent: (p) => digits(p) + ' %',
  count: (n) => Math.round(n).toLocaleString('en'),
};
// Seconds as a label; enough digits to tell the ends of `span` apart.
const seconds = (s, span) => s.toFixed(Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(span)))))
  + ' s';
// Index of the first x that is at least `at`.
const lowerBound = (x, at) => {
  let low = 0, high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle] < at) low = middle + 1; else high = middle;
  }
  return low;
};
const niceSteps = (low, high, most, base) => {
  const rough = (high - low) / most;
  const power = base === 2 ? 2 ** Math.floor(Math.log2(rough))
    : 10 ** Math.floor(Math.log10(rough));
  const factor = base === 2 ? (rough / power > 1 ? 2 : 1) : [1, 2, 5, 10].find(
    (f) => f * power >= rough);
  const step = Math.max(power * factor, Number.MIN_VALUE), out = [];
  for (let v = Math.ceil(low / step) * step; v <= high * (1 + 1e-9); v += step) out.push(v);
  return out;
};

class Chart {
  constructor(box, view, {series, unit, log}) {
    Object.assign(this, {box, view, series, unit, log});
    this.canvas = box.querySelector('canvas');
    this.left = 66; this.right = 10; this.top = 8; this.bottom = 22;
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }
  get plotWidth() { return this.width - this.left - this.right; }
  xOf(s) {
    return this.left + (s - this.view.from) / (this.view.to - this.view.from) * this.plotWidth;
  }
  secondsAt(x) {
    return this.view.from + (x - this.left) / this.plotWidth * (this.view.to - this.view.from);
  }
  shows(v) { return Number.isFinite(v) && (!this.log || v > 0); }
  yOf(v) {
    const scale = this.log ? Math.log10 : (n) => n;
    const part = (scale(v) - scale(this.low)) / (scale(this.high) - scale(this.low));
    return this.height - this.bottom - part * (this.height - this.top - this.bottom);
  }
  // The points inside the view, and one on each side.
  rangeOf(s) {
    return [Math.max(0, lowerBound(s.x, this.view.from) - 1),
            Math.min(s.x.length, lowerBound(s.x, this.view.to) + 1)];
  }
  fitValues() {
    let low = Infinity, high = -Infinity;
    for (const s of this.series) {
      const [begin, end] = this.rangeOf(s);
      for (let i = begin; i < end; ++i) {
        if (!this.shows(s.y[i])) continue;
        if (s.y[i] < low) low = s.y[i];
        if (s.y[i] > high) high = s.y[i];
      }
    }
    if (low > high) [low, high] = [1, 10];
    if (this.log) {
      this.low = 10 ** Math.floor(Math.log10(low));
      this.high = 10 ** Math.ceil(Math.log10(high * 1.01));
    } else { this.low = 0; this.high = Math.max(high, 1e-9) * 1.06; }
    if (this.unit === 'percent') this.high = 100;
  }
  drawAxes(c) {
    c.font = '12px system-ui, sans-serif';
    c.lineWidth = 1;
    c.fillStyle = css('--soft');
    const base = this.unit === 'bytes' ? 2 : 10;
    const values = this.log ? [] : niceSteps(this.low, this.high, 5, base);
    for (let v = this.low; this.log && v <= this.high * 1.001; v *= 10) values.push(v);
    c.textAlign = 'right'; c.textBaseline = 'middle'; c.strokeStyle = css('--grid');
    for (const v of values) {
      const y = Math.round(this.yOf(v)) + .5;
      c.beginPath(); c.moveTo(this.left, y); c.lineTo(this.width - this.right, y); c.stroke();
      const bottom = this.height - this.bottom - 5;
      c.fillText(units[this.unit](v), this.left - 6, Math.min(Math.max(y, 8), bottom));
    }
    const span = this.view.to - this.view.from;
    c.textAlign = 'center'; c.textBaseline = 'top';
    const labels = Math.max(2, this.plotWidth / 95);
    for (const s of niceSteps(this.view.from, this.view.to, labels, 10)) {
      const x = this.xOf(s), half = c.measureText(seconds(s, span)).width / 2;
      if (x + half > this.width || x < this.left) continue;
      c.fillText(seconds(s, span), x, this.height - this.bottom + 6);
    }
  }
  // Calls visit(x, first, low, high, last) for every column of pixels that has points.
  forColumns(s, visit) {
    const [begin, end] = this.rangeOf(s);
    let column = -1, x = 0, first = 0, low = 0, high = 0, last = 0, has = false;
    for (let i = begin; i < end; ++i) {
      const y = s.y[i];
      if (!this.shows(y)) continue;
      const at = this.xOf(s.x[i]), pixel = Math.round(at);
      if (has && pixel === column) {
        if (y < low) low = y;
        if (y > high) high = y;
        last = y;
        continue;
      }
      if (has) visit(x, first, low, high, last);
      has = true; column = pixel; x = at; first = low = high = last = y;
    }
    if (has) visit(x, first, low, high, last);
  }
  drawSeries(c, s) {
    c.strokeStyle = c.fillStyle = css(s.color);
    c.lineWidth = s.kind === 'points' ? 2 : 1.8;
    c.setLineDash(s.dashed ? [6, 4] : []);
    c.beginPath();
    let before = null;
    this.forColumns(s, (x, first, low, high, last) => {
      if (s.kind === 'points') {
        const size = s.size || 3;
        if (low !== high) { c.moveTo(x, this.yOf(low)); c.lineTo(x, this.yOf(high)); }
        c.rect(x - size / 2, this.yOf(high) - size / 2, size, size);
        return;
      }
      if (before === null) c.moveTo(x, this.yOf(first));
      else if (s.kind === 'step') c.lineTo(x, this.yOf(before));
      c.lineTo(x, this.yOf(first));
      if (low !== high) { c.lineTo(x, this.yOf(low)); c.lineTo(x, this.yOf(high)); }
      c.lineTo(x, this.yOf(last));
      before = last;
    });
    if (s.kind === 'step' && before !== null) c.lineTo(this.width - this.right, this.yOf(before));
    c.stroke();
    if (s.kind === 'points') c.fill();
    c.setLineDash([]);
  }
  draw() {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth; this.height = this.canvas.clientHeight;
    if (this.width === 0) return;
    this.canvas.width = this.width * ratio; this.canvas.height = this.height * ratio;
    const c = this.canvas.getContext('2d');
    c.scale(ratio, ratio);
    this.fitValues();
    this.drawAxes(c);
    c.save();
    c.beginPath(); c.rect(this.left, 0, this.plotWidth, this.height - this.bottom + 1); c.clip();
    for (const s of this.series) this.drawSeries(c, s);
    c.restore();
  }
}
)js";

}  // namespace neap::trace
