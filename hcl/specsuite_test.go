// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// The authors of the language have a suite of documents (x.hcl), each with a decoding specification
// (x.hcldec) and the result or the faults (x.t). It comes with their library. A specification becomes
// a schema of this program as follows:
//
//	attr "a" { type = T }                         an attribute
//	block, block_list                             a block, or many
//	block_map with one label                      many blocks; the label is put beside their attributes
//	variables { a = ... }                         local values: "a" in the document becomes "local.a"
//	literal                                       nothing: the document only has to be read
type specification struct {
	schema  *schema
	maps    map[string]string // the field of a block_map: the key that has the label
	root    string            // the field that is the result; empty: the whole body
	ignored bool              // the result is not made from the document
	locals  map[string]string
}

// moduleFolder returns where the Go command keeps the sources of MODULE.
func moduleFolder(t *testing.T, module string) string {
	t.Helper()
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil || len(folder) < 2 {
		t.Fatalf("the sources of %s are not there: %v", module, err)
	}
	return strings.TrimSpace(string(folder))
}

func TestSpecificationSuite(t *testing.T) {
	suite := filepath.Join(moduleFolder(t, "github.com/hashicorp/hcl/v2"), "specsuite", "tests")
	var names []string
	err := filepath.Walk(suite, func(path string, _ os.FileInfo, err error) error {
		if strings.HasSuffix(path, ".t") {
			names = append(names, strings.TrimSuffix(path, ".t"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < 15 {
		t.Errorf("the suite has only %d tests", len(names))
	}
	ran := 0
	for _, name := range names {
		short, _ := filepath.Rel(suite, name)
		t.Run(short, func(t *testing.T) {
			spec, err := convertSpecification(t, name+".hcldec")
			if err != nil {
				t.Skipf("%s cannot be said by a schema: %v", short, err)
			}
			runSpecification(t, name, spec)
			ran++
		})
	}
	t.Logf("%d of %d tests of the suite ran", ran, len(names))
}

func parseFile(t *testing.T, path string) *hclsyntax.Body {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, diags := hclsyntax.ParseConfig(text, path, hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return file.Body.(*hclsyntax.Body)
}

func convertSpecification(t *testing.T, path string) (*specification, error) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	made := &specification{
		schema: &schema{Root: "root", Bodies: map[string]*body{}},
		maps:   map[string]string{}, locals: map[string]string{},
	}
	var root *hclsyntax.Block
	for _, one := range parseFile(t, path).Blocks {
		if one.Type != "variables" {
			root = one
			continue
		}
		for name, attr := range one.Body.Attributes {
			made.locals[name] = string(attr.Expr.Range().SliceBytes(text))
		}
	}
	made.ignored = root.Type == "literal"
	if root.Type == "object" || root.Type == "literal" {
		return made, made.object("root", root.Body, text)
	}
	// A block stands for its own content: the body around it has only that block.
	made.root = "block"
	made.schema.Bodies["root"] = &body{Blocks: map[string]block{}}
	name := root.Body.Attributes["block_type"]
	if name == nil {
		return nil, fmt.Errorf("there is no %s at the root", root.Type)
	}
	kind, _ := name.Expr.Value(nil)
	return made, made.block("root", kind.AsString(), "block", root, text)
}

// object makes the body NAME.
func (s *specification) object(name string, from *hclsyntax.Body, text []byte) error {
	made := &body{Attributes: map[string]attribute{}, Blocks: map[string]block{}}
	s.schema.Bodies[name] = made
	for _, one := range from.Blocks {
		switch one.Type {
		case "attr":
			kind := string(one.Body.Attributes["type"].Expr.Range().SliceBytes(text))
			made.Attributes[one.Labels[0]] = attribute{Field: one.Labels[0], Type: kind}
		default:
			// A label is the field, and the type of the block too if block_type does not say another.
			field := ""
			if len(one.Labels) > 0 {
				field = one.Labels[0]
			}
			kind := field
			if attr := one.Body.Attributes["block_type"]; attr != nil {
				value, _ := attr.Expr.Value(nil)
				kind = value.AsString()
			}
			if field == "" {
				field = kind
			}
			if err := s.block(name, kind, field, one, text); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *specification) block(within, kind, field string, from *hclsyntax.Block, text []byte) error {
	inner := within + "/" + kind
	made := block{Field: field, Body: inner}
	switch from.Type {
	case "block":
	case "block_list":
		made.Many = true
	case "block_map":
		labels, _ := from.Body.Attributes["labels"].Expr.Value(nil)
		if labels.LengthInt() != 1 {
			return fmt.Errorf("a map of blocks with %d labels", labels.LengthInt())
		}
		made.Many, made.Labels = true, []string{"label of " + field}
		s.maps[field] = made.Labels[0]
	default:
		return fmt.Errorf("%s", from.Type)
	}
	s.schema.Bodies[within].Blocks[kind] = made
	for _, one := range from.Body.Blocks {
		if one.Type == "object" {
			return s.object(inner, one.Body, text)
		}
	}
	return fmt.Errorf("%s without an object", from.Type)
}

func runSpecification(t *testing.T, name string, spec *specification) {
	t.Helper()
	text, err := os.ReadFile(name + ".hcl")
	if err != nil {
		t.Fatal(err)
	}
	value, diags := decodeWith(t, &request{Text: withLocals(string(text), spec.locals), Schema: spec.schema})
	wanted := parseFile(t, name+".t")
	if faults := wanted.Blocks; len(faults) > 0 {
		compareFaults(t, diags, faults[0].Body)
		return
	}
	if len(diags) > 0 {
		t.Fatalf("there are faults: %+v", diags)
	}
	if spec.ignored {
		return
	}
	value = blockMaps(value, spec.maps)
	if spec.root != "" {
		value = value.(map[string]any)[spec.root]
	}
	compareResult(t, value, wanted)
}

// withLocals returns TEXT with LOCALS, and every use of them.
func withLocals(text string, locals map[string]string) string {
	if len(locals) == 0 {
		return text
	}
	tokens, _ := hclsyntax.LexConfig([]byte(text), "", hcl.InitialPos)
	var out strings.Builder
	end := 0
	for i, token := range tokens {
		out.WriteString(text[end:token.Range.Start.Byte])
		isUse := i > 0 && tokens[i-1].Type != hclsyntax.TokenNewline
		if _, known := locals[string(token.Bytes)]; known && isUse && token.Type == hclsyntax.TokenIdent {
			out.WriteString("local.")
		}
		out.Write(token.Bytes)
		end = token.Range.End.Byte
	}
	out.WriteString("\nlocals {\n")
	for _, name := range sortedKeys(locals) {
		fmt.Fprintf(&out, "%s = %s\n", name, locals[name])
	}
	return out.String() + "}\n"
}

// blockMaps turns the lists of labelled blocks into maps.
func blockMaps(value any, maps map[string]string) any {
	fields, _ := value.(map[string]any)
	for field, inner := range fields {
		key, isMap := maps[field]
		if list, isList := inner.([]any); isMap && isList {
			made := map[string]any{}
			for _, one := range list {
				entry := one.(map[string]any)
				label := entry[key].(string)
				delete(entry, key)
				made[label] = entry
			}
			fields[field] = made
		}
	}
	return value
}

// compareResult compares by the type that the test gives, and so all digits of numbers.
func compareResult(t *testing.T, value any, wanted *hclsyntax.Body) {
	t.Helper()
	kind, diags := typeexpr.TypeConstraint(wanted.Attributes["result_type"].Expr)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	got := valueOfType(t, value, kind)
	attr := wanted.Attributes["result"]
	if attr == nil {
		return // only the type is given
	}
	result, diags := attr.Expr.Value(nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	want, err := convert.Convert(result, kind)
	if err != nil {
		t.Fatal(err)
	}
	if !got.RawEquals(want) {
		t.Errorf("the result is\n%#v\nand not\n%#v", got, want)
	}
}

// valueOfType reads VALUE by KIND. What the program left out is null.
func valueOfType(t *testing.T, value any, kind cty.Type) cty.Value {
	t.Helper()
	if kind.IsObjectType() {
		fields, _ := value.(map[string]any)
		made := map[string]cty.Value{}
		for name, inner := range kind.AttributeTypes() {
			if one, there := fields[name]; there {
				made[name] = valueOfType(t, one, inner)
			} else {
				made[name] = cty.NullVal(inner)
			}
		}
		return cty.ObjectVal(made)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ctyjson.Unmarshal(text, kind)
	if err != nil {
		t.Fatalf("%s is no %s: %v", text, kind.FriendlyName(), err)
	}
	return read
}

// compareFaults compares the places of faults, since each program has its own words.
func compareFaults(t *testing.T, got []diagnostic, wanted *hclsyntax.Body) {
	t.Helper()
	var want, have []string
	for _, one := range wanted.Blocks {
		place := []any{one.Type == "error"}
		for _, end := range one.Body.Blocks {
			for _, name := range []string{"line", "column"} {
				number, _ := end.Body.Attributes[name].Expr.Value(nil)
				at, _ := number.AsBigFloat().Int64()
				place = append(place, at)
			}
		}
		want = append(want, fmt.Sprint(place...))
	}
	for _, one := range got {
		have = append(have, fmt.Sprint(one.Error, one.Line, one.Column, one.EndLine, one.EndColumn))
	}
	sort.Strings(want)
	sort.Strings(have)
	if fmt.Sprint(want) != fmt.Sprint(have) {
		t.Errorf("the faults are at %v, and not at %v: %+v", have, want, got)
	}
}
