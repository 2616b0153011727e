// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// locals evaluates the blocks "locals", in which a value may name any other but not itself.
type locals struct {
	exprs   map[string]*hcl.Attribute
	context *hcl.EvalContext // has var; local is set by evaluate
	values  map[string]cty.Value
	path    []string // the names whose evaluation waits for another
	diags   hcl.Diagnostics
}

func (l *locals) declare(attr *hcl.Attribute) {
	if there := l.exprs[attr.Name]; there != nil {
		l.diags = append(l.diags, fault("Duplicate local value",
			"The local value "+attr.Name+" is defined at "+there.Range.String()+" already.",
			attr.NameRange))
		return
	}
	l.exprs[attr.Name] = attr
}

func (l *locals) evaluate() {
	for _, name := range sortedKeys(l.exprs) {
		l.one(name)
	}
	l.context.Variables["local"] = cty.ObjectVal(l.values)
}

func (l *locals) one(name string) {
	attr := l.exprs[name]
	if _, done := l.values[name]; done || attr == nil {
		return
	}
	for i, waiting := range l.path {
		if waiting == name {
			l.diags = append(l.diags, fault("Local values need each other",
				strings.Join(append(l.path[i:], name), " needs ")+".", attr.NameRange))
			l.values[name] = cty.DynamicVal
			return
		}
	}
	l.path = append(l.path, name)
	needed := l.needs(attr.Expr)
	for _, other := range needed {
		l.one(other)
	}
	l.path = l.path[:len(l.path)-1]
	if _, done := l.values[name]; !done {
		l.values[name] = l.value(attr, needed)
	}
}

// needs returns the names of the local values that EXPR names. Without a name after it, "local" is all
// of them.
func (l *locals) needs(expr hcl.Expression) []string {
	var names []string
	for _, traversal := range expr.Variables() {
		if traversal.RootName() != "local" {
			continue
		}
		name, ok := nameIn(traversal)
		if !ok {
			return sortedKeys(l.exprs)
		}
		names = append(names, name)
	}
	return names
}

// nameIn returns NAME of a.NAME and a["NAME"].
func nameIn(traversal hcl.Traversal) (string, bool) {
	if len(traversal) < 2 {
		return "", false
	}
	switch step := traversal[1].(type) {
	case hcl.TraverseAttr:
		return step.Name, true
	case hcl.TraverseIndex:
		if step.Key.Type() == cty.String {
			return step.Key.AsString(), true
		}
	}
	return "", false
}

func (l *locals) value(attr *hcl.Attribute, needed []string) cty.Value {
	others := map[string]cty.Value{}
	for _, name := range needed {
		if value, there := l.values[name]; there {
			others[name] = value
		}
	}
	l.context.Variables["local"] = cty.ObjectVal(others)
	value, diags := attr.Expr.Value(l.context)
	l.diags = append(l.diags, diags...)
	if diags.HasErrors() {
		return cty.DynamicVal
	}
	parts := maxItems
	if isTooNested(value.Type(), maxDepth, &parts) {
		l.diags = append(l.diags, fault("Local value too large",
			"The value of "+attr.Name+" has too many parts, or too many within each other.",
			attr.Expr.Range()))
		return cty.DynamicVal
	}
	return value
}

// isTooNested reports whether KIND has more than LEVELS types within each other, or more than PARTS
// types at all. Local values that hold each other would be both with a short text.
func isTooNested(kind cty.Type, levels int, parts *int) bool {
	*parts--
	if levels == 0 || *parts < 0 {
		return true
	}
	var inner []cty.Type
	switch {
	case kind.IsCollectionType():
		inner = []cty.Type{kind.ElementType()}
	case kind.IsTupleType():
		inner = kind.TupleElementTypes()
	case kind.IsObjectType():
		for _, one := range kind.AttributeTypes() {
			inner = append(inner, one)
		}
	}
	for _, one := range inner {
		if isTooNested(one, levels-1, parts) {
			return true
		}
	}
	return false
}
