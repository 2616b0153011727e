// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Reads sources of artifacts from its input, one a line, and writes how go-getter understands each as a line
// of JSON, with the names of artifact_sources_for_test.cc.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/hashicorp/go-getter"
)

type understood struct {
	Error    string `json:"error,omitempty"`
	Kind     string `json:"kind"`
	URL      string `json:"url"`
	Subdir   string `json:"subdir"`
	Archive  string `json:"archive"`
	Checksum string `json:"checksum"`
	Filename string `json:"filename"`
	Ref      string `json:"ref"`
	Depth    int    `json:"depth"`
}

var forced = regexp.MustCompile(`^([A-Za-z0-9]+)::(.+)$`)

func hasDotDot(path string) bool {
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part == ".." {
			return true
		}
	}
	return false
}

func archiveOf(value, path string) string {
	if on, err := strconv.ParseBool(value); err == nil && !on {
		return ""
	}
	if value == "" {
		for form := range getter.Decompressors {
			if strings.HasSuffix(path, "."+form) && len(form) > len(value) {
				value = form
			}
		}
	}
	if getter.Decompressors[value] == nil {
		return ""
	}
	return value
}

// understand does what the client of go-getter does before it fetches something in the mode "any".
func understand(source string) understood {
	detected, err := getter.Detect(source, "", getter.Detectors)
	if err != nil {
		return understood{Error: err.Error()}
	}
	force := ""
	if match := forced.FindStringSubmatch(detected); match != nil {
		force, detected = match[1], match[2]
	}
	detected, subdir := getter.SourceDirSubdir(detected)
	if subdir != "" {
		subdir = filepath.Clean(subdir)
		if hasDotDot(subdir) {
			return understood{Error: "the subdirectory leads out"}
		}
		subdir = strings.TrimPrefix(subdir, "/")
		if subdir == "." {
			subdir = ""
		}
	}
	u, err := url.Parse(detected)
	if err != nil {
		return understood{Error: err.Error()}
	}
	if force == "" {
		force = u.Scheme
	}
	if getter.Getters[force] == nil {
		return understood{Error: "no getter for " + force}
	}
	out := understood{Kind: force, Subdir: subdir}
	if force == "https" {
		out.Kind = "http"
	}
	query := u.Query()
	out.Archive = archiveOf(query.Get("archive"), u.Path)
	out.Checksum = strings.ToLower(query.Get("checksum"))
	query.Del("archive")
	query.Del("checksum")
	if force == "git" {
		out.Ref = query.Get("ref")
		out.Depth, _ = strconv.Atoi(query.Get("depth"))
		query.Del("ref")
		query.Del("depth")
	} else if out.Archive == "" && !strings.HasSuffix(u.Path, "/") {
		out.Filename = filepath.Base(u.Path)
		if name := query.Get("filename"); name != "" {
			out.Filename = name
		}
		query.Del("filename")
		if hasDotDot(out.Filename) {
			return understood{Error: "the filename leads out"}
		}
	}
	u.RawQuery = query.Encode()
	if force != "git" {
		u.Fragment, u.RawFragment = "", ""
	}
	out.URL = u.String()
	return out
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		text, err := json.Marshal(understand(lines.Text()))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Fprintln(out, string(text))
	}
}
