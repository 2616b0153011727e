// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
)

// A variable is declared in the document, and set by its default, the environment, files or the
// command line. The last of these holds.
type variable struct {
	name  string
	kind  cty.Type // cty.NilType: not known
	place hcl.Range
	rules []rule

	value    cty.Value // cty.NilVal: not set
	isWrong  bool      // it was set to a value that is reported already
	from     string
	setPlace hcl.Range
}

// A rule is a block "validation".
type rule struct {
	condition hcl.Expression
	message   string
	place     hcl.Range
}

type variables struct {
	all       map[string]*variable
	functions map[string]function.Function // for rules
	isLoose   bool
	isUnread  bool // a file that may set any of them has faults
	diags     hcl.Diagnostics
}

var variableShape = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "description"}, {Name: "default"}, {Name: "type"}},
	Blocks:     []hcl.BlockHeaderSchema{{Type: "validation"}},
}

var ruleShape = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{
		{Name: "condition", Required: true}, {Name: "error_message", Required: true},
	},
}

func (v *variables) add(name string, place hcl.Range) *variable {
	if there := v.all[name]; there != nil {
		v.diags = append(v.diags, fault("Duplicate variable",
			"The variable "+name+" is declared at "+there.place.String()+" already.", place))
		return nil
	}
	if !hclsyntax.ValidIdentifier(name) {
		v.diags = append(v.diags, fault("Invalid variable name",
			"A name begins with a letter or underscore, and has only letters, digits, underscores and "+
				"dashes.", place))
	}
	made := &variable{name: name, kind: cty.NilType, place: place}
	v.all[name] = made
	return made
}

// declare reads a block "variable".
func (v *variables) declare(from *hcl.Block) {
	made := v.add(from.Labels[0], from.LabelRanges[0])
	if made == nil {
		return
	}
	content, diags := from.Body.Content(variableShape)
	v.diags = append(v.diags, diags...)
	if attr := content.Attributes["description"]; attr != nil {
		var ignored string
		v.diags = append(v.diags, gohcl.DecodeExpression(attr.Expr, nil, &ignored)...)
	}
	if attr := content.Attributes["type"]; attr != nil {
		kind, diags := typeexpr.TypeConstraint(attr.Expr)
		v.diags = append(v.diags, diags...)
		if !diags.HasErrors() {
			made.kind = kind
		}
	}
	if attr := content.Attributes["default"]; attr != nil {
		v.setDefault(made, attr.Expr)
	}
	for _, inner := range content.Blocks {
		v.addRule(made, inner)
	}
}

// declareShort reads an attribute of a block "variables": a name with its default.
func (v *variables) declareShort(attr *hcl.Attribute) {
	if made := v.add(attr.Name, attr.NameRange); made != nil {
		v.setDefault(made, attr.Expr)
	}
}

func (v *variables) setDefault(to *variable, expr hcl.Expression) {
	v.setByExpression(to, expr, "default")
	if to.kind == cty.NilType && to.value != cty.NilVal {
		to.kind = to.value.Type()
	}
}

func (v *variables) addRule(to *variable, from *hcl.Block) {
	content, diags := from.Body.Content(ruleShape)
	v.diags = append(v.diags, diags...)
	if diags.HasErrors() {
		return
	}
	made := rule{condition: content.Attributes["condition"].Expr, place: from.DefRange}
	message := content.Attributes["error_message"].Expr
	diags = gohcl.DecodeExpression(message, nil, &made.message)
	if !diags.HasErrors() && strings.TrimSpace(made.message) == "" {
		diags = append(diags, fault("Invalid error message of a validation",
			"It must say what is wrong.", message.Range()))
	}
	names := 0
	for _, traversal := range made.condition.Variables() {
		if name, ok := nameIn(traversal); ok && traversal.RootName() == "var" && name == to.name {
			names++
			continue
		}
		diags = append(diags, fault("Invalid reference in a validation",
			"The condition of "+to.name+" can name only var."+to.name+".", traversal.SourceRange()))
	}
	if names == 0 {
		diags = append(diags, fault("Invalid condition of a validation",
			"The condition of "+to.name+" must name var."+to.name+".", made.condition.Range()))
	}
	v.diags = append(v.diags, diags...)
	if !diags.HasErrors() {
		to.rules = append(to.rules, made)
	}
}

// setByExpression sets a variable. The expression cannot name values or call functions.
func (v *variables) setByExpression(to *variable, expr hcl.Expression, from string) {
	value, diags := expr.Value(nil)
	v.diags = append(v.diags, diags...)
	if diags.HasErrors() {
		to.isWrong = true
		return
	}
	v.set(to, value, from, expr.Range())
}

func (v *variables) set(to *variable, value cty.Value, from string, place hcl.Range) {
	if to.kind != cty.NilType {
		converted, err := convert.Convert(value, to.kind)
		if err != nil {
			to.isWrong = true
			v.diags = append(v.diags, fault("Invalid value of the variable "+to.name,
				"The value of "+from+" does not have the type of the variable: "+err.Error()+".", place))
			return
		}
		value = converted
	}
	to.value, to.from, to.setPlace = value, from, place
}

// setByText sets a variable from the environment or the command line. The text is the value itself if
// the variable is a text or a number, or if nothing says what it is. Else it is an expression.
func (v *variables) setByText(to *variable, one setting, from string) {
	name := "<" + one.Name + " of " + from + ">"
	if to.kind == cty.NilType || to.kind == cty.String || to.kind == cty.Number {
		v.set(to, cty.StringVal(one.Value), from, hcl.Range{Filename: name, Start: hcl.InitialPos,
			End: hcl.InitialPos})
		return
	}
	if diag := checkText(name, one.Value); diag != nil {
		v.diags = append(v.diags, diag)
		return
	}
	expr, diags := hclsyntax.ParseExpression([]byte(one.Value), name, hcl.InitialPos)
	v.diags = append(v.diags, diags...)
	if !diags.HasErrors() {
		v.setByExpression(to, expr, from)
	}
}

// setAll sets the variables from outside the document.
func (v *variables) setAll(asked *request) {
	for _, one := range asked.Environment {
		// The environment may have variables of other documents.
		if to := v.all[one.Name]; to != nil {
			v.setByText(to, one, "the environment")
		}
	}
	for _, file := range asked.VariableFiles {
		v.setByFile(file)
	}
	for _, one := range asked.CommandLine {
		if to := v.all[one.Name]; to != nil {
			v.setByText(to, one, "the command line")
			continue
		}
		v.undefined(&hcl.Diagnostic{
			Detail: "The command line sets " + one.Name + ", which the document does not declare.",
		})
	}
}

func (v *variables) undefined(diag *hcl.Diagnostic) {
	diag.Summary, diag.Severity = "Undefined variable", hcl.DiagError
	if v.isLoose {
		diag.Severity = hcl.DiagWarning
	}
	v.diags = append(v.diags, diag)
}

func (v *variables) setByFile(file source) {
	parsed, diags := parseEither(file.Name, file.Text)
	v.diags = append(v.diags, diags...)
	if diags.HasErrors() {
		v.isUnread = true
		return
	}
	attrs, diags := parsed.Body.JustAttributes()
	v.diags = append(v.diags, diags...)
	for _, name := range sortedKeys(attrs) {
		if to := v.all[name]; to != nil {
			v.setByExpression(to, attrs[name].Expr, "the file "+file.Name)
			continue
		}
		v.undefined(fault("", "The document does not declare the variable "+name+".",
			attrs[name].NameRange))
	}
}

// values returns all values, after each was checked. One that has a fault is not known.
func (v *variables) values() cty.Value {
	values := map[string]cty.Value{}
	for _, name := range sortedKeys(v.all) {
		one := v.all[name]
		if one.value != cty.NilVal && !one.isWrong {
			v.check(one)
			values[name] = one.value
			continue
		}
		if !one.isWrong && !v.isUnread {
			v.diags = append(v.diags, fault("Unset variable",
				"The variable "+name+" has no default, so it must be set: by the command line, a file or "+
					"the environment.", one.place))
		}
		values[name] = cty.DynamicVal
	}
	return cty.ObjectVal(values)
}

func (v *variables) check(one *variable) {
	context := &hcl.EvalContext{
		Functions: v.functions,
		Variables: map[string]cty.Value{
			"var": cty.ObjectVal(map[string]cty.Value{one.name: one.value}),
		},
	}
	for _, rule := range one.rules {
		result, diags := rule.condition.Value(context)
		v.diags = append(v.diags, diags...)
		if diags.HasErrors() {
			continue
		}
		holds, err := convert.Convert(result, cty.Bool)
		if err != nil || holds.IsNull() || !holds.IsKnown() {
			v.diags = append(v.diags, fault("Invalid condition of a validation",
				"The condition must be true or false.", rule.condition.Range()))
		} else if holds.False() {
			v.diags = append(v.diags, fault("Invalid value of the variable "+one.name,
				rule.message+" (value of "+one.from+", checked by the rule at "+rule.place.String()+")",
				one.setPlace))
		}
	}
}
