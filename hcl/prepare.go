// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"sort"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// A preparer changes the syntax tree before it is evaluated: names of run time become literals
// (leaver), and the blocks of a body without a schema become attributes, since only a schema could
// read blocks.
type preparer struct {
	leaver *leaver
	bodies map[string]*body
	diags  hcl.Diagnostics
}

// body prepares TREE by SHAPE.
func (p *preparer) body(tree *hclsyntax.Body, shape *body) {
	p.attributes(tree)
	for _, inner := range tree.Blocks {
		if inner.Type == "dynamic" && len(inner.Labels) == 1 {
			p.dynamic(inner, shape.Blocks[inner.Labels[0]])
		} else {
			p.block(inner.Body, shape.Blocks[inner.Type])
		}
	}
}

func (p *preparer) block(tree *hclsyntax.Body, shape block) {
	if next := p.bodies[shape.Body]; next != nil {
		p.body(tree, next)
		return
	}
	p.attributes(tree)
	if shape.Open == "any" {
		p.blocksToAttributes(tree)
	}
}

// dynamic prepares a block that makes blocks of SHAPE: for_each and iterator stand in it, and the
// body of each block in its block "content".
func (p *preparer) dynamic(tree *hclsyntax.Block, shape block) {
	iterator := tree.Labels[0]
	if named := tree.Body.Attributes["iterator"]; named != nil {
		if name := hcl.ExprAsKeyword(named.Expr); name != "" {
			iterator = name
		}
	}
	for name, attr := range tree.Body.Attributes {
		switch name {
		case "iterator":
		case "labels":
			p.leaver.within([]string{iterator}, func() { attr.Expr = p.leaver.expression(attr.Expr) })
		default:
			attr.Expr = p.leaver.expression(attr.Expr)
		}
	}
	for _, inner := range tree.Body.Blocks {
		if inner.Type == "content" {
			p.leaver.within([]string{iterator}, func() { p.block(inner.Body, shape) })
		}
	}
}

func (p *preparer) attributes(tree *hclsyntax.Body) {
	for _, attr := range tree.Attributes {
		attr.Expr = p.leaver.expression(attr.Expr)
	}
}

// blocksToAttributes turns the blocks of TREE into attributes, as the peer does: blocks of one type
// are a list of objects, a label is a key around that, and an object is a list of one.
func (p *preparer) blocksToAttributes(tree *hclsyntax.Body) {
	for _, attr := range tree.Attributes {
		attr.Expr = listOfOne(attr.Expr)
	}
	for _, kind := range byType(tree.Blocks) {
		first := kind[0]
		if first.Type == "dynamic" {
			p.diags = append(p.diags, fault("Unsupported dynamic block",
				"A block without a schema cannot have dynamic blocks: write a for expression.",
				first.DefRange()))
			continue
		}
		if there := tree.Attributes[first.Type]; there != nil {
			p.diags = append(p.diags, fault("Duplicate argument",
				"The argument "+first.Type+" stands here already, as an attribute.", first.DefRange()))
			continue
		}
		tree.Attributes[first.Type] = &hclsyntax.Attribute{
			Name:        first.Type,
			Expr:        p.list(kind),
			SrcRange:    first.DefRange(),
			NameRange:   first.TypeRange,
			EqualsRange: first.OpenBraceRange,
		}
	}
	tree.Blocks = nil
}

func (p *preparer) list(blocks []*hclsyntax.Block) hclsyntax.Expression {
	list := &hclsyntax.TupleConsExpr{
		SrcRange:  blocks[0].DefRange(),
		OpenRange: blocks[0].OpenBraceRange,
	}
	for _, one := range blocks {
		list.Exprs = append(list.Exprs, p.object(one))
	}
	return list
}

func (p *preparer) object(from *hclsyntax.Block) hclsyntax.Expression {
	p.attributes(from.Body)
	p.blocksToAttributes(from.Body)
	object := &hclsyntax.ObjectConsExpr{SrcRange: from.DefRange(), OpenRange: from.OpenBraceRange}
	for _, name := range sortedKeys(from.Body.Attributes) {
		attr := from.Body.Attributes[name]
		object.Items = append(object.Items, item(name, attr.NameRange, attr.Expr))
	}
	for i := len(from.Labels) - 1; i >= 0; i-- {
		object = &hclsyntax.ObjectConsExpr{
			SrcRange:  from.DefRange(),
			OpenRange: from.OpenBraceRange,
			Items: []hclsyntax.ObjectConsItem{
				item(from.Labels[i], from.LabelRanges[i], listOfOne(object)),
			},
		}
	}
	return object
}

func item(key string, place hcl.Range, value hclsyntax.Expression) hclsyntax.ObjectConsItem {
	return hclsyntax.ObjectConsItem{KeyExpr: text(key, place), ValueExpr: value}
}

func listOfOne(expr hclsyntax.Expression) hclsyntax.Expression {
	if object, ok := expr.(*hclsyntax.ObjectConsExpr); ok {
		return &hclsyntax.TupleConsExpr{
			Exprs:     []hclsyntax.Expression{object},
			SrcRange:  object.SrcRange,
			OpenRange: object.OpenRange,
		}
	}
	return expr
}

// byType groups BLOCKS by type, in the order of the first of each.
func byType(blocks hclsyntax.Blocks) [][]*hclsyntax.Block {
	var groups [][]*hclsyntax.Block
	at := map[string]int{}
	for _, one := range blocks {
		if _, known := at[one.Type]; !known {
			at[one.Type] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[one.Type]] = append(groups[at[one.Type]], one)
	}
	return groups
}

func sortedKeys[V any](of map[string]V) []string {
	keys := make([]string, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
