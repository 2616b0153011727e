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
	room := maxMade
	if isTooLarge(value, maxDepth, &room) {
		l.diags = append(l.diags, fault("Local value too large",
			"The value of "+attr.Name+" has too many bytes or parts, or too many parts within each other.",
			attr.Expr.Range()))
		return cty.DynamicVal
	}
	return value
}

// isTooLarge reports whether VALUE has more than LEVELS values within each other, or takes more than
// ROOM bytes. Local values that hold each other would do both with a short text.
func isTooLarge(value cty.Value, levels int, room *int) bool {
	*room -= 64
	switch {
	case levels == 0 || *room < 0:
		return true
	case value.IsNull() || !value.IsKnown():
	case value.Type() == cty.String:
		*room -= len(value.AsString())
	case value.CanIterateElements():
		for it := value.ElementIterator(); it.Next(); {
			key, inner := it.Element()
			if key.Type() == cty.String && key.IsKnown() {
				*room -= len(key.AsString())
			}
			if isTooLarge(inner, levels-1, room) {
				return true
			}
		}
	}
	return *room < 0
}
