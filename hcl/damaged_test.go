// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand"
	"reflect"
	"strings"
	"testing"
)

var debris = []string{
	"{", "}", "[", "]", "(", ")", "\"", "${", "%{", "~}", "if ", "for ", "in ", "endif", "endfor", "...", "=>",
	"*", ".", "<<E\n", "E\n", "dynamic ", "content ", "variable ", "locals ", "null", "var", "local", "\n", ",",
	"=", ":", "?", "!", "-", "==", "&&", "\x00", "\xff", "\u200b", "\ufeff", "1e999", "0x", "\\", "$",
}

// damaged returns TEXT with something put in, taken out, or moved.
func damaged(random *rand.Rand, text string) string {
	within := func(most int) (int, int) {
		begin := random.Intn(len(text) + 1)
		end := begin + random.Intn(most)
		if end > len(text) {
			end = len(text)
		}
		return begin, end
	}
	begin, end := within(20)
	from, to := within(60)
	switch random.Intn(3) {
	case 0:
		return text[:begin] + debris[random.Intn(len(debris))] + text[begin:]
	case 1:
		return text[:begin] + text[end:]
	}
	return text[:begin] + text[from:to] + text[begin:]
}

// A damaged document has a value or faults with places, always the same, and nothing panics.
func TestDamagedDocuments(t *testing.T) {
	random := rand.New(rand.NewSource(seed(t)))
	for i := 0; i < 1000; i++ {
		m := &maker{random: random}
		m.body(2)
		text := m.document.String() + m.end.String()
		if len(text) > 4000 {
			text = text[:4000]
		}
		for many := random.Intn(6); many >= 0; many-- {
			text = damaged(random, text)
		}
		m.asked.Text, m.asked.File, m.asked.Schema = text, "x.hcl", bodySchema()
		m.asked.Action = "format"
		if _, err := serve(&m.asked); err != nil {
			t.Fatalf("laying out: %v\n%s", err, text)
		}
		m.asked.Action = "decode"
		replied, err := serve(&m.asked)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if again, _ := serve(&m.asked); !reflect.DeepEqual(replied, again) {
			t.Errorf("two answers differ: %+v\n%+v\n%s", replied, again, text)
		}
		for _, diag := range replied.Diagnostics {
			if strings.Contains(diag.Detail, "panic") || diag.Line == 0 && diag.Summary != "More faults" &&
				diag.Summary != "Undefined variable" {
				t.Errorf("%+v\n%s", diag, text)
			}
		}
		if (replied.Value == nil) == (len(replied.Diagnostics) == 0) {
			t.Errorf("the answer is %+v\n%s", replied, text)
		}
		if t.Failed() {
			t.Fatalf("this is document %d of the seed %d (DROVER_SEED)", i, seed(t))
		}
	}
}
