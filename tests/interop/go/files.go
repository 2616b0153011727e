// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/hashicorp/nomad/api"
)

// Files, logs and commands of a task that prints something.
func filesAndCommands(client *api.Client) {
	talk := api.NewServiceJob("talk", "talk", "global", 50)
	group := api.NewTaskGroup("g", 1)
	task := api.NewTask("t", "raw_exec")
	task.SetConfig("command", "/bin/sh")
	task.SetConfig("args", []string{"-c", "echo hello; echo file > $NOMAD_TASK_DIR/file; exec sleep 1000"})
	group.AddTask(task)
	talk.AddTaskGroup(group)
	_, _, err := client.Jobs().Register(talk, nil)
	check(err, "register")
	alloc, _, err := client.Allocations().Info(wait(client, "talk", "running", 1)[0].ID, nil)
	check(err, "allocation")

	until("the file is there", func() bool {
		info, _, err := client.AllocFS().Stat(alloc, "t/local/file", nil)
		return err == nil && info.Size == 5 && info.FileMode == "-rw-r--r--" &&
			strings.HasPrefix(info.ContentType, "text/plain")
	})
	until("the log is there", func() bool {
		info, _, err := client.AllocFS().Stat(alloc, "alloc/logs/t.stdout.0", nil)
		return err == nil && info.Size == 6
	})
	list, _, err := client.AllocFS().List(alloc, "/", nil)
	check(err, "list")
	equal([]any{len(list), list[0].Name, list[0].IsDir}, []any{2, "alloc", true}, "list")
	equal(whole(client.AllocFS().Cat(alloc, "t/local/file", nil)), "file\n", "cat")
	equal(whole(client.AllocFS().ReadAt(alloc, "t/local/file", 1, 3, nil)), "ile", "read at")
	_, _, err = client.AllocFS().Stat(alloc, "../..", nil)
	equal(err != nil && strings.Contains(err.Error(), "escapes"), true, "a path that leads out")

	frames, errs := client.AllocFS().Stream(alloc, "t/local/file", api.OriginStart, 0, make(chan struct{}), nil)
	equal(first(frames, errs), "file\n", "stream")
	cancel := make(chan struct{})
	frames, errs = client.AllocFS().Logs(alloc, true, "t", "stdout", api.OriginStart, 0, cancel, nil)
	equal(first(frames, errs), "hello\n", "logs")
	close(cancel)

	var out, errors bytes.Buffer
	code, err := client.Allocations().Exec(context.Background(), alloc, "t", false,
		[]string{"sh", "-c", "cat; echo oops >&2; exit 7"}, strings.NewReader("typed"), &out, &errors,
		make(chan api.TerminalSize), nil)
	check(err, "exec")
	equal([]any{code, out.String(), errors.String()}, []any{7, "typed", "oops\n"}, "exec")
	_, err = client.Allocations().Exec(context.Background(), alloc, "none", false, []string{"true"},
		strings.NewReader(""), &out, &errors, make(chan api.TerminalSize), nil)
	equal(err != nil && strings.Contains(err.Error(), "task not found"), true, "exec in no task")

	_, _, err = client.Jobs().Deregister("talk", true, nil)
	check(err, "deregister")
}

func whole(reader io.ReadCloser, err error) string {
	check(err, "reader")
	defer reader.Close()
	text, err := io.ReadAll(reader)
	check(err, "read")
	return string(text)
}

// Returns the content of the first frame with data.
func first(frames <-chan *api.StreamFrame, errs <-chan error) string {
	for {
		select {
		case frame, open := <-frames:
			if !open {
				fail("the stream has ended")
			}
			if len(frame.Data) > 0 {
				return string(frame.Data)
			}
		case err := <-errs:
			check(err, "stream")
		}
	}
}
