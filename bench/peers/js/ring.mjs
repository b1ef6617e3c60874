// SPDX-License-Identifier: MIT
//
// A ring of 1 KiB messages on V8's heap: ring.mjs SLOTS PUSHES prints one RESULT line. Messages are
// arrays of 128 numbers: typed arrays would keep their bytes outside the heap that is measured.
const [slots, pushes] = process.argv.slice(2).map(Number);
const words = 128;
const ring = new Array(slots).fill(null);
const times = new Float64Array(pushes);
let sum = 0;
for (let i = 0; i < pushes; i++) {
  const start = performance.now();
  const message = new Array(words).fill((i & 127) + 0.5);
  const old = ring[i % slots];
  if (old !== null) sum += old[i % words] - 0.5;
  ring[i % slots] = message;
  times[i] = performance.now() - start;
}
times.sort();
console.log(`RESULT p50_us=${(times[pushes >> 1] * 1e3).toFixed(3)} ` +
  `p999_us=${(times[pushes - 1 - Math.floor(pushes / 1000)] * 1e3).toFixed(3)} ` +
  `worst_ms=${times[pushes - 1].toFixed(4)} chk=${sum}`);
