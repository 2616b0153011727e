// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/dynblock"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// decode reads the document of ASKED.
func decode(asked *request) *reply {
	file, diags := parse(asked.File, asked.Text)
	if diags.HasErrors() {
		for _, other := range asked.VariableFiles {
			_, more := parseEither(other.Name, other.Text)
			diags = append(diags, more...)
		}
		return &reply{Diagnostics: diagnosticsOf(diags)}
	}
	d := &decoder{schema: asked.Schema, diags: diags, types: map[string]cty.Type{}}
	if asked.Places {
		d.placesLeft = maxPlaces
	}
	value := d.document(file, asked)
	replied := &reply{Diagnostics: diagnosticsOf(d.diags)}
	if !d.diags.HasErrors() {
		replied.Value, replied.Variables = value, d.variables
	}
	return replied
}

type decoder struct {
	schema *schema
	types  map[string]cty.Type // by their text in the schema
	// Whether values are not known because variables or local values have faults. What they are used
	// for is no other fault.
	isPartial bool
	variables []string // those that the document declares
	// How many more places the value may have.
	placesLeft int
	diags      hcl.Diagnostics
}

type object = map[string]any

func (d *decoder) fault(summary, detail string, place hcl.Range) {
	d.diags = append(d.diags, fault(summary, detail, place))
}

func (d *decoder) add(diags hcl.Diagnostics) {
	for _, diag := range diags {
		if !d.isPartial || !strings.Contains(diag.Detail, "not yet known") {
			d.diags = append(d.diags, diag)
		}
	}
}

func (d *decoder) document(file *hcl.File, asked *request) object {
	root := d.schema.Bodies[d.schema.Root]
	if root == nil {
		d.fault("Unusable schema", "It has no body "+d.schema.Root+".", hcl.Range{})
		return nil
	}
	tree := file.Body.(*hclsyntax.Body)
	context := d.context(takeLanguageBlocks(tree), asked)
	d.isPartial = d.diags.HasErrors()
	prepared := preparer{leaver: newLeaver(file.Bytes), bodies: d.schema.Bodies}
	prepared.body(tree, root)
	d.diags = append(d.diags, prepared.diags...)
	out := object{}
	d.body(dynblock.Expand(tree, context), root, out, context)
	return out
}

// takeLanguageBlocks removes the blocks of the language itself from TREE and returns them.
func takeLanguageBlocks(tree *hclsyntax.Body) *hclsyntax.Body {
	taken := &hclsyntax.Body{SrcRange: tree.SrcRange, EndRange: tree.EndRange}
	var rest hclsyntax.Blocks
	for _, one := range tree.Blocks {
		switch one.Type {
		case "variable", "variables", "locals":
			taken.Blocks = append(taken.Blocks, one)
		default:
			rest = append(rest, one)
		}
	}
	tree.Blocks = rest
	return taken
}

var languageShape = &hcl.BodySchema{
	Blocks: []hcl.BlockHeaderSchema{
		{Type: "variable", LabelNames: []string{"name"}}, {Type: "variables"}, {Type: "locals"},
	},
}

// context evaluates variables and local values.
func (d *decoder) context(from *hclsyntax.Body, asked *request) *hcl.EvalContext {
	functions := functions(asked.FilesBelow)
	context := &hcl.EvalContext{Functions: functions, Variables: map[string]cty.Value{}}
	vars := &variables{all: map[string]*variable{}, functions: functions, isLoose: asked.Loose}
	locals := &locals{
		exprs: map[string]*hcl.Attribute{}, context: context, values: map[string]cty.Value{},
	}
	content, diags := from.Content(languageShape)
	d.diags = append(d.diags, diags...)
	leave := newLeaver([]byte(asked.Text))
	for _, one := range content.Blocks {
		if one.Type == "variable" {
			vars.declare(one)
			continue
		}
		attrs, diags := one.Body.JustAttributes()
		d.diags = append(d.diags, diags...)
		for _, name := range sortedKeys(attrs) {
			if one.Type == "variables" {
				vars.declareShort(attrs[name])
				continue
			}
			attrs[name].Expr = leave.expression(attrs[name].Expr.(hclsyntax.Expression))
			locals.declare(attrs[name])
		}
	}
	d.variables = sortedKeys(vars.all)
	if many := len(vars.all) + len(locals.exprs); many > maxDefinitions {
		d.fault("Document too large", fmt.Sprintf("It has %d variables and local values, and at most %d "+
			"are allowed.", many, maxDefinitions), from.SrcRange)
		context.Variables["var"], context.Variables["local"] = cty.DynamicVal, cty.DynamicVal
		return context
	}
	vars.setAll(asked)
	context.Variables["var"] = vars.values()
	locals.evaluate()
	d.diags = append(append(d.diags, vars.diags...), locals.diags...)
	return context
}

func (d *decoder) body(from hcl.Body, shape *body, out object, context *hcl.EvalContext) {
	content, diags := from.Content(shapeOf(shape))
	d.add(diags)
	for _, name := range sortedKeys(content.Attributes) {
		attr := content.Attributes[name]
		field := shape.Blocks[name].Field
		if as, known := shape.Attributes[name]; known {
			field = as.Field
			d.attribute(attr, as, out, context)
		} else {
			// An open body that is written as an attribute.
			put(out, field, d.convert(attr, "map(string)", context))
		}
		if _, set := out[field]; set {
			d.mark(out, field, attr.Range)
		}
	}
	first := map[string]*hcl.Block{}
	for _, one := range content.Blocks {
		as := shape.Blocks[one.Type]
		there := first[one.Type]
		if there == nil {
			first[one.Type] = one
		}
		if attr := content.Attributes[one.Type]; attr != nil {
			d.fault("Duplicate "+one.Type+" block",
				"The argument at "+attr.Range.String()+" says the same already.", one.DefRange)
		} else if there != nil && !as.Many {
			d.fault("Duplicate "+one.Type+" block",
				"Only one is allowed, and there is one at "+there.DefRange.String()+".", one.DefRange)
		} else {
			d.block(one, as, out, context)
		}
	}
}

// shapeOf returns what the library must know of a body. An open body for texts may be an attribute.
func shapeOf(shape *body) *hcl.BodySchema {
	out := &hcl.BodySchema{}
	for _, name := range sortedKeys(shape.Attributes) {
		out.Attributes = append(out.Attributes, hcl.AttributeSchema{Name: name})
	}
	for _, name := range sortedKeys(shape.Blocks) {
		one := shape.Blocks[name]
		out.Blocks = append(out.Blocks, hcl.BlockHeaderSchema{Type: name, LabelNames: one.Labels})
		if _, there := shape.Attributes[name]; one.Open == "map" && !there {
			out.Attributes = append(out.Attributes, hcl.AttributeSchema{Name: name})
		}
	}
	return out
}

func (d *decoder) block(from *hcl.Block, as block, out object, context *hcl.EvalContext) {
	d.mark(out, as.Field, from.DefRange)
	value := object{}
	switch {
	case as.Body != "":
		next := d.schema.Bodies[as.Body]
		if next == nil {
			d.fault("Unusable schema", "It has no body "+as.Body+".", from.DefRange)
			return
		}
		d.mark(value, placesKey, from.DefRange)
		d.body(from.Body, next, value, context)
	case as.Open == "map":
		value = d.open(from.Body, "string", context)
	case as.Open == "lists":
		value = d.open(from.Body, "list(string)", context)
	case as.Open == "any":
		value = d.open(from.Body, "any", context)
	default:
		d.fault("Unusable schema", "The block "+from.Type+" has no body.", from.DefRange)
		return
	}
	for i, label := range as.Labels {
		value[label] = from.Labels[i]
	}
	if !as.Many {
		out[as.Field] = value
		return
	}
	list, _ := out[as.Field].([]any)
	out[as.Field] = append(list, value)
}

// open reads a body that has only attributes, each of type KIND.
func (d *decoder) open(from hcl.Body, kind string, context *hcl.EvalContext) object {
	names, diags := from.JustAttributes()
	d.diags = append(d.diags, diags...)
	// Asked for by name, attributes within a dynamic block know its iterator.
	shape := &hcl.BodySchema{}
	for _, name := range sortedKeys(names) {
		shape.Attributes = append(shape.Attributes, hcl.AttributeSchema{Name: name})
	}
	content, _, _ := from.PartialContent(shape)
	out := object{}
	for _, name := range sortedKeys(content.Attributes) {
		put(out, name, d.convert(content.Attributes[name], kind, context))
	}
	return out
}

func (d *decoder) attribute(attr *hcl.Attribute, as attribute, out object,
	context *hcl.EvalContext) {
	switch as.Type {
	case "duration":
		put(out, as.Field, d.duration(attr, context))
	case "integer":
		put(out, as.Field, d.integer(attr, context))
	default:
		put(out, as.Field, d.convert(attr, as.Type, context))
	}
}

// put leaves out what is null: the document does not set it.
func put(out object, key string, value any) {
	if value != nil {
		out[key] = value
	}
}

// value returns whether there is a value: not null, and without faults.
func (d *decoder) value(attr *hcl.Attribute, context *hcl.EvalContext) (cty.Value, bool) {
	value, diags := attr.Expr.Value(context)
	d.add(diags)
	if diags.HasErrors() || value.IsNull() {
		return value, false
	}
	if !value.IsWhollyKnown() {
		if !d.isPartial {
			d.fault("Unknown value", "The value of "+attr.Name+" is not known.", attr.Expr.Range())
		}
		return value, false
	}
	return value, true
}

func (d *decoder) convert(attr *hcl.Attribute, kind string, context *hcl.EvalContext) any {
	value, ok := d.value(attr, context)
	if !ok {
		return nil
	}
	wanted, ok := d.typeOf(kind)
	if !ok {
		d.fault("Unusable schema", "There is no type "+kind+".", attr.Range)
		return nil
	}
	converted, err := convert.Convert(value, wanted)
	if err != nil {
		d.fault("Wrong type", fmt.Sprintf("The value of %s must be of the type %s: %s.", attr.Name,
			kind, err), attr.Expr.Range())
		return nil
	}
	made, err := plain(converted)
	if err != nil {
		d.fault("Wrong type", fmt.Sprintf("The value of %s cannot be JSON: %s.", attr.Name, err),
			attr.Expr.Range())
		return nil
	}
	return made
}

// typeOf returns the type that the schema calls KIND.
func (d *decoder) typeOf(kind string) (cty.Type, bool) {
	if known, there := d.types[kind]; there {
		return known, known != cty.NilType
	}
	parsed, diags := hclsyntax.ParseExpression([]byte(kind), "schema", hcl.InitialPos)
	made := cty.NilType
	if !diags.HasErrors() {
		if made, diags = typeexpr.TypeConstraint(parsed); diags.HasErrors() {
			made = cty.NilType
		}
	}
	d.types[kind] = made
	return made, made != cty.NilType
}

func (d *decoder) integer(attr *hcl.Attribute, context *hcl.EvalContext) any {
	value, ok := d.value(attr, context)
	if !ok {
		return nil
	}
	converted, err := convert.Convert(value, cty.Number)
	if err == nil {
		if number, accuracy := converted.AsBigFloat().Int64(); accuracy == big.Exact {
			return number
		}
		err = errors.New("it is a fraction or too large")
	}
	d.fault("Wrong type", fmt.Sprintf("The value of %s must be a whole number: %s.", attr.Name, err),
		attr.Expr.Range())
	return nil
}

// duration returns nanoseconds.
func (d *decoder) duration(attr *hcl.Attribute, context *hcl.EvalContext) any {
	value, ok := d.value(attr, context)
	if !ok {
		return nil
	}
	switch value.Type() {
	case cty.String:
		parsed, err := time.ParseDuration(value.AsString())
		if err == nil {
			return parsed.Nanoseconds()
		}
		d.fault("Wrong duration", fmt.Sprintf("The value of %s must be a text like \"1m30s\": %s.",
			attr.Name, err), attr.Expr.Range())
	case cty.Number:
		number, accuracy := value.AsBigFloat().Int64()
		if accuracy == big.Exact {
			return number
		}
		d.fault("Wrong duration", fmt.Sprintf("The value of %s must be a whole number of nanoseconds.",
			attr.Name), attr.Expr.Range())
	default:
		d.fault("Wrong duration", fmt.Sprintf("The value of %s must be a text like \"1m30s\".",
			attr.Name), attr.Expr.Range())
	}
	return nil
}
