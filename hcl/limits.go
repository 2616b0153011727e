// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// A document may be hostile: large, deep, or with expressions that make values without end. The host
// ends this process in time. With the limits here and in watch.go and guards.go, the answer says what
// was too much, and where. A limit leaves room for ten times what people write.
const (
	maxRequest     = 16 << 20 // bytes
	maxText        = 1 << 20  // bytes of one document
	maxTokens      = 100_000  // words and signs of one document
	maxDepth       = 500      // of brackets, quotes and operators
	maxDefinitions = 1000     // variables and local values of one document
	maxReply       = 8 << 20  // bytes of an answer; the host reads no more
	maxDiagnostics = 100
	maxMessage     = 2000 // bytes of one text in a diagnostic
)

// checkText finds out whether the parser can read TEXT: the parser calls itself for what is nested,
// and each of its tokens takes a hundred times as much memory as its text.
func checkText(name, text string) *hcl.Diagnostic {
	whole := hcl.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos}
	if len(text) > maxText {
		return tooLarge(len(text), maxText, whole)
	}
	tokens, _ := hclsyntax.LexConfig([]byte(text), name, hcl.InitialPos)
	if len(tokens) > maxTokens {
		return fault("Document too large", fmt.Sprintf("It has %d words and signs, and at most %d are "+
			"allowed. A long text may come from a file.", len(tokens), maxTokens), whole)
	}
	return tooDeep(tokens)
}

func tooLarge(bytes, most int, place hcl.Range) *hcl.Diagnostic {
	return fault("Document too large", fmt.Sprintf("It has %d bytes, and at most %d are allowed.", bytes,
		most), place)
}

// A nesting is one bracket, quote or template that is open.
type nesting struct {
	outside  int  // the depth before it
	newlines bool // whether a newline ends an expression in it
}

// tooDeep finds the place where the parser or the evaluation would call itself more than maxDepth
// times: by brackets, quotes and templates, by "%{ if }" and "%{ for }", and by a row of operators.
func tooDeep(tokens hclsyntax.Tokens) *hcl.Diagnostic {
	open := []nesting{{newlines: true}}
	depth := 0
	for i, token := range tokens {
		inner := open[len(open)-1]
		switch token.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOParen, hclsyntax.TokenOBrack,
			hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp,
			hclsyntax.TokenTemplateControl:
			word := wordAfter(tokens[i+1:])
			depth += deeperBy(token.Type, word)
			newlines := token.Type == hclsyntax.TokenOBrace && word != "for"
			open = append(open, nesting{outside: depth, newlines: newlines})
			depth++
		case hclsyntax.TokenCBrace, hclsyntax.TokenCParen, hclsyntax.TokenCBrack,
			hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
			if len(open) > 1 {
				open, depth = open[:len(open)-1], inner.outside
			}
		case hclsyntax.TokenComma:
			depth = start(open)
		case hclsyntax.TokenNewline, hclsyntax.TokenComment:
			// A comment up to the end of a line has the newline in it.
			if inner.newlines && bytes.HasSuffix(token.Bytes, []byte("\n")) {
				depth = start(open)
			}
		case hclsyntax.TokenBang, hclsyntax.TokenMinus, hclsyntax.TokenPlus, hclsyntax.TokenStar,
			hclsyntax.TokenSlash, hclsyntax.TokenPercent, hclsyntax.TokenAnd, hclsyntax.TokenOr,
			hclsyntax.TokenEqualOp, hclsyntax.TokenNotEqual, hclsyntax.TokenLessThan,
			hclsyntax.TokenLessThanEq, hclsyntax.TokenGreaterThan, hclsyntax.TokenGreaterThanEq,
			hclsyntax.TokenQuestion:
			depth++
		}
		if depth > maxDepth {
			return fault("Document too deep", fmt.Sprintf("At most %d brackets, quotes and operators may "+
				"stand within each other.", maxDepth), token.Range)
		}
	}
	return nil
}

// start returns the depth at the beginning of an expression in the innermost of OPEN.
func start(open []nesting) int {
	if len(open) == 1 {
		return 0
	}
	return open[len(open)-1].outside + 1
}

// deeperBy returns how much deeper the rest of the expression is after a bracket KIND with the first
// word WORD: a[0][0] is an index of an index, and what follows "%{ if }" stands within it.
func deeperBy(kind hclsyntax.TokenType, word string) int {
	switch {
	case kind == hclsyntax.TokenOBrack:
		return 1
	case kind != hclsyntax.TokenTemplateControl:
		return 0
	case word == "if" || word == "for":
		return 1
	case word == "endif" || word == "endfor":
		return -1
	}
	return 0
}

func wordAfter(tokens hclsyntax.Tokens) string {
	for _, token := range tokens {
		switch token.Type {
		case hclsyntax.TokenNewline, hclsyntax.TokenComment:
		case hclsyntax.TokenIdent:
			return string(token.Bytes)
		default:
			return ""
		}
	}
	return ""
}

// checkJSON finds out whether the parser can read TEXT, which is JSON.
func checkJSON(name, text string) *hcl.Diagnostic {
	place := hcl.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos}
	if len(text) > maxText {
		return tooLarge(len(text), maxText, place)
	}
	var ignored json.RawMessage
	if err := json.Unmarshal([]byte(text), &ignored); err != nil {
		if syntax, ok := err.(*json.SyntaxError); ok {
			place.Start = position(text[:syntax.Offset])
			place.End = place.Start
		}
		return fault("Invalid JSON", err.Error()+".", place)
	}
	if depthOfJSON(text) > maxDepth {
		return fault("Document too deep",
			fmt.Sprintf("At most %d lists and objects may stand within each other.", maxDepth), place)
	}
	return nil
}

// depthOfJSON counts the brackets around the deepest value of TEXT, which is JSON or something like
// it: too many brackets never count as too few.
func depthOfJSON(text string) int {
	depth, deepest := 0, 0
	isText := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case isText && c == '\\':
			i++
		case c == '"':
			isText = !isText
		case isText:
		case c == '[' || c == '{':
			depth++
			if depth > deepest {
				deepest = depth
			}
		case (c == ']' || c == '}') && depth > 0:
			depth--
		}
	}
	return deepest
}

// position returns the place after TEXT.
func position(text string) hcl.Pos {
	at := hcl.Pos{Line: 1, Column: 1, Byte: len(text)}
	for _, c := range text {
		at.Column++
		if c == '\n' {
			at.Line, at.Column = at.Line+1, 1
		}
	}
	return at
}
