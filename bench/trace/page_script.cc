// SPDX-License-Identifier: MIT
//
// The script of the page: columns of the data become typed arrays, charts share one view, and one
// collection can be chosen. The address keeps what is looked at (#major=17&from=1.5&to=3), so that
// a link to it can be passed on.
//
// What can be done, and how without a mouse:
//   choose a collection   click or tap a chart; arrow keys on a chart; links of the table
//   look closer           drag over a stretch; the buttons; + - 0 on a chart
// The text of the chosen collection is a live region.
#include "page_assets.h"

namespace neap::trace {

const std::string_view kPageScript = R"js(
const data = JSON.parse(document.getElementById('data').textContent);
const columnCache = new Map();
// The column as numbers; null (none, off) as NaN.
const numbers = (kind, name) => {
  const key = kind + name;
  if (!columnCache.has(key)) {
    const column = data[kind].columns[name], rows = data[kind].rows;
    columnCache.set(key, Array.isArray(column)
      ? Float64Array.from(column, (v) => v === null ? NaN : v)
      : new Float64Array(rows).fill(column === null ? NaN : column));
  }
  return columnCache.get(key);
};
const cell = (kind, i, name) => {
  const column = data[kind].columns[name];
  return Array.isArray(column) ? column[i] : column;
};
const startSeconds = (kind) => {
  const key = kind + ' seconds';
  if (!columnCache.has(key)) columnCache.set(key, numbers(kind, 'start_ns').map((ns) => ns / 1e9));
  return columnCache.get(key);
};
const all = {from: 0, to: Math.max(data.seconds, 1e-6)};
const view = {...all};
let chosen = null;

// --- Charts ----------------------------------------------------------------------------------

// What the pacer counts against the trigger: what lived after the last cycle and what has come into
// old space since. Before and after each cycle: saw teeth.
const livingAfter = (i) => cell('major', i, 'marked_bytes') + cell('major', i, 'off_heap_bytes');
const countedBefore = (i) => {
  const counter = cell('major', i, 'counter_bytes');  // 0: a trace of Go, which has no such figure
  const whole = counter === 0 || i === 0 ||
    cell('major', i - 1, 'number') + 1 !== cell('major', i, 'number');
  return whole ? cell('major', i, 'heap_before_bytes') : livingAfter(i - 1) + counter;
};
const sawTeeth = () => {
  const at = startSeconds('major'), pause = numbers('major', 'pause_ns');
  const x = new Float64Array(at.length * 2), y = new Float64Array(at.length * 2);
  for (let i = 0; i < at.length; ++i) {
    x[2 * i] = at[i]; y[2 * i] = countedBefore(i);
    x[2 * i + 1] = at[i] + pause[i] / 1e9; y[2 * i + 1] = livingAfter(i);
  }
  return {x, y};
};
const series = (kind, field, color, more) =>
  ({x: startSeconds(kind), y: numbers(kind, field), color, kind: 'points', ...more});
// What a cycle decided for the next one; a trace of Go only tells what this one ran under.
const nextName = (name) => data.major.columns['next_' + name] === 0 ? name : 'next_' + name;
// Minors inside a major have no pause of their own: log axes leave out their 0.
const chartDefinitions = {
  heap: {unit: 'bytes', series: () => [
    series('major', 'heap_before_bytes', '--s7'),
    {...sawTeeth(), color: '--s0', kind: 'line'},
    series('major', nextName('trigger_bytes'), '--s3', {kind: 'step'}),
    series('major', nextName('goal_bytes'), '--s1', {kind: 'step', dashed: true})]},
  pauses: {unit: 'time', log: true, series: () => [
    series('minor', 'pause_ns', '--s0'), series('major', 'pause_ns', '--s1', {size: 5})]},
  survivors: {unit: 'bytes', series: () => [
    series('minor', 'eden_bytes', '--s7', {size: 2}), series('minor', 'copied_bytes', '--s0'),
    series('minor', 'promoted_bytes', '--s1'), series('minor', 'in_place_bytes', '--s2')]},
  hits: {unit: 'percent', series: () => data.pools.map((pool, i) => ({
    x: Float64Array.from(pool.t), color: '--s' + i, kind: 'line',
    y: Float64Array.from(pool.gets, (gets, at) => gets === 0 ? NaN
      : 100 * (gets - pool.misses[at]) / gets)}))},
  evictions: {unit: 'count', series: () => data.pools.map((pool, i) => ({
    x: Float64Array.from(pool.t), y: Float64Array.from(pool.evicted), color: '--s' + i,
    kind: 'line'}))},
};
const charts = [];
for (const box of document.querySelectorAll('.canvas')) {
  const {unit, log, series: make} = chartDefinitions[box.dataset.chart];
  const chart = new Chart(box, view, {series: make(), unit, log});
  for (const name of ['cross', 'chosen', 'range', 'tip']) {
    chart[name] = document.createElement('div');
    chart[name].className = name; chart[name].hidden = true; box.append(chart[name]);
  }
  charts.push(chart);
}
const [output, chosenText] = document.querySelectorAll('.bar output');
let isDrawPlanned = false;
const redraw = () => {
  const span = view.to - view.from;
  output.textContent = `${seconds(view.from, span)} to ${seconds(view.to, span)}`;
  if (isDrawPlanned) return;
  isDrawPlanned = true;
  requestAnimationFrame(() => {
    isDrawPlanned = false;
    for (const chart of charts) chart.draw();
    placeMarks();
  });
};
const placeMarks = () => {
  for (const chart of charts) {
    const at = chosen && startSeconds(chosen.kind)[chosen.i];
    chart.chosen.hidden = !chosen || at < view.from || at > view.to;
    if (!chart.chosen.hidden) chart.chosen.style.left = chart.xOf(at) + 'px';
  }
};
const look = (from, to) => {
  const span = Math.min(Math.max(to - from, all.to * 1e-6, 1e-6), all.to);
  view.from = Math.min(Math.max(from, 0), all.to - span);
  view.to = view.from + span;
  redraw(); keepAddress();
};
const zoom = (factor) => {
  const at = chosen ? startSeconds(chosen.kind)[chosen.i] : NaN;
  const middle = at >= view.from && at <= view.to ? at : (view.from + view.to) / 2;
  look(middle + (view.from - middle) * factor, middle + (view.to - middle) * factor);
};

// --- Choosing a collection -------------------------------------------------------------------

const nearest = (at) => {
  let best = null, distance = Infinity;
  for (const kind of ['major', 'minor']) {
    const x = startSeconds(kind), i = lowerBound(x, at);
    for (const j of [i - 1, i]) {
      if (j < 0 || j >= x.length || Math.abs(x[j] - at) >= distance) continue;
      distance = Math.abs(x[j] - at); best = {kind, i: j};
    }
  }
  return best;
};
// The next collection of either kind, in order of time.
const step = (from, direction) => {
  const at = startSeconds(from.kind)[from.i];
  let best = null, distance = Infinity;
  for (const kind of ['major', 'minor']) {
    const x = startSeconds(kind);
    let j = kind === from.kind ? from.i + direction
      : direction > 0 ? lowerBound(x, at) : lowerBound(x, at) - 1;
    if (j < 0 || j >= x.length || Math.abs(x[j] - at) >= distance) continue;
    distance = Math.abs(x[j] - at); best = {kind, i: j};
  }
  return best || from;
};
const bytes = units.bytes, time = units.time;
// A minor inside a major has no clock of its own; its phases have.
const sumOf = (phases) => phases.reduce((sum, [, ns]) => sum + ns, 0);
const durationOf = (kind, i) => cell(kind, i, 'pause_ns') || sumOf(phasesOf(kind, i));
const phaseNames = {
  minor: [['stopping', 'time_to_safepoint_ns'], ['roots', 'roots_ns'],
    ['remembered objects', 'remembered_ns'], ['copying', 'copy_ns'],
    ['weak references', 'weak_ns'], ['finishing', 'finish_ns']],
  major: [['stopping', 'time_to_safepoint_ns'], ['finishing the last sweep', 'sweep_finish_ns'],
    ['hooks', 'hooks_ns'], ['minor collection', 'minor_ns'], ['marking', 'mark_ns'],
    ['weak references', 'weak_ns'], ['finishing', 'finish_ns']],
};
const isGo = data.source === 'go';
const goPhases = [['both pauses', 'pause_ns'], ['marking beside the program', 'mark_ns']];
const phasesOf = (kind, i) => (isGo ? goPhases : phaseNames[kind])
  .map(([name, field]) => [name, cell(kind, i, field)])
  .filter(([, ns]) => ns > 0);
const clampSentences = {
  'gogc': 'GOGC alone gave this goal',
  'min-heap': 'the minimum heap gave this goal, GOGC\'s share was less',
  'limit': 'the memory limit gave this goal, GOGC would have allowed more',
  'live-floor': 'the limit left no room: the goal is what lives and a little more',
  'off': 'nothing paces: no GOGC and no limit',
};
const whyMinor = (i) => {
  const of = (name) => cell('minor', i, name);
  const used = `${bytes(of('eden_bytes'))} of ${bytes(of('eden_limit_bytes'))} of eden were used` +
    (of('young_large_bytes') ? `, ${bytes(of('young_large_bytes'))} of young large objects` : '') +
    (of('young_off_heap_bytes') ? `, ${bytes(of('young_off_heap_bytes'))} off the heap` : '');
  return {
    'nursery-full': `The nursery was full: ${used}.`,
    'major': `It is the first part of a major cycle, which wants no young objects left. ${used}.`,
    'forced': `The program asked for it. ${used}.`,
    'idle': `The program gave time to the collector, and the nursery was half full: ${used}.`,
    'stress': 'A debug switch asked for it.',
    'alloc-failed': `A request found no memory. ${used}.`,
  }[of('cause')] || `Cause: ${of('cause')}. ${used}.`;
};
const whyMajor = (i) => {
  const of = (name) => cell('major', i, name);
  if (isGo) {
    const why = of('forced') ? 'The program asked for it. ' : 'The heap neared its goal. ';
    return why + `It held ${bytes(of('heap_before_bytes'))} at most, the goal was ` +
      `${bytes(of('goal_bytes'))}. A trace of Go says no more.`;
  }
  const rule = i > 0 ? clampSentences[cell('major', i - 1, 'next_clamp')] : null;
  const since = of('counter_bytes') === 0 ? '' : i === 0
    ? `${bytes(of('counter_bytes'))} had come into old space. `
    : `${bytes(livingAfter(i - 1))} had lived after the last cycle, ` +
      `${bytes(of('counter_bytes'))} had come into old space since: ` +
      `${bytes(countedBefore(i))} counted (with garbage and nursery the heap held ` +
      `${bytes(of('heap_before_bytes'))}). `;
  const heap = since + `Trigger ${bytes(of('trigger_bytes') || 0)}, goal ` +
    `${bytes(of('goal_bytes') || 0)}${rule ? ': ' + rule : ''}` +
    (of('gogc') === null ? '; GOGC off' : `; GOGC ${of('gogc')} %`) +
    (of('memory_limit_bytes') === null ? '' : `; memory limit ${bytes(of('memory_limit_bytes'))}`) +
    '.';
  return ({
    'pacer': 'The heap had reached the trigger. ',
    'memory-limit': 'The heap had reached the goal that the memory limit sets. ',
    'forced': 'The program asked for it. ',
    'periodic': 'No cycle had run for the longest time allowed. ',
    'stress': 'A debug switch asked for it. ',
    'alloc-failed': 'A request found no memory. ',
  }[of('cause')] || `Cause: ${of('cause')}. `) + heap;
};
const resultOf = (kind, i) => {
  const of = (name) => cell(kind, i, name);
  if (isGo) return `${bytes(of('marked_bytes'))} live on.`;
  return kind === 'minor'
    ? `${bytes(of('copied_bytes'))} were copied within the nursery, ` +
      `${bytes(of('promoted_bytes'))} promoted, ${bytes(of('in_place_bytes'))} kept in place; ` +
      `${units.count(of('remembered_objects'))} remembered objects were looked at.`
    : `${bytes(of('marked_bytes'))} in ${units.count(of('marked_objects'))} objects live on; the ` +
      `next cycle is to start at ${bytes(of('next_trigger_bytes') || 0)} (${of('next_clamp')}).`;
};
const element = (tag, text, name) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
};
const fieldText = (name, value) => value === null ? 'none' : typeof value === 'string' ? value
  : name === 'start_ns' ? (value / 1e9).toFixed(6) + ' s'
  : name.endsWith('_ns') ? time(value) : name.endsWith('_bytes') ? bytes(value)
  : units.count(value);
const showPhases = (panel, kind, i) => {
  const total = sumOf(phasesOf(kind, i)), strip = element('div', undefined, 'phases');
  const list = element('ul', undefined, 'legend');
  phasesOf(kind, i).forEach(([name, ns], at) => {
    const part = element('i', undefined, 's' + at % 8), item = element('li');
    part.style.width = 100 * ns / total + '%';
    strip.append(part);
    item.append(element('i', undefined, 'swatch s' + at % 8), element('span', name),
      element('b', time(ns)));
    list.append(item);
  });
  strip.setAttribute('aria-hidden', 'true');
  panel.append(strip, list);
};
const tipText = ({kind, i}) => `${kind} ${cell(kind, i, 'number')}, ${cell(kind, i, 'cause')}, ` +
  `${time(durationOf(kind, i))}, at ${startSeconds(kind)[i].toFixed(3)} s`;
const choose = (what) => {
  chosen = what;
  const {kind, i} = what, panel = document.getElementById('why-body');
  panel.replaceChildren();
  panel.append(element('h3', `${kind === 'minor' ? 'Minor collection' : 'Major cycle'} ` +
    `${cell(kind, i, 'number')}, at ${startSeconds(kind)[i].toFixed(3)} s, ` +
    `${time(durationOf(kind, i))}`));
  panel.append(element('p', (kind === 'minor' ? whyMinor : whyMajor)(i)));
  panel.append(element('p', resultOf(kind, i)));
  showPhases(panel, kind, i);
  const details = element('details'), list = element('dl');
  details.append(element('summary', 'All fields'), list);
  for (const name of Object.keys(data[kind].columns)) {
    list.append(element('dt', name), element('dd', fieldText(name, cell(kind, i, name))));
  }
  panel.append(details);
  chosenText.textContent = tipText(what);
  document.querySelector('[data-action=why]').hidden = false;
  placeMarks(); keepAddress();
};

// --- The address -----------------------------------------------------------------------------

const keepAddress = () => {
  const words = [];
  if (chosen) words.push(`${chosen.kind}=${cell(chosen.kind, chosen.i, 'number')}`);
  if (view.from !== all.from || view.to !== all.to) {
    words.push(`from=${view.from.toFixed(6)}`, `to=${view.to.toFixed(6)}`);
  }
  history.replaceState(null, '', '#' + words.join('&'));
};
const readAddress = () => {
  const words = new URLSearchParams(location.hash.slice(1));
  if (words.has('from') && words.has('to')) look(+words.get('from'), +words.get('to'));
  for (const kind of ['minor', 'major']) {
    if (!words.has(kind)) continue;
    const i = numbers(kind, 'number').indexOf(+words.get(kind));
    if (i < 0) continue;
    choose({kind, i});
    const at = startSeconds(kind)[i];
    if (at < view.from || at > view.to) look(all.from, all.to);
    return true;
  }
  return false;
};

// --- Pointer and keys ------------------------------------------------------------------------

const hover = (chart, x) => {
  const what = nearest(chart.secondsAt(x));
  for (const other of charts) { other.cross.hidden = !what; other.tip.hidden = true; }
  if (!what) return;
  const at = startSeconds(what.kind)[what.i];
  for (const other of charts) other.cross.style.left = other.xOf(at) + 'px';
  chart.tip.textContent = tipText(what); chart.tip.hidden = false;
  const left = chart.xOf(at) + 8, most = chart.width - chart.tip.offsetWidth;
  chart.tip.style.left = Math.max(0, left > most ? chart.xOf(at) - chart.tip.offsetWidth - 8
    : left) + 'px';
  chart.tip.style.top = '6px';
};
for (const chart of charts) {
  const {canvas} = chart;
  let start = null;
  const xOf = (event) => event.clientX - canvas.getBoundingClientRect().left;
  canvas.addEventListener('pointerdown', (event) => {
    start = xOf(event);
    if (event.pointerType === 'mouse') canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    hover(chart, xOf(event));
    chart.range.hidden = start === null || Math.abs(xOf(event) - start) < 6;
    if (chart.range.hidden) return;
    chart.range.style.left = Math.min(start, xOf(event)) + 'px';
    chart.range.style.width = Math.abs(xOf(event) - start) + 'px';
  });
  canvas.addEventListener('pointerup', (event) => {
    if (start === null) return;
    const ends = [chart.secondsAt(start), chart.secondsAt(xOf(event))].sort((a, b) => a - b);
    const isDrag = Math.abs(xOf(event) - start) >= 6;
    start = null; chart.range.hidden = true;
    if (isDrag) { look(ends[0], ends[1]); return; }
    const what = nearest(ends[0]);
    if (what) choose(what);
  });
  canvas.addEventListener('pointercancel', () => { start = null; chart.range.hidden = true; });
  canvas.addEventListener('pointerleave', () => {
    for (const other of charts) { other.cross.hidden = true; other.tip.hidden = true; }
  });
  canvas.addEventListener('keydown', (event) => {
    const direction = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    const keys = {'+': () => zoom(.5), '=': () => zoom(.5), '-': () => zoom(2),
      '0': () => look(all.from, all.to)};
    if (direction) {
      const what = chosen ? step(chosen, direction) : nearest((view.from + view.to) / 2);
      if (what) choose(what);
    } else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
  });
}
const actions = {why: () => document.getElementById('why').scrollIntoView({behavior: 'smooth'}),
  in: () => zoom(.5), out: () => zoom(2), all: () => look(all.from, all.to),
  left: () => look(view.from - (view.to - view.from) / 2, view.to - (view.to - view.from) / 2),
  right: () => look(view.from + (view.to - view.from) / 2, view.to + (view.to - view.from) / 2)};
for (const button of document.querySelectorAll('.bar button')) {
  button.addEventListener('click', actions[button.dataset.action]);
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
addEventListener('hashchange', () => {
  if (readAddress()) document.getElementById('why').scrollIntoView({block: 'nearest'});
});
redraw();
if (!readAddress()) {
  const pause = numbers('major', 'pause_ns'), minor = numbers('minor', 'pause_ns');
  const longest = (values) => values.reduce((best, v, i) => v > values[best] ? i : best, 0);
  const major = longest(pause), other = longest(minor);
  if (pause.length && !(minor[other] > pause[major])) choose({kind: 'major', i: major});
  else if (minor.length) choose({kind: 'minor', i: other});
}
document.documentElement.dataset.ready = Math.round(performance.now());
)js";

}  // namespace neap::trace
