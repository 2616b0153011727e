// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

// kind is a document with a variable that BODY declares, and uses it.
func kind(body string) string {
	return "variable \"kind\" {\n" + body + "\n}\njob \"web\" { type = var.kind }\n"
}

func expectKind(t *testing.T, asked *request, want string) {
	t.Helper()
	expectValue(t, asked, `{"Job": {"ID": "web", "Type": "`+want+`"}}`)
}

func TestAVariableWithoutTypeAndDefaultIsAText(t *testing.T) {
	expectKind(t, &request{Text: kind(""), CommandLine: []setting{{"kind", `["a"]`}}}, `[\"a\"]`)
	expectKind(t, &request{Text: kind(""), VariableFiles: []source{{"v", "kind = 3"}}}, "3")
}

func TestATextIsNoExpression(t *testing.T) {
	asked := &request{Text: kind("type = string"), Environment: []setting{{"kind", `"${a}`}}}
	expectKind(t, asked, `\"${a}`)
}

func TestOtherTypesAreExpressions(t *testing.T) {
	asked := &request{Text: kind("type = bool"), CommandLine: []setting{{"kind", "true"}}}
	expectKind(t, asked, "true")
	asked.CommandLine[0].Value = "1"
	expectFaults(t, asked, "does not have the type of the variable")
	asked.CommandLine[0].Value = "yes"
	expectFaults(t, asked, "Variables may not be used here")
	asked = &request{Text: kind("default = null"), CommandLine: []setting{{"kind", `join("", ["a"])`}}}
	expectFaults(t, asked, "Functions may not be called here")
	asked.CommandLine[0].Value = `"a"`
	expectKind(t, asked, "a")
}

func TestTheDefaultGivesTheType(t *testing.T) {
	asked := &request{Text: kind("default = 1"), CommandLine: []setting{{"kind", "2"}}}
	expectKind(t, asked, "2")
	asked.CommandLine[0].Value = "two"
	expectFaults(t, asked, "a number is required")
	expectKind(t, &request{Text: "variables {\nkind = \"a\"\n}\njob \"web\" { type = var.kind }\n"}, "a")
}

func TestADefaultIsConstant(t *testing.T) {
	expectFaults(t, &request{Text: kind(`default = upper("a")`)}, "Functions may not be called here")
	expectFaults(t, &request{Text: kind(`default = node.class`)}, "Variables may not be used here")
	expectFaults(t, &request{Text: kind("type = number\ndefault = \"a\"")}, "a number is required")
}

func TestTypesOfVariables(t *testing.T) {
	expectKind(t, &request{Text: kind("type = any\ndefault = \"a\"")}, "a")
	expectFaults(t, &request{Text: kind("type = text")}, "has no default", "is not a valid type")
	expectFaults(t, &request{Text: kind("sensitive = true\ndefault = 1")},
		`An argument named "sensitive" is not expected here`)
	expectValue(t, &request{Text: `
variable "ports" {
  type = list(object({ name = string, port = number }))
  default = [{ name = "http", port = "80", other = true }]
}
job "web" { datacenters = [for p in var.ports : "${p.name}:${p.port + 1}"] }`},
		`{"Job": {"ID": "web", "Datacenters": ["http:81"]}}`)
}

func TestVariableFilesMayBeJSON(t *testing.T) {
	asked := &request{Text: kind("type = string"), VariableFiles: []source{{"v", "\n {\"kind\": \"${a}\"}"}}}
	expectKind(t, asked, "${a}")
	asked.VariableFiles[0].Text = "{\"kind\":\n \"a\", ]"
	expectFaults(t, asked, "invalid character ']'")
	_, diags := ask(t, asked)
	if diags[0].File != "v" || diags[0].Line != 2 || diags[0].Column != 8 {
		t.Errorf("the fault is elsewhere: %+v", diags[0])
	}
}

func TestVariablesThatAreNotDeclared(t *testing.T) {
	asked := &request{
		Text:          kind("default = \"a\""),
		VariableFiles: []source{{"v", "kinds = 1"}},
		CommandLine:   []setting{{"sort", "b"}},
		Environment:   []setting{{"other", "b"}},
	}
	expectFaults(t, asked, "The command line sets sort", "does not declare the variable kinds")
	asked.Loose = true
	value, diags := ask(t, asked)
	expectJSON(t, value, `{"Job": {"ID": "web", "Type": "a"}}`)
	if len(diags) != 2 || diags[0].Error || diags[1].Error {
		t.Errorf("they are no warnings: %+v", diags)
	}
}

func TestAVariableFileHasOnlyValues(t *testing.T) {
	asked := &request{Text: kind("default = 1"), VariableFiles: []source{{"v", "variable \"kind\" {}\n"}}}
	expectFaults(t, asked, "Blocks are not allowed here")
}

func TestDeclarationsWithFaults(t *testing.T) {
	expectFaults(t, &request{Text: kind("default = 1") + kind("default = 2")},
		"is declared at web.hcl:1,10-16 already", "Only one is allowed")
	expectFaults(t, &request{Text: "variable \"a b\" {\ndefault = 1\n}\njob \"web\" {}"},
		"A name begins with a letter")
	expectFaults(t, &request{Text: "variables {\na = 1\n}\nvariables {\na = 2\n}\njob \"web\" {}"},
		"is declared at web.hcl:2,1-2 already")
	expectFaults(t, &request{Text: "locals {\na = 1\n}\nlocals {\na = 2\n}\njob \"web\" {}"},
		"is defined at web.hcl:2,1-6 already")
}

func TestRulesOfVariables(t *testing.T) {
	rule := func(condition, message string) *request {
		return &request{Text: kind("default = \"a\"\nvalidation {\ncondition = " + condition +
			"\nerror_message = " + message + "\n}")}
	}
	expectKind(t, rule(`var.kind == "a"`, `"no"`), "a")
	expectKind(t, rule(`can(regex_replace(var["kind"], "a", "b"))`, `"n'est pas"`), "a")
	expectFaults(t, rule(`var.kind != "a"`, `"b is better"`), "b is better (value of default")
	expectFaults(t, rule(`var.kind != "a"`, `" "`), "It must say what is wrong")
	expectFaults(t, rule(`true`, `"No."`), "must name var.kind")
	expectFaults(t, rule(`var.other == var.kind`, `"No."`), "can name only var.kind")
	expectFaults(t, rule(`node.class == var.kind`, `"No."`), "can name only var.kind")
	expectFaults(t, rule(`var.kind`, `"No."`), "must be true or false")
	expectFaults(t, rule(`null == var.kind ? true : null`, `"No."`), "must be true or false")
}

func TestAllFaultsAreReportedBesideThoseOfVariables(t *testing.T) {
	expectFaults(t, &request{Text: `
variable "a" {}
variable "b" {
  type    = number
  default = "b"
}
locals {
  c = var.a
  d = nope()
}
job "web" {
  type = "${var.a}-${var.b}-${local.c}-${local.d}"
  sort = 1
  dynamic "group" {
    for_each = var.a
    labels   = ["x"]
    content {
      count = group.value
      size  = 1
    }
  }
}`}, "The variable a has no default", "a number is required", `no function named "nope"`,
		`named "sort" is not expected`, `named "size" is not expected`)
}

func TestFaultsOfAllFilesAreReported(t *testing.T) {
	expectFaults(t, &request{Text: "job \"web\" {", VariableFiles: []source{{"v", "a = "}}},
		"Missing expression", "Unclosed configuration block")
}

func TestLocalValuesByIndex(t *testing.T) {
	expectKind(t, &request{Text: `
locals {
  a = local["b"]
  b = "${local.c.d[0]}!"
  c = { d = ["x"] }
}
job "web" { type = local.a }`}, "x!")
	expectFaults(t, &request{Text: `
locals {
  a = local.nothing
}
job "web" { type = local.a }`}, `an attribute named "nothing"`)
}

func TestADocumentOfOtherMachines(t *testing.T) {
	text := strings.ReplaceAll(kind("default = \"a\""), "\n", "\r\n")
	expectKind(t, &request{Text: "\ufeff" + text}, "a")
	expectKind(t, &request{Text: "\ufeffjob \"web\" { type = \"${ node.class }\" }"}, "${ node.class }")
}
