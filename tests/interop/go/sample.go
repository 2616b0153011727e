// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import (
	"strings"
	"time"

	"github.com/hashicorp/nomad/api"
)

// The job that "nomad job init" writes, as the command line sends it. SHORT: the job of "-short".
func sample(driver string, short bool) *api.Job {
	task := api.NewTask("redis", driver)
	task.Resources = &api.Resources{CPU: pointer(500), MemoryMB: pointer(256)}
	task.Identity = &api.WorkloadIdentity{Env: true, File: true}
	if driver == "docker" {
		task.SetConfig("image", "redis:7")
		task.SetConfig("ports", []string{"db"})
		task.SetConfig("auth_soft_fail", true)
	} else {
		task.SetConfig("command", "/bin/sleep")
		task.SetConfig("args", []string{"1000"})
		task.Resources.CPU = pointer(20)
	}
	group := &api.TaskGroup{Name: pointer("cache"), Tasks: []*api.Task{task}}
	group.Networks = []*api.NetworkResource{{DynamicPorts: []api.Port{{Label: "db", To: 6379}}}}
	job := &api.Job{ID: pointer("example"), Name: pointer("example"), TaskGroups: []*api.TaskGroup{group}}
	if !short {
		job.Datacenters = []string{"*"}
		job.Type = pointer("service")
		job.Update = &api.UpdateStrategy{MaxParallel: pointer(1),
			MinHealthyTime: pointer(10 * time.Second), HealthyDeadline: pointer(3 * time.Minute),
			ProgressDeadline: pointer(10 * time.Minute), AutoRevert: pointer(false),
			Canary: pointer(0)}
		job.Migrate = &api.MigrateStrategy{MaxParallel: pointer(1), HealthCheck: pointer("checks"),
			MinHealthyTime: pointer(10 * time.Second), HealthyDeadline: pointer(5 * time.Minute)}
		group.Count = pointer(1)
		group.Services = []*api.Service{{Name: "redis-cache", Tags: []string{"global", "cache"},
			PortLabel: "db", Provider: "nomad"}}
		group.RestartPolicy = &api.RestartPolicy{Attempts: pointer(2),
			Interval: pointer(30 * time.Minute), Delay: pointer(15 * time.Second),
			Mode: pointer("fail")}
		group.EphemeralDisk = &api.EphemeralDisk{SizeMB: pointer(300)}
	}
	job.Canonicalize()
	return job
}

func samples(client *api.Client) {
	_, _, err := client.Jobs().Register(sample("docker", false), nil)
	equal(err != nil && strings.Contains(err.Error(), "/Job/TaskGroups/0/Tasks/0/Driver") &&
		strings.Contains(err.Error(), "docker"), true, "a driver that is not here")
	for _, short := range []bool{true, false} {
		job := sample("raw_exec", short)
		reply, _, err := client.Jobs().Register(job, nil)
		check(err, "the sample")
		equal(reply.Warnings, "", "the warnings")
		wait(client, "example", "running", 1)
		known, _, err := client.Jobs().Info("example", nil)
		check(err, "the sample")
		equal(known.TaskGroups[0].Tasks[0].Identity.Env, true, "what was sent comes back")
	}
	_, _, err = client.Jobs().Deregister("example", true, nil)
	check(err, "the sample")
	canonical(client)
}

// The agent's answer about a job has every value that the client would fill in, for each type of
// job.
func canonical(client *api.Client) {
	for _, kind := range []string{"service", "batch", "system", "sysbatch"} {
		sent := map[string]any{"ID": "small", "Type": kind, "TaskGroups": []any{map[string]any{
			"Name": "g", "Tasks": []any{map[string]any{"Name": "t", "Driver": "raw_exec",
				"Config": map[string]any{"command": "/bin/true"}}}}}}
		_, err := client.Raw().Write("/v1/jobs", map[string]any{"Job": sent}, nil, nil)
		check(err, kind)
		known, _, err := client.Jobs().Info("small", nil)
		check(err, kind)
		before := toJSON(known)
		known.Canonicalize()
		equal(before, toJSON(known), "the canonical form of a "+kind+" job")
		equal([]any{*known.AllAtOnce, *known.ConsulNamespace, *known.VaultNamespace,
			*known.TaskGroups[0].EphemeralDisk.Sticky, *known.TaskGroups[0].EphemeralDisk.Migrate,
			*known.TaskGroups[0].Tasks[0].Resources.DiskMB,
			*known.TaskGroups[0].Tasks[0].RestartPolicy.RenderTemplates},
			[]any{false, "", "", false, false, 0, false}, "what is read by pointer")
		_, _, err = client.Jobs().Deregister("small", true, nil)
		check(err, kind)
	}
}
