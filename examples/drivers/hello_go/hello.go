// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A task driver in Go: each task prints its configuration and sleeps. docs/go-driver.md explains it.
package main

/*
#include "driver.h"
*/
import "C"

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unsafe"
)

// The configuration of a task. The host has checked it against the schema in manifest.c.
type taskConfig struct {
	Text    string `json:"text"`
	Seconds int    `json:"seconds"`
}

// plan returns the command of a task. No panic leaves it.
func plan(config string) (argv []string, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the driver has panicked: %v", fault)
		}
	}()
	task := taskConfig{Seconds: 1}
	if err := json.Unmarshal([]byte(config), &task); err != nil {
		return nil, err
	}
	script := `echo "$1"; exec sleep "$2"`
	return []string{"/bin/sh", "-c", script, "hello", config, strconv.Itoa(task.Seconds)}, nil
}

// goStart starts a task. The arguments are valid until it returns, so they are copied here. The work
// goes on in a goroutine: a verb must not hold its thread.
//
//export goStart
func goStart(self *C.drover_instance, call *C.drover_c_call, config, workDir, user C.drover_str,
	env C.drover_array) {
	text, dir, name := goString(config), goString(workDir), goString(user)
	var variables [][2]string
	for i := C.size_t(0); i < env.count; i++ {
		pair := (*C.drover_pair)(C.drover_c_at(env, i))
		variables = append(variables, [2]string{goString(pair.key), goString(pair.value)})
	}
	go func() {
		defer C.leave_instance(self)
		argv, err := plan(text)
		if err != nil {
			fail(call, C.DROVER_E_INVALID_ARGUMENT, err.Error())
			return
		}
		start(call, argv, variables, dir, name)
	}()
}

// start passes the command to the host's process service, which completes the call. From here on the
// call is not this function's.
func start(call *C.drover_c_call, argv []string, env [][2]string, dir, user string) {
	var memory arena
	defer memory.free()
	words := (*[1 << 20]C.drover_str)(memory.room(len(argv), C.sizeof_drover_str))
	for i, word := range argv {
		words[i] = memory.text(word)
	}
	pairs := (*[1 << 20]C.drover_pair)(memory.room(len(env), C.sizeof_drover_pair))
	for i, pair := range env {
		pairs[i].key, pairs[i].value = memory.text(pair[0]), memory.text(pair[1])
	}
	C.start_process(call, &words[0], C.size_t(len(argv)), &pairs[0], C.size_t(len(env)),
		memory.text(dir), memory.text(user))
}

func fail(call *C.drover_c_call, code C.int32_t, message string) {
	var memory arena
	defer memory.free()
	C.fail_call(call, code, memory.cString(message))
}

// goString copies a text of the host.
func goString(text C.drover_str) string {
	return C.GoStringN(text.data, C.int(text.size))
}

// An arena is memory of C: the host gets no pointer to memory of Go, which the collector may move.
type arena []unsafe.Pointer

func (a *arena) room(count int, size C.size_t) unsafe.Pointer {
	memory := C.calloc(C.size_t(count)+1, size)
	if memory == nil {
		panic("out of memory") // ends the process, and the host launches it again
	}
	*a = append(*a, memory)
	return memory
}

func (a *arena) cString(text string) *C.char {
	memory := C.CString(text)
	*a = append(*a, unsafe.Pointer(memory))
	return memory
}

func (a *arena) text(text string) C.drover_str {
	return C.drover_str{data: a.cString(text), size: C.size_t(len(text))}
}

func (a *arena) free() {
	for _, memory := range *a {
		C.free(memory)
	}
}

// A library needs a main, which is never called.
func main() {}
