// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The test program is the program itself if it is asked to.
func TestMain(m *testing.M) {
	if os.Getenv("DROVER_HCL_IS_PROGRAM") != "" {
		go reportPeak(os.NewFile(3, "peak"))
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// repeated makes one text of what MAKE returns for each number below MANY.
func repeated(many int, make func(i int) string) string {
	var out strings.Builder
	for i := 0; i < many; i++ {
		out.WriteString(make(i))
	}
	return out.String()
}

// growing makes local values, each of which holds the one before as STEP says.
func growing(many int, step string) string {
	return "locals {\na0 = [\"x\"]\n" + repeated(many, func(i int) string {
		return fmt.Sprintf("a%d = %s\n", i+1, strings.ReplaceAll(step, "@", fmt.Sprintf("local.a%d", i)))
	}) + fmt.Sprintf("}\na = local.a%d\n", many)
}

// large is a text that is no fault by itself.
func large(of string) string { return `"` + strings.Repeat(of, 200_000) + `"` }

type hostile struct{ name, text, fault string }

// hostileDocuments take too much in each way that was thought of. Each must have a fault with this
// text, within the time and memory that the host gives. They are made only where they are needed: the
// program that is tested is this one.
func hostileDocuments() []hostile {
	return []hostile{
		{"30 MB of brackets", "a = " + strings.Repeat("[", 30<<20), "at most 16777216 are allowed"},
		{"4 MB of brackets", "a = " + strings.Repeat("[", 4<<20), "at most 1048576 are allowed"},
		{"brackets", "a = " + strings.Repeat("[", 1000), "Document too deep"},
		{"many brackets", "a = " + strings.Repeat("[", maxText-4), "Document too expensive"},
		{"parentheses", "a = " + strings.Repeat("(", 1000), "Document too deep"},
		{"blocks", strings.Repeat("b {\n", 1000), "Document too deep"},
		{"objects", "a = " + strings.Repeat("{a=", 1000), "Document too deep"},
		{"calls", "a = " + strings.Repeat("abs(", 1000), "Document too deep"},
		{"indices", "a = [[1]]" + strings.Repeat("[0]", 1000), "Document too deep"},
		{"splats", "a = [[1]]" + strings.Repeat("[*]", 1000), "Document too deep"},
		{"for", "a = " + strings.Repeat("[for x in [1] : ", 1000), "Document too deep"},
		{"templates", "a = " + strings.Repeat(`"${`, 1000), "Document too deep"},
		{"ifs", `a = "` + strings.Repeat("%{ if true }", 1000) + `"`, "Document too deep"},
		{"ifs with markers", `a = "` + strings.Repeat("%{~ if true ~}", 1000) + `"`, "Document too deep"},
		{"fors", "a = <<E\n" + strings.Repeat("%{ for x in [1] }", 1000) + "\nE\n", "Document too deep"},
		{"not", "a = " + strings.Repeat("!", 1000) + "true", "Document too deep"},
		{"minus", "a = " + strings.Repeat("-", 1000) + "1", "Document too deep"},
		{"plus", "a = 1" + strings.Repeat("+1", 1000), "Document too deep"},
		{"plus on lines", "a = (1" + strings.Repeat("\n+1", 1000) + ")", "Document too deep"},
		{"plus in a for", "a = {for x in [1] : x =>\n1" + strings.Repeat("\n+1", 1000) + "}",
			"Document too deep"},
		{"conditions", "a = " + strings.Repeat("true ? 1 : ", 1000) + "1", "Document too deep"},
		{"comparisons", "a = 1" + strings.Repeat(" == 1", 1000), "Document too deep"},
		{"names", repeated(5000, func(i int) string { return fmt.Sprintf("a%d = 1\n", i) }),
			"There are 4900 more"},
		{"words", strings.Repeat("x\n", 150_000), "words and signs"},
		{"faults", strings.Repeat("b {\nc = 1\n}\n", 2000), "There are 1900 more, which are not shown."},
		{"lines of a heredoc", "a = <<E\n" + strings.Repeat("x\n", 90_000) + "E\n", "Document too expensive"},
		{"ring of local values", "locals {\na = local.b\nb = local.c\nc = local.a\n}", "a needs b needs c needs a"},
		{"local value of itself", "locals {\na = local.a\n}", "a needs a"},
		{"local value of all", "locals {\na = keys(local)\nb = 1\n}", "a needs a"},
		{"many local values", growing(1000, "@"), "1001 variables and local values"},
		{"doubled texts", growing(60, `"${@[0]}${@[0]}"`), "does not have any indices"},
		{"doubled text", "locals {\na0 = \"xxxxxxxx\"\n" + repeated(60, func(i int) string {
			return fmt.Sprintf("a%d = \"${local.a%d}${local.a%d}\"\n", i+1, i, i)
		}) + "}\na = local.a60", "Local value too large"},
		{"doubled lists", growing(60, "[@, @]"), "Local value too large"},
		{"doubled objects", growing(60, "{a = @, b = @}"), "Local value too large"},
		{"joined lists", growing(60, "concat(@, @)"), "Local value too large"},
		{"lists in lists", growing(30, strings.Repeat("[", 100)+"@"+strings.Repeat("]", 100)),
			"Local value too large"},
		{"doubled JSON", growing(60, "jsonencode([@, @])"), "Local value too large"},
		{"a gigabyte of for", "a = [for a in range(1000) : [for b in range(1000) : [for c in range(1000) : c]]]",
			"Document too expensive"},
		{"a for that is not kept", "a = length([for a in range(1000) : length([for b in range(1000) : " +
			"length([for c in range(1000) : c])])])", "Document too expensive"},
		{"dynamic blocks", strings.Repeat("dynamic \"b\" {\nfor_each = range(1000)\ncontent {\n", 3) +
			strings.Repeat("}\n}\n", 3), "Document too expensive"},
		{"range", "a = range(1e9)", "more than 1024 values"},
		{"range of small steps", "a = range(0, 1, 1e-9)", "more than 1024 values"},
		{"range of no steps", "a = range(0, 1, 0)", "more than 1024 values"},
		{"setproduct", "a = setproduct(range(1000), range(1000), range(1000))", "more than 100000 elements"},
		{"setproduct of 64", "a = setproduct([for i in range(64) : range(1000)]...)", "more than 100000 elements"},
		{"width", `a = format("%1000000000s", "x")`, "at most 4 digits"},
		{"width with an index", `a = format("%[1]01000000000d", 1)`, "at most 4 digits"},
		{"width of null", `a = format("%1000000000v", null)`, "at most 4 digits"},
		{"precision", `a = format("%.1000000000f", 1)`, "at most 4 digits"},
		{"width in a list", `a = formatlist("%99999999s", ["x"])`, "at most 4 digits"},
		{"indent", `a = indent(1000000000, "a\nb")`, "more than 8388608 bytes"},
		{"indent of many lines", `a = indent(9000, replace(` + large("x") + `, "x", "\n"))`,
			"more than 8388608 bytes"},
		{"indent below 0", `a = indent(-1, "a\nb")`, "must not be less than 0"},
		{"replace of nothing", "a = replace(" + large("x") + `, "", "` + strings.Repeat("0", 50) + `")`,
			"more than 8388608 bytes"},
		{"replace by itself", "locals {\nx = " + large("x") +
			"\n}\na = replace(local.x, \"x\", local.x)", "more than 8388608 bytes"},
		{"regex_replace by itself", "locals {\nx = " + large("x") +
			"\n}\na = regex_replace(local.x, \"x\", local.x)", "more than 8388608 bytes"},
		{"regex_replace by its whole", "locals {\nx = " + large("x") +
			"\n}\na = regex_replace(local.x, \".*\", \"" + strings.Repeat("$0", 50) + "\")", "more than 8388608 bytes"},
		{"regex of many repetitions", `a = regex_replace("a", "((((a{100}){100}){100}){100}){100}", "x")`,
			"invalid repeat count"},
		{"join of one text", "locals {\nx = " + large("x") +
			"\n}\na = join(\"\", [for i in range(1000) : local.x])", "more than 8388608 bytes"},
		{"template of one text", "locals {\nx = " + large("x") +
			"\n}\na = \"%{ for i in range(1000) }${local.x}%{ endfor }\"", "Document too expensive"},
		{"split", "a = split(\"\", " + large("x") + ")", "more than 100000 elements"},
		{"distinct", "a = length(distinct([for i in setproduct(range(300), range(300)) : i]))",
			"Document too expensive"},
		{"brackets of JSON", "a = jsondecode(" + large("[") + ")", "at most 500 lists"},
		{"brackets of YAML", "a = yamldecode(" + large("[") + ")", "at most 500 lists"},
		{"lists of YAML", "a = yamldecode(" + large("- ") + ")", "Document too expensive"},
		{"laughs of YAML", `a = yamldecode("a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n` +
			`c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n` +
			`e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n` +
			`g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: [*g,*g,*g,*g,*g,*g,*g,*g,*g]\n")`, "Document too expensive"},
		{"bcrypt", `a = bcrypt("x", 31)`, "Document too expensive"},
		{"bcrypt beyond", `a = bcrypt("x", 99)`, "cost"},
		{"large number", "a = 1e1000000000", "a number is infinite or too large"},
		{"large number in words", `a = "x${1e100000000}"`, "Document too expensive"},
		{"large number in digits", `a = format("%d", 1e100000000)`, "Document too expensive"},
		{"squares", "locals {\na0 = 1e9\n" + repeated(40, func(i int) string {
			return fmt.Sprintf("a%d = local.a%d * local.a%d\n", i+1, i, i)
		}) + "}\na = local.a40", "a number is infinite or too large"},
		{"a file", `a = file("/etc/shadow")`, "functions of files are not allowed here"},
		{"a directory", `a = fileset("/", "**")`, "functions of files are not allowed here"},
	}
}

// answerOf runs the program for ASKED, and returns its answer and what it took: time and bytes.
func answerOf(t *testing.T, asked *request) (*reply, time.Duration, int) {
	t.Helper()
	sent, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command(os.Args[0])
	program.Env = []string{"DROVER_HCL_IS_PROGRAM=1"}
	program.Stdin = bytes.NewReader(sent)
	var out, faults bytes.Buffer
	program.Stdout, program.Stderr = &out, &faults
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	program.ExtraFiles = []*os.File{writer}
	begin := time.Now()
	err = program.Start()
	writer.Close()
	if err != nil {
		t.Fatal(err)
	}
	peaks, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	err = program.Wait()
	taken := time.Since(begin)
	most := 0
	if lines := strings.Fields(string(peaks)); len(lines) > 0 {
		most, _ = strconv.Atoi(lines[len(lines)-1])
	}
	if err != nil {
		t.Errorf("the program ended with %v: %s", err, bounded(faults.String()))
		return nil, 0, 0
	}
	answer := &reply{}
	if err := json.Unmarshal(out.Bytes(), answer); err != nil {
		t.Errorf("the answer is no JSON: %v", err)
		return nil, 0, 0
	}
	return answer, taken, most << 10
}

// reportPeak writes the kilobytes that this process had at most, again and again. What the system
// counts for an ended process has the memory of its parent in it.
func reportPeak(out io.Writer) {
	for {
		status, _ := os.ReadFile("/proc/self/status")
		_, after, _ := strings.Cut(string(status), "VmHWM:")
		kilobytes := 0
		fmt.Sscan(after, &kilobytes)
		fmt.Fprintln(out, kilobytes)
		time.Sleep(2 * time.Millisecond)
	}
}

// slack is what a loaded machine may take longer.
func slack() time.Duration {
	if factor, err := strconv.Atoi(os.Getenv("DROVER_E2E_SLACK")); err == nil {
		return time.Duration(factor)
	}
	return 1
}

func TestHostileDocuments(t *testing.T) {
	shape := &schema{Root: "r", Bodies: map[string]*body{"r": {
		Attributes: map[string]attribute{"a": {"A", "any"}},
		Blocks:     map[string]block{"b": {Field: "B", Many: true, Body: "r"}},
	}}}
	for _, one := range hostileDocuments() {
		one := one
		t.Run(one.name, func(t *testing.T) {
			asked := &request{Action: "decode", File: "x.hcl", Text: one.text, Schema: shape}
			most := 2 * time.Second * slack()
			answer, taken, memory := answerOf(t, asked)
			for again := 0; again < 2 && answer != nil && taken > most; again++ {
				answer, taken, memory = answerOf(t, asked) // others may have had the processors
			}
			if answer == nil {
				return
			}
			found := ""
			for _, diag := range answer.Diagnostics {
				if text := diag.Summary + ": " + diag.Detail; diag.Error && strings.Contains(text, one.fault) {
					found = text
				}
			}
			if found == "" {
				t.Errorf("there is no fault with %q: %+v", one.fault, answer.Diagnostics)
			}
			if taken > most || memory > 256<<20 {
				t.Errorf("it took %v and %d MiB", taken, memory>>20)
			}
			t.Logf("%v, %d MiB: %s", taken.Round(time.Millisecond), memory>>20, found)
			if len(answer.Diagnostics) > maxDiagnostics+1 {
				t.Errorf("there are %d diagnostics", len(answer.Diagnostics))
			}
		})
	}
}

// What people write must not come near a limit.
func TestLargeDocumentsAreRead(t *testing.T) {
	for name, text := range map[string]string{
		"deep":      "a = " + strings.Repeat("[", 200) + strings.Repeat("]", 200),
		"long":      "a = [\n" + strings.Repeat("{ a = \"${upper(\"x\")}\", b = [1, 2] },\n", 4000) + "]",
		"heredoc":   "a = <<E\n" + strings.Repeat("a line of a script, ${local.x} and $${HOME}\n", 4000) + "E\n",
		"operators": "a = 1" + strings.Repeat(" + 1", 400),
		"comments": "a = {\n" + repeated(2000, func(i int) string {
			return fmt.Sprintf("k%d = -1 # one\n", i)
		}) + "}",
		"siblings": "a = [" + strings.Repeat("[1][0], (2 + 3) * 4,\n-1,\n", 2000) + "]",
		"ifs":      `a = "` + strings.Repeat("%{ if true }a%{ else }b%{ endif }", 2000) + `"`,
		"template": `a = "` + strings.Repeat("${local.x}", 5000) + `"`,
		"json":     `a = jsondecode("` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `")`,
		"text":     `a = "` + strings.Repeat("x", maxText-30) + `"`,
	} {
		answer, _, _ := answerOf(t, &request{Action: "decode", Text: text + "\nlocals {\nx = 1\n}\n",
			Schema: &schema{Root: "r", Bodies: map[string]*body{"r": {
				Attributes: map[string]attribute{"a": {"A", "any"}}}}}})
		if answer != nil && (answer.Value == nil || len(answer.Diagnostics) > 0) {
			t.Errorf("%s: %+v", name, answer.Diagnostics)
		}
	}
}

func TestHostileVariables(t *testing.T) {
	deep := strings.Repeat("[", 5000)
	closed := deep + strings.Repeat("]", 5000)
	for _, one := range []struct {
		asked request
		fault string
	}{
		{request{VariableFiles: []source{{"v.json", `{"v": ` + closed + "}"}}}, "At most 500 lists"},
		{request{VariableFiles: []source{{"v.json", `{"v": ` + deep}}}, "unexpected end of JSON"},
		{request{VariableFiles: []source{{"v.json", `{"v": ` + strings.Repeat("[", 99_999)}}},
			"exceeded max depth"},
		{request{VariableFiles: []source{{"v.json", "{" + strings.Repeat(" ", maxText)}}}, "at most 1048576"},
		{request{VariableFiles: []source{{"v.hcl", "v = " + deep}}}, "Document too deep"},
		{request{CommandLine: []setting{{"v", deep}}}, "Document too deep"},
		{request{Environment: []setting{{"v", deep}}}, "Document too deep"},
	} {
		one.asked.Text, one.asked.Action = "variable \"v\" {\ntype = list(string)\n}\n", "decode"
		one.asked.Schema = &schema{Root: "r", Bodies: map[string]*body{"r": {}}}
		answer, _, _ := answerOf(t, &one.asked)
		if answer != nil && !strings.Contains(fmt.Sprint(answer.Diagnostics), one.fault) {
			t.Errorf("there is no fault with %q: %+v", one.fault, answer.Diagnostics)
		}
	}
}

func TestARequestThatIsBroken(t *testing.T) {
	for text, want := range map[string]string{
		"{":                    "the request cannot be read",
		`{"Action": "decode"}`: "a request to decode needs a schema",
		`{"Action": "burn"}`:   `there is no action "burn"`,
		`{"Action": "decode", "Schema": {}, "FilesBelow": "."}`: "FilesBelow is no absolute path",
	} {
		if _, err := read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the answer is %v, without %q", err, want)
		}
	}
}

func TestARequestThatIsTooLongIsAFault(t *testing.T) {
	replied, err := read(strings.NewReader(strings.Repeat(" ", maxRequest+1)))
	if err != nil || replied.Diagnostics[0].Summary != "Document too large" {
		t.Errorf("the answer is %+v, %v", replied, err)
	}
}

func TestAValueThatIsTooLargeIsNoAnswer(t *testing.T) {
	var out bytes.Buffer
	if err := write(&out, &reply{Value: strings.Repeat("x", maxReply)}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Its values have more than") || out.Len() > 1000 {
		t.Errorf("the answer has %d bytes", out.Len())
	}
}
