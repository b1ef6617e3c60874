// SPDX-License-Identifier: MIT
//
// Binary trees on V8's heap: trees.mjs DEPTH prints one RESULT line.
const depth = Number(process.argv[2]);

function build(d) {
  return d === 0 ? {left: null, right: null} : {left: build(d - 1), right: build(d - 1)};
}

function count(node) {
  return node.left === null ? 1 : 1 + count(node.left) + count(node.right);
}

const start = performance.now();
let sum = count(build(depth + 1));
const kept = build(depth);
for (let d = 4; d <= depth; d += 2) {
  for (let i = 0; i < 2 ** (depth - d + 4); i++) sum += count(build(d));
}
sum += count(kept);
console.log(`RESULT s=${((performance.now() - start) / 1e3).toFixed(5)} chk=${sum}`);
