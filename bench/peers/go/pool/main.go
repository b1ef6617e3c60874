// SPDX-License-Identifier: MIT

// sync.Pool: main pair N, or main scale N (two goroutines against one), prints one RESULT line.
// Times are CPU times of the process where one goroutine runs, wall times where two do.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

type block struct{ bytes [4096]byte }

func newPool() *sync.Pool {
	return &sync.Pool{New: func() any { return new(block) }}
}

// pairs gets, writes and puts n times; the sum of the bytes proves that it did.
func pairs(pool *sync.Pool, n int) (sum uint64) {
	for i := 0; i < n; i++ {
		b := pool.Get().(*block)
		b.bytes[0]++
		sum += uint64(b.bytes[0])
		pool.Put(b)
	}
	return sum
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func wall(threads, n int) float64 {
	pool := newPool()
	var done sync.WaitGroup
	start := time.Now()
	for i := 0; i < threads; i++ {
		done.Add(1)
		go func() {
			pairs(pool, n)
			done.Done()
		}()
	}
	done.Wait()
	return time.Since(start).Seconds()
}

func main() {
	n, _ := strconv.Atoi(os.Args[2])
	if os.Args[1] == "pair" {
		runtime.GOMAXPROCS(1)
		pool := newPool()
		pairs(pool, n/10)
		start := cpuSeconds()
		sum := pairs(pool, n)
		fmt.Printf("RESULT ns=%.4f chk=%d\n", (cpuSeconds()-start)*1e9/float64(n), sum)
		return
	}
	runtime.GOMAXPROCS(2)
	wall(2, n/10)
	one, two := wall(1, n), wall(2, n)
	fmt.Printf("RESULT scaling=%.4f\n", 2*one/two)
}
