// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/hashicorp/nomad/api"
)

// Reads jobs in JSON from standard input, and prints each as this client understands it, one a line.
// A job with a field that this client does not know, or of another type, is an error.
func printJobs() error {
	jobs := json.NewDecoder(os.Stdin)
	for number := 1; ; number++ {
		var text json.RawMessage
		if err := jobs.Decode(&text); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		strict := json.NewDecoder(bytes.NewReader(text))
		strict.DisallowUnknownFields()
		job := &api.Job{}
		if err := strict.Decode(job); err != nil {
			return fmt.Errorf("job %d: %w in %s", number, err, text)
		}
		again, err := json.Marshal(job)
		if err != nil {
			return err
		}
		fmt.Println(string(again))
	}
}
