// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import (
	"fmt"
	"math/rand"
	"strconv"
	"strings"
)

// Makes templates that mostly make sense: each expression has a type, and most functions get what
// they want.
type generator struct {
	random    *rand.Rand
	variables []string
	depth     int
	ranges    int
	names     int
}

func newGenerator(seed int64) *generator {
	return &generator{random: rand.New(rand.NewSource(seed))}
}

func (g *generator) one(of ...string) string { return of[g.random.Intn(len(of))] }

func (g *generator) chance(percent int) bool { return g.random.Intn(100) < percent }

// deeper runs MAKE one level deeper, or SHALLOW if that is too deep.
func (g *generator) deeper(make, shallow func() string) string {
	if g.depth > 3 {
		return shallow()
	}
	g.depth++
	defer func() { g.depth-- }()
	return make()
}

func (g *generator) literalText() string {
	return g.one(`"a"`, `""`, `"Hello World"`, `"x,y,,z"`, `" padded\t"`, `"a=1,b=2"`, `"fooBarBaz"`, `"http_server-2xx"`,
		`"日本語 é"`, `"<a href='x'>&</a>"`, `"line 1\nline 2\n\nline 4"`, `"10"`, `"-7"`, `"1.50"`, `"true"`,
		`"0x1F"`, `"tab\there \"quoted\" \\ \u00e9"`, "`raw \"text\\n`", `"yes"`, `"null"`, `"12:30:45"`, `"1e3"`,
		`"2001-01-01"`, `"- a"`, `"a: b"`, `"#c"`, `"the quick brown fox jumps over the lazy dog, and then it jumps over another one"`,
		`"~"`, `"007"`, `"0o7"`, `"1_000"`, `".5"`, `"&a"`, `"*b"`, `"%d"`, `"{x}"`, `"[y]"`, `"\x01\x7f"`, `"trailing "`)
}

func (g *generator) literalInt() string {
	return g.one("0", "1", "2", "3", "7", "-1", "-5", "10", "42", "100", "255", "0x1F", "'a'", "1_000", "0b101", "0o17", "999999")
}

func (g *generator) literalFloat() string {
	return g.one("0.0", "1.5", "-2.25", "1e3", "1e-7", "3.14159", "1e21", "123456789.0", "0.1", "2.50", "1e6", "100000.0")
}

func (g *generator) text() string {
	return g.deeper(func() string {
		switch g.random.Intn(36) {
		case 0:
			return fmt.Sprintf("(toUpper %s)", g.text())
		case 1:
			return fmt.Sprintf("(toLower %s)", g.text())
		case 2:
			return fmt.Sprintf("(replaceAll %s %s %s)", g.one(`"a"`, `"o"`, `""`, `"xx"`), g.literalText(), g.text())
		case 3:
			return fmt.Sprintf("(trimSpace %s)", g.text())
		case 4:
			return fmt.Sprintf("(%s %s)", g.one("base64Encode", "base64URLEncode", "sha256Hex", "md5sum", "sprig_sha1sum",
				"sprig_sha512sum", "sprig_b64enc", "sprig_b32enc", "sprig_adler32sum"), g.text())
		case 5:
			return fmt.Sprintf("(indent %d %s)", g.random.Intn(5), g.text())
		case 6:
			return fmt.Sprintf("(join %s %s)", g.literalText(), g.texts())
		case 7:
			return fmt.Sprintf("(print %s %s)", g.any(), g.any())
		case 8:
			return g.printf()
		case 9:
			return fmt.Sprintf("(%s %s)", g.one("html", "js", "urlquery", "println"), g.any())
		case 10:
			return fmt.Sprintf("(%s %s)", g.one("toJSON", "toUnescapedJSON", "toJSONPretty", "toUnescapedJSONPretty", "toYAML"), g.tree())
		case 11:
			return fmt.Sprintf("(toTOML %s)", g.dict())
		case 12:
			return fmt.Sprintf("(sprig_trunc %s %s)", g.literalSmall(), g.text())
		case 13:
			return fmt.Sprintf("(sprig_repeat %d %s)", g.random.Intn(4), g.text())
		case 14:
			return fmt.Sprintf("(sprig_quote %s %s)", g.any(), g.any())
		case 15:
			return fmt.Sprintf("(sprig_squote %s)", g.any())
		case 16:
			return fmt.Sprintf("(sprig_cat %s %s %s)", g.any(), g.any(), g.any())
		case 17:
			return fmt.Sprintf("(%s %d %s)", g.one("sprig_indent", "sprig_nindent", "sprig_abbrev", "sprig_wrap"), 1+g.random.Intn(12), g.text())
		case 18:
			return fmt.Sprintf("(sprig_join %s %s)", g.literalText(), g.list())
		case 19:
			return fmt.Sprintf("(sprig_toString %s)", g.any())
		case 20:
			return fmt.Sprintf("(%s %s %s)", g.one("trim", "trimPrefix", "trimSuffix", "sprig_trimAll", "sprig_trimPrefix"), g.one(`"a"`, `" "`, `"ax "`), g.text())
		case 21:
			return fmt.Sprintf("(%s %s)", g.one("sprig_upper", "sprig_lower", "sprig_trim", "sprig_nospace", "sprig_initials",
				"sprig_untitle", "sprig_regexQuoteMeta", "sprig_base", "sprig_dir", "sprig_clean", "sprig_ext"), g.text())
		case 22:
			return fmt.Sprintf("(%s %s)", g.one("sprig_snakecase", "sprig_kebabcase", "sprig_camelcase", "sprig_title", "sprig_swapcase", "toTitle"),
				g.one(`"fooBarBaz"`, `"HTTPServer"`, `"http_server"`, `"a b-c_d"`, `"x2Y"`, `"hello world"`, `"Bld4Floor"`, `"HTTP2xx"`, `""`, `"_a"`))
		case 23:
			return fmt.Sprintf("(regexReplaceAll %s %s %s)", g.pattern(), g.one(`"<$0>"`, `"$1"`, `"${1}x"`, `"$$"`, `"-"`), g.text())
		case 24:
			return fmt.Sprintf("(sprig_regexFind %s %s)", g.pattern(), g.text())
		case 25:
			return fmt.Sprintf("(sprig_regexReplaceAllLiteral %s %s %s)", g.pattern(), g.text(), g.literalText())
		case 26:
			return fmt.Sprintf("(%s %s)", g.one("sprig_typeOf", "sprig_kindOf"), g.any())
		case 27:
			return g.one(`(env "DROVER_T_NAME")`, `(envOrDefault "DROVER_T_NONE" "d")`, `(key "app/port")`, `(keyOrDefault "app/none" "x")`, `(file "local/app.conf")`)
		case 28:
			return fmt.Sprintf("(sprig_substr 0 %d %s)", g.random.Intn(3), g.literalText())
		case 29:
			return fmt.Sprintf("(sprig_plural %s %s %s)", g.literalText(), g.literalText(), g.literalInt())
		case 30:
			return fmt.Sprintf("(sprig_seq %s)", g.one("5", "-3", "1 4", "0 2 9", "9 -3 0", "4 4"))
		case 31:
			return fmt.Sprintf("(hmacSHA256Hex %s %s)", g.text(), g.literalText())
		case 32:
			return fmt.Sprintf("(%s %s)", g.one("sprig_toJson", "sprig_toPrettyJson", "sprig_toRawJson"), g.tree())
		case 33:
			return fmt.Sprintf("(sprig_duration %s)", g.one(`"95"`, `"0"`, `"3661"`, `"x"`))
		case 34:
			return fmt.Sprintf("(sprig_durationRound %s)", g.one(`"2h10m5s"`, `"48h"`, `"x"`, `"900ms"`, `"9000h"`))
		default:
			return g.literalText()
		}
	}, g.literalText)
}

func (g *generator) literalSmall() string { return g.one("0", "1", "2", "3", "5", "-2") }

func (g *generator) pattern() string {
	return g.one(`"a"`, `"[a-z]+"`, `"(\\w+) (\\w+)"`, `"x*"`, `"^"`, `"$"`, `"(?i)HELLO"`, `"o|l"`, `"\\d+"`, `"(a)(b)?"`, `"[^ ]"`, `"\\b"`)
}

// printf makes a call of printf, not always with the right arguments.
func (g *generator) printf() string {
	verbs := []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X", "%t", "%f", "%g", "%e", "%c", "%U", "%o", "%b", "%T", "%5d", "%-5d|",
		"%05d", "%+d", "% d", "%8.3f", "%-8s|", "%8s|", "%.2s", "%#x", "%#q", "%+q", "% x", "%.3g", "%6.2f%%", "%[1]v", "%08b", "%O", "%G", "%-10q|", "%#o", "%x"}
	count := 1 + g.random.Intn(3)
	format, arguments := "", ""
	for i := 0; i < count; i++ {
		format += g.one("", "a ", "|") + verbs[g.random.Intn(len(verbs))]
		argument := g.scalar()
		if g.chance(20) {
			argument = g.list()
		}
		arguments += " " + argument
	}
	if g.chance(5) {
		arguments += " " + g.scalar()
	}
	return fmt.Sprintf("(printf %s%s)", strconv.Quote(format), arguments)
}

func (g *generator) integer() string {
	return g.deeper(func() string {
		switch g.random.Intn(14) {
		case 0:
			return fmt.Sprintf("(len %s)", g.one(g.text(), g.list(), g.dict()))
		case 1:
			return fmt.Sprintf("(%s %s %s)", g.one("add", "subtract", "multiply", "minimum", "maximum"), g.integer(), g.integer())
		case 2:
			return fmt.Sprintf("(%s %s %s)", g.one("divide", "modulo"), g.one("1", "2", "3", "-4", "7"), g.integer())
		case 3:
			return fmt.Sprintf("(%s %s)", g.one("sprig_int", "sprig_int64", "sprig_add1"), g.scalar())
		case 4:
			return fmt.Sprintf("(%s %s %s)", g.one("sprig_add", "sprig_sub", "sprig_mul", "sprig_max", "sprig_min"), g.scalar(), g.scalar())
		case 5:
			return fmt.Sprintf("(parseInt %s)", g.one(`"10"`, `"-7"`, `""`, `"0"`))
		case 6:
			return fmt.Sprintf("(parseUint %s)", g.one(`"10"`, `"7"`, `""`))
		case 7:
			return fmt.Sprintf("(sprig_atoi %s)", g.literalText())
		case 8:
			return fmt.Sprintf("(index %s %s)", g.one(`"abc"`, `"é"`), g.one("0", "1"))
		default:
			return g.literalInt()
		}
	}, g.literalInt)
}

func (g *generator) float() string {
	return g.deeper(func() string {
		switch g.random.Intn(8) {
		case 0:
			return fmt.Sprintf("(%s %s %s)", g.one("add", "subtract", "multiply"), g.float(), g.one(g.float(), g.integer()))
		case 1:
			return fmt.Sprintf("(%s %s)", g.one("sprig_ceil", "sprig_floor", "sprig_float64"), g.one("1.5", "-2.5", "7", `"3.25"`))
		case 2:
			return fmt.Sprintf("(sprig_round %s %d)", g.one("1.005", "123.4567", "-2.5", "3"), g.random.Intn(4))
		case 3:
			return fmt.Sprintf("(%s %s %s)", g.one("sprig_addf", "sprig_subf", "sprig_mulf"), g.one("0.1", "1.25", "3"), g.one("0.2", "2.5", "7"))
		case 4:
			return fmt.Sprintf("(parseFloat %s)", g.one(`"1.5"`, `""`, `"1e10"`, `"-0.125"`))
		default:
			return g.literalFloat()
		}
	}, g.literalFloat)
}

func (g *generator) boolean() string {
	return g.deeper(func() string {
		switch g.random.Intn(16) {
		case 0:
			return fmt.Sprintf("(eq %s %s)", g.integer(), g.integer())
		case 1:
			return fmt.Sprintf("(%s %s %s)", g.one("lt", "le", "gt", "ge", "ne", "eq"), g.literalText(), g.text())
		case 2:
			return fmt.Sprintf("(%s %s %s)", g.one("and", "or"), g.boolean(), g.boolean())
		case 3:
			return fmt.Sprintf("(not %s)", g.any())
		case 4:
			return fmt.Sprintf("(%s %s %s)", g.one("lt", "gt", "le", "ge"), g.float(), g.float())
		case 5:
			return fmt.Sprintf("(in %s %s)", g.list(), g.scalar())
		case 6:
			return fmt.Sprintf("(contains %s %s)", g.text(), g.one(g.texts(), g.text()))
		case 7:
			return fmt.Sprintf("(%s %s %s)", g.one("containsAll", "containsAny", "containsNone", "containsNotAll"), g.anyList(), g.list())
		case 8:
			return fmt.Sprintf("(regexMatch %s %s)", g.pattern(), g.text())
		case 9:
			return fmt.Sprintf("(sprig_empty %s)", g.any())
		case 10:
			return fmt.Sprintf("(%s %s %s)", g.one("sprig_hasPrefix", "sprig_hasSuffix", "sprig_contains"), g.one(`"a"`, `"H"`, `""`), g.text())
		case 11:
			return fmt.Sprintf("(sprig_has %s %s)", g.scalar(), g.list())
		case 12:
			return fmt.Sprintf("(sprig_hasKey %s %s)", g.dict(), g.one(`"a"`, `"k"`))
		case 13:
			return fmt.Sprintf("(sprig_deepEqual %s %s)", g.tree(), g.tree())
		case 14:
			return fmt.Sprintf("(parseBool %s)", g.one(`"true"`, `"0"`, `""`, `"T"`))
		default:
			return g.one("true", "false", `(keyExists "app/port")`, `(keyExists "app/none")`)
		}
	}, func() string { return g.one("true", "false") })
}

func (g *generator) scalar() string {
	switch g.random.Intn(8) {
	case 0, 1, 2:
		return g.text()
	case 3, 4:
		return g.integer()
	case 5:
		return g.float()
	case 6:
		return g.boolean()
	default:
		if len(g.variables) > 0 {
			return g.one(g.variables...)
		}
		return g.literalText()
	}
}

func (g *generator) any() string {
	switch g.random.Intn(10) {
	case 0, 1:
		return g.list()
	case 2:
		return g.dict()
	case 3:
		return g.one(".", "nil", g.texts())
	default:
		return g.scalar()
	}
}

// value makes an expression that can stand alone, which nil cannot.
func (g *generator) value() string {
	if of := g.any(); of != "nil" {
		return of
	}
	return g.scalar()
}

func (g *generator) anyList() string {
	return fmt.Sprintf("(sprig_list %s %s)", g.scalar(), g.scalar())
}

// tree makes a value that can be written as JSON.
func (g *generator) tree() string {
	switch g.random.Intn(6) {
	case 0, 1:
		return g.dict()
	case 2, 3:
		return g.list()
	case 4:
		return g.one(`(key "app/json" | parseJSON)`, `(parseJSON "[1,2.5,\"x\",null,true,{\"a\":[]}]")`, `(explode (tree "app"))`)
	default:
		return g.scalar()
	}
}

func (g *generator) texts() string {
	return g.one(fmt.Sprintf(`(split "," %s)`, g.literalText()), fmt.Sprintf(`(sprig_splitList " " %s)`, g.literalText()),
		fmt.Sprintf("(sprig_sortAlpha %s)", `(split "," "b,a,c")`), `(sprig_regexSplit "," "a,b" -1)`, `(sprig_regexFindAll "[a-z]" "a1b2" -1)`,
		`(sprig_toStrings (sprig_list 1 "a" true))`)
}

func (g *generator) list() string {
	return g.deeper(func() string {
		switch g.random.Intn(16) {
		case 0:
			return fmt.Sprintf("(%s %s)", g.one("sprig_rest", "sprig_initial", "sprig_reverse", "sprig_uniq", "sprig_compact"), g.list())
		case 1:
			return fmt.Sprintf("(%s %s %s)", g.one("sprig_append", "sprig_prepend", "sprig_without"), g.list(), g.scalar())
		case 2:
			return fmt.Sprintf("(sprig_concat %s %s)", g.list(), g.list())
		case 3:
			return fmt.Sprintf("(sprig_chunk %d %s)", 1+g.random.Intn(3), g.list())
		case 4:
			return fmt.Sprintf("(sprig_until %d)", g.random.Intn(5))
		case 5:
			return fmt.Sprintf("(sprig_untilStep %s)", g.one("0 6 2", "5 0 -2", "0 5 0", "3 3 1"))
		case 6:
			return `(parseJSON "[1,2.5,\"x\"]")`
		case 7:
			return fmt.Sprintf("(sprig_pluck %s %s %s)", g.one(`"a"`, `"k"`), g.dict(), g.dict())
		default:
			elements := ""
			for n := g.random.Intn(4); n > 0; n-- {
				elements += " " + g.any()
			}
			return "(sprig_list" + elements + ")"
		}
	}, func() string {
		return g.one("(sprig_list)", `(sprig_list 1 "a" 2.5)`, "(sprig_list true nil)", `(sprig_list "b" "a")`)
	})
}

func (g *generator) dict() string {
	return g.deeper(func() string {
		switch g.random.Intn(10) {
		case 0:
			return fmt.Sprintf("(%s %s %s)", g.one("sprig_merge", "sprig_mergeOverwrite", "mergeMap", "mergeMapWithOverride"), g.dict(), g.dict())
		case 1:
			return fmt.Sprintf(`(%s %s "a" "k")`, g.one("sprig_pick", "sprig_omit"), g.dict())
		case 2:
			return fmt.Sprintf("(sprig_set %s %s %s)", g.dict(), g.one(`"a"`, `"z"`), g.any())
		case 3:
			return fmt.Sprintf("(explodeMap (sprig_dict %s %s %s %s))", g.one(`"a/b"`, `"a"`), g.scalar(), g.one(`"c/d/e"`, `"c"`), g.scalar())
		case 4:
			return fmt.Sprintf("(sprig_deepCopy %s)", g.dict())
		default:
			elements := ""
			for _, key := range []string{"a", "b", "k", "x y", "10", "9"} {
				if g.chance(35) {
					elements += fmt.Sprintf(" %q %s", key, g.any())
				}
			}
			return "(sprig_dict" + elements + ")"
		}
	}, func() string { return g.one("(sprig_dict)", `(sprig_dict "a" 1)`, `(sprig_dict "k" "v" "a" true)`) })
}

// pipeline makes an expression, sometimes with a pipe, without parentheses around all.
func (g *generator) pipeline() string {
	expression := g.one(g.scalar(), g.value(), g.tree())
	switch {
	case g.chance(15):
		return expression + " | print"
	case g.chance(10):
		return g.text() + " | " + g.one("toUpper", "printf \"%q\"", "replaceAll \"a\" \"b\"", "len", "split \",\"", "toJSON")
	case g.chance(10):
		return g.list() + " | " + g.one("len", "toJSON", "sprig_first", "sprig_last", "toYAML", "sprig_join \"+\"")
	}
	return expression
}

func (g *generator) open() string  { return g.one("{{", "{{", "{{ ", "{{- ") }
func (g *generator) close() string { return g.one("}}", "}}", " }}", " -}}") }

func (g *generator) action(inside string) string { return g.open() + inside + g.close() }

func (g *generator) body() string {
	mark := len(g.variables)
	defer func() { g.variables = g.variables[:mark] }()
	g.depth++
	defer func() { g.depth-- }()
	var out strings.Builder
	for n := 1 + g.random.Intn(3); n > 0; n-- {
		out.WriteString(g.node())
	}
	return out.String()
}

func (g *generator) node() string {
	if g.depth > 4 {
		return g.action(g.scalar())
	}
	switch g.random.Intn(20) {
	case 0, 1:
		return g.one(" text ", "\n", "a\n  b", "\t<&>", "} }", "é ")
	case 2:
		return g.action("if "+g.value()) + g.body() + g.one("", g.action("else")+g.body(), g.action("else if "+g.boolean())+g.body()) + g.action("end")
	case 3:
		return g.action("with "+g.value()) + g.action(".") + g.body() + g.one("", g.action("else")+g.body(), g.action("else with "+g.scalar())+g.body()) + g.action("end")
	case 4, 5:
		return g.rangeNode()
	case 6, 7:
		g.names++
		name := fmt.Sprintf("$v%d", g.names)
		action := g.action(name + " := " + g.pipeline())
		g.variables = append(g.variables, name)
		return action
	case 8:
		if len(g.variables) == 0 {
			return g.action(g.text())
		}
		return g.action(g.one(g.variables...) + " = " + g.pipeline())
	case 9:
		g.names++
		name := fmt.Sprintf("t%d", g.names)
		ranges := g.ranges
		g.ranges = 0
		variables := g.variables
		g.variables = nil
		body := g.body()
		g.ranges, g.variables = ranges, variables
		return g.action(fmt.Sprintf("block %q %s", name, g.value())) + body + g.action("end")
	case 10:
		return g.one("{{/* a comment */}}", "{{- /* a comment */ -}}")
	case 11:
		return g.action(g.one(`scratch.Set "s" `+g.any(), `scratch.Get "s"`, `scratch.MapSet "m" "b" `+g.scalar(), `scratch.MapValues "m"`, `scratch.Key "s"`))
	case 12:
		return g.action("(" + strings.TrimSuffix(strings.TrimPrefix(g.dict(), "("), ")") + ")." + g.one("a", "k", "missing"))
	case 13:
		return g.action(g.one(`range nomadService "redis"`, `range service "web"`)) + g.action(g.one(".Address", ".Port", ".Tags", ".ID | toUpper", "len .Tags")) + g.action("end")
	default:
		return g.action(g.pipeline())
	}
}

func (g *generator) rangeNode() string {
	over := g.one(g.list(), g.dict(), g.texts(), g.one("3", "0", `(loop 3)`, `(loop 2 5)`), `(tree "app" | explode)`)
	mark := len(g.variables)
	declared := ""
	if g.chance(40) {
		g.names++
		key, value := fmt.Sprintf("$k%d", g.names), fmt.Sprintf("$e%d", g.names)
		if g.chance(50) && over != "3" && over != "0" {
			declared = key + ", " + value + " := "
			g.variables = append(g.variables, key, value)
		} else {
			declared = value + " := "
			g.variables = append(g.variables, value)
		}
	}
	g.ranges++
	body := g.body()
	if g.chance(20) {
		body += g.action("if "+g.boolean()) + g.action(g.one("break", "continue")) + g.action("end") + g.body()
	}
	g.ranges--
	g.variables = g.variables[:mark]
	return g.action("range "+declared+over) + g.action(".") + body + g.one("", g.action("else")+g.body()) + g.action("end")
}

// template makes a whole template. Its delimiters are others at times.
func (g *generator) template() templateCase {
	g.variables, g.depth, g.ranges, g.names = nil, 0, 0, 0
	var out strings.Builder
	for n := 1 + g.random.Intn(5); n > 0; n-- {
		out.WriteString(g.node())
	}
	one := templateCase{Text: out.String() + g.one("", "end\n"), Strict: g.chance(10)}
	if one.Text == "" {
		one.Text = "text"
	}
	if g.chance(5) {
		one.Left, one.Right = "<%", "%>"
		one.Text = strings.NewReplacer("{{", "<%", "}}", "%>").Replace(one.Text)
	}
	return one
}
