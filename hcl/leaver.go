// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// An expression may name values that are known only when a task runs: ${node.class},
// ${env["HOME"]}, ${NOMAD_PORT_http}. leaver replaces each such name by a literal text, which is the
// name as it is written, within ${}. What is left names only values of the document itself.
type leaver struct {
	source []byte
	// How many times a name is in scope here: "var", "local", and what "for" and "dynamic" define.
	known map[string]int
}

func newLeaver(source []byte) *leaver {
	return &leaver{source: source, known: map[string]int{"var": 1, "local": 1}}
}

// within calls CALL while NAMES are in scope. An empty name is none.
func (l *leaver) within(names []string, call func()) {
	for _, name := range names {
		l.known[name]++
	}
	call()
	for _, name := range names {
		l.known[name]--
	}
}

func (l *leaver) isKnown(traversal hcl.Traversal) bool { return l.known[traversal.RootName()] > 0 }

func (l *leaver) literal(place hcl.Range) hclsyntax.Expression {
	return text("${"+string(place.SliceBytes(l.source))+"}", place)
}

// expression returns EXPR with all such names replaced, also within.
func (l *leaver) expression(expr hclsyntax.Expression) hclsyntax.Expression {
	switch e := expr.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		if !l.isKnown(e.Traversal) {
			return l.literal(e.SrcRange)
		}
	case *hclsyntax.RelativeTraversalExpr:
		if l.isLeft(e.Source) {
			return l.literal(e.SrcRange)
		}
		e.Source = l.expression(e.Source)
	case *hclsyntax.IndexExpr:
		if l.isLeft(e.Collection) {
			return l.literal(e.SrcRange)
		}
		e.Collection, e.Key = l.expression(e.Collection), l.expression(e.Key)
	case *hclsyntax.SplatExpr:
		if l.isLeft(e.Source) {
			return l.literal(e.SrcRange)
		}
		e.Source, e.Each = l.expression(e.Source), l.expression(e.Each)
	case *hclsyntax.TemplateExpr:
		l.all(e.Parts)
	case *hclsyntax.TemplateWrapExpr:
		e.Wrapped = l.expression(e.Wrapped)
	case *hclsyntax.TemplateJoinExpr:
		e.Tuple = l.expression(e.Tuple)
	case *hclsyntax.ParenthesesExpr:
		e.Expression = l.expression(e.Expression)
	case *hclsyntax.FunctionCallExpr:
		l.all(e.Args)
	case *hclsyntax.ConditionalExpr:
		e.Condition = l.expression(e.Condition)
		e.TrueResult, e.FalseResult = l.expression(e.TrueResult), l.expression(e.FalseResult)
	case *hclsyntax.BinaryOpExpr:
		e.LHS, e.RHS = l.expression(e.LHS), l.expression(e.RHS)
	case *hclsyntax.UnaryOpExpr:
		e.Val = l.expression(e.Val)
	case *hclsyntax.TupleConsExpr:
		l.all(e.Exprs)
	case *hclsyntax.ObjectConsExpr:
		for i := range e.Items {
			item := &e.Items[i]
			item.KeyExpr, item.ValueExpr = l.expression(item.KeyExpr), l.expression(item.ValueExpr)
		}
	case *hclsyntax.ObjectConsKeyExpr:
		// A bare word is the key itself, not a name.
		if hcl.ExprAsKeyword(e.Wrapped) == "" || e.ForceNonLiteral {
			e.Wrapped = l.expression(e.Wrapped)
		}
	case *hclsyntax.ForExpr:
		e.CollExpr = l.expression(e.CollExpr)
		l.within([]string{e.KeyVar, e.ValVar}, func() {
			if e.KeyExpr != nil {
				e.KeyExpr = l.expression(e.KeyExpr)
			}
			e.ValExpr = l.expression(e.ValExpr)
			if e.CondExpr != nil {
				e.CondExpr = l.expression(e.CondExpr)
			}
		})
	}
	return expr
}

func (l *leaver) all(exprs []hclsyntax.Expression) {
	for i := range exprs {
		exprs[i] = l.expression(exprs[i])
	}
}

// isLeft reports whether EXPR is a name that is left alone, with what follows it: env["A"][0].b.
func (l *leaver) isLeft(expr hclsyntax.Expression) bool {
	switch e := expr.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		return !l.isKnown(e.Traversal)
	case *hclsyntax.RelativeTraversalExpr:
		return l.isLeft(e.Source)
	case *hclsyntax.IndexExpr:
		return l.isLeft(e.Collection)
	case *hclsyntax.SplatExpr:
		return l.isLeft(e.Source)
	}
	return false
}

func text(value string, place hcl.Range) hclsyntax.Expression {
	return &hclsyntax.LiteralValueExpr{Val: cty.StringVal(value), SrcRange: place}
}
