// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// A maker makes a random value, and a document that means it in one of the many ways of the language.
type maker struct {
	random   *rand.Rand
	document strings.Builder
	end      strings.Builder // variables and local values
	names    int
	asked    request
}

// bodySchema has each kind of attribute and block. Bodies stand within each other.
func bodySchema() *schema {
	return &schema{Root: "body", Bodies: map[string]*body{"body": {
		Attributes: map[string]attribute{
			"text": {"Text", "string"}, "number": {"Number", "number"}, "bool": {"Bool", "bool"},
			"list": {"List", "list(string)"}, "map": {"Map", "map(number)"}, "any": {"Any", "any"},
			"wait": {"Wait", "duration"},
		},
		Blocks: map[string]block{
			"one":  {Field: "One", Body: "body"},
			"many": {Field: "Many", Labels: []string{"Label"}, Many: true, Body: "body"},
			"tags": {Field: "Tags", Open: "map"},
			"open": {Field: "Open", Open: "any"},
		},
	}}}
}

func (m *maker) chance(one int) bool { return m.random.Intn(one) == 0 }

func (m *maker) name(prefix string) string {
	m.names++
	return fmt.Sprintf("%s%d", prefix, m.names)
}

func (m *maker) line(format string, args ...any) { fmt.Fprintf(&m.document, format+"\n", args...) }

var pieces = []string{
	"a", "Z", "0", " ", "  ", "\n", "\t", "\"", "\\", "\\n", "$", "%", "{", "}", "${", "%{", "$${", "#",
	"//", "/*", "<<E", "é", "ж", "☃", "🤔", "'", ",", "=", "null", "[", "]", "\r\n", "\u200b", "EOT",
}

func (m *maker) text() string {
	var out strings.Builder
	for i := m.random.Intn(8); i > 0; i-- {
		out.WriteString(pieces[m.random.Intn(len(pieces))])
	}
	return out.String()
}

func (m *maker) number() float64 {
	switch m.random.Intn(4) {
	case 0:
		return float64(m.random.Intn(10))
	case 1:
		return float64(m.random.Int63n(1<<41) - 1<<40)
	case 2:
		return float64(m.random.Intn(10000)) / 16
	}
	return -float64(m.random.Intn(1000)) / 8
}

// value makes any value up to DEPTH levels.
func (m *maker) value(depth int) any {
	kinds := 4
	if depth > 0 {
		kinds = 6
	}
	switch m.random.Intn(kinds) {
	case 0:
		return m.number()
	case 1:
		return m.chance(2)
	case 4:
		list := []any{}
		for i := m.random.Intn(4); i > 0; i-- {
			list = append(list, m.value(depth-1))
		}
		return list
	case 5:
		return m.object(depth)
	}
	return m.text()
}

func (m *maker) object(depth int) map[string]any {
	made := map[string]any{}
	for i := m.random.Intn(4); i > 0; i-- {
		key := m.name("k")
		if m.chance(3) {
			key = m.text() + key
		}
		made[key] = m.value(depth - 1)
	}
	return made
}

// escaped returns TEXT so that a template has it literally.
func escaped(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "${", "$${"), "%{", "%%{")
}

func quoted(text string) string { return `"` + withinQuotes(text) + `"` }

func withinQuotes(text string) string {
	return escaped(strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\n", "\r", "\\r", "\t", "\\t").
		Replace(text))
}

// decimal writes all digits: numbers here are sixteenths.
func decimal(number float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(number, 'f', 4, 64), "0"), ".")
}

// literal writes VALUE without names and functions.
func (m *maker) literal(value any) string {
	switch v := value.(type) {
	case string:
		return quoted(v)
	case float64:
		if m.chance(5) && v == float64(int64(v)) {
			return strconv.FormatFloat(v, 'f', 1, 64)
		}
		return decimal(v)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return m.list(v, m.literal)
	case map[string]any:
		return m.pairs(v, m.literal)
	}
	panic(value)
}

func (m *maker) list(values []any, write func(any) string) string {
	var parts []string
	for _, one := range values {
		parts = append(parts, write(one))
	}
	if m.chance(3) && len(parts) > 0 {
		return "[ # a list\n" + strings.Join(parts, ",\n\n") + ", /* the end */\n]"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (m *maker) pairs(values map[string]any, write func(any) string) string {
	out := "{"
	between := []string{", ", "\n", ",\n", " // next\n"}[m.random.Intn(4)]
	for i, key := range sortedKeys(values) {
		if i > 0 {
			out += between
		}
		written := quoted(key)
		switch {
		case m.chance(4):
			written = "(" + written + ")"
		case hclsyntax.ValidIdentifier(key):
			written = key
		}
		out += written + []string{" = ", " : "}[m.random.Intn(2)] + write(values[key])
	}
	return out + "}"
}

// expression writes VALUE in any way.
func (m *maker) expression(value any) string {
	switch m.random.Intn(14) {
	case 0:
		return "(" + m.expression(value) + ")"
	case 1:
		return "(true ? " + m.expression(value) + " : null)"
	case 2:
		return "[" + m.literal(m.text()) + ", " + m.expression(value) + "][1]"
	case 3:
		return `{ a = ` + m.expression(value) + ` }["a"]`
	case 4:
		return "[for x in [" + m.expression(value) + "] : x][0]"
	case 5:
		return "try({}.nothing, " + m.expression(value) + ")"
	case 6:
		return m.local(m.literal(value))
	case 7:
		return m.variable(value)
	}
	switch v := value.(type) {
	case string:
		return m.textExpression(v)
	case float64:
		return m.numberExpression(v)
	case bool:
		return m.boolExpression(v)
	case []any:
		return m.listExpression(v)
	case map[string]any:
		return m.objectExpression(v)
	}
	panic(value)
}

func (m *maker) local(expression string) string {
	name := m.name("l")
	fmt.Fprintf(&m.end, "locals {\n  %s = %s\n}\n", name, expression)
	if m.chance(3) {
		return `local["` + name + `"]`
	}
	return "local." + name
}

// variable sets a variable in one of the ways that there are.
func (m *maker) variable(value any) string {
	name := m.name("v")
	declared := "variable \"" + name + "\" {\n"
	switch value.(type) {
	case string:
		declared += "type = string\n"
	case float64:
		declared += "type = number\n"
	case bool:
		declared += "type = bool\n"
	}
	as := m.literal(value)
	plain := as // on the command line, and in the environment
	if text, isText := value.(string); isText {
		plain = text
	}
	_, isPlain := value.(map[string]any)
	if _, isList := value.([]any); isList || isPlain {
		declared += "default = null\n" // so that an expression is read
	}
	switch m.random.Intn(4) {
	case 0:
		fmt.Fprintf(&m.end, "variables {\n%s = %s\n}\n", name, as)
		return "var." + name
	case 1:
		m.asked.CommandLine = append(m.asked.CommandLine, setting{name, plain})
	case 2:
		m.asked.Environment = append(m.asked.Environment, setting{name, plain})
	case 3:
		text, _ := json.Marshal(map[string]any{name: value})
		if m.chance(2) {
			text = []byte(name + " = " + as + "\n")
		}
		m.asked.VariableFiles = append(m.asked.VariableFiles, source{name + ".vars", string(text)})
	}
	m.end.WriteString(declared + "}\n")
	return "var." + name
}

func (m *maker) textExpression(value string) string {
	runes := []rune(value)
	at := m.random.Intn(len(runes) + 1)
	before, after := string(runes[:at]), string(runes[at:])
	switch m.random.Intn(7) {
	case 0:
		return `join("", [` + m.expression(before) + ", " + m.expression(after) + "])"
	case 1:
		return `format("%s%s", ` + m.expression(before) + ", " + m.expression(after) + ")"
	case 2:
		if strings.HasSuffix(before, "$") {
			return quoted(value) // not "$${"
		}
		return `"` + withinQuotes(before) + "${" + m.expression(after) + `}"`
	case 3:
		return `"%{ if 1 < 2 }${` + m.expression(value) + `}%{ else }no%{ endif }"`
	case 4:
		return `"%{ for x in [` + m.literal(before) + ", " + m.literal(after) + `] ~}  ${x}%{ endfor }"`
	}
	return quoted(value)
}

func (m *maker) numberExpression(value float64) string {
	other := float64(m.random.Intn(1000)) / 8
	switch m.random.Intn(5) {
	case 0:
		if value-other+other != value {
			return m.literal(value)
		}
		return "(" + m.literal(value-other) + " + " + m.literal(other) + ")"
	case 1:
		return "(" + m.literal(value) + " * 8 / 8)"
	case 2:
		return "-" + "(" + m.literal(-value) + ")"
	}
	return m.literal(value)
}

func (m *maker) boolExpression(value bool) string {
	switch m.random.Intn(4) {
	case 0:
		return "!" + m.literal(!value)
	case 1:
		return "(" + m.literal(value) + " || 2 < 1 && true)"
	case 2:
		return "(" + m.literal(value) + ` == ("a" != "b"))`
	}
	return m.literal(value)
}

func (m *maker) listExpression(value []any) string {
	at := m.random.Intn(len(value) + 1)
	switch m.random.Intn(6) {
	case 0:
		return "concat(" + m.expression(value[:at]) + ", " + m.expression(value[at:]) + ")"
	case 1:
		return "[for i, x in " + m.list(value, m.expression) + " : x if i >= 0]"
	case 2:
		wrap := func(one any) string { return "{ a = [" + m.expression(one) + "] }" }
		return m.list(value, wrap) + "[*].a[0]"
	case 3:
		return "reverse(reverse(" + m.list(value, m.literal) + "))"
	}
	return m.list(value, m.expression)
}

func (m *maker) objectExpression(value map[string]any) string {
	switch m.random.Intn(4) {
	case 0:
		return "merge(" + m.pairs(value, m.expression) + ", {})"
	case 1:
		return "{for k, v in " + m.pairs(value, m.expression) + " : k => v}"
	}
	return m.pairs(value, m.expression)
}

func (m *maker) attribute(name string, value any) any {
	m.line("%s = %s", name, m.expression(value))
	return value
}

// body writes what stands in a body, and returns what it means.
func (m *maker) body(depth int) map[string]any {
	means := map[string]any{}
	if m.chance(2) {
		means["Text"] = m.textAttribute()
	}
	if m.chance(3) {
		means["Number"] = m.attribute("number", m.number())
	}
	if m.chance(3) {
		value := m.chance(2)
		means["Bool"] = value
		m.line("bool = %s", []string{m.expression(value), m.expression(fmt.Sprint(value))}[m.random.Intn(2)])
	}
	if m.chance(3) {
		list := []any{}
		for i := m.random.Intn(4); i > 0; i-- {
			list = append(list, m.text())
		}
		means["List"] = m.attribute("list", list)
	}
	if m.chance(3) {
		means["Map"] = m.attribute("map", map[string]any{m.text(): m.number()})
	}
	if m.chance(2) {
		means["Any"] = m.attribute("any", m.value(3))
	}
	if m.chance(4) {
		means["Wait"] = 90e9
		m.line("wait = %s", []string{m.expression("1m30s"), m.expression(90e9)}[m.random.Intn(2)])
	}
	if depth > 0 {
		m.blocks(depth-1, means)
	}
	return means
}

// textAttribute writes the attribute "text" as any expression, as a heredoc, or with names of run time.
func (m *maker) textAttribute() string {
	switch m.random.Intn(5) {
	case 0:
		m.line("text = node.class")
		return "${node.class}"
	case 1:
		text := m.text()
		m.line(`text = "${meta.a}%s%%%%{ if true }${env["HOME"]}%%%%{ endif }${attr.x[0].y}"`,
			withinQuotes(text))
		return "${meta.a}" + text + `%{ if true }${env["HOME"]}%{ endif }${attr.x[0].y}`
	case 2:
		return m.heredoc("text")
	}
	return m.attribute("text", m.text()).(string)
}

// heredoc writes lines, and indents all of them if that is taken away again.
func (m *maker) heredoc(name string) string {
	var lines []string
	for i := m.random.Intn(5); i > 0; i-- {
		lines = append(lines, strings.NewReplacer("\n", "", "\r", "", "EOT", "", "\t", "").Replace(m.text()))
	}
	lines = append(lines, "at the margin")
	mark, indent := "<<EOT", ""
	if m.chance(2) {
		mark, indent = "<<-EOT", strings.Repeat(" ", m.random.Intn(5))
	}
	m.line("%s = %s", name, mark)
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			lines[i] = "" // the spaces of such a line stay, also with "<<-"
			m.line("")
			continue
		}
		m.line("%s%s", indent, escaped(line))
	}
	m.line("%sEOT", strings.Repeat(" ", m.random.Intn(5)))
	return strings.Join(lines, "\n") + "\n"
}

func (m *maker) blocks(depth int, means map[string]any) {
	if m.chance(3) {
		m.line("one {")
		means["One"] = m.body(depth)
		m.line("}")
	}
	var many []any
	for i := m.random.Intn(3); i > 0; i-- {
		label := m.text()
		m.line("many %s {", quoted(label))
		inner := m.body(depth)
		inner["Label"] = label
		many = append(many, inner)
		m.line("}")
	}
	if m.chance(3) {
		many = append(many, m.dynamic()...)
	}
	if len(many) > 0 {
		means["Many"] = many
	}
	if m.chance(4) {
		text, number := m.text(), m.number()
		if m.chance(2) {
			m.line("tags {\na = %s\nb = %s\n}", m.expression(text), m.expression(number))
		} else {
			m.line("tags = { a = %s, b = %s }", m.expression(text), m.expression(number))
		}
		means["Tags"] = map[string]any{"a": text, "b": decimal(number)}
	}
	if m.chance(3) {
		m.line("open {")
		means["Open"] = m.open(2)
		m.line("}")
	}
}

// dynamic writes blocks in blocks: each item of a list makes one, and each of its numbers one in it.
func (m *maker) dynamic() []any {
	items, means := []any{}, []any{}
	for i := m.random.Intn(3); i > 0; i-- {
		label, text := m.text(), m.text()
		numbers, inner := []any{}, []any{}
		for j := m.random.Intn(3); j > 0; j-- {
			number := m.number()
			inner = append(inner, map[string]any{"Label": label, "Number": number,
				"Any": []any{float64(len(items)), float64(len(numbers)), text}})
			numbers = append(numbers, number)
		}
		made := map[string]any{"Label": label + "!", "Text": text + "${node.class}",
			"Tags": map[string]any{"key": strconv.Itoa(len(items))}}
		if len(inner) > 0 {
			made["Many"] = inner
		}
		items = append(items, map[string]any{"label": label, "text": text, "numbers": numbers})
		means = append(means, made)
	}
	iterator, named := "many", ""
	if m.chance(2) {
		iterator, named = "node", "iterator = node\n"
	}
	left := "${node.class}"
	if iterator == "node" {
		left = "$${node.class}" // node is the iterator here
	}
	m.line(`dynamic "many" {
  for_each = %s
  %slabels = ["${%s.value.label}!"]
  content {
    text = "${%s.value.text}%s"
    tags { 
      key = %s.key 
    }
    dynamic "many" {
      for_each = %s.value.numbers
      iterator = inner
      labels   = [%s.value.label]
      content {
        number = inner.value
        any    = [%s.key, inner.key, %s.value.text]
      }
    }
  }
}`, m.expression(items), named, iterator, iterator, left, iterator, iterator, iterator, iterator, iterator)
	return means
}

// open writes a body without a schema. An object that is written as such is a list of one.
func (m *maker) open(depth int) map[string]any {
	means := map[string]any{}
	for i := m.random.Intn(3); i > 0; i-- {
		name, value := m.name("a"), m.value(2)
		fields, isObject := value.(map[string]any)
		if isObject && m.chance(2) {
			m.line("%s = %s", name, m.pairs(fields, m.expression))
			means[name] = []any{value}
		} else {
			m.line("%s = (%s)", name, m.expression(value))
			means[name] = value
		}
	}
	if depth == 0 {
		return means
	}
	for i := m.random.Intn(3); i > 0; i-- {
		name := m.name("b")
		var list []any
		for j := 1 + m.random.Intn(2); j > 0; j-- {
			label := m.text()
			if m.chance(2) {
				m.line("%s {", name)
				list = append(list, m.open(depth-1))
			} else {
				m.line("%s %s {", name, quoted(label))
				list = append(list, map[string]any{label: []any{m.open(depth - 1)}})
			}
			m.line("}")
		}
		means[name] = list
	}
	return means
}

// written writes a body by the library's writer.
func (m *maker) written(to *hclwrite.Body, depth int) map[string]any {
	means := map[string]any{}
	set := func(name, field string, value any) {
		means[field] = value
		text, _ := json.Marshal(value)
		kind, _ := ctyjson.ImpliedType(text)
		made, err := ctyjson.Unmarshal(text, kind)
		if err != nil {
			panic(err)
		}
		to.SetAttributeValue(name, made)
	}
	set("text", "Text", m.text())
	set("number", "Number", m.number())
	set("any", "Any", m.value(3))
	set("list", "List", []any{m.text(), m.text()})
	to.SetAttributeValue("bool", cty.NullVal(cty.Bool))
	for i := m.random.Intn(3); i > 0 && depth > 0; i-- {
		label := m.text()
		inner := m.written(to.AppendNewBlock("many", []string{label}).Body(), depth-1)
		inner["Label"] = label
		list, _ := means["Many"].([]any)
		means["Many"] = append(list, inner)
	}
	return means
}

func seed(t *testing.T) int64 {
	if text := os.Getenv("DROVER_SEED"); text != "" {
		number, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return number
	}
	return 19
}

// Each document must mean its value, also after it is laid out, and that again changes nothing.
func TestDocumentsMeanWhatTheyWereMadeFrom(t *testing.T) {
	first := seed(t)
	for i := int64(0); i < 2000; i++ {
		m := &maker{random: rand.New(rand.NewSource(first<<16 + i))}
		var means map[string]any
		if i%4 == 0 {
			file := hclwrite.NewEmptyFile()
			means = m.written(file.Body(), 2)
			m.document.Write(file.Bytes())
		} else {
			means = m.body(3)
		}
		m.asked.Schema = bodySchema()
		m.asked.Text = m.document.String() + m.end.String()
		m.check(t, means)
		laidOut := string(hclwrite.Format([]byte(m.asked.Text)))
		if again := string(hclwrite.Format([]byte(laidOut))); again != laidOut {
			t.Errorf("laying out twice is not the same:\n%s\n%s", laidOut, again)
		}
		m.asked.Text = laidOut
		m.check(t, means)
		if t.Failed() {
			t.Fatalf("this is document %d of the seed %d (DROVER_SEED)", i, first)
		}
	}
}

func (m *maker) check(t *testing.T, means map[string]any) {
	t.Helper()
	value, diags := decodeWith(t, &m.asked)
	if found := difference("", value, means); len(diags) > 0 || found != "" {
		asked, _ := json.Marshal(m.asked)
		t.Errorf("%s\nas %s\ndiffers at %s, with the faults %+v", m.asked.Text, asked, found, diags)
	}
}

// difference returns where GOT is not WANT, or nothing.
func difference(path string, got, want any) string {
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for key, one := range w {
			if found := difference(path+"/"+key, g[key], one); found != "" {
				return found
			}
		}
		if g != nil && len(g) == len(w) {
			return ""
		}
	case []any:
		g, _ := got.([]any)
		if g != nil && len(g) == len(w) {
			for i, one := range w {
				if found := difference(fmt.Sprint(path, "/", i), g[i], one); found != "" {
					return found
				}
			}
			return ""
		}
	default:
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		var x, y any
		if json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x == y {
			return ""
		}
	}
	return fmt.Sprintf("%s: %#v is not %#v", path, got, want)
}
