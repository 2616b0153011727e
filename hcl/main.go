// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// drover-hcl turns a document of the HashiCorp configuration language into JSON, by a schema that
// its caller gives. The caller runs it for one document, without rights and within limits.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/hashicorp/hcl/v2/hclwrite"
)

const (
	maxStack = 64 << 20 // bytes; deeper documents end this process
	maxInput = 32 << 20
)

func main() {
	debug.SetMaxStack(maxStack)
	go endWithoutMemory()
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "drover-hcl:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	text, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return err
	}
	if len(text) > maxInput {
		return fmt.Errorf("the request is longer than %d bytes", maxInput)
	}
	var asked request
	if err := json.Unmarshal(text, &asked); err != nil {
		return fmt.Errorf("the request cannot be read: %w", err)
	}
	answer, err := serve(&asked)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(answer)
}

func serve(asked *request) (*reply, error) {
	switch asked.Action {
	case "decode":
		if asked.Schema == nil {
			return nil, fmt.Errorf("a request to decode needs a schema")
		}
		return decode(asked), nil
	case "format":
		return format(asked), nil
	}
	return nil, fmt.Errorf("there is no action %q", asked.Action)
}

// format lays a document out. A document with errors stays as it is.
func format(asked *request) *reply {
	_, diags := parse(asked.File, asked.Text)
	answer := &reply{Diagnostics: diagnosticsOf(diags)}
	if !diags.HasErrors() {
		answer.Text = string(hclwrite.Format([]byte(asked.Text)))
	}
	return answer
}
