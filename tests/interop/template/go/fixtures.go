// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import (
	"log"

	dep "github.com/hashicorp/consul-template/dependency"
	"github.com/hashicorp/consul-template/template"
	nomad "github.com/hashicorp/nomad/api"
)

// A value that templates can ask for, as the engine of Drover gets it.
type fixture struct {
	Function  string   `json:"function"`
	Arguments []string `json:"arguments"`
	Value     any      `json:"value"`
}

type environment struct {
	Values []fixture         `json:"values"`
	Env    map[string]string `json:"env"`
	Files  map[string]string `json:"files"`
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// fixtures puts values into BRAIN, and returns them.
func fixtures(brain *template.Brain) environment {
	about := environment{
		Env:   map[string]string{"DROVER_T_NAME": "web", "DROVER_T_EMPTY": "", "DROVER_T_PORT": "8080"},
		Files: map[string]string{"local/app.conf": "line 1\nline 2\n"},
	}
	add := func(function string, value any, arguments ...string) {
		if arguments == nil {
			arguments = []string{}
		}
		about.Values = append(about.Values, fixture{function, arguments, value})
	}
	for path, content := range about.Files {
		brain.Remember(must(dep.NewFileQuery(path)), content)
	}

	keys := map[string]string{"app/port": "8080", "app/json": `{"a":{"b":[1,2,{"c":null}]},"t":"<x>"}`,
		"app/yaml": "a: 1\nb:\n- x\n- 2.5\n- {c: yes}\n", "app/empty": ""}
	for path, value := range keys {
		blocking := must(dep.NewKVGetQuery(path))
		blocking.EnableBlocking()
		brain.Remember(blocking, value)
		brain.Remember(must(dep.NewKVGetQuery(path)), value)
		add("key", value, path)
		add("keyExists", true, path)
		add("keyOrDefault", value, path)
	}
	brain.Remember(must(dep.NewKVGetQuery("app/none")), nil)
	add("keyExists", false, "app/none")
	add("keyOrDefault", nil, "app/none")

	pairs := []*dep.KeyPair{
		{Path: "app/a", Key: "a", Value: "1", CreateIndex: 3, ModifyIndex: 4},
		{Path: "app/b/c", Key: "b/c", Value: "2"}, {Path: "app/b/d", Key: "b/d", Value: "3", Flags: 42},
		{Path: "app/e/f/g", Key: "e/f/g", Value: "4"}, {Path: "app/dir/", Key: "dir/", Value: ""}}
	brain.Remember(must(dep.NewKVListQuery("app")), pairs)
	for _, function := range []string{"ls", "safeLs", "tree", "safeTree"} {
		add(function, pairs, "app")
	}

	web := []*dep.HealthService{
		{Node: "n1", NodeID: "id1", NodeAddress: "10.0.0.1", Address: "10.1.0.1", ID: "web1", Name: "web",
			Tags: dep.ServiceTags{"blue", "v1"}, Status: "passing", Port: 80,
			NodeMeta: map[string]string{"rack": "r1"}, ServiceMeta: map[string]string{"weight": "7"}},
		{Node: "n2", NodeID: "id2", NodeAddress: "10.0.0.2", Address: "10.1.0.2", ID: "web2", Name: "web",
			Tags: dep.ServiceTags{"green", "v1"}, Status: "passing", Port: 81}}
	brain.Remember(must(dep.NewHealthServiceQuery("web")), web)
	add("service", web, "web")
	brain.Remember(must(dep.NewHealthServiceQuery("web|any")), web)
	add("service", web, "web", "any")
	catalog := []*dep.CatalogSnippet{{Name: "consul", Tags: dep.ServiceTags{}}, {Name: "web", Tags: dep.ServiceTags{"v1"}}}
	brain.Remember(must(dep.NewCatalogServicesQuery("")), catalog)
	add("services", catalog)
	node := &dep.Node{ID: "id1", Node: "n1", Address: "10.0.0.1", Datacenter: "dc1",
		TaggedAddresses: map[string]string{"lan": "10.0.0.1"}, Meta: map[string]string{"rack": "r1"}}
	brain.Remember(must(dep.NewCatalogNodesQuery("")), []*dep.Node{node})
	add("nodes", []*dep.Node{node})
	withServices := &dep.CatalogNode{Node: node, Services: []*dep.CatalogNodeService{
		{ID: "web1", Service: "web", Tags: dep.ServiceTags{"v1"}, Port: 80}}}
	brain.Remember(must(dep.NewCatalogNodeQuery("n1")), withServices)
	add("node", withServices, "n1")
	brain.Remember(must(dep.NewCatalogDatacentersQuery(false)), []string{"dc1", "dc2"})
	add("datacenters", []string{"dc1", "dc2"})

	redis := []*dep.NomadService{
		{ID: "r1", Name: "redis", Node: "n1", Address: "10.2.0.1", Port: 6379, Datacenter: "dc1",
			Tags: dep.ServiceTags{"primary"}, JobID: "cache", AllocID: "a1"},
		{ID: "r2", Name: "redis", Node: "n2", Address: "10.2.0.2", Port: 6380, Datacenter: "dc1",
			Tags: dep.ServiceTags{"replica", "v2"}, JobID: "cache", AllocID: "a2"}}
	brain.Remember(must(dep.NewNomadServiceQuery("redis")), redis)
	add("nomadService", redis, "redis")
	brain.Remember(must(dep.NewNomadServiceChooseQuery(1, "me", "redis")), redis[1:])
	add("nomadService", redis[1:], "1", "me", "redis")
	names := []*dep.NomadServicesSnippet{{Name: "redis", Tags: dep.ServiceTags{"primary", "replica", "v2"}}}
	brain.Remember(must(dep.NewNomadServicesQuery("")), names)
	add("nomadServices", names)

	variable := &nomad.Variable{Namespace: "default", Path: "nomad/jobs/cache", CreateIndex: 5, ModifyIndex: 9,
		CreateTime: 1700000000000000000, ModifyTime: 1700000001000000000,
		Items: map[string]string{"user": "me", "password": "p&w"}}
	items := dep.NewNomadVariable(variable).Items
	for _, blocking := range []bool{false, true} {
		query := must(dep.NewNVGetQuery("default", "nomad/jobs/cache"))
		if blocking {
			query.EnableBlocking()
		}
		brain.Remember(query, &items)
	}
	add("nomadVar", map[string]any{"Namespace": "default", "Path": variable.Path, "CreateIndex": 5,
		"ModifyIndex": 9, "CreateTime": variable.CreateTime, "ModifyTime": variable.ModifyTime,
		"Items": variable.Items}, variable.Path)
	add("nomadVarExists", true, variable.Path)
	metas := []*dep.NomadVarMeta{dep.NewNomadVarMeta(variable.Metadata())}
	for _, prefix := range []string{"", "nomad"} {
		brain.Remember(must(dep.NewNVListQuery("default", prefix)), metas)
	}
	described := []any{map[string]any{"Namespace": "default", "Path": variable.Path, "CreateIndex": 5,
		"ModifyIndex": 9, "CreateTime": variable.CreateTime, "ModifyTime": variable.ModifyTime}}
	add("nomadVarList", described)
	add("nomadVarList", described, "nomad")
	return about
}
