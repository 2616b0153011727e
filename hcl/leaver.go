// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// An expression may name values that are known only when a task runs: ${node.class},
// ${env["HOME"]}, ${NOMAD_PORT_http}. A leaver replaces each such name by a literal text, which is
// the name as it is written, within ${}. What is left names only values of the document itself. An
// operation on such a name (an index that is not literal, a splat) works on that text, so it fails as
// it does on any other text.
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

// literal returns the text at PLACE within ${}. If it stands within ${} in the source, the spaces
// around it are kept.
func (l *leaver) literal(place hcl.Range) hclsyntax.Expression {
	start, end := place.Start.Byte, place.End.Byte
	left, right := start, end
	for left > 0 && l.source[left-1] == ' ' {
		left--
	}
	for right < len(l.source) && l.source[right] == ' ' {
		right++
	}
	isBraced := left >= 2 && string(l.source[left-2:left]) == "${" &&
		right < len(l.source) && l.source[right] == '}'
	if isBraced {
		start, end = left, right
	}
	return text("${"+string(l.source[start:end])+"}", place)
}

// expression returns EXPR with all such names replaced, also within.
func (l *leaver) expression(expr hclsyntax.Expression) hclsyntax.Expression {
	switch e := expr.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		if l.known[e.Traversal.RootName()] == 0 {
			return l.literal(e.SrcRange)
		}
	case *hclsyntax.RelativeTraversalExpr:
		e.Source = l.expression(e.Source)
	case *hclsyntax.IndexExpr:
		e.Collection, e.Key = l.expression(e.Collection), l.expression(e.Key)
	case *hclsyntax.SplatExpr:
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
		l.call(e)
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
		// A bare name is the key itself, and the library refuses a bare a.b.
		if _, isName := e.Wrapped.(*hclsyntax.ScopeTraversalExpr); !isName || e.ForceNonLiteral {
			e.Wrapped = l.expression(e.Wrapped)
		}
	case *hclsyntax.ForExpr:
		l.forExpression(e)
	}
	return expr
}

func (l *leaver) all(exprs []hclsyntax.Expression) {
	for i := range exprs {
		exprs[i] = l.expression(exprs[i])
	}
}

func (l *leaver) call(e *hclsyntax.FunctionCallExpr) {
	if e.Name == "convert" && len(e.Args) == 2 {
		l.all(e.Args[:1]) // the second is a type, in which "string" is no name of a value
	} else {
		l.all(e.Args)
	}
}

func (l *leaver) forExpression(e *hclsyntax.ForExpr) {
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

func text(value string, place hcl.Range) hclsyntax.Expression {
	return &hclsyntax.LiteralValueExpr{Val: cty.StringVal(value), SrcRange: place}
}
