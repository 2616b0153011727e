// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// drover-hcl turns a document of the HashiCorp configuration language into JSON, by a schema that
// its caller gives. The caller runs it for one document, without rights and within limits.
//
// The path of a document: limits.go refuses what the parser could not bear, the library parses it,
// variables.go and locals.go find the values that it defines, leaver.go and prepare.go change the
// syntax tree (names of run time, bodies without a schema), the library makes the blocks of "dynamic",
// and decode.go evaluates each attribute that the schema names. functions.go has the functions, and
// guards.go what they refuse. places.go adds where each field is written. Every fault has its place, and
// all faults come in one answer.
//
// For maintainers: functions and results are those of the peer, whose jobs must be read unchanged.
// functions_test.go has the documented functions and examples, specsuite_test.go runs the tests of the
// library's authors, and DROVER_E2E_LONG=1 runs also the library's own with the versions of go.mod.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

func main() {
	watch := newWatch(os.Stdout)
	go watch.run()
	replied, err := read(os.Stdin)
	if err == nil {
		err = watch.answer(replied)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "drover-hcl:", err)
		os.Exit(1)
	}
}

// read serves the request that IN has.
func read(in io.Reader) (*reply, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxRequest+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxRequest {
		return &reply{Diagnostics: diagnosticsOf(hcl.Diagnostics{
			tooLarge(len(text), maxRequest, hcl.Range{})})}, nil
	}
	var asked request
	if err := json.Unmarshal(text, &asked); err != nil {
		return nil, fmt.Errorf("the request cannot be read: %w", err)
	}
	return serve(&asked)
}

func write(out io.Writer, replied *reply) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(replied); err != nil {
		return err
	}
	if text.Len() > maxReply {
		return write(out, &reply{Diagnostics: []diagnostic{{Error: true, Summary: "Document too expensive",
			Detail: fmt.Sprintf("Its values have more than %d bytes.", maxReply)}}})
	}
	_, err := text.WriteTo(out)
	return err
}

func serve(asked *request) (replied *reply, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			replied, err = nil, fmt.Errorf("reading %s failed: %v", asked.File, broken)
		}
	}()
	switch asked.Action {
	case "decode":
		if asked.Schema == nil {
			return nil, fmt.Errorf("a request to decode needs a schema")
		}
		if asked.FilesBelow != "" && !filepath.IsAbs(asked.FilesBelow) {
			return nil, fmt.Errorf("FilesBelow is no absolute path: %s", asked.FilesBelow)
		}
		return decode(asked), nil
	case "format":
		return format(asked), nil
	case "tree":
		return tree(asked), nil
	}
	return nil, fmt.Errorf("there is no action %q", asked.Action)
}

// format lays a document out. A document with errors stays as it is.
func format(asked *request) *reply {
	_, diags := parse(asked.File, asked.Text)
	replied := &reply{Diagnostics: diagnosticsOf(diags)}
	if !diags.HasErrors() {
		replied.Text = string(hclwrite.Format([]byte(asked.Text)))
	}
	return replied
}
