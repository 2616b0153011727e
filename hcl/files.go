// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// files has the functions that read files or name them. Relative paths begin at the directory, and no
// file outside it is read, whatever links are in it. An empty directory: all are refused.
type files string

const maxFile = maxText

var errNoFiles = errors.New("functions of files are not allowed here")

func (f files) functions() map[string]function.Function {
	return map[string]function.Function{
		"abspath": f.ofPath(func(path string) (cty.Value, error) {
			return cty.StringVal(f.absolute(path)), nil
		}),
		"basename": f.ofPath(func(path string) (cty.Value, error) {
			return cty.StringVal(filepath.Base(path)), nil
		}),
		"dirname": f.ofPath(func(path string) (cty.Value, error) {
			return cty.StringVal(filepath.Dir(path)), nil
		}),
		"pathexpand": f.ofPath(func(path string) (cty.Value, error) {
			expanded, err := expand(path)
			return cty.StringVal(expanded), err
		}),
		"file":       f.ofPath(f.text),
		"filebase64": f.ofPath(f.base64),
		"fileexists": f.ofPath(f.exists),
		"fileset":    f.set(),
	}
}

// ofPath makes a function with one argument, a path.
func (f files) ofPath(call func(path string) (cty.Value, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}},
		Type:   function.StaticReturnType(cty.DynamicPseudoType),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if f == "" {
				return cty.DynamicVal, errNoFiles
			}
			return call(args[0].AsString())
		},
	})
}

func (f files) text(path string) (cty.Value, error) {
	bytes, err := f.read(path)
	if err != nil {
		return cty.DynamicVal, err
	}
	if !utf8.Valid(bytes) {
		return cty.DynamicVal, fmt.Errorf("%s is not UTF-8; filebase64 reads any file", path)
	}
	return cty.StringVal(string(bytes)), nil
}

func (f files) base64(path string) (cty.Value, error) {
	bytes, err := f.read(path)
	return cty.StringVal(base64.StdEncoding.EncodeToString(bytes)), err
}

func (f files) read(path string) ([]byte, error) {
	found, err := f.find(path)
	if err != nil {
		return nil, err
	}
	// To open a pipe would release its writer, and to open a device may start something.
	if about, err := os.Stat(found); err != nil {
		return nil, err
	} else if !about.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	// Meanwhile it may have become a pipe, for whose writer nobody waits here.
	file, err := os.OpenFile(found, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if about, err := file.Stat(); err != nil || !about.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	bytes, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(bytes) > maxFile {
		err = fmt.Errorf("%s has more than %d bytes", path, maxFile)
	}
	return bytes, err
}

func (f files) exists(path string) (cty.Value, error) {
	found, err := f.find(path)
	if errors.Is(err, os.ErrNotExist) {
		return cty.False, nil
	}
	if err != nil {
		return cty.DynamicVal, err
	}
	about, err := os.Stat(found)
	if err != nil {
		return cty.DynamicVal, err
	}
	if !about.Mode().IsRegular() {
		return cty.DynamicVal, fmt.Errorf("%s is not a regular file", path)
	}
	return cty.True, nil
}

// set makes the function that lists the files of a directory whose paths match a pattern.
func (f files) set() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{
			{Name: "path", Type: cty.String}, {Name: "pattern", Type: cty.String},
		},
		Type: function.StaticReturnType(cty.Set(cty.String)),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if f == "" {
				return cty.NilVal, errNoFiles
			}
			names, err := f.matching(args[0].AsString(), args[1].AsString())
			if err != nil || len(names) == 0 {
				return cty.SetValEmpty(cty.String), err
			}
			return cty.SetVal(names), nil
		},
	})
}

func (f files) matching(path, pattern string) ([]cty.Value, error) {
	if _, err := f.find(path); err != nil {
		return nil, err
	}
	if strings.Contains("/"+filepath.ToSlash(pattern)+"/", "/../") {
		return nil, fmt.Errorf("a pattern cannot leave its directory: %s", pattern)
	}
	base := f.absolute(path)
	matches, err := doublestar.Glob(filepath.Join(base, pattern))
	if err != nil {
		return nil, fmt.Errorf("%s is no pattern: %w", pattern, err)
	}
	var names []cty.Value
	for _, match := range matches {
		found, err := f.find(match)
		if err != nil {
			continue // a link that leads outside or nowhere
		}
		about, err := os.Stat(found)
		if err != nil || !about.Mode().IsRegular() {
			continue
		}
		name, err := filepath.Rel(base, match)
		if err != nil {
			return nil, err
		}
		names = append(names, cty.StringVal(filepath.ToSlash(name)))
	}
	return names, nil
}

func (f files) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(string(f), path)
}

// find returns PATH without links. It fails if that is outside the directory.
func (f files) find(path string) (string, error) {
	path, err := expand(path)
	if err != nil {
		return "", err
	}
	named := f.absolute(path)
	if !isBelow(filepath.Clean(string(f)), named) {
		return "", fmt.Errorf("%s is not below %s", path, string(f))
	}
	allowed, err := filepath.EvalSymlinks(string(f))
	if err != nil {
		return "", err
	}
	found, err := filepath.EvalSymlinks(named)
	if err != nil {
		return "", err
	}
	if !isBelow(allowed, found) {
		return "", fmt.Errorf("%s leads out of %s", path, string(f))
	}
	return found, nil
}

func isBelow(directory, path string) bool {
	return path == directory || strings.HasPrefix(path, strings.TrimSuffix(directory, "/")+"/")
}

// expand replaces "~" at the beginning of PATH by the user's directory.
func expand(path string) (string, error) {
	if path != "~" && !strings.HasPrefix(path, "~/") {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("%s cannot be expanded: %w", path, err)
	}
	return filepath.Join(home, path[1:]), nil
}
