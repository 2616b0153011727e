// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/hashicorp/nomad/api"
)

// Variables, from their creation to their end, and the keys of the agent.
func variables(client *api.Client) {
	wanted := api.NewVariable("/nomad/jobs/web/")
	wanted.Items["password"] = "first"
	made, meta, err := client.Variables().Create(wanted, nil)
	check(err, "create")
	equal([]any{made.Namespace, made.Path, made.Items["password"]},
		[]any{"default", "nomad/jobs/web", "first"}, "variable")
	equal(made.CreateIndex == made.ModifyIndex && made.ModifyIndex == meta.LastIndex, true, "indexes")
	read, readMeta, err := client.Variables().Read("nomad/jobs/web", nil)
	check(err, "read")
	equal(read, made, "variable that was read")
	equal(readMeta.LastIndex, made.ModifyIndex, "index of the variable")

	_, _, err = client.Variables().Read("nothing", nil)
	equal(errors.Is(err, api.ErrVariablePathNotFound), true, "variable that is not there")
	none, _, err := client.Variables().Peek("nothing", nil)
	check(err, "peek")
	equal(none == nil, true, "variable that is not there, by a peek")
	peeked, _, err := client.Variables().Peek("nomad/jobs/web", nil)
	check(err, "peek")
	equal(peeked, made, "variable by a peek")
	items, _, err := client.Variables().GetVariableItems("nomad/jobs/web", nil)
	check(err, "items")
	equal(items, api.VariableItems{"password": "first"}, "items")

	conflicts(client, made)
	lists(client)
	locks(client, made)
	keyring(client)
}

func conflicts(client *api.Client, made *api.Variable) {
	change := made.Copy()
	change.Items["password"] = "second"
	changed, _, err := client.Variables().Update(change, nil)
	check(err, "update")
	equal(changed.CreateIndex, made.CreateIndex, "create index")
	equal(changed.ModifyIndex > made.ModifyIndex, true, "modify index")

	_, _, err = client.Variables().CheckedUpdate(change, nil)
	var conflict api.ErrCASConflict
	equal(errors.As(err, &conflict), true, "conflict")
	equal(conflict.Conflict, changed, "conflicting variable")
	_, _, err = client.Variables().CheckedCreate(change, nil)
	equal(errors.As(err, &conflict), true, "conflict of a creation")
	_, err = client.Variables().CheckedDelete(change.Path, made.ModifyIndex, nil)
	equal(errors.As(err, &conflict), true, "conflict of a deletion")
	change.ModifyIndex = changed.ModifyIndex
	change.Items["password"] = "third"
	third, _, err := client.Variables().CheckedUpdate(change, nil)
	check(err, "checked update")
	equal(third.Items["password"], "third", "item")
	fresh := api.NewVariable("checked")
	fresh.Items["k"] = "v"
	fresh, _, err = client.Variables().CheckedCreate(fresh, nil)
	check(err, "checked create")
	_, err = client.Variables().CheckedDelete("checked", fresh.ModifyIndex, nil)
	check(err, "checked delete")
}

func lists(client *api.Client) {
	for _, path := range []string{"a/1", "a/2", "b"} {
		one := api.NewVariable(path)
		one.Items["k"] = "v"
		_, _, err := client.Variables().Create(one, nil)
		check(err, "create")
	}
	of := func(found []*api.VariableMetadata) string {
		var paths []string
		for _, one := range found {
			paths = append(paths, one.Path)
		}
		return strings.Join(paths, " ")
	}
	all, meta, err := client.Variables().List(nil)
	check(err, "list")
	equal(of(all), "a/1 a/2 b nomad/jobs/web", "paths")
	equal(meta.LastIndex > 0 && meta.KnownLeader, true, "meta of a list")
	some, _, err := client.Variables().PrefixList("a/", nil)
	check(err, "list by prefix")
	equal(of(some), "a/1 a/2", "paths by prefix")
	page, meta, err := client.Variables().List(&api.QueryOptions{PerPage: 3})
	check(err, "page")
	equal([]any{of(page), meta.NextToken != ""}, []any{"a/1 a/2 b", true}, "page")
	page, _, err = client.Variables().List(&api.QueryOptions{PerPage: 3, NextToken: meta.NextToken})
	check(err, "next page")
	equal(of(page), "nomad/jobs/web", "next page")
	chosen, _, err := client.Variables().List(&api.QueryOptions{Filter: `Path == "b"`})
	check(err, "filter")
	equal(of(chosen), "b", "filtered paths")
	for _, one := range all {
		_, err := client.Variables().Delete(one.Path, nil)
		check(err, "delete")
	}
	all, _, err = client.Variables().List(nil)
	check(err, "list")
	equal(of(all), "", "paths at the end")
}

func locks(client *api.Client, variable *api.Variable) {
	variable.Lock = &api.VariableLock{TTL: "15s"}
	_, _, err := client.Variables().AcquireLock(variable, nil)
	equal(code(err), 501, "lock")
	equal(strings.Contains(err.Error(), "lock-acquire"), true, "name of the lock operation")
}

func keyring(client *api.Client) {
	before, _, err := client.Keyring().List(nil)
	check(err, "keys")
	rotated, _, err := client.Keyring().Rotate(nil, nil)
	check(err, "rotation")
	after, _, err := client.Keyring().List(nil)
	check(err, "keys after a rotation")
	equal(len(after), len(before)+1, "number of keys")
	equal([]any{after[0].KeyID, after[0].State}, []any{rotated.KeyID, api.RootKeyStateActive}, "new key")
	_, _, err = client.Keyring().Rotate(&api.KeyringRotateOptions{Full: true}, nil)
	equal(code(err), 501, "full rotation")
	answer, err := http.Get(client.Address() + "/.well-known/jwks.json")
	check(err, "key set")
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(err, "key set")
	equal(strings.Contains(string(text), rotated.KeyID), true, "the new key in the set")
}
