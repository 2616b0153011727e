// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// treeOfFiles makes a directory with files, links that lead out of it, and a secret beside it.
func treeOfFiles(t *testing.T) string {
	t.Helper()
	outside := t.TempDir()
	inside := filepath.Join(outside, "inside")
	for path, text := range map[string]string{
		"secret": "s", "inside2": "s", "inside/hello.txt": "Hello World", "inside/binary": "\xff",
		"inside/linux/a.sh": "a", "inside/linux/deep/b.sh": "b", "inside/linux/c.txt": "c",
	} {
		path = filepath.Join(outside, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for path, to := range map[string]string{
		"link": "../secret", "away": "..", "within": "hello.txt", "nowhere": "gone", "loop": "loop",
	} {
		if err := os.Symlink(to, filepath.Join(inside, path)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(inside, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inside, "large"), make([]byte, maxFile+1), 0o644); err != nil {
		t.Fatal(err)
	}
	return inside
}

func TestFilesBelowADirectory(t *testing.T) {
	folder := treeOfFiles(t)
	t.Setenv("HOME", folder)
	for _, call := range []struct{ expression, want, fault string }{
		{`file("hello.txt")`, `"Hello World"`, ""},
		{`file("./linux/../hello.txt")`, `"Hello World"`, ""},
		{`file("` + folder + `/hello.txt")`, `"Hello World"`, ""},
		{`file("~/hello.txt")`, `"Hello World"`, ""},
		{`file("within")`, `"Hello World"`, ""},
		{`file("gone")`, "", "no such file"},
		{`file("binary")`, "", "is not UTF-8"},
		{`file("linux")`, "", "is not a regular file"},
		{`file("pipe")`, "", "is not a regular file"},
		{`file("large")`, "", "has more than"},
		{`file("loop")`, "", "too many links"},
		{`file("/etc/shadow")`, "", "is not below"},
		{`file("../secret")`, "", "is not below"},
		{`file("../inside2")`, "", "is not below"},
		{`file("link")`, "", "leads out of"},
		{`file("away/secret")`, "", "leads out of"},
		{`filebase64("hello.txt")`, `"SGVsbG8gV29ybGQ="`, ""},
		{`filebase64("binary")`, `"/w=="`, ""},
		{`fileexists("hello.txt")`, `true`, ""},
		{`fileexists("gone")`, `false`, ""},
		{`fileexists("nowhere")`, `false`, ""},
		{`fileexists("linux")`, "", "is not a regular file"},
		{`fileexists("../secret")`, "", "is not below"},
		{`fileset(".", "*.txt")`, `["hello.txt"]`, ""},
		{`fileset("linux", "**")`, `["a.sh", "c.txt", "deep/b.sh"]`, ""},
		{`fileset("./linux", "{a,c}.*")`, `["a.sh", "c.txt"]`, ""},
		{`fileset("linux", "*.none")`, `[]`, ""},
		{`fileset(".", "away/*")`, `[]`, ""},
		{`fileset(".", "link")`, `[]`, ""},
		{`fileset(".", "../*")`, "", "cannot leave its directory"},
		{`fileset("..", "*")`, "", "is not below"},
		{`fileset(".", "[")`, "", "is no pattern"},
		{`abspath("hello.txt")`, `"` + folder + `/hello.txt"`, ""},
		{`abspath("/a/../b")`, `"/b"`, ""},
		{`basename("foo/bar/baz.txt")`, `"baz.txt"`, ""},
		{`dirname("foo/bar/baz.txt")`, `"foo/bar"`, ""},
		{`pathexpand("~/.ssh/id_rsa")`, `"` + folder + `/.ssh/id_rsa"`, ""},
		{`pathexpand("/etc/resolv.conf")`, `"/etc/resolv.conf"`, ""},
	} {
		expectCall(t, call.expression, folder, call.want, call.fault)
	}
}

// The writer of a pipe waits until somebody opens it for reading.
func TestAPipeIsNotOpened(t *testing.T) {
	folder := treeOfFiles(t)
	opened := make(chan error, 1)
	go func() {
		pipe, err := os.OpenFile(filepath.Join(folder, "pipe"), os.O_WRONLY, 0)
		if err == nil {
			pipe.Close()
		}
		opened <- err
	}()
	time.Sleep(50 * time.Millisecond) // until it waits
	expectCall(t, `file("pipe")`, folder, "", "is not a regular file")
	select {
	case err := <-opened:
		t.Errorf("the writer of the pipe no longer waits: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	// Lets the writer end.
	pipe, err := os.OpenFile(filepath.Join(folder, "pipe"), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	pipe.Close()
}

func TestFilesAreRefusedWithoutADirectory(t *testing.T) {
	for name := range files("").functions() {
		arguments := `"/etc/passwd"`
		if name == "fileset" {
			arguments += `, "*"`
		}
		expectCall(t, name+"("+arguments+")", "", "", "functions of files are not allowed here")
	}
}

func TestALinkedDirectoryIsADirectory(t *testing.T) {
	folder := treeOfFiles(t)
	linked := filepath.Join(t.TempDir(), "linked")
	if err := os.Symlink(folder, linked); err != nil {
		t.Fatal(err)
	}
	expectCall(t, `file("hello.txt")`, linked, `"Hello World"`, "")
	expectCall(t, `file("link")`, linked, "", "leads out of")
	if root := "/" + strings.Split(folder, "/")[1]; root != "/" {
		expectCall(t, `file("`+folder+`/hello.txt")`, "/", `"Hello World"`, "")
	}
}
