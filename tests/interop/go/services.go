// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import (
	"context"
	"fmt"
	"net"
	"sort"
	"time"

	"github.com/hashicorp/nomad/api"
)

// A job with two instances of the service "shop-api", which has a check that passes.
func shop() *api.Job {
	shop := job()
	shop.ID, shop.Name = pointer("shop"), pointer("shop")
	group := shop.TaskGroups[0]
	group.Tasks[0].SetConfig("command", "/usr/bin/env")
	group.Tasks[0].SetConfig("args", []string{"python3", "-m", "http.server", "${NOMAD_PORT_http}"})
	group.Services = []*api.Service{{Name: "${JOB}-api", PortLabel: "http", Provider: "nomad",
		Tags: []string{"blue", "index-${NOMAD_ALLOC_INDEX}"},
		Checks: []api.ServiceCheck{{Name: "alive", Type: "tcp", Interval: time.Second,
			Timeout: time.Second}}}}
	shop.Canonicalize()
	return shop
}

// The instances of the service "shop-api", once there are COUNT of them.
func instances(client *api.Client, count int) []*api.ServiceRegistration {
	var found []*api.ServiceRegistration
	until(fmt.Sprintf("%d instances of the service", count), func() bool {
		all, _, err := client.Services().Get("shop-api", nil)
		check(err, "service")
		found = all
		return len(found) == count
	})
	return found
}

func services(client *api.Client) {
	_, _, err := client.Jobs().Register(shop(), nil)
	check(err, "register")
	allocs := wait(client, "shop", "running", 2)
	found := instances(client, 2)
	places := map[string]string{}
	for _, stub := range allocs {
		alloc, _, err := client.Allocations().Info(stub.ID, nil)
		check(err, "allocation")
		port := alloc.AllocatedResources.Shared.Ports[0]
		places[stub.ID] = net.JoinHostPort(port.HostIP, fmt.Sprint(port.Value))
		own, meta, err := client.Allocations().Services(stub.ID, nil)
		check(err, "services of the allocation")
		equal([]any{len(own), own[0].AllocID, meta.LastIndex > 0}, []any{1, stub.ID, true},
			"services of the allocation")
	}
	for _, one := range found {
		equal(net.JoinHostPort(one.Address, fmt.Sprint(one.Port)), places[one.AllocID], "address")
		equal([]any{one.ServiceName, one.Namespace, one.JobID, one.Datacenter, one.NodeID},
			[]any{"shop-api", "default", "shop", "dc1", allocs[0].NodeID}, "registration")
		equal(one.CreateIndex > 0 && one.ModifyIndex >= one.CreateIndex, true, "indexes")
		equal([]any{len(one.Tags), one.Tags[0]}, []any{2, "blue"}, "tags")
	}
	list, _, err := client.Services().List(&api.QueryOptions{Namespace: "*"})
	check(err, "services")
	equal([]any{len(list), list[0].Namespace, len(list[0].Services)}, []any{1, "default", 1},
		"services")
	tags := list[0].Services[0].Tags
	sort.Strings(tags)
	equal(tags, []string{"blue", "index-0", "index-1"}, "tags of all instances")
	ofJob, _, err := client.Jobs().Services("shop", nil)
	check(err, "services of the job")
	equal(len(ofJob), 2, "services of the job")
	choices(client)
	checksOf(client, allocs[0].ID)
	_, err = client.Services().Delete("shop-api", "none", nil)
	equal(code(err), 404, "no such registration")
	leave(client, found)
}

func choices(client *api.Client) {
	query := &api.QueryOptions{Params: map[string]string{"choose": "1|a client"}}
	first, _, err := client.Services().Get("shop-api", query)
	check(err, "choice")
	again, _, err := client.Services().Get("shop-api", query)
	check(err, "choice")
	equal([]any{len(first), again[0].ID}, []any{1, first[0].ID}, "choice")
	_, _, err = client.Services().Get("shop-api",
		&api.QueryOptions{Params: map[string]string{"choose": "many"}})
	equal(code(err), 400, "a malformed choice")
	blue, _, err := client.Services().Get("shop-api",
		&api.QueryOptions{Filter: `"index-1" in Tags`})
	check(err, "filter")
	equal(len(blue), 1, "filter")
	page, meta, err := client.Services().Get("shop-api", &api.QueryOptions{PerPage: 1})
	check(err, "page")
	rest, last, err := client.Services().Get("shop-api",
		&api.QueryOptions{PerPage: 1, NextToken: meta.NextToken})
	check(err, "page")
	equal([]any{len(page), len(rest), page[0].ID != rest[0].ID, last.NextToken},
		[]any{1, 1, true, ""}, "pages")
}

func checksOf(client *api.Client, id string) {
	until("the check passes", func() bool {
		checks, err := client.Allocations().Checks(id, nil)
		check(err, "checks")
		for key, one := range checks {
			equal([]any{one.ID, one.Check, one.Service, one.Mode},
				[]any{key, "alive", "shop-api", "healthiness"}, "check")
			if one.Status == "success" {
				return true
			}
		}
		return false
	})
}

// The services go with the job, and a blocking query and the event stream say so.
func leave(client *api.Client, found []*api.ServiceRegistration) {
	_, meta, err := client.Services().List(nil)
	check(err, "services")
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
	defer cancel()
	events, err := client.EventStream().Stream(ctx,
		map[api.Topic][]string{api.TopicService: {"shop-api"}}, meta.LastIndex+1,
		&api.QueryOptions{})
	check(err, "events")
	_, _, err = client.Jobs().Deregister("shop", true, nil)
	check(err, "deregister")
	_, later, err := client.Services().List(
		&api.QueryOptions{WaitIndex: meta.LastIndex, WaitTime: time.Minute})
	check(err, "services")
	equal(later.LastIndex > meta.LastIndex, true, "index of the blocking query")
	instances(client, 0)
	gone := map[string]bool{}
	for len(gone) < len(found) {
		select {
		case batch := <-events:
			check(batch.Err, "events")
			for _, event := range batch.Events {
				service, err := event.Service()
				check(err, "event")
				equal([]any{event.Type, service.ID, service.ServiceName},
					[]any{"ServiceDeregistration", event.Key, "shop-api"}, "event")
				gone[event.Key] = true
			}
		case <-ctx.Done():
			fail("no event tells that the services are gone")
		}
	}
	list, _, err := client.Services().List(nil)
	check(err, "services")
	equal(len(list), 0, "services at the end")
}
