// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func treeOf(t *testing.T, text string) *reply {
	t.Helper()
	answer, err := serve(&request{Action: "tree", File: "agent.hcl", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestTreeHasEachValueWithItsPlace(t *testing.T) {
	answer := treeOf(t, `name = "n"
plugin "raw_exec" {
  config { enabled = true }
}
client {
  meta = { "a.b" = 7 }
  options { "driver.x" = "1" }
  list = ["a", 0, 1.5, { k = false }]
  text = <<EOF
${left} alone
EOF
}`)
	got, err := json.Marshal(answer.Tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`{"Keys":["name"],"Line":1,"Column":1,"Node":{"Line":1,"Column":8,"Value":"n"}}`,
		`{"Keys":["plugin","raw_exec"],"Line":2,"Column":1,"Node":{"Line":2,"Column":19,"Items":[`,
		`{"Keys":["a.b"],"Line":6,"Column":12,"Node":{"Line":6,"Column":20,"Value":7,"Written":"7"}}`,
		`{"Keys":["driver.x"],"Line":7,"Column":13,`,
		`"List":[{"Line":8,"Column":11,"Value":"a"},{"Line":8,"Column":16,"Value":0,"Written":"0"},` +
			`{"Line":8,"Column":19,"Value":1.5,"Written":"1.5"},{"Line":8,"Column":24,"Items":[`,
		`"Value":"${left} alone\n"`,
	} {
		if !strings.Contains(string(got), part) {
			t.Errorf("%s\nlacks %s", got, part)
		}
	}
}

func TestTreeOfNothingIsAnEmptyObject(t *testing.T) {
	for _, text := range []string{"", "# nothing\n"} {
		if answer := treeOf(t, text); answer.Tree == nil || len(*answer.Tree.Items) != 0 {
			t.Errorf("%q: %v", text, answer)
		}
	}
}

func TestTreeFaultsAreShort(t *testing.T) {
	for _, text := range []string{strings.Repeat("a", 1<<20), "a = " + strings.Repeat("[", 3000)} {
		answer := treeOf(t, text)
		if len(answer.Diagnostics) != 1 || len(answer.Diagnostics[0].Detail) > maxMessage+10 {
			t.Errorf("%.40q: the fault is too long", text)
		}
	}
}

func TestTreeNamesThePlaceOfAFault(t *testing.T) {
	for text, want := range map[string]diagnostic{
		"a = 1\nb = [\n":               {Line: 3, Column: 1},
		"a = 1\nb {\n":                 {Line: 3, Column: 1},
		"a = \"\\q\"":                  {Line: 1},
		"a = 99999999999999999999":     {},
		"\xff = 1":                     {Line: 1},
		strings.Repeat("a {\n", 10000): {},
		strings.Repeat("a {\n", 100) + strings.Repeat("}\n", 100): {Line: 21, Byte: 82},
	} {
		answer := treeOf(t, text)
		if answer.Tree != nil || len(answer.Diagnostics) != 1 {
			t.Errorf("%.40q: %v", text, answer)
			continue
		}
		got := answer.Diagnostics[0]
		if !got.Error || got.Detail == "" || want.Line > 0 && got.Line != want.Line ||
			want.Byte > 0 && got.Byte != want.Byte {
			t.Errorf("%.40q: %+v", text, got)
		}
	}
}
