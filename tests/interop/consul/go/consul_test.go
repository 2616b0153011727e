// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Package consul is a real agent of Consul for tests: a server of its own. It keeps what is registered with
// it in a directory, so a restart finds it again.
package consul

import (
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/hashicorp/consul/agent"
)

// The directory knows the server by its id, which would be another one after each restart.
const nodeID = "0a1b2c3d-0000-4000-8000-0000000000cc"

// TestServe serves until its standard input ends. CONSUL_PORT is the port of the HTTP API,
// CONSUL_SERVER_PORT that of the server, and CONSUL_DATA the directory. The file CONSUL_READY gets the
// address when the API answers.
func TestServe(t *testing.T) {
	port, ready := os.Getenv("CONSUL_PORT"), os.Getenv("CONSUL_READY")
	if port == "" || ready == "" {
		t.Skip("CONSUL_PORT and CONSUL_READY are not set")
	}
	a := agent.StartTestAgent(t, agent.TestAgent{
		HCL: fmt.Sprintf("node_id = %q\nports { http = %s, server = %s }\n", nodeID, port,
			os.Getenv("CONSUL_SERVER_PORT")),
		DataDir: os.Getenv("CONSUL_DATA"),
	})
	defer a.Shutdown()
	if err := os.WriteFile(ready+".part", []byte(a.HTTPAddr()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(ready+".part", ready); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		t.Fatal(err)
	}
}
