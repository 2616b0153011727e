// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The newer go-cty says in other words why a value has a wrong type. TestGetTypeDefaults compares the
// words, so all tests run but that one.
var others = map[string][]string{
	"github.com/hashicorp/hcl/v2": {"-run", "^Test($|[^G]|G[^e]|Get($|[^T])|GetType($|[^D]))|^Example"},
}

// The libraries bring their own tests, among them those of each function. They run with the versions
// of go.mod here and with the Go command that builds this program. They need other modules, so the
// proxy must be there.
func TestTheLibrariesPassTheirOwnTests(t *testing.T) {
	if os.Getenv("DROVER_E2E_LONG") == "" {
		t.Skip("takes minutes and the module proxy: DROVER_E2E_LONG=1 runs it")
	}
	for _, module := range []string{
		"github.com/hashicorp/hcl/v2", "github.com/zclconf/go-cty", "github.com/zclconf/go-cty-yaml",
		"github.com/hashicorp/go-cty-funcs",
	} {
		t.Run(module, func(t *testing.T) {
			folder := moduleFolder(t, module)
			settings := filepath.Join(t.TempDir(), "go.mod")
			copyFile(t, filepath.Join(folder, "go.mod"), settings)
			copyFile(t, filepath.Join(folder, "go.sum"), strings.TrimSuffix(settings, "mod")+"sum")
			edit := append([]string{"mod", "edit"}, requirements(t)...)
			run := func(folder string, arguments ...string) {
				command := exec.Command("go", arguments...)
				command.Dir = folder
				if out, err := command.CombinedOutput(); err != nil {
					t.Fatalf("go %s: %v\n%s", strings.Join(arguments, " "), err, out)
				}
			}
			run(".", append(edit, settings)...)
			test := []string{"test", "-mod=mod", "-modfile=" + settings}
			run(folder, append(append(test, others[module]...), "./...")...)
		})
	}
}

// requirements returns what sets the versions of go.mod in another one.
func requirements(t *testing.T) []string {
	t.Helper()
	list, err := exec.Command("go", "list", "-m", "-f", "{{if not .Main}}-require={{.Path}}@{{.Version}}{{end}}",
		"all").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(list))
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
