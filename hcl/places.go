// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import "github.com/hashicorp/hcl/v2"

// The host checks a job after it has become JSON, and names what is wrong by a JSON pointer. With the
// places of its members in each object, it can show the line that was written.

// The key of the places of an object: no field of a schema is called so. The places are an object: each
// key is a field, and this key is the object itself. Many blocks of one type are a list, whose place is
// that of the first. A body without a schema has no places in it, only one in the object around it.
const placesKey = ""

// A place costs the host more memory than its text. Beyond this many, the members have none.
const maxPlaces = 10_000

// A place is [line, column, end line, end column, byte, end byte], as in a diagnostic.
type place = [6]int

// mark says that FIELD of OUT is written at AT, if it has no place yet.
func (d *decoder) mark(out object, field string, at hcl.Range) {
	if d.placesLeft <= 0 {
		return
	}
	places, _ := out[placesKey].(map[string]place)
	if places == nil {
		places = map[string]place{}
		out[placesKey] = places
	}
	if _, there := places[field]; there {
		return
	}
	d.placesLeft--
	places[field] = place{at.Start.Line, at.Start.Column, at.End.Line, at.End.Column, at.Start.Byte,
		at.End.Byte}
}
