// SPDX-License-Identifier: MIT

// Binary trees on Go's heap: main DEPTH prints one RESULT line.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

type node struct{ left, right *node }

func build(depth int) *node {
	n := &node{}
	if depth > 0 {
		n.left, n.right = build(depth-1), build(depth-1)
	}
	return n
}

func (n *node) count() uint64 {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

func main() {
	depth, _ := strconv.Atoi(os.Args[1])
	start := time.Now()
	sum := build(depth + 1).count()
	kept := build(depth)
	for d := 4; d <= depth; d += 2 {
		for i := 0; i < 1<<(depth-d+4); i++ {
			sum += build(d).count()
		}
	}
	sum += kept.count()
	fmt.Printf("RESULT s=%.5f chk=%d\n", time.Since(start).Seconds(), sum)
}
