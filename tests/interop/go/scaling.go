// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import (
	"strings"

	"github.com/hashicorp/nomad/api"
	"github.com/hashicorp/nomad/api/contexts"
)

// What an autoscaler does with a job: it reads the policies, waits for their changes, and scales.
func scaling(client *api.Client) {
	spec := scalable()
	_, _, err := client.Jobs().Register(spec, nil)
	check(err, "register")
	listed, meta, err := client.Scaling().ListPolicies(nil)
	check(err, "policies")
	equal([]any{len(listed), meta.LastIndex > 0}, []any{2, true}, "policies")
	ids := map[string]string{}
	for _, stub := range listed {
		ids[stub.Type] = stub.ID
	}
	policy := readPolicy(client, ids["horizontal"])
	equal([]any{*policy.Enabled, *policy.Min, *policy.Max, policy.CreateIndex > 0},
		[]any{true, int64(1), int64(3), true}, "policy of a group")
	equal(policy.Target, map[string]string{"Namespace": "default", "Job": "scaled", "Group": "g"}, "target")
	equal(policy.Policy["cooldown"], "1m", "what the autoscaler reads")
	of := readPolicy(client, ids["vertical_cpu"])
	equal([]any{of.Target["Task"], *of.Enabled, *of.Max}, []any{"t", false, int64(500)}, "policy of a task")
	vertical, _, err := client.Scaling().ListPolicies(&api.QueryOptions{
		Params: map[string]string{"type": "vertical", "job": "scaled"}})
	check(err, "policies of a type")
	equal(len(vertical), 1, "policies of a type")
	found, _, err := client.Search().PrefixSearch(policy.ID[:8], contexts.ScalingPolicies, nil)
	check(err, "search")
	equal(found.Matches[contexts.ScalingPolicies], []string{policy.ID}, "search")

	scalingBounds(client)
	now, _, err := client.Jobs().Info("scaled", nil)
	check(err, "job")
	equal(now.TaskGroups[0].Scaling.ID, policy.ID, "the policy in the job")
	// A job that was read is the same when it is registered again.
	_, _, err = client.Jobs().Register(now, nil)
	check(err, "register")
	again, _, err := client.Jobs().Info("scaled", nil)
	check(err, "job")
	equal(*again.Version, *now.Version, "version")

	scalingChange(client, spec, policy)
	_, _, err = client.Jobs().Deregister("scaled", false, nil)
	check(err, "deregister")
	equal(*readPolicy(client, policy.ID).Enabled, false, "of a stopped job")
	_, _, err = client.Jobs().Deregister("scaled", true, nil)
	check(err, "purge")
	_, _, err = client.Scaling().GetPolicy(policy.ID, nil)
	equal(code(err), 404, "a policy that is gone")
	wait(client, "scaled", "complete", 2)
}

// A job with a group of 1 to 3 allocations that has no count of its own.
func scalable() *api.Job {
	spec := job()
	spec.ID, spec.Name = pointer("scaled"), pointer("scaled")
	group := spec.TaskGroups[0]
	group.Count = nil
	group.Scaling = &api.ScalingPolicy{Min: pointer(int64(1)), Max: pointer(int64(3)),
		Policy: map[string]any{"cooldown": "1m"}}
	group.Tasks[0].ScalingPolicies = []*api.ScalingPolicy{{
		Type: "vertical_cpu", Max: pointer(int64(500)), Enabled: pointer(false)}}
	return spec
}

func readPolicy(client *api.Client, id string) *api.ScalingPolicy {
	policy, meta, err := client.Scaling().GetPolicy(id, nil)
	check(err, "policy")
	equal([]any{policy.ID, meta.LastIndex}, []any{id, policy.ModifyIndex}, "policy")
	return policy
}

func scalingBounds(client *api.Client) {
	for count, why := range map[int]string{0: "less than scaling policy minimum: 0 < 1",
		4: "greater than scaling policy maximum: 4 > 3"} {
		_, _, err := client.Jobs().Scale("scaled", "g", pointer(count), "", false, nil, nil)
		equal([]any{code(err), strings.Contains(err.Error(), why)}, []any{400, true}, err.Error())
	}
	_, _, err := client.Jobs().Scale("scaled", "g", pointer(2), "busy", false, nil, nil)
	check(err, "scale")
	wait(client, "scaled", "running", 2)
	status, _, err := client.Jobs().ScaleStatus("scaled", nil)
	check(err, "status")
	equal(status.TaskGroups["g"].Desired, 2, "count")
}

// A query that waits is answered when a policy changes.
func scalingChange(client *api.Client, spec *api.Job, policy *api.ScalingPolicy) {
	answers := make(chan *api.ScalingPolicy)
	go func() {
		changed, _, err := client.Scaling().GetPolicy(policy.ID, &api.QueryOptions{WaitIndex: policy.ModifyIndex})
		check(err, "a policy that changes")
		answers <- changed
	}()
	spec.TaskGroups[0].Scaling.Max = pointer(int64(5))
	_, _, err := client.Jobs().RegisterOpts(spec, &api.RegisterOptions{PreserveCounts: true}, nil)
	check(err, "register")
	changed := <-answers
	equal([]any{*changed.Max, changed.CreateIndex, changed.ModifyIndex > policy.ModifyIndex},
		[]any{int64(5), policy.CreateIndex, true}, "changed policy")
}
