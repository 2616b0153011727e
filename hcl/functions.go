// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"

	"github.com/hashicorp/go-cty-funcs/cidr"
	"github.com/hashicorp/go-cty-funcs/crypto"
	"github.com/hashicorp/go-cty-funcs/encoding"
	"github.com/hashicorp/go-cty-funcs/uuid"
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// functions returns all functions of the language, which are those of the peer. Those of files work
// below FILESBELOW.
func functions(filesBelow string) map[string]function.Function {
	all := map[string]function.Function{
		// Numbers.
		"abs": stdlib.AbsoluteFunc, "ceil": stdlib.CeilFunc, "floor": stdlib.FloorFunc,
		"log": stdlib.LogFunc, "max": stdlib.MaxFunc, "min": stdlib.MinFunc,
		"parseint": stdlib.ParseIntFunc, "pow": stdlib.PowFunc, "signum": stdlib.SignumFunc,
		// Texts.
		"chomp": stdlib.ChompFunc, "format": stdlib.FormatFunc, "formatlist": stdlib.FormatListFunc,
		"indent": stdlib.IndentFunc, "join": stdlib.JoinFunc, "lower": stdlib.LowerFunc,
		"regex_replace": stdlib.RegexReplaceFunc, "replace": stdlib.ReplaceFunc,
		"split": stdlib.SplitFunc, "strlen": stdlib.StrlenFunc, "strrev": stdlib.ReverseFunc,
		"substr": stdlib.SubstrFunc, "title": stdlib.TitleFunc, "trim": stdlib.TrimFunc,
		"trimprefix": stdlib.TrimPrefixFunc, "trimspace": stdlib.TrimSpaceFunc,
		"trimsuffix": stdlib.TrimSuffixFunc, "upper": stdlib.UpperFunc,
		// Collections.
		"chunklist": stdlib.ChunklistFunc, "coalesce": stdlib.CoalesceFunc,
		"coalescelist": stdlib.CoalesceListFunc, "compact": stdlib.CompactFunc,
		"concat": stdlib.ConcatFunc, "contains": stdlib.ContainsFunc,
		"distinct": stdlib.DistinctFunc, "element": stdlib.ElementFunc,
		"flatten": stdlib.FlattenFunc, "keys": stdlib.KeysFunc, "lookup": stdlib.LookupFunc,
		"merge": stdlib.MergeFunc, "range": stdlib.RangeFunc,
		"setintersection": stdlib.SetIntersectionFunc, "setproduct": stdlib.SetProductFunc,
		"setunion": stdlib.SetUnionFunc, "slice": stdlib.SliceFunc, "sort": stdlib.SortFunc,
		"values": stdlib.ValuesFunc, "zipmap": stdlib.ZipmapFunc,
		"index":   either(stdlib.IndexFunc, attributeOfObject),
		"length":  either(stdlib.LengthFunc, lengthOfObject),
		"reverse": either(stdlib.ReverseFunc, stdlib.ReverseListFunc),
		// Encodings.
		"base64decode": encoding.Base64DecodeFunc, "base64encode": encoding.Base64EncodeFunc,
		"csvdecode": stdlib.CSVDecodeFunc, "jsondecode": stdlib.JSONDecodeFunc,
		"jsonencode": stdlib.JSONEncodeFunc, "urlencode": encoding.URLEncodeFunc,
		"yamldecode": yaml.YAMLDecodeFunc, "yamlencode": yaml.YAMLEncodeFunc,
		// Dates.
		"formatdate": stdlib.FormatDateFunc, "timeadd": stdlib.TimeAddFunc,
		// Hashes and ids.
		"bcrypt": crypto.BcryptFunc, "md5": crypto.Md5Func, "rsadecrypt": crypto.RsaDecryptFunc,
		"sha1": crypto.Sha1Func, "sha256": crypto.Sha256Func, "sha512": crypto.Sha512Func,
		"uuidv4": uuid.V4Func, "uuidv5": uuid.V5Func,
		// Networks.
		"cidrhost": cidr.HostFunc, "cidrnetmask": cidr.NetmaskFunc, "cidrsubnet": cidr.SubnetFunc,
		"cidrsubnets": cidr.SubnetsFunc,
		// Types.
		"can": tryfunc.CanFunc, "convert": typeexpr.ConvertFunc, "try": tryfunc.TryFunc,
	}
	for name, check := range guards {
		all[name] = guarded(all[name], check)
	}
	for name, fn := range files(filesBelow).functions() {
		all[name] = fn
	}
	return all
}

// either makes a function that is PEER, or DOCUMENTED for arguments that PEER refuses: the peer's
// documents have examples of these, which its function does not carry out.
func either(peer, documented function.Function) function.Function {
	choose := func(args []cty.Value) (function.Function, []cty.Value, error) {
		fitted, err := fit(peer, args)
		if err == nil {
			return peer, fitted, nil
		}
		if fitted, second := fit(documented, args); second == nil {
			return documented, fitted, nil
		}
		return peer, nil, err
	}
	var params []function.Parameter
	for _, one := range peer.Params() {
		params = append(params, function.Parameter{Name: one.Name, Type: cty.DynamicPseudoType})
	}
	return function.New(&function.Spec{
		Params: params,
		Type: func(args []cty.Value) (cty.Type, error) {
			chosen, args, err := choose(args)
			if err != nil {
				return cty.NilType, err
			}
			return chosen.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			chosen, args, err := choose(args)
			if err != nil {
				return cty.NilVal, err
			}
			return chosen.Call(args)
		},
	})
}

// fit returns ARGS with the types that FN wants.
func fit(fn function.Function, args []cty.Value) ([]cty.Value, error) {
	fitted := make([]cty.Value, len(args))
	for i, param := range fn.Params() {
		var err error
		if fitted[i], err = convert.Convert(args[i], param.Type); err != nil {
			return nil, function.NewArgError(i, err)
		}
	}
	_, err := fn.ReturnTypeForValues(fitted)
	return fitted, err
}

// lengthOfObject counts the attributes of an object: length({a = 1}).
var lengthOfObject = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "collection", Type: cty.DynamicPseudoType}},
	Type: func(args []cty.Value) (cty.Type, error) {
		if !args[0].Type().IsObjectType() {
			return cty.NilType, errors.New("an object is required")
		}
		return cty.Number, nil
	},
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		return cty.NumberIntVal(int64(args[0].LengthInt())), nil
	},
})

// attributeOfObject returns an attribute of an object: index({a = 1}, "a").
var attributeOfObject = function.New(&function.Spec{
	Params: []function.Parameter{
		{Name: "collection", Type: cty.DynamicPseudoType}, {Name: "key", Type: cty.String},
	},
	Type: func(args []cty.Value) (cty.Type, error) {
		kind, key := args[0].Type(), args[1]
		if !kind.IsObjectType() || !key.IsKnown() || !kind.HasAttribute(key.AsString()) {
			return cty.NilType, errors.New("an object with this attribute is required")
		}
		return kind.AttributeType(key.AsString()), nil
	},
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		return args[0].GetAttr(args[1].AsString()), nil
	},
})
