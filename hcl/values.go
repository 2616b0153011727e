// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"

	"github.com/zclconf/go-cty/cty"
)

// plain returns VALUE, which is known, as encoding/json takes it.
func plain(value cty.Value) (any, error) {
	kind := value.Type()
	switch {
	case value.IsNull():
		return nil, nil
	case kind == cty.String:
		return value.AsString(), nil
	case kind == cty.Bool:
		return value.True(), nil
	case kind == cty.Number:
		return plainNumber(value.AsBigFloat())
	case kind.IsMapType() || kind.IsObjectType():
		out := map[string]any{}
		for it := value.ElementIterator(); it.Next(); {
			key, inner := it.Element()
			made, err := plain(inner)
			if err != nil {
				return nil, err
			}
			out[key.AsString()] = made
		}
		return out, nil
	case value.CanIterateElements():
		out := make([]any, 0, value.LengthInt())
		for it := value.ElementIterator(); it.Next(); {
			_, inner := it.Element()
			made, err := plain(inner)
			if err != nil {
				return nil, err
			}
			out = append(out, made)
		}
		return out, nil
	}
	return nil, fmt.Errorf("a value of the type %s is not data", kind.FriendlyName())
}

// plainNumber keeps all digits, and refuses what has no place in a float of 64 bits.
func plainNumber(number *big.Float) (any, error) {
	if whole, accuracy := number.Int64(); accuracy == big.Exact {
		return whole, nil
	}
	if float, _ := number.Float64(); math.IsInf(float, 0) {
		return nil, fmt.Errorf("a number is infinite or too large")
	}
	return json.Number(number.Text('g', -1)), nil
}
