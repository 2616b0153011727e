// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"runtime/metrics"
	"time"
)

const (
	// Near the limit of its process, the runtime fails in many ways. So the program ends before.
	maxHeap   = 160 << 20
	heapPause = 5 * time.Millisecond
)

// endWithoutMemory ends the program when the heap has become too large. Its caller knows the words
// "out of memory", which are those of the runtime.
func endWithoutMemory() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(heapPause) {
		metrics.Read(heap)
		if heap[0].Value.Uint64() > maxHeap {
			fmt.Fprintln(os.Stderr, "drover-hcl: out of memory")
			os.Exit(1)
		}
	}
}
