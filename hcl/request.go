// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

// A request is one JSON document on standard input, and a reply is one on standard output. The host
// gives every text, so this process opens no file unless FilesBelow is set. The texts are UTF-8: JSON
// can carry nothing else.
type request struct {
	// "decode": Text becomes JSON by Schema. "format": Text is laid out. "tree": see tree.go.
	Action string
	// The name of the document, for diagnostics.
	File string
	Text string

	Schema *schema
	// Files that set variables, in rising order of precedence. Each may be JSON.
	VariableFiles []source
	// Variables of the environment, then of the command line. Both win over VariableFiles as follows:
	// environment, files, command line.
	Environment []setting
	CommandLine []setting
	// Whether it is only a warning if VariableFiles or CommandLine set a variable that the document
	// does not declare.
	Loose bool
	// The directory where relative paths of file functions begin, absolute. No file outside is read.
	// Empty: these functions are refused.
	FilesBelow string
	// Whether the objects of the value have the places of their members: see places.go.
	Places bool
}

type source struct {
	Name string
	Text string
}

// A setting is the value of one variable, as text.
type setting struct {
	Name  string
	Value string
}

type reply struct {
	// The document as JSON, by the schema; absent if there are errors.
	Value any `json:",omitempty"`
	// The names of the variables that the document declares.
	Variables []string `json:",omitempty"`
	// The document laid out.
	Text string `json:",omitempty"`
	// The document as "tree" reads it.
	Tree        *node        `json:",omitempty"`
	Diagnostics []diagnostic `json:",omitempty"`
}

// A diagnostic names what is wrong and where. Lines and columns begin at 1, and 0 means nowhere. A
// column counts characters as people see them.
type diagnostic struct {
	Error              bool
	Summary            string
	Detail             string
	File               string
	Line, Column       int
	EndLine, EndColumn int
	// The same place in bytes from the beginning of the text.
	Byte, EndByte int
}

// A schema gives the meaning of each block and attribute. It comes from the host: nothing here knows
// what the documents are about.
type schema struct {
	// The name of the outermost body in Bodies.
	Root   string
	Bodies map[string]*body
}

type body struct {
	Attributes map[string]attribute
	Blocks     map[string]block
}

type attribute struct {
	// The key in the JSON.
	Field string
	// A type of the language ("string", "list(string)", "map(string)", "any" ...), or "integer", which
	// is a whole number, or "duration", which is a text like "1m30s" or a number of nanoseconds.
	Type string
}

type block struct {
	Field string
	// The keys in the JSON for the labels.
	Labels []string
	// Whether there may be many; then the JSON has a list.
	Many bool
	// The name of its body in Bodies. Empty: see Open.
	Body string
	// A body without a schema: "map" has attributes with texts, and may be written as an attribute too
	// (meta = {...}); "lists" has attributes with lists of texts; "any" has attributes and blocks of
	// any kind.
	Open string
}
