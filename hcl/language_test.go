// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

func expectEnv(t *testing.T, expression, want string) {
	t.Helper()
	expectTask(t, "env { A = "+expression+" }", `{"Name": "t", "Env": {"A": `+want+`}}`)
}

func TestNamesOfRunTimeAreLeftAsTheyAreWritten(t *testing.T) {
	for expression, want := range map[string]string{
		`node.class`:                                            `"${node.class}"`,
		`"${node.class}"`:                                       `"${node.class}"`,
		`"${ node.class }"`:                                     `"${ node.class }"`,
		`"${  env["A"]  }"`:                                     `"${  env[\"A\"]  }"`,
		`"a${~ node.class ~}b"`:                                 `"a${node.class}b"`,
		`"{${node.class}}"`:                                     `"{${node.class}}"`,
		`"${node.class} } ${ meta.a }"`:                         `"${node.class} } ${ meta.a }"`,
		`"$${node.class}"`:                                      `"${node.class}"`,
		`"$$${node.class}"`:                                     `"$${node.class}"`,
		`"%%{ if node }"`:                                       `"%{ if node }"`,
		`"${env["HOME"]}/${attr.a-b.c[0]}"`:                     `"${env[\"HOME\"]}/${attr.a-b.c[0]}"`,
		`true ? NOMAD_A : NOMAD_B`:                              `"${NOMAD_A}"`,
		`"%{ if true }${NOMAD_A}%{ endif }"`:                    `"${NOMAD_A}"`,
		`"${join(",", [NOMAD_A, " ${NOMAD_B}"])}"`:              `"${NOMAD_A}, ${NOMAD_B}"`,
		`upper(NOMAD_A)`:                                        `"${NOMAD_A}"`,
		`keys({ (node.class) = 1 })[0]`:                         `"${node.class}"`,
		`keys({ "${node.class}" = 1 })[0]`:                      `"${node.class}"`,
		`{ node = 1 }.node`:                                     `"1"`,
		`{ node = meta.a }["node"]`:                             `"${meta.a}"`,
		`[for node in ["x"] : "${node}${meta.a}"][0]`:           `"x${meta.a}"`,
		`[for k, v in { a = 1 } : "${k}${v}${x}" if v == 1][0]`: `"a1${x}"`,
		`"%{ for node in ["x"] }${node}%{ endfor }${node}"`:     `"x${node}"`,
		`convert("3", number) + 1`:                              `"4"`,
		`convert([1], list(string))[0]`:                         `"1"`,
		`try(node.class, "x")`:                                  `"${node.class}"`,
		`can(node.class)`:                                       `"true"`,
		`-(-3)`:                                                 `"3"`,
		`!true`:                                                 `"false"`,
	} {
		expectEnv(t, expression, want)
	}
}

// Only the name is left alone: what works on it needs a value.
func TestOperationsOnNamesOfRunTimeFail(t *testing.T) {
	for expression, fault := range map[string]string{
		`env[NOMAD_A]`:        "does not have any indices",
		`env[*].a`:            "Unsupported attribute",
		`node.*.a`:            "Unsupported attribute",
		`NOMAD_A + 1`:         "a number is required",
		`NOMAD_A ? "a" : 1`:   "must be of type bool",
		`{ a.b = 1 }`:         "Ambiguous attribute key",
		`[for a in node : a]`: "Iteration over non-iterable value",
	} {
		_, diags := ask(t, task("env { A = "+expression+" }"))
		if len(diags) == 0 || !contains(diags, fault) {
			t.Errorf("%s: there is no fault with %q: %+v", expression, fault, diags)
		}
	}
}

func TestTheLanguage(t *testing.T) {
	for expression, want := range map[string]string{
		`"a\tb\u00e9\U0001F914\\\""`: `"a\tbé🤔\\\""`,
		`1.5e3`:                      `"1500"`,
		`1 + 2 * 3 - 4 / 2 % 3`:      `"5"`,
		`(1 < 2) == (2 >= 2) && !(1 != 1) || false`:                                `"true"`,
		`true ? "a" : "b"`:                                                         `"a"`,
		`[1, 2, 3][1]`:                                                             `"2"`,
		`{ a = [{ b = "c" }] }.a[0].b`:                                             `"c"`,
		`{ "a b" : 1, }["a b"]`:                                                    `"1"`,
		`join(",", [{ a = 1 }, { a = 2 }][*].a)`:                                   `"1,2"`,
		`join(",", [{ a = 1 }, { a = 2 }].*.a)`:                                    `"1,2"`,
		`join(",", { a = 1 }[*].a)`:                                                `"1"`,
		`join(",", null[*])`:                                                       `""`,
		`join(",", [for i, x in ["a", "b"] : "${i}${x}" if i > 0])`:                `"1b"`,
		`join(",", keys({ for x in ["a", "b"] : upper(x) => x }))`:                 `"A,B"`,
		`join(",", { for x in ["ab", "ac", "b"] : substr(x, 0, 1) => x... }["a"])`: `"ab,ac"`,
		`max([1, 5, 3]...)`:                                                        `"5"`,
		`"%{ if true ~} a %{~ else ~} b %{~ endif }"`:                              `"a"`,
		`"%{ for i, x in ["a", "b"] }${i}${x}%{ endfor }"`:                         `"0a1b"`,
		`"${[1, 2][1]}"`:                                                           `"2"`,
		`"${true}"`:                                                                `"true"`,
		"<<EOT\na\n  b\\n\nEOT\n":                                                  `"a\n  b\\n\n"`,
		"<<-EOT\n    a\n      b\n\n    c\n  EOT\n":                                 `"a\n  b\n\nc\n"`,
		"<<-EOT\n    %{ if true ~}\n    a\n    %{ endif ~}\n    EOT\n":             `"    a\n"`,
	} {
		expectTask(t, "env {\nA = "+expression+"\n}", `{"Name": "t", "Env": {"A": `+want+`}}`)
	}
}

func contains(diags []diagnostic, fault string) bool {
	for _, diag := range diags {
		if strings.Contains(diag.Summary+": "+diag.Detail, fault) {
			return true
		}
	}
	return false
}

func TestDynamicBlocksInDynamicBlocks(t *testing.T) {
	expectValue(t, &request{Text: `
job "web" {
  dynamic "group" {
    for_each = { a = [1, 2], b = [] }
    labels   = [group.key]
    content {
      dynamic "task" {
        for_each = group.value
        iterator = inner
        labels   = ["${group.key}${inner.value}"]
        content {
          driver = "${inner.key}${task.driver}"
          config {
            a = [for x in group.value : x * inner.value]
            b {
              c = inner.value
            }
          }
        }
      }
    }
  }
}`}, `{"Job": {"ID": "web", "TaskGroups": [
  {"Name": "a", "Tasks": [
    {"Name": "a1", "Driver": "0${task.driver}", "Config": {"a": [1, 2], "b": [{"c": 1}]}},
    {"Name": "a2", "Driver": "1${task.driver}", "Config": {"a": [2, 4], "b": [{"c": 2}]}}]},
  {"Name": "b"}]}}`)
}

func TestFaultsOfDynamicBlocks(t *testing.T) {
	for body, fault := range map[string]string{
		"for_each = [1]\nlabels = [\"a\"]":                               "Missing dynamic content block",
		"for_each = \"a\"\nlabels = [\"a\"]\ncontent {}":                 "Cannot use a string value in for_each",
		"for_each = node.class\nlabels = [\"a\"]\ncontent {}":            "Cannot use a string value in for_each",
		"for_each = null\nlabels = [\"a\"]\ncontent {}":                  "Cannot use a null value in for_each",
		"for_each = [1]\nlabels = []\ncontent {}":                        "Insufficient dynamic block labels",
		"for_each = [1]\nlabels = [\"a\", \"b\"]\ncontent {}":            "Extraneous dynamic block label",
		"for_each = [1]\nlabels = [null]\ncontent {}":                    "Cannot use a null value as a dynamic block label",
		"for_each = [1]\nlabels = [\"a\"]\ncontent {}\ncontent {}":       "Extraneous dynamic content block",
		"for_each = [1]\nlabels = [\"a\"]\niterator = a.b\ncontent {}":   "must be a single variable name",
		"for_each = [1]\nlabels = [\"a\"]\niterator = \"a\"\ncontent {}": "single static variable reference is required",
		"labels = [\"a\"]\ncontent {}":                                   "\"for_each\" is required",
	} {
		_, diags := ask(t, &request{Text: "job \"web\" {\ndynamic \"group\" {\n" + body + "\n}\n}\n"})
		if !contains(diags, fault) {
			t.Errorf("%q: there is no fault with %q: %+v", body, fault, diags)
		}
	}
	expectFaults(t, &request{Text: "job \"web\" {\ndynamic \"grup\" {\nfor_each = [1]\ncontent {}\n}\n}\n"},
		`Blocks of type "grup" are not expected here`)
	expectFaults(t, task("config {\ndynamic \"mount\" {\nfor_each = [1]\ncontent {}\n}\n}"),
		"write a for expression")
	expectFaults(t, task("env {\ndynamic \"mount\" {\nfor_each = [1]\ncontent {}\n}\n}"),
		"Blocks are not allowed here")
}

func TestValuesThatAreNoJSON(t *testing.T) {
	expectFaults(t, task("config { a = 1 / 0 }"), "a number is infinite or too large")
	expectFaults(t, task("config { a = pow(10, 400) }"), "a number is infinite or too large")
	expectTask(t, "config {\na = null\nb = [null]\nc = 9223372036854775807\nd = 0.1\ne = []\n}",
		`{"Name": "t", "Config": {"b": [null], "c": 9223372036854775807, "d": 0.1, "e": []}}`)
}

func TestASchemaWithFaultsIsAFault(t *testing.T) {
	of := func(root body) *schema {
		return &schema{Root: "r", Bodies: map[string]*body{"r": &root}}
	}
	for fault, shape := range map[string]*schema{
		"no body r":         {Root: "r"},
		"no body s":         of(body{Blocks: map[string]block{"b": {Body: "s"}}}),
		"has no body":       of(body{Blocks: map[string]block{"b": {}}}),
		"There is no type ": of(body{Attributes: map[string]attribute{"a": {"A", "texts"}}}),
	} {
		text := "b {}\n"
		if fault == "There is no type " {
			text = "a = 1\n"
		}
		_, diags := decodeWith(t, &request{Text: text, Schema: shape})
		if len(diags) != 1 || !contains(diags, fault) {
			t.Errorf("there is no fault with %q: %+v", fault, diags)
		}
	}
}
