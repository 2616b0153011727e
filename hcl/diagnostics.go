// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	hcljson "github.com/hashicorp/hcl/v2/json"
)

func parse(name, text string) (*hcl.File, hcl.Diagnostics) {
	if diag := checkText(name, text); diag != nil {
		return nil, hcl.Diagnostics{diag}
	}
	return hclsyntax.ParseConfig([]byte(text), name, hcl.InitialPos)
}

// parseEither parses a text that may be JSON too.
func parseEither(name, text string) (*hcl.File, hcl.Diagnostics) {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
		return parse(name, text)
	}
	if diag := checkJSON(name, text); diag != nil {
		return nil, hcl.Diagnostics{diag}
	}
	return hcljson.Parse([]byte(text), name)
}

// diagnosticsOf sorts by place, then by text. The same fault at the same place stands there once.
func diagnosticsOf(diags hcl.Diagnostics) []diagnostic {
	var out []diagnostic
	seen := map[diagnostic]bool{}
	for _, diag := range diags {
		one := diagnosticOf(diag)
		if !seen[one] {
			seen[one] = true
			out = append(out, one)
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		if a.Column != b.Column {
			return a.Column < b.Column
		}
		return a.Summary+a.Detail < b.Summary+b.Detail
	})
	if more := len(out) - maxDiagnostics; more > 0 {
		out = append(out[:maxDiagnostics], diagnostic{Error: diags.HasErrors(), Summary: "More faults",
			Detail: fmt.Sprintf("There are %d more, which are not shown.", more)})
	}
	return out
}

func diagnosticOf(diag *hcl.Diagnostic) diagnostic {
	one := diagnostic{
		Error:   diag.Severity == hcl.DiagError,
		Summary: bounded(diag.Summary),
		Detail:  bounded(diag.Detail),
	}
	place := diag.Subject
	if place == nil {
		place = diag.Context
	}
	if place != nil {
		one.File = place.Filename
		one.Line, one.Column = place.Start.Line, place.Start.Column
		one.EndLine, one.EndColumn = place.End.Line, place.End.Column
		one.Byte, one.EndByte = place.Start.Byte, place.End.Byte
	}
	return one
}

// bounded returns TEXT without its middle if it is too long, since it may quote the document. A
// function of the library that panicked has its stack in the text, which says nothing to its reader.
func bounded(text string) string {
	if stack := strings.Index(text, "\ngoroutine "); stack >= 0 {
		text = text[:stack]
	}
	if len(text) <= maxMessage {
		return text
	}
	begin, end := text[:maxMessage/2], text[len(text)-maxMessage/2:]
	return strings.ToValidUTF8(begin, "") + " ... " + strings.ToValidUTF8(end, "")
}

func fault(summary, detail string, place hcl.Range) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &place}
}
