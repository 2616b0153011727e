// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/nomad/api"
)

// The wanted parts of an answer. A shape is an object with at least these fields, a list has exactly
// these elements, and a rule checks a value that differs each time. Anything else is the value
// itself.
type (
	shape map[string]any
	list  []any
	rule  struct {
		what  string
		holds func(value any) bool
	}
)

// Returns the same shape with changed or added fields.
func (s shape) with(fields shape) shape {
	all := maps.Clone(s)
	maps.Copy(all, fields)
	return all
}

var (
	hexID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

	uuid = rule{"a UUID", func(value any) bool {
		text, isText := value.(string)
		return isText && hexID.MatchString(text)
	}}
	text = rule{"a text", func(value any) bool {
		text, isText := value.(string)
		return isText && text != ""
	}}
	some = rule{"a number above 0", func(value any) bool {
		number, isNumber := value.(float64)
		return isNumber && number > 0
	}}
	amount = rule{"a number that is not negative", func(value any) bool {
		number, isNumber := value.(float64)
		return isNumber && number >= 0
	}}
	// Go reads null, an empty list and an empty object alike.
	empty = rule{"empty", func(value any) bool {
		return value == nil || value == "" || reflect.ValueOf(value).Kind() != reflect.String &&
			slices.Contains([]string{"[]", "{}"}, toJSON(value))
	}}
	filled = rule{"an object or a list with something in it", func(value any) bool {
		kind := reflect.ValueOf(value).Kind()
		return (kind == reflect.Map || kind == reflect.Slice) && reflect.ValueOf(value).Len() > 0
	}}
	// Points in time of this run: in nanoseconds, in seconds, and as a text.
	now = rule{"nanoseconds of the last hour", func(value any) bool {
		number, isNumber := value.(float64)
		return isNumber && recent(time.Unix(0, int64(number)))
	}}
	nowSeconds = rule{"seconds of the last hour", func(value any) bool {
		number, isNumber := value.(float64)
		return isNumber && recent(time.Unix(int64(number), 0))
	}}
	nowText = rule{"a time of the last hour", func(value any) bool {
		text, _ := value.(string)
		at, err := time.Parse(time.RFC3339Nano, text)
		return err == nil && recent(at)
	}}
)

const never = "0001-01-01T00:00:00Z"

func recent(at time.Time) bool {
	ago := time.Since(at)
	return ago > -time.Minute && ago < time.Hour
}

func toJSON(value any) string {
	text, err := json.Marshal(value)
	check(err, "JSON")
	return string(text)
}

// Returns the differences between WANT and VALUE, which is at the path AT.
func mismatches(value, want any, at string) []string {
	switch want := want.(type) {
	case rule:
		if !want.holds(value) {
			return []string{fmt.Sprintf("%s: %s is not %s", at, toJSON(value), want.what)}
		}
	case shape:
		object, isObject := value.(map[string]any)
		if !isObject {
			return []string{fmt.Sprintf("%s: %s is not an object", at, toJSON(value))}
		}
		var wrong []string
		for _, field := range slices.Sorted(maps.Keys(want)) {
			if found, there := object[field]; there {
				wrong = append(wrong, mismatches(found, want[field], at+"/"+field)...)
			} else {
				wrong = append(wrong, at+"/"+field+": is missing")
			}
		}
		return wrong
	case list:
		elements, isList := value.([]any)
		if !isList || len(elements) != len(want) {
			return []string{fmt.Sprintf("%s: %s is not a list of %d", at, toJSON(value), len(want))}
		}
		var wrong []string
		for i, element := range elements {
			wrong = append(wrong, mismatches(element, want[i], fmt.Sprintf("%s/%d", at, i))...)
		}
		return wrong
	default:
		if got, wanted := toJSON(value), toJSON(want); got != wanted {
			return []string{fmt.Sprintf("%s: %s is not %s", at, got, wanted)}
		}
	}
	return nil
}

// Reads the answer to a GET as OUT, and fails with all differences from WANT.
func look(client *api.Client, path string, want, out any) {
	body, err := client.Raw().Response(path, nil)
	check(err, path)
	defer body.Close()
	text, err := io.ReadAll(body)
	check(err, path)
	check(json.Unmarshal(text, out), path)
	var answer any
	check(json.Unmarshal(text, &answer), path)
	if wrong := mismatches(answer, want, ""); wrong != nil {
		fail("%s:\n  %s", path, strings.Join(wrong, "\n  "))
	}
}
