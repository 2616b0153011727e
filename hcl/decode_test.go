// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
)

func testSchema(t *testing.T) *schema {
	t.Helper()
	text, err := os.ReadFile("testdata/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	read := &schema{}
	if err := json.Unmarshal(text, read); err != nil {
		t.Fatal(err)
	}
	return read
}

// run serves the request that IN has, as the program does.
func run(in io.Reader, out io.Writer) error {
	replied, err := read(in)
	if err != nil {
		return err
	}
	return write(out, replied)
}

// decodeWith sends a request as the host does, and returns the answer.
func decodeWith(t *testing.T, asked *request) (any, []diagnostic) {
	t.Helper()
	asked.Action = "decode"
	if asked.File == "" {
		asked.File = "web.hcl"
	}
	sent, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(bytes.NewReader(sent), &out); err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Value       any
		Diagnostics []diagnostic
	}
	decoder := json.NewDecoder(&out)
	decoder.UseNumber()
	if err := decoder.Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer.Value, answer.Diagnostics
}

func ask(t *testing.T, asked *request) (any, []diagnostic) {
	t.Helper()
	asked.Schema = testSchema(t)
	return decodeWith(t, asked)
}

func sameJSON(t *testing.T, one, other []byte) bool {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(one, &a); err != nil {
		t.Fatalf("%s: %v", one, err)
	}
	if err := json.Unmarshal(other, &b); err != nil {
		t.Fatalf("%s: %v", other, err)
	}
	return reflect.DeepEqual(a, b)
}

func expectJSON(t *testing.T, got any, want string) {
	t.Helper()
	text, err := json.MarshalIndent(got, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if !sameJSON(t, text, []byte(want)) {
		t.Errorf("the document became\n%s\nand not\n%s", text, want)
	}
}

func expectValue(t *testing.T, asked *request, want string) {
	t.Helper()
	value, diags := ask(t, asked)
	for _, diag := range diags {
		t.Errorf("%+v", diag)
	}
	expectJSON(t, value, want)
}

// task puts the body of a task into a document.
func task(body string) *request {
	return &request{Text: "job \"j\" {\n group \"g\" {\n  task \"t\" {\n" + body + "\n  }\n }\n}\n"}
}

func expectTask(t *testing.T, body, want string) {
	t.Helper()
	expectValue(t, task(body), `{"Job":{"ID":"j","TaskGroups":[{"Name":"g","Tasks":[`+want+`]}]}}`)
}

func expectFaults(t *testing.T, asked *request, want ...string) {
	t.Helper()
	value, diags := ask(t, asked)
	if value != nil {
		t.Errorf("there is a value beside the faults: %v", value)
	}
	if len(diags) != len(want) {
		t.Fatalf("there are %d faults and not %d: %+v", len(diags), len(want), diags)
	}
	for i, diag := range diags {
		if text := diag.Summary + ": " + diag.Detail; !strings.Contains(text, want[i]) {
			t.Errorf("fault %d is %q, without %q", i, text, want[i])
		}
	}
}

func TestBlocksAttributesAndTypes(t *testing.T) {
	expectValue(t, &request{Text: `
job "web" {
  type        = "service"
  datacenters = ["a", 1]
  meta {
    owner = true
  }
  group "one" {
    count = "3"
  }
  group "two" {}
}`}, `{"Job": {"ID": "web", "Type": "service", "Datacenters": ["a", "1"], "Meta": {"owner": "true"},
	"TaskGroups": [{"Name": "one", "Count": 3}, {"Name": "two"}]}}`)
}

func TestNullIsTheSameAsLeftOut(t *testing.T) {
	expectValue(t, &request{Text: `job "web" { type = null }`}, `{"Job": {"ID": "web"}}`)
}

func TestAMapMayBeAnAttribute(t *testing.T) {
	expectValue(t, &request{Text: `job "web" { meta = { "a.b" = 1 } }`},
		`{"Job": {"ID": "web", "Meta": {"a.b": "1"}}}`)
}

func TestDurations(t *testing.T) {
	expectTask(t, `kill_timeout = "1m30s"`, `{"Name": "t", "KillTimeout": 90000000000}`)
	expectTask(t, `kill_timeout = 5`, `{"Name": "t", "KillTimeout": 5}`)
	expectFaults(t, task(`kill_timeout = "soon"`), "must be a text like \"1m30s\"")
	expectFaults(t, task(`kill_timeout = 0.5`), "a whole number of nanoseconds")
	expectFaults(t, task(`kill_timeout = true`), "must be a text like")
}

func TestWholeNumbers(t *testing.T) {
	text := func(count string) *request {
		return &request{Text: "job \"j\" {\n group \"g\" { count = " + count + " }\n}"}
	}
	for _, count := range []string{"3", `"3"`, "3.0", "1 + 2"} {
		expectValue(t, text(count), `{"Job":{"ID":"j","TaskGroups":[{"Name":"g","Count":3}]}}`)
	}
	for _, count := range []string{"0.5", "1e30"} {
		expectFaults(t, text(count), "The value of count must be a whole number")
	}
}

func TestABodyOfLists(t *testing.T) {
	expectTask(t, `header { Accept = ["a", 1] }`, `{"Name":"t","Header":{"Accept":["a","1"]}}`)
	expectFaults(t, task(`header { Accept = "a" }`), "must be of the type list(string)")
}

func TestABodyWithoutASchema(t *testing.T) {
	expectTask(t, `config {
    image = "redis"
    args  = [for p in ["a", "b"] : upper(p)]
    logging {
      driver = "json"
    }
    mount {
      source = "/a"
    }
    mount {
      source  = "/b"
      options = { size = 1.5 }
    }
    volume "bind" "x" {
      to = "/c"
    }
  }`, `{"Name": "t", "Config": {"image": "redis", "args": ["A", "B"],
    "logging": [{"driver": "json"}],
    "mount": [{"source": "/a"}, {"source": "/b", "options": [{"size": 1.5}]}],
    "volume": [{"bind": [{"x": [{"to": "/c"}]}]}]}}`)
}

func TestNamesOfRunTimeAreLeftAlone(t *testing.T) {
	expectTask(t, `env {
    A = "${node.class}-${NOMAD_PORT_http}"
    B = meta.owner
    C = env["HOME"]
    D = "$${kept}"
    E = upper("${attr.cpu.arch}")
    F = join(",", [for p in ["a"] : "${p}${NOMAD_X}"])
  }
  template {
    data = <<-EOT
      {{ env "A" }} ${node.unique.name}
        indented
      EOT
  }`, `{"Name": "t", "Env": {"A": "${node.class}-${NOMAD_PORT_http}", "B": "${meta.owner}",
    "C": "${env[\"HOME\"]}", "D": "${kept}", "E": "${ATTR.CPU.ARCH}", "F": "a${NOMAD_X}"},
    "Templates": [{"EmbeddedTmpl": "{{ env \"A\" }} ${node.unique.name}\n  indented\n"}]}`)
}

func TestDynamicBlocks(t *testing.T) {
	expectValue(t, &request{Text: `
locals {
  ports = { admin = 8080, http = 80 }
}
job "web" {
  group "g" {
    network {
      dynamic "port" {
        for_each = local.ports
        labels   = [port.key]
        content {
          static = port.value
        }
      }
    }
  }
  dynamic "group" {
    for_each = ["x", "y"]
    iterator = each
    labels   = ["${each.key}-${each.value}"]
    content {
      count = each.key
      task "t" {
        env {
          A = "${each.value} ${NOMAD_ALLOC_ID}"
        }
      }
    }
  }
}`}, `{"Job": {"ID": "web", "TaskGroups": [
  {"Name": "g", "Networks": [{"Ports": [
    {"Label": "admin", "Value": 8080}, {"Label": "http", "Value": 80}]}]},
  {"Name": "0-x", "Count": 0, "Tasks": [{"Name": "t", "Env": {"A": "x ${NOMAD_ALLOC_ID}"}}]},
  {"Name": "1-y", "Count": 1, "Tasks": [{"Name": "t", "Env": {"A": "y ${NOMAD_ALLOC_ID}"}}]}]}}`)
}

func TestLocalValuesMayNameEachOther(t *testing.T) {
	expectValue(t, &request{Text: `
locals {
  b = "${local.a}-b"
}
locals {
  a = "a"
}
job "web" { type = local.b }`}, `{"Job": {"ID": "web", "Type": "a-b"}}`)
	expectFaults(t, &request{Text: `
locals {
  a = local.b
  b = local.a
}
job "web" {}`}, "a needs b needs a")
}

const declared = `
variable "kind" {
  type    = string
  default = "default"
  validation {
    condition     = strlen(var.kind) > 1
    error_message = "It is too short."
  }
}
job "web" { type = var.kind }`

func TestTheLastSettingOfAVariableHolds(t *testing.T) {
	asked := &request{Text: declared}
	expectValue(t, asked, `{"Job": {"ID": "web", "Type": "default"}}`)
	asked.Environment = []setting{{"kind", "environment"}, {"other", "x"}}
	expectValue(t, asked, `{"Job": {"ID": "web", "Type": "environment"}}`)
	asked.VariableFiles = []source{{"a", `kind = "a"`}, {"b", `kind = "file"`}}
	expectValue(t, asked, `{"Job": {"ID": "web", "Type": "file"}}`)
	asked.CommandLine = []setting{{"kind", "line"}}
	expectValue(t, asked, `{"Job": {"ID": "web", "Type": "line"}}`)
	asked.CommandLine = []setting{{"kind", "x"}}
	expectFaults(t, asked, "It is too short. (value of the command line, checked by the rule at web.hcl")
}

func TestVariablesOfOtherTypes(t *testing.T) {
	text := `
variable "zones" { type = list(string) }
job "web" { datacenters = var.zones }`
	expectValue(t, &request{Text: text, CommandLine: []setting{{"zones", `["a", "b"]`}}},
		`{"Job": {"ID": "web", "Datacenters": ["a", "b"]}}`)
	expectFaults(t, &request{Text: text}, "The variable zones has no default")
	expectFaults(t, &request{Text: text, CommandLine: []setting{{"zones", "3"}}},
		"does not have the type of the variable")
	expectFaults(t, &request{Text: text, CommandLine: []setting{{"zones", `["a"]`}, {"zone", "b"}}},
		"The command line sets zone, which the document does not declare")
}

func TestUndeclaredVariablesMayBeWarnings(t *testing.T) {
	asked := &request{
		Text:          `job "web" {}`,
		VariableFiles: []source{{"a", "\nx = 1"}},
		CommandLine:   []setting{{"y", "2"}},
	}
	expectFaults(t, asked, "The command line sets y", "does not declare the variable x")
	asked.Loose = true
	value, diags := ask(t, asked)
	expectJSON(t, value, `{"Job": {"ID": "web"}}`)
	if len(diags) != 2 || diags[0].Error || diags[1].Error || diags[1].Line != 2 {
		t.Errorf("the warnings are %+v", diags)
	}
}

func TestAllFaultsAreReportedWithTheirPlaces(t *testing.T) {
	asked := &request{Text: `job "web" {
  kind = "service"
  group "g" {
    count = "x"
    task "t" {
      env {}
      env {}
      kill_timeout = nope("1")
    }
  }
}`}
	expectFaults(t, asked, "kind", "must be a whole number", "Only one is allowed",
		"no function named \"nope\"")
	_, diags := ask(t, asked)
	if diags[1].Line != 4 || diags[1].Column != 13 || diags[1].EndColumn != 16 {
		t.Errorf("the count stands elsewhere: %+v", diags[1])
	}
}

func TestFunctionsOfFilesAreRefused(t *testing.T) {
	expectFaults(t, &request{Text: `job "web" { type = file("/etc/shadow") }`},
		"functions of files are not allowed here")
}

func TestFormat(t *testing.T) {
	var out bytes.Buffer
	err := run(strings.NewReader(`{"Action": "format", "Text": "job \"a\" {\ntype=1\n}\n"}`), &out)
	if err != nil {
		t.Fatal(err)
	}
	var answer reply
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Text != "job \"a\" {\n  type = 1\n}\n" {
		t.Errorf("laid out as %q", answer.Text)
	}
}
