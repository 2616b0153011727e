// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

const (
	maxMade  = 8 << 20 // bytes of one text that a function makes
	maxItems = 100_000 // of one list that a function makes
)

// A guard refuses arguments with which one call of a function would take more memory than there is,
// or call itself too deep. All else is caught by the watch.
type guard func(args []cty.Value) error

// guards are those of the functions that need one.
var guards = map[string]guard{
	"format":        guardFormat,
	"formatlist":    guardFormat,
	"indent":        guardIndent,
	"join":          guardJoin,
	"jsondecode":    guardNesting,
	"regex_replace": guardRegexReplace,
	"replace":       guardReplace,
	"setproduct":    guardProduct,
	"split":         guardSplit,
	"yamldecode":    guardNesting,
}

// guarded returns FN with a guard, which sees only arguments that are known. The library refuses null
// where FN does, before that.
func guarded(fn function.Function, check guard) function.Function {
	return function.New(&function.Spec{
		Params:   fn.Params(),
		VarParam: fn.VarParam(),
		Type: func(args []cty.Value) (cty.Type, error) {
			for _, arg := range args {
				if !arg.IsWhollyKnown() {
					return fn.ReturnTypeForValues(args)
				}
			}
			if err := check(args); err != nil {
				return cty.NilType, err
			}
			return fn.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return fn.Call(args) },
	})
}

// checkMade and checkItems take floats, which cannot overflow.
func checkMade(bytes float64) error {
	if bytes > maxMade {
		return fmt.Errorf("the result would have more than %d bytes", maxMade)
	}
	return nil
}

func checkItems(many float64) error {
	if many > maxItems {
		return fmt.Errorf("the result would have more than %d elements", maxItems)
	}
	return nil
}

func size(text cty.Value) float64 { return float64(len(text.AsString())) }

func count(text, of cty.Value) float64 {
	return float64(strings.Count(text.AsString(), of.AsString()))
}

var largeWidth = regexp.MustCompile(`%[^%a-zA-Z]*[0-9]{5}`)

func guardFormat(args []cty.Value) error {
	if found := largeWidth.FindString(args[0].AsString()); found != "" {
		return function.NewArgErrorf(0, "a width or precision has at most 4 digits: %s", bounded(found))
	}
	return nil
}

func guardIndent(args []cty.Value) error {
	spaces, _ := args[0].AsBigFloat().Float64()
	if spaces < 0 {
		return function.NewArgErrorf(0, "it must not be less than 0")
	}
	return checkMade(size(args[1]) + spaces*(1+count(args[1], cty.StringVal("\n"))))
}

func guardJoin(args []cty.Value) error {
	bytes := 0.0
	for _, list := range args[1:] {
		for _, one := range list.AsValueSlice() {
			if !one.IsNull() {
				bytes += size(one) + size(args[0])
			}
		}
	}
	return checkMade(bytes)
}

func guardReplace(args []cty.Value) error {
	return checkMade(size(args[0]) + count(args[0], args[1])*size(args[2]))
}

// guardRegexReplace knows that each $ of the replacement stands for one part of one match, and that
// matches do not overlap.
func guardRegexReplace(args []cty.Value) error {
	pattern, err := regexp.Compile(args[1].AsString())
	if err != nil {
		return nil // the function says so
	}
	matches := float64(len(pattern.FindAllStringIndex(args[0].AsString(), -1)))
	return checkMade(size(args[0])*(1+count(args[2], cty.StringVal("$"))) + matches*size(args[2]))
}

func guardProduct(args []cty.Value) error {
	many := 1.0
	for _, list := range args {
		if list.CanIterateElements() {
			many *= float64(list.LengthInt())
		}
	}
	return checkItems(many)
}

func guardSplit(args []cty.Value) error { return checkItems(count(args[1], args[0])) }

func guardNesting(args []cty.Value) error {
	if len(args[0].AsString()) > maxText {
		return function.NewArgErrorf(0, "a text to decode has at most %d bytes", maxText)
	}
	if depthOfJSON(args[0].AsString()) > maxDepth {
		return function.NewArgErrorf(0, "at most %d lists and objects may stand within each other",
			maxDepth)
	}
	return nil
}
