// SPDX-License-Identifier: MIT

// A ring of 1 KiB messages on Go's heap: main SLOTS PUSHES prints one RESULT line.
package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"time"
)

const messageBytes = 1024

func main() {
	slots, _ := strconv.Atoi(os.Args[1])
	pushes, _ := strconv.Atoi(os.Args[2])
	ring := make([][]byte, slots)
	times := make([]uint32, pushes)
	sum := uint64(0)
	for i := range times {
		start := time.Now()
		message := make([]byte, messageBytes)
		for j := range message {
			message[j] = byte(i & 127)
		}
		if old := ring[i%slots]; old != nil {
			sum += uint64(old[i%messageBytes])
		}
		ring[i%slots] = message
		times[i] = uint32(time.Since(start))
	}
	sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
	fmt.Printf("RESULT p50_us=%.3f p999_us=%.3f worst_ms=%.4f chk=%d\n",
		float64(times[pushes/2])/1e3, float64(times[pushes-1-pushes/1000])/1e3,
		float64(times[pushes-1])/1e6, sum)
}
