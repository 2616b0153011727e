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
	for _, traversal := range attr.Expr.Variables() {
		if traversal.RootName() != "local" || len(traversal) < 2 {
			continue
		}
		if needed, ok := traversal[1].(hcl.TraverseAttr); ok {
			l.one(needed.Name)
		}
	}
	l.path = l.path[:len(l.path)-1]
	if _, done := l.values[name]; done {
		return
	}
	l.context.Variables["local"] = cty.ObjectVal(l.values)
	value, diags := attr.Expr.Value(l.context)
	l.diags = append(l.diags, diags...)
	if diags.HasErrors() {
		value = cty.DynamicVal
	}
	l.values[name] = value
}
