// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// oracle SEED COUNT: writes the values that templates can ask for, the documented examples and COUNT
// generated templates, one JSON object per line, each template with what consul-template makes of it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"unicode/utf8"

	"github.com/hashicorp/consul-template/template"
)

type templateCase struct {
	Text    string `json:"text"`
	Left    string `json:"left"`
	Right   string `json:"right"`
	Strict  bool   `json:"strict"`
	Output  string `json:"output"`
	Error   string `json:"error"`
	Missing int    `json:"missing"`
}

// render fills in what consul-template makes of the template. It returns false if the output is no
// text, so that JSON cannot hold it.
func render(one *templateCase, brain *template.Brain, env []string) bool {
	parsed, err := template.NewTemplate(&template.NewTemplateInput{
		Contents: one.Text, LeftDelim: one.Left, RightDelim: one.Right, ErrMissingKey: one.Strict})
	if err != nil {
		log.Fatalf("%s: %s", one.Text, err)
	}
	done, err := parsed.Execute(&template.ExecuteInput{Brain: brain, Env: env})
	if err != nil {
		one.Error = err.Error()
		return true
	}
	one.Output = string(done.Output)
	one.Missing = done.Missing.Len()
	return utf8.ValidString(one.Output)
}

func write(out io.Writer, value any) {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		log.Fatal(err)
	}
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: oracle SEED COUNT")
	}
	seed, err := strconv.ParseInt(os.Args[1], 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()

	brain := template.NewBrain()
	about := fixtures(brain)
	write(out, about)
	env := []string{}
	for name, value := range about.Env {
		env = append(env, name+"="+value)
	}
	for _, text := range examples {
		for _, strict := range []bool{false, true} {
			one := templateCase{Text: text, Strict: strict}
			if !render(&one, brain, env) {
				log.Fatalf("the example is no text: %s", text)
			}
			if one.Error != "" && !strict {
				fmt.Fprintf(os.Stderr, "example %s: %s\n", text, one.Error)
			}
			write(out, one)
		}
	}
	generator := newGenerator(seed)
	for written := 0; written < count; {
		one := generator.template()
		if !render(&one, brain, env) {
			continue
		}
		write(out, one)
		written++
	}
}
