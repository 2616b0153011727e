// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/hashicorp/nomad/api"
)

// Prints the JSON pointer of every field that a job of this client can have, "*" for the elements
// of lists and maps, and after a space the field's name in a job file: "label" for the label of its
// block, "-" for a field that job files do not have.
func printJobFields() {
	printFields("", reflect.TypeOf(api.Job{}), map[reflect.Type]bool{})
}

func printFields(pointer string, of reflect.Type, within map[reflect.Type]bool) {
	switch of.Kind() {
	case reflect.Pointer:
		printFields(pointer, of.Elem(), within)
	case reflect.Slice, reflect.Array, reflect.Map:
		printFields(pointer+"/*", of.Elem(), within)
	case reflect.Struct:
		if within[of] {
			return
		}
		within[of] = true
		for _, field := range reflect.VisibleFields(of) {
			name := strings.Split(field.Tag.Get("json"), ",")[0]
			if name == "" {
				name = field.Name
			}
			if !field.IsExported() || field.Anonymous || name == "-" {
				continue
			}
			fmt.Println(pointer+"/"+name, hclName(field))
			printFields(pointer+"/"+name, field.Type, within)
		}
		delete(within, of)
	}
}

func hclName(field reflect.StructField) string {
	name, kind, _ := strings.Cut(field.Tag.Get("hcl"), ",")
	if kind == "label" {
		return kind
	}
	if name == "" {
		return "-"
	}
	return name
}
