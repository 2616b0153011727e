// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import (
	"strconv"
	"time"

	"github.com/hashicorp/nomad/api"
)

// The values that the client's package derives from an allocation.
func helpers(alloc *api.Allocation, stub *api.AllocationListStub) {
	equal(alloc.Name, "web.g"+api.AllocSuffix(alloc.Name), "name")
	index, err := strconv.Atoi(api.AllocSuffix(alloc.Name)[1:2])
	check(err, "suffix of the name")
	equal(index == 0 || index == 1, true, "index of the allocation")
	equal([]any{alloc.ServerTerminalStatus(), alloc.ClientTerminalStatus()}, []any{false, false}, "status")
	equal(*alloc.GetTaskGroup().Name, "g", "group")
	attempted, available := alloc.RescheduleInfo(time.Now())
	equal(attempted, 0, "attempts to reschedule")
	equal(available, *alloc.GetTaskGroup().ReschedulePolicy.Attempts, "attempts that are left")
	equal([]any{alloc.RescheduleTracker == nil, stub.RescheduleTracker == nil}, []any{true, true},
		"reschedule tracker")
	transition(alloc, false, false)
	// A stub of a list equals the one that the client makes, except for the fields about the job.
	own := alloc.Stub()
	own.JobVersion, own.ModifyIndex, own.ModifyTime = stub.JobVersion, stub.ModifyIndex, stub.ModifyTime
	own.TaskStates, own.AllocatedResources = stub.TaskStates, stub.AllocatedResources
	own.ClientStatus, own.ClientDescription = stub.ClientStatus, stub.ClientDescription
	equal(toJSON(own), toJSON(stub), "stub")
}

func transition(alloc *api.Allocation, migrate, noDelay bool) {
	of := alloc.DesiredTransition
	equal([]any{of.ShouldMigrate(), of.ShouldIgnoreShutdownDelay(), of.ShouldReschedule(),
		of.ShouldForceReschedule(), of.ShouldDisableMigrationPlacement()},
		[]any{migrate, noDelay, false, false, false}, "desired transition")
}

// The answer has the whole policy, although the job has only a part: the client reads all of it.
func policies(client *api.Client) {
	spec := job()
	spec.ID, spec.Name = pointer("policies"), pointer("policies")
	spec.TaskGroups[0].Count = pointer(1)
	spec.TaskGroups[0].ReschedulePolicy = &api.ReschedulePolicy{Unlimited: pointer(true)}
	_, _, err := client.Jobs().Register(spec, nil)
	check(err, "register")
	running := wait(client, "policies", "running", 1)
	alloc, _, err := client.Allocations().Info(running[0].ID, nil)
	check(err, "allocation")
	attempted, available := alloc.RescheduleInfo(time.Now())
	equal([]any{attempted, available}, []any{0, 0}, "attempts to reschedule")

	// A client may ask to keep the counts of the registered job.
	spec.TaskGroups[0].Count = pointer(2)
	reply, _, err := client.Jobs().RegisterOpts(spec, &api.RegisterOptions{PreserveCounts: true, EvalPriority: 70}, nil)
	check(err, "register with the counts of before")
	eval, _, err := client.Evaluations().Info(reply.EvalID, nil)
	check(err, "evaluation")
	now, _, err := client.Jobs().Info("policies", nil)
	check(err, "job")
	equal([]any{*now.TaskGroups[0].Count, eval.Priority}, []any{1, 70}, "count, and priority of the evaluation")
	_, _, err = client.Jobs().Deregister("policies", true, nil)
	check(err, "purge")
	until("it has ended", func() bool {
		alloc, _, err = client.Allocations().Info(running[0].ID, nil)
		check(err, "allocation")
		return alloc.ServerTerminalStatus() && alloc.ClientTerminalStatus()
	})
}
