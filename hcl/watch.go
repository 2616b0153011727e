// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// The host gives this process 2 seconds and 256 MiB. These are less, so that an answer gets out.
const (
	maxTime   = 1500 * time.Millisecond
	maxMemory = 128 << 20 // bytes of the whole process
	maxStack  = 64 << 20  // a deeper call ends this process without an answer
	lookEvery = 2 * time.Millisecond

	cause = "It has too many words and signs, or its expressions make too much."
)

// A watch makes sure that there is an answer, and only one: that of the document, or one that says
// that the document takes too much.
type watch struct {
	out   io.Writer
	begin time.Time
	first sync.Mutex // locked by the first answer, for good
}

func newWatch(out io.Writer) *watch {
	debug.SetMaxStack(maxStack)
	debug.SetMemoryLimit(maxMemory * 3 / 4) // the collector works hard before it is too late
	return &watch{out: out, begin: time.Now()}
}

// run looks at time and memory until the process ends.
func (w *watch) run() {
	for {
		time.Sleep(lookEvery)
		var why string
		if time.Since(w.begin) > maxTime {
			why = fmt.Sprintf("It takes more than %v to read. %s", maxTime, cause)
		} else if memory() > maxMemory {
			why = fmt.Sprintf("It takes more than %d MiB of memory to read. %s", maxMemory>>20, cause)
		}
		if why != "" {
			w.answer(&reply{Diagnostics: []diagnostic{
				{Error: true, Summary: "Document too expensive", Detail: why}}})
			os.Exit(0)
		}
	}
}

// answer writes REPLIED, unless there is an answer already: then the process is about to end.
func (w *watch) answer(replied *reply) error {
	w.first.Lock()
	return write(w.out, replied)
}

// memory returns the bytes that this process has from the system.
func memory() uint64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
