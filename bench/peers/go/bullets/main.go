// SPDX-License-Identifier: MIT

// Bullets on Go's heap: main SPAWN prints one RESULT line.
package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"sort"
	"strconv"
	"time"
)

const (
	warmFrames = 30
	frames     = 600
	step       = 1.0 / 60
	gravity    = 400
)

type bullet struct{ x, y, vx, vy, framesLeft, damage float64 }

type game struct {
	seed  uint32
	turn  float64
	alive []*bullet
}

// random is mulberry32, uniform in [0, 1).
func (g *game) random() float64 {
	g.seed += 0x6D2B79F5
	t := g.seed
	t = (t ^ t>>15) * (t | 1)
	t = (t + (t^t>>7)*(t|61)) ^ t
	return float64(t^t>>14) / 4294967296
}

func (g *game) shoot() *bullet {
	g.turn += 0.017
	angle := g.turn + float64(g.random()*0.4)
	speed := 300 + float64(g.random()*200)
	left := 20 + math.Floor(g.random()*20)
	damage := 1 + math.Floor(g.random()*9)
	return &bullet{
		x: 400 + float64(math.Cos(g.turn)*30), y: 300 + float64(math.Sin(g.turn)*30),
		vx: math.Cos(angle) * speed, vy: math.Sin(angle) * speed,
		framesLeft: left, damage: damage,
	}
}

func (g *game) frame(spawn int) (sum float64) {
	for i := 0; i < spawn; i++ {
		g.alive = append(g.alive, g.shoot())
	}
	kept := g.alive[:0]
	for _, b := range g.alive {
		// The conversions forbid fused multiply-add: the checksum is exact.
		b.vy += float64(gravity * step)
		b.x += float64(b.vx * step)
		b.y += float64(b.vy * step)
		b.framesLeft--
		if b.framesLeft > 0 {
			sum += b.x
			kept = append(kept, b)
		}
	}
	for i := len(kept); i < len(g.alive); i++ {
		g.alive[i] = nil
	}
	g.alive = kept
	return sum
}

func main() {
	spawn, _ := strconv.Atoi(os.Args[1])
	g := &game{seed: 12345}
	for i := 0; i < warmFrames; i++ {
		g.frame(spawn)
	}
	times := make([]float64, frames)
	sum := 0.0
	for i := range times {
		start := time.Now()
		sum += g.frame(spawn)
		times[i] = float64(time.Since(start)) / 1e6
	}
	sort.Float64s(times)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("RESULT p50=%.5f p99=%.5f max=%.5f gcs=%d chk=%.0f\n",
		times[frames/2], times[frames*99/100], times[frames-1], m.NumGC, math.Round(sum))
}
