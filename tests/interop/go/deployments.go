// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import (
	"strings"
	"time"

	"github.com/hashicorp/nomad/api"
)

// A version of a job with two allocations, one of which changes at a time. FAILS: its tasks do.
func rolled(version string, canaries int, fails bool) *api.Job {
	job := api.NewServiceJob("rolled", "rolled", "global", 50)
	group := api.NewTaskGroup("g", 2)
	group.Update = &api.UpdateStrategy{MaxParallel: pointer(1), HealthCheck: pointer("task_states"),
		MinHealthyTime: pointer(10 * time.Millisecond), HealthyDeadline: pointer(20 * time.Second),
		ProgressDeadline: pointer(time.Duration(0)), AutoRevert: pointer(true), Canary: pointer(canaries)}
	group.RestartPolicy = &api.RestartPolicy{Attempts: pointer(0), Mode: pointer("fail")}
	group.ReschedulePolicy = &api.ReschedulePolicy{Attempts: pointer(0), Unlimited: pointer(false)}
	task := api.NewTask("t", "raw_exec")
	task.SetConfig("command", "/bin/sleep")
	task.SetConfig("args", []string{"1000"})
	if fails {
		task.SetConfig("command", "/bin/false")
	}
	task.Env = map[string]string{"VERSION": version}
	task.Resources = &api.Resources{CPU: pointer(20), MemoryMB: pointer(20)}
	group.AddTask(task)
	job.AddTaskGroup(group)
	job.Canonicalize()
	return job
}

// Registers a version, and returns the deployment that its evaluation has made.
func roll(client *api.Client, job *api.Job) string {
	reply, _, err := client.Jobs().Register(job, nil)
	check(err, "register")
	var id string
	until("its evaluation is complete", func() bool {
		eval, _, err := client.Evaluations().Info(reply.EvalID, nil)
		check(err, "evaluation")
		id = eval.DeploymentID
		return eval.Status == "complete"
	})
	equal(id != "", true, "its deployment")
	return id
}

// Follows a deployment as the command line does, by blocking queries, until DONE.
func follow(client *api.Client, id string, done func(*api.Deployment) bool) *api.Deployment {
	index := uint64(1)
	for end := time.Now().Add(40 * time.Second); ; {
		deployment, meta, err := client.Deployments().Info(id,
			&api.QueryOptions{AllowStale: true, WaitIndex: index, WaitTime: 10 * time.Second})
		check(err, "deployment")
		if done(deployment) {
			return deployment
		}
		if time.Now().After(end) {
			fail("not within 40 s: the end of the deployment: %#v", deployment)
		}
		index = meta.LastIndex
	}
}

func hasEnded(deployment *api.Deployment) bool {
	switch deployment.Status {
	case api.DeploymentStatusSuccessful, api.DeploymentStatusFailed, api.DeploymentStatusCancelled:
		return true
	}
	return false
}

func deployments(client *api.Client) {
	first := follow(client, roll(client, rolled("0", 0, false)), hasEnded)
	group := first.TaskGroups["g"]
	equal([]any{first.Status, first.StatusDescription, first.JobVersion, group.DesiredTotal, group.HealthyAllocs},
		[]any{"successful", "Deployment completed successfully", uint64(0), 2, 2}, "the first deployment")
	listed, _, err := client.Deployments().PrefixList(first.ID[:8])
	check(err, "deployments")
	equal([]any{len(listed), listed[0].ID}, []any{1, first.ID}, "deployments by their prefix")
	allocs, _, err := client.Deployments().Allocations(first.ID, nil)
	check(err, "allocations of the deployment")
	equal([]any{len(allocs), *allocs[0].DeploymentStatus.Healthy}, []any{2, true}, "its allocations")
	_, _, err = client.Deployments().Fail(first.ID, nil)
	equal(code(err), 500, "a deployment that has ended")

	// A version that fails goes back.
	bad := follow(client, roll(client, rolled("1", 0, true)), hasEnded)
	equal(bad.Status, "failed", "the deployment of a bad version")
	equal(bad.StatusDescription, "Failed due to unhealthy allocations - rolling back to job version 0",
		"why it has failed")
	back, _, err := client.Jobs().LatestDeployment("rolled", nil)
	check(err, "the newest deployment")
	equal(back.JobVersion, uint64(2), "the version that came back")
	equal(follow(client, back.ID, hasEnded).Status, "successful", "the way back")
	now, _, err := client.Jobs().Info("rolled", nil)
	check(err, "job")
	equal([]any{*now.Stable, now.TaskGroups[0].Tasks[0].Env["VERSION"]}, []any{true, "0"}, "the job of before")

	// A canary waits for a promotion.
	id := roll(client, rolled("3", 1, false))
	waits := follow(client, id, func(deployment *api.Deployment) bool {
		return deployment.TaskGroups["g"].HealthyAllocs == 1
	})
	equal([]any{waits.Status, len(waits.TaskGroups["g"].PlacedCanaries), waits.TaskGroups["g"].Promoted},
		[]any{"running", 1, false}, "the canary")
	_, _, err = client.Deployments().Pause(id, true, nil)
	check(err, "pause")
	paused, _, err := client.Deployments().Info(id, nil)
	check(err, "deployment")
	equal(paused.Status, api.DeploymentStatusPaused, "a pause")
	_, _, err = client.Deployments().Pause(id, false, nil)
	check(err, "resume")
	promoted, _, err := client.Deployments().PromoteAll(id, nil)
	check(err, "promotion")
	equal(promoted.EvalID != "" && promoted.DeploymentModifyIndex > 0, true, "the promotion")
	equal(follow(client, id, hasEnded).Status, "successful", "the rest")

	reverted, _, err := client.Jobs().Revert("rolled", 2, nil, nil, "", "")
	check(err, "revert")
	equal(reverted.EvalID != "", true, "the evaluation of a revert")
	all, _, err := client.Jobs().Deployments("rolled", true, nil)
	check(err, "deployments of the job")
	equal(len(all), 5, "deployments of the job")
	purge(client, "rolled")
}

// Purges a job, and waits until nothing of it runs.
func purge(client *api.Client, id string) {
	_, _, err := client.Jobs().Deregister(id, true, nil)
	check(err, "purge")
	until("all of "+id+" has ended", func() bool {
		allocs, _, err := client.Jobs().Allocations(id, true, nil)
		check(err, "allocations")
		for _, alloc := range allocs {
			if alloc.ClientStatus == "running" || alloc.ClientStatus == "pending" {
				return false
			}
		}
		return true
	})
}

// A periodic and a parameterized job, and what they start.
func children(client *api.Client) {
	kind := func(id string) *api.Job {
		job := api.NewBatchJob(id, id, "global", 50)
		task := api.NewTask("t", "raw_exec")
		task.SetConfig("command", "/bin/true")
		task.Resources = &api.Resources{CPU: pointer(20), MemoryMB: pointer(20)}
		job.AddTaskGroup(api.NewTaskGroup("g", 1).AddTask(task))
		return job
	}
	timed := kind("timed")
	timed.AddPeriodicConfig(&api.PeriodicConfig{Specs: []string{"0 0 1 1 *"}})
	timed.Canonicalize()
	reply, _, err := client.Jobs().Register(timed, nil)
	check(err, "register a periodic job")
	equal(reply.EvalID, "", "its evaluation")
	evalID, _, err := client.Jobs().PeriodicForce("timed", nil)
	check(err, "force")
	eval, _, err := client.Evaluations().Info(evalID, nil)
	check(err, "evaluation")
	equal([]any{eval.TriggeredBy, strings.HasPrefix(eval.JobID, "timed/periodic-")}, []any{"periodic-job", true},
		"the launch")
	wait(client, eval.JobID, "complete", 1)

	form := kind("form")
	form.ParameterizedJob = &api.ParameterizedJobConfig{Payload: "optional", MetaRequired: []string{"who"}}
	form.Canonicalize()
	_, _, err = client.Jobs().Register(form, nil)
	check(err, "register a parameterized job")
	_, _, err = client.Jobs().Dispatch("form", nil, nil, "", nil)
	equal([]any{code(err), strings.Contains(err.Error(), "[who]")}, []any{500, true}, "a key that is missing")
	who := map[string]string{"who": "ada"}
	once := &api.WriteOptions{IdempotencyToken: "once"}
	sent, _, err := client.Jobs().Dispatch("form", who, []byte("hello"), "", once)
	check(err, "dispatch")
	again, _, err := client.Jobs().Dispatch("form", who, []byte("hello"), "", once)
	check(err, "dispatch again")
	equal(again.DispatchedJobID, sent.DispatchedJobID, "the same child")
	wait(client, sent.DispatchedJobID, "complete", 1)
	summary, _, err := client.Jobs().Summary("form", nil)
	check(err, "summary")
	equal(summary.Children.Dead, int64(1), "children")
	for _, id := range []string{eval.JobID, sent.DispatchedJobID, "timed", "form"} {
		purge(client, id)
	}
}
