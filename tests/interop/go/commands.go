// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/hashicorp/nomad/api"
)

// What clients find in each answer. Those that an answer leaves out when they are empty are not
// listed.
const (
	evaluation = "ID Priority Type TriggeredBy Namespace JobID JobModifyIndex NodeID NodeModifyIndex " +
		"DeploymentID Status StatusDescription Wait NextEval PreviousEval BlockedEval FailedTGAllocs " +
		"PlanAnnotations ClassEligibility EscapedComputedClass QuotaLimitReached AnnotatePlan " +
		"QueuedAllocations SnapshotIndex CreateIndex ModifyIndex CreateTime ModifyTime"
	stubbed = "ID EvalID Name Namespace NodeID NodeName JobID JobType JobVersion TaskGroup DesiredStatus " +
		"DesiredDescription DesiredTransition ClientStatus ClientDescription TaskStates DeploymentStatus " +
		"FollowupEvalID RescheduleTracker PreemptedAllocations PreemptedByAllocation CreateIndex " +
		"ModifyIndex CreateTime ModifyTime NextAllocation"
	allocated = "ID Namespace EvalID Name NodeID NodeName JobID Job TaskGroup Resources SharedResources " +
		"TaskResources AllocatedResources Services Metrics DesiredStatus DesiredDescription " +
		"DesiredTransition ClientStatus ClientDescription TaskStates AllocStates DeploymentID " +
		"DeploymentStatus FollowupEvalID PreviousAllocation NextAllocation RescheduleTracker " +
		"NetworkStatus PreemptedAllocations PreemptedByAllocation CreateIndex ModifyIndex " +
		"AllocModifyIndex CreateTime ModifyTime"
	taskState = "State Failed Restarts LastRestart StartedAt FinishedAt Events"
	taskEvent = "Type Time DisplayMessage Details FailsTask RestartReason SetupError DriverError ExitCode " +
		"Signal Message KillReason KillTimeout KillError StartDelay DownloadError ValidationError DiskLimit " +
		"FailedSibling VaultError TaskSignalReason TaskSignal DriverMessage GenericSource"
	jobStub = "ID ParentID Name Namespace Datacenters NodePool Multiregion Type Priority Periodic " +
		"ParameterizedJob Stop Status StatusDescription JobSummary CreateIndex ModifyIndex JobModifyIndex " +
		"SubmitTime"
	wholeJob = "Region Namespace ID Name Type Priority Datacenters TaskGroups Meta Stop ParentID Status " +
		"StatusDescription Stable Version SubmitTime CreateIndex ModifyIndex JobModifyIndex"
	summarized = "JobID Namespace Summary Children CreateIndex ModifyIndex"
	counted    = "Queued Complete Failed Running Starting Lost Unknown"
	nodeStub   = "Address ID Attributes Datacenter Name NodePool NodeClass Version Drain " +
		"SchedulingEligibility Status StatusDescription Drivers HostVolumes LastDrain CreateIndex ModifyIndex"
	wholeNode = "ID Datacenter Name HTTPAddr TLSEnabled Attributes Resources Reserved NodeResources " +
		"ReservedResources Links Meta NodeClass NodePool CgroupParent Drain DrainStrategy " +
		"SchedulingEligibility Status StatusDescription StatusUpdatedAt Events Drivers HostVolumes " +
		"HostNetworks LastDrain CreateIndex ModifyIndex"
	driverInfo = "Attributes Detected Healthy HealthDescription UpdateTime"
	usage      = "ResourceUsage Tasks Timestamp"
	hostStats  = "Memory CPU DiskStats AllocDirStats DeviceStats Uptime CPUTicksConsumed Timestamp"
	self       = "config member stats"
)

// The answer to a GET as a map, which has all FIELDS and is read as OUT.
func look(client *api.Client, path, fields string, out any) map[string]any {
	body, err := client.Raw().Response(path, nil)
	check(err, path)
	defer body.Close()
	text, err := io.ReadAll(body)
	check(err, path)
	check(json.Unmarshal(text, out), path)
	var told any
	check(json.Unmarshal(text, &told), path)
	if list, isList := told.([]any); isList {
		equal(len(list) > 0, true, path+": elements")
		told = list[0]
	}
	return has(told, fields, path)
}

func has(value any, fields, what string) map[string]any {
	object, isObject := value.(map[string]any)
	if !isObject {
		fail("%s: no object but %v", what, value)
	}
	var missing []string
	for _, field := range strings.Fields(fields) {
		if _, there := object[field]; !there {
			missing = append(missing, field)
		}
	}
	sort.Strings(missing)
	equal(missing, []string(nil), what+": missing fields")
	return object
}

// What the command line of Nomad asks, command by command and in its order.
func commands(client *api.Client) {
	eval := jobRun(client)
	jobStatus(client)
	alloc := allocStatus(client, eval)
	allocLogs(client, alloc)
	allocExec(client, alloc)
	allocRestart(client, alloc)
	nodeStatus(client)
	jobStop(client)
	check(client.System().GarbageCollect(), "system gc")
	_, _, err := client.Jobs().Info("site", nil)
	equal(code(err), 404, "a job that has been collected")
}

func siteJob() *api.Job {
	site := api.NewServiceJob("site", "site", "global", 50)
	group := api.NewTaskGroup("g", 1)
	task := api.NewTask("t", "raw_exec")
	task.SetConfig("command", "/bin/sh")
	task.SetConfig("args", []string{"-c",
		"echo one; echo two >&2; while ! test -e $NOMAD_TASK_DIR/go; do sleep 0.02; done; echo three; exec sleep 1000"})
	group.AddTask(task)
	site.AddTaskGroup(group)
	return site
}

func jobRun(client *api.Client) string {
	spec := siteJob()
	reply, meta, err := client.Jobs().RegisterOpts(spec, &api.RegisterOptions{PreserveCounts: false,
		Submission: &api.JobSubmission{Source: `job "site" {}`, Format: "hcl2"}}, nil)
	check(err, "job run")
	equal(reply.Warnings, "", "warnings")
	equal(meta.LastIndex, reply.JobModifyIndex, "index of the write")
	about, err := client.Agent().Self()
	check(err, "agent self")
	equal(about.Config != nil, true, "configuration")
	look(client, "/v1/agent/self", self, &api.AgentSelf{})
	until("the evaluation is complete and its allocation runs", func() bool {
		eval, _, err := client.Evaluations().Info(reply.EvalID, nil)
		check(err, "evaluation")
		allocs, _, err := client.Evaluations().Allocations(reply.EvalID, nil)
		check(err, "allocations of the evaluation")
		equal(eval.DeploymentID, "", "deployment")
		equal(len(eval.FailedTGAllocs), 0, "failed groups")
		return eval.Status == "complete" && len(allocs) == 1 && allocs[0].ClientStatus == "running"
	})
	look(client, "/v1/evaluation/"+reply.EvalID, evaluation, &api.Evaluation{})
	look(client, "/v1/evaluation/"+reply.EvalID+"/allocations", stubbed, &[]api.AllocationListStub{})
	return reply.EvalID
}

func jobStatus(client *api.Client) {
	found, _, err := client.Jobs().List(&api.QueryOptions{Prefix: "site", Namespace: "*"})
	check(err, "jobs")
	equal([]any{len(found), found[0].ID, found[0].Namespace}, []any{1, "site", "default"}, "jobs")
	q := &api.QueryOptions{Namespace: found[0].Namespace}
	info, _, err := client.Jobs().Info("site", q)
	check(err, "job")
	equal([]any{*info.Type, info.IsPeriodic(), info.IsParameterized(), info.IsMultiregion()},
		[]any{"service", false, false, false}, "job")
	allocs, _, err := client.Jobs().Allocations("site", false, q)
	check(err, "allocations")
	equal([]any{len(allocs), allocs[0].Name}, []any{1, "site.g[0]"}, "allocations")
	evals, _, err := client.Jobs().Evaluations("site", q)
	check(err, "evaluations")
	equal([]any{len(evals), evals[0].TriggeredBy}, []any{1, "job-register"}, "evaluations")
	deployment, _, err := client.Jobs().LatestDeployment("site", q)
	check(err, "deployment")
	equal(deployment, (*api.Deployment)(nil), "deployment")
	summary, _, err := client.Jobs().Summary("site", q)
	check(err, "summary")
	equal(summary.Summary["g"], api.TaskGroupSummary{Running: 1}, "summary")
	look(client, "/v1/jobs?prefix=site", jobStub, &[]api.JobListStub{})
	look(client, "/v1/job/site", wholeJob, &api.Job{})
	look(client, "/v1/job/site/allocations", stubbed, &[]api.AllocationListStub{})
	look(client, "/v1/job/site/evaluations", evaluation, &[]api.Evaluation{})
	told := look(client, "/v1/job/site/summary", summarized, &api.JobSummary{})
	has(told["Summary"].(map[string]any)["g"], counted, "summary")
	has(told["Children"], "Pending Running Dead", "children")
}

func allocStatus(client *api.Client, eval string) *api.Allocation {
	allocs, _, err := client.Evaluations().Allocations(eval, nil)
	check(err, "allocations")
	alloc := findAlloc(client, allocs[0].ID[:8])
	equal([]any{alloc.EvalID, *alloc.Job.ID, alloc.Metrics != nil}, []any{eval, "site", true}, "allocation")
	checks, err := client.Allocations().Checks(alloc.ID, nil)
	check(err, "checks")
	equal(len(checks), 0, "checks")
	used, err := client.Allocations().Stats(alloc, nil)
	check(err, "statistics")
	equal(used.Tasks["t"] != nil, true, "statistics")
	told := look(client, "/v1/allocation/"+alloc.ID, allocated, &api.Allocation{})
	state := has(told["TaskStates"].(map[string]any)["t"], taskState, "task state")
	for _, event := range state["Events"].([]any) {
		has(event, taskEvent, "event")
	}
	resources := has(told["AllocatedResources"], "Tasks TaskLifecycles Shared", "resources")
	has(resources["Tasks"].(map[string]any)["t"], "Cpu Memory Networks Devices", "resources of the task")
	has(resources["Shared"], "Networks DiskMB Ports", "shared resources")
	has(told["Metrics"], "NodesEvaluated NodesFiltered NodesExhausted AllocationTime CoalescedFailures", "metrics")
	stats := look(client, "/v1/client/allocation/"+alloc.ID+"/stats", usage, &api.AllocResourceUsage{})
	of := has(stats["ResourceUsage"], "MemoryStats CpuStats DeviceStats", "usage")
	has(of["MemoryStats"], "RSS Cache Swap MappedFile Usage MaxUsage KernelUsage KernelMaxUsage Measured", "memory")
	has(of["CpuStats"], "SystemMode UserMode TotalTicks ThrottledPeriods ThrottledTime Percent Measured", "processor")
	has(stats["Tasks"].(map[string]any)["t"], "ResourceUsage Timestamp Pids", "usage of the task")
	return alloc
}

// As every command with the beginning of an id does.
func findAlloc(client *api.Client, prefix string) *api.Allocation {
	found, _, err := client.Allocations().PrefixList(prefix)
	check(err, "prefix")
	equal(len(found), 1, "prefix")
	alloc, _, err := client.Allocations().Info(found[0].ID, &api.QueryOptions{Namespace: found[0].Namespace})
	check(err, "allocation")
	return alloc
}

func allocLogs(client *api.Client, alloc *api.Allocation) {
	alloc = findAlloc(client, alloc.ID[:8])
	node, _, err := client.Nodes().Info(alloc.NodeID, nil)
	check(err, "node")
	equal([]any{node.Status, node.HTTPAddr != ""}, []any{"ready", true}, "node")
	until("both logs are there", func() bool {
		files, _, err := client.AllocFS().List(alloc, "alloc/logs", nil)
		check(err, "list")
		return slices.ContainsFunc(files, func(f *api.AllocFileInfo) bool { return f.Name == "t.stdout.0" && f.Size > 0 }) &&
			slices.ContainsFunc(files, func(f *api.AllocFileInfo) bool { return f.Name == "t.stderr.0" && f.Size > 0 })
	})
	// Both streams are followed, from their end.
	cancel := make(chan struct{})
	out, outErrs := client.AllocFS().Logs(alloc, true, "t", "stdout", api.OriginEnd, 4, cancel, nil)
	err2, errErrs := client.AllocFS().Logs(alloc, true, "t", "stderr", api.OriginEnd, 4, cancel, nil)
	equal(first(out, outErrs), "one\n", "output")
	equal(first(err2, errErrs), "two\n", "errors")
	code, err := client.Allocations().Exec(context.Background(), alloc, "t", false,
		[]string{"sh", "-c", "touch $NOMAD_TASK_DIR/go"}, strings.NewReader(""), io.Discard, io.Discard,
		make(chan api.TerminalSize), nil)
	check(err, "exec")
	equal(code, 0, "exec")
	equal(first(out, outErrs), "three\n", "what comes later")
	close(cancel)
}

func allocExec(client *api.Client, alloc *api.Allocation) {
	alloc = findAlloc(client, alloc.ID[:8])
	_, _, err := client.Nodes().Info(alloc.NodeID, nil)
	check(err, "node")
	for _, tty := range []bool{false, true} {
		var out, errors bytes.Buffer
		sizes := make(chan api.TerminalSize, 1)
		sizes <- api.TerminalSize{Height: 20, Width: 60}
		code, err := client.Allocations().Exec(context.Background(), alloc, "t", tty,
			[]string{"sh", "-c", "read x; echo got $x; test -t 1 && stty size; echo oops >&2; exit 9"},
			strings.NewReader("typed\n"), &out, &errors, sizes, nil)
		check(err, "exec")
		equal(code, 9, "exit code")
		if tty {
			equal(strings.HasSuffix(out.String(), "got typed\r\n20 60\r\noops\r\n"), true, out.String())
		} else {
			equal([]string{out.String(), errors.String()}, []string{"got typed\n", "oops\n"}, "exec")
		}
	}
}

func allocRestart(client *api.Client, alloc *api.Allocation) {
	alloc = findAlloc(client, alloc.ID[:8])
	_, _, err := client.Nodes().Info(alloc.NodeID, nil)
	check(err, "node")
	check(client.Allocations().Restart(alloc, "", nil), "restart")
	until("it has been restarted", func() bool {
		now := findAlloc(client, alloc.ID[:8]).TaskStates["t"]
		return now.Restarts == 1 && now.State == "running" && !now.LastRestart.IsZero()
	})
}

func nodeStatus(client *api.Client) {
	list, _, err := client.Nodes().List(&api.QueryOptions{Params: map[string]string{"resources": "true"}})
	check(err, "nodes")
	equal(len(list), 1, "nodes")
	found, _, err := client.Nodes().PrefixList(list[0].ID[:8])
	check(err, "prefix")
	equal(len(found), 1, "prefix")
	node, _, err := client.Nodes().Info(list[0].ID, nil)
	check(err, "node")
	equal([]any{node.Status, node.Drain, node.SchedulingEligibility}, []any{"ready", false, "eligible"}, "node")
	allocs, _, err := client.Nodes().Allocations(node.ID, nil)
	check(err, "allocations of the node")
	equal(slices.ContainsFunc(allocs, func(a *api.Allocation) bool { return a.JobID == "site" }), true, "allocations")
	stats, err := client.Nodes().Stats(node.ID, nil)
	check(err, "statistics of the node")
	equal(stats.Memory.Total > 0, true, "memory")
	told := look(client, "/v1/nodes", nodeStub, &[]api.NodeListStub{})
	has(told["Drivers"].(map[string]any)["raw_exec"], driverInfo, "driver")
	told = look(client, "/v1/node/"+node.ID, wholeNode, &api.Node{})
	has(told["NodeResources"], "Cpu Memory Disk Networks Devices", "resources of the node")
	look(client, "/v1/node/"+node.ID+"/allocations", allocated, &[]api.Allocation{})
	told = look(client, "/v1/client/stats?node_id="+node.ID, hostStats, &api.HostStats{})
	has(told["Memory"], "Total Available Used Free", "memory")
	has(told["CPU"].([]any)[0], "CPU User System Idle", "processor")
	has(told["AllocDirStats"], "Device Mountpoint Size Used Available UsedPercent InodesUsedPercent", "disk")
}

func jobStop(client *api.Client) {
	eval, _, err := client.Jobs().DeregisterOpts("site", &api.DeregisterOptions{Purge: false}, nil)
	check(err, "job stop")
	until("its evaluation is complete", func() bool {
		info, _, err := client.Evaluations().Info(eval, nil)
		check(err, "evaluation")
		return info.Status == "complete"
	})
	wait(client, "site", "complete", 1)
	info, _, err := client.Jobs().Info("site", nil)
	check(err, "job")
	equal([]any{*info.Status, *info.Stop}, []any{"dead", true}, "job")
}
