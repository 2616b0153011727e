// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/hcl/hcl/ast"
	"github.com/hashicorp/hcl/hcl/parser"
	"github.com/hashicorp/hcl/hcl/token"
)

// Agent configurations are written in the first version of the language: it has no expressions, and
// a key may stand in quotes. So this file reads them by the library of that version.

// The host reads JSON of a limited depth, and each level here is three of its levels.
const maxTreeDepth = 20

// A node is a value with its place. Exactly one of Value, List and Items is set.
type node struct {
	Line, Column int
	Value        json.RawMessage `json:",omitempty"` // a text, a number or a boolean
	Written      string          `json:",omitempty"` // a number as it is written
	List         *[]*node        `json:",omitempty"`
	Items        *[]entry        `json:",omitempty"`
}

// An entry is an attribute, which has one key, or a block, whose labels are further keys.
type entry struct {
	Keys         []string
	Line, Column int
	Node         *node
}

// tree reads the document of ASKED without a schema and without evaluating anything.
func tree(asked *request) (answer *reply) {
	// The library panics if it cannot convert a literal.
	defer func() {
		if what := recover(); what != nil {
			answer = treeFault(asked.File, token.Pos{}, fmt.Sprint(what))
		}
	}()
	file, err := parser.Parse([]byte(asked.Text))
	if err != nil {
		var at *parser.PosError
		if errors.As(err, &at) {
			return treeFault(asked.File, at.Pos, at.Err.Error())
		}
		return treeFault(asked.File, token.Pos{}, err.Error())
	}
	root, fault := nodeOf(&ast.ObjectType{List: file.Node.(*ast.ObjectList)}, 0)
	if fault != nil {
		return treeFault(asked.File, fault.Pos, fault.Err.Error())
	}
	return &reply{Tree: root}
}

func treeFault(file string, at token.Pos, what string) *reply {
	return &reply{Diagnostics: []diagnostic{{
		Error:     true,
		Summary:   "Unreadable text",
		Detail:    bounded(what),
		File:      file,
		Line:      at.Line,
		Column:    at.Column,
		EndLine:   at.Line,
		EndColumn: at.Column,
		Byte:      at.Offset,
		EndByte:   at.Offset,
	}}}
}

func nodeOf(from ast.Node, depth int) (*node, *parser.PosError) {
	at := from.Pos()
	out := &node{Line: at.Line, Column: at.Column}
	if depth > maxTreeDepth {
		return nil, &parser.PosError{Pos: at, Err: errors.New("the nesting is too deep")}
	}
	switch value := from.(type) {
	case *ast.LiteralType:
		text, err := json.Marshal(value.Token.Value())
		if err != nil {
			return nil, &parser.PosError{Pos: at, Err: err}
		}
		out.Value = text
		if value.Token.Type == token.NUMBER || value.Token.Type == token.FLOAT {
			out.Written = value.Token.Text
		}
	case *ast.ListType:
		list := []*node{}
		for _, one := range value.List {
			inner, fault := nodeOf(one, depth+1)
			if fault != nil {
				return nil, fault
			}
			list = append(list, inner)
		}
		out.List = &list
	case *ast.ObjectType:
		items := []entry{}
		for _, one := range value.List.Items {
			inner, fault := nodeOf(one.Val, depth+1)
			if fault != nil {
				return nil, fault
			}
			items = append(items, entryOf(one, inner))
		}
		out.Items = &items
	default:
		return nil, &parser.PosError{Pos: at, Err: fmt.Errorf("unexpected %T", from)}
	}
	return out, nil
}

func entryOf(from *ast.ObjectItem, value *node) entry {
	at := from.Keys[0].Pos()
	out := entry{Line: at.Line, Column: at.Column, Node: value}
	for _, key := range from.Keys {
		out.Keys = append(out.Keys, key.Token.Value().(string))
	}
	return out
}
