// SPDX-License-Identifier: MIT
//
// Bullets on V8's heap: node bullets.mjs SPAWN prints one RESULT line.
const spawn = Number(process.argv[2]);
const warmFrames = 30, frames = 600, step = 1 / 60, gravity = 400;
let seed = 12345, turn = 0, alive = [];

// mulberry32, uniform in [0, 1).
function random() {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
  t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

class Bullet {
  constructor() {
    turn += 0.017;
    const angle = turn + random() * 0.4;
    const speed = 300 + random() * 200;
    this.x = 400 + Math.cos(turn) * 30;
    this.y = 300 + Math.sin(turn) * 30;
    this.vx = Math.cos(angle) * speed;
    this.vy = Math.sin(angle) * speed;
    this.framesLeft = 20 + Math.floor(random() * 20);
    this.damage = 1 + Math.floor(random() * 9);
  }
}

function frame() {
  for (let i = 0; i < spawn; i++) alive.push(new Bullet());
  let kept = 0, sum = 0;
  for (let i = 0; i < alive.length; i++) {
    const b = alive[i];
    b.vy += gravity * step;
    b.x += b.vx * step;
    b.y += b.vy * step;
    b.framesLeft--;
    if (b.framesLeft > 0) {
      sum += b.x;
      alive[kept++] = b;
    }
  }
  alive.length = kept;
  return sum;
}

for (let i = 0; i < warmFrames; i++) frame();
const times = [];
let sum = 0;
for (let i = 0; i < frames; i++) {
  const start = performance.now();
  sum += frame();
  times.push(performance.now() - start);
}
times.sort((a, b) => a - b);
console.log(`RESULT p50=${times[frames / 2].toFixed(5)} p99=${times[frames * 0.99].toFixed(5)} ` +
  `max=${times[frames - 1].toFixed(5)} chk=${Math.round(sum)}`);
