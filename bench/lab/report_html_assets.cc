// SPDX-License-Identifier: MIT
//
// Style and script of the HTML report.
//
// Colours are defined once, as variables, for light and for dark; both sets keep a contrast of at
// least 4.5:1 for text against its ground (WCAG AA) and 3:1 for lines of plots. The eight series
// colours can be told apart with the common colour-vision deficiencies; marks differ in shape too.
//
// A table that is too wide scrolls sideways in its own box; its cells do not wrap.
//
// Phones: below 640 px the verdict tables become cards (each cell carries its column's name in
// data-label), and the text inside the plots grows, because the drawing shrinks with the page.
#include "report_html_assets.h"

namespace neap::lab {

const std::string_view kReportStyle = R"css(
:root{color-scheme:light dark;
--ground:#fbfaf7;--sheet:#fff;--ink:#1c2126;--soft:#565f68;--rule:#dcdad3;--grid:#e9e7e1;
--accent:#0b5e7a;--pass:#1a6b3c;--pass-ground:#e2f2e7;--fail:#a3201c;--fail-ground:#fbe4e2;
--open:#7a5200;--open-ground:#fbefd5;--note:#4c5661;--note-ground:#eceef0;
--s0:#0b6fa4;--s1:#c2500a;--s2:#12805c;--s3:#a33b7d;--s4:#7d6608;--s5:#5b4bb5;--s6:#b3261e;
--s7:#4a5560}
@media (prefers-color-scheme:dark){:root{
--ground:#14181b;--sheet:#1b2024;--ink:#e6e8e9;--soft:#a3adb5;--rule:#343b41;--grid:#2a3136;
--accent:#76c4e0;--pass:#7fd8a0;--pass-ground:#16321f;--fail:#ff9c93;--fail-ground:#431a18;
--open:#f0c265;--open-ground:#3a2c0c;--note:#b4bec6;--note-ground:#2a3137;
--s0:#5cb8ea;--s1:#f39a56;--s2:#4fc99a;--s3:#e58fc4;--s4:#d6bf4d;--s5:#a99cf5;--s6:#ff8a80;
--s7:#aab4bd}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main,header,footer{max-width:64rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.5rem}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .25rem;letter-spacing:-.015em}
h2{font-size:1.3rem;line-height:1.3;margin:0;letter-spacing:-.01em}
h3{font-size:.95rem;margin:1.6rem 0 .5rem}
p{margin:.5rem 0;max-width:46rem}
a{color:var(--accent);text-underline-offset:.15em}
a:focus-visible,summary:focus-visible,svg:focus-visible{outline:2px solid var(--accent);
outline-offset:2px}
code,.num{font-variant-numeric:tabular-nums}
code{font:.875em ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;
background:var(--note-ground);padding:.1em .35em;border-radius:3px;overflow-wrap:anywhere}
.lead{color:var(--soft)}
.counts{display:flex;flex-wrap:wrap;gap:.5rem;margin:1.25rem 0;padding:0;list-style:none}
.counts li{padding:.45rem .8rem;border-radius:6px;font-weight:600}
.counts b{font-size:1.15rem;margin-right:.3rem;font-variant-numeric:tabular-nums}
.pass{color:var(--pass);background:var(--pass-ground)}
.fail{color:var(--fail);background:var(--fail-ground)}
.undecided{color:var(--open);background:var(--open-ground)}
.report{color:var(--note);background:var(--note-ground)}
.badge{display:inline-block;padding:.05rem .5rem;border-radius:4px;font-size:.8rem;font-weight:600;
white-space:nowrap}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:0 2.5rem;
margin:1rem 0}
.facts dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .9rem;margin:0 0 1rem;
font-size:.9rem;align-content:start}
.facts dt{color:var(--soft)}
.facts dd{margin:0;overflow-wrap:anywhere}
nav ol{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.1rem 1.5rem;
list-style:none;margin:.5rem 0 0;padding:0;font-size:.92rem}
nav li{display:flex;gap:.5rem;align-items:baseline;padding:.12rem 0}
nav .dot{flex:none;width:.6rem;height:.6rem;border-radius:50%;border:1.5px solid currentColor}
nav .dot.fail,nav .dot.undecided{background:currentColor}
section{background:var(--sheet);border:1px solid var(--rule);border-radius:8px;
padding:1.4rem 1.5rem;margin:1.75rem 0;scroll-margin-top:1rem}
section>h2 .id{color:var(--soft);font-weight:600;margin-right:.55rem}
.explains{color:var(--soft)}
.findings{border-left:3px solid var(--accent);padding:.1rem 0 .1rem 1rem;margin:1rem 0}
.findings p{margin:.4rem 0}
.scroll{overflow-x:auto;margin:.5rem 0}
.scroll+.scroll{margin-top:1.3rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{text-align:left;font-weight:600;padding:.6rem 0 .4rem}
th{font-weight:600;text-align:left;color:var(--soft);font-size:.82rem;vertical-align:bottom}
th,td{padding:.38rem .9rem .38rem 0;border-bottom:1px solid var(--rule)}
td{vertical-align:top}
td.num,th.num{text-align:right;padding-right:1.4rem;font-variant-numeric:tabular-nums;
white-space:nowrap}
th:last-child,td:last-child{padding-right:0}
table.free{width:auto}
table.free th,table.free td{white-space:nowrap}
.verdicts td:last-child{min-width:9.5rem}
td .why{display:block;color:var(--soft);font-size:.85rem}
.unit{color:var(--soft)}
abbr{text-decoration:none;cursor:help}
figure{margin:1.4rem 0 .6rem;max-width:48rem}
figcaption{font-weight:600;font-size:.95rem}
.y-label,.x-label{color:var(--soft);font-size:.82rem;margin:.15rem 0;max-width:none}
.x-label{text-align:center}
.plot{position:relative}
svg{display:block;width:100%;height:auto;overflow:visible}
svg text{fill:var(--soft);font-size:12px;font-variant-numeric:tabular-nums}
.grid{stroke:var(--grid);stroke-width:1}
.axis{stroke:var(--soft);stroke-width:1}
.line{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.dashed{stroke-width:1.6;stroke-dasharray:6 5}
.mark{fill:var(--sheet);stroke:currentColor;stroke-width:1.8}
.mark.solid{fill:currentColor}
.mark.near{stroke-width:5}
.s0{color:var(--s0)}.s1{color:var(--s1)}.s2{color:var(--s2)}.s3{color:var(--s3)}
.s4{color:var(--s4)}.s5{color:var(--s5)}.s6{color:var(--s6)}.s7{color:var(--s7)}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;margin:.4rem 0;padding:0;
font-size:.85rem}
.legend li{display:flex;gap:.4rem;align-items:center}
.legend svg{width:28px;height:12px;flex:none}
.legend span{color:var(--ink)}
.tip{position:absolute;pointer-events:none;background:var(--ink);color:var(--ground);
border-radius:4px;
padding:.25rem .5rem;font-size:.8rem;line-height:1.35;white-space:nowrap;
transform:translate(-50%,-130%);
font-variant-numeric:tabular-nums;z-index:1}
details{font-size:.88rem;margin:.3rem 0}
summary{cursor:pointer;color:var(--soft)}
footer{color:var(--soft);font-size:.88rem;padding-bottom:3rem}
footer dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}
footer dt{font-weight:600;color:var(--ink)}
footer dd{margin:0}
@media (max-width:640px){
header{padding-top:1.5rem}
main,header,footer{padding-left:.9rem;padding-right:.9rem}
section{padding:1rem .9rem;margin:1.1rem -.4rem}
svg.chart text{font-size:20px}
svg.chart .mark{transform-box:fill-box;transform-origin:center;transform:scale(1.5)}
svg.chart .line{stroke-width:3}
.verdicts thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.verdicts,.verdicts tbody,.verdicts tr,.verdicts td{display:block}
.verdicts tr{border-bottom:1px solid var(--rule);padding:.55rem 0}
.verdicts td{border:0;padding:.08rem 0}
.verdicts td.num{text-align:left;white-space:normal}
.verdicts td[data-label]:not(:empty)::before{content:attr(data-label) " ";color:var(--soft);
display:inline-block;min-width:6.2rem;font-size:.85rem}
.verdicts td:empty{display:none}
table.free{min-width:100%}
.facts{grid-template-columns:1fr}
}
@media print{body{background:#fff}section{break-inside:avoid;border-color:#bbb}
details{display:none}}
)css";

// The nearest mark to the pointer (or finger) shows its values. Without script each mark still has
// a <title>, and the data stands in a table under the plot.
const std::string_view kReportScript = R"js(
for (const box of document.querySelectorAll('.plot')) {
  const svg = box.querySelector('svg'), tip = document.createElement('div');
  const marks = [...svg.querySelectorAll('.mark')];
  tip.className = 'tip'; tip.hidden = true; box.append(tip);
  let near = null;
  const clear = () => { near?.classList.remove('near'); near = null; tip.hidden = true; };
  const seek = (event) => {
    const frame = box.getBoundingClientRect();
    let best = 40, found = null, at = null;
    for (const mark of marks) {
      const r = mark.getBoundingClientRect();
      const x = r.x + r.width / 2, y = r.y + r.height / 2;
      const d = Math.hypot(event.clientX - x, event.clientY - y);
      if (d < best) { best = d; found = mark; at = [x - frame.x, y - frame.y]; }
    }
    if (found === near) return;
    clear();
    if (!found) return;
    near = found; near.classList.add('near');
    tip.textContent = found.querySelector('title').textContent; tip.hidden = false;
    const half = tip.offsetWidth / 2;
    tip.style.left = Math.min(Math.max(at[0], half), frame.width - half) + 'px';
    tip.style.top = at[1] + 'px';
  };
  svg.addEventListener('pointermove', seek);
  svg.addEventListener('pointerdown', seek);
  svg.addEventListener('pointerleave', clear);
}
)js";

}  // namespace neap::lab
