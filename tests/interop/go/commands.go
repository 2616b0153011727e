// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/hashicorp/nomad/api"
)

// The requests of Nomad's command line, command by command and in its order.
func commands(client *api.Client) {
	eval := jobRun(client)
	jobStatus(client)
	alloc := allocStatus(client, eval)
	allocLogs(client, alloc)
	allocExec(client, alloc)
	jobAction(client, alloc)
	allocRestart(client, alloc)
	nodeStatus(client, eval)
	jobStop(client)
	jobStart(client)
	check(client.System().GarbageCollect(), "system gc")
	_, _, err := client.Jobs().Info("site", nil)
	equal(code(err), 404, "a collected job")
}

func siteJob() *api.Job {
	site := api.NewServiceJob("site", "site", "global", 50)
	group := api.NewTaskGroup("g", 1)
	task := api.NewTask("t", "raw_exec")
	task.SetConfig("command", "/bin/sh")
	task.SetConfig("args", []string{"-c",
		"echo one; echo two >&2; while ! test -e $NOMAD_TASK_DIR/go; do sleep 0.02; done; echo three; exec sleep 1000"})
	task.Actions = []*api.Action{{Name: "greet", Command: "/bin/sh",
		Args: []string{"-c", "echo hello $NOMAD_TASK_NAME; exit 3"}}}
	group.AddTask(task)
	group.Update = &api.UpdateStrategy{MaxParallel: pointer(0)} // see deployments.go
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
	look(client, "/v1/evaluation/"+reply.EvalID,
		evaluationOf(reply.EvalID, "job-register").with(shape{"JobModifyIndex": reply.JobModifyIndex,
			"CreateIndex": reply.EvalCreateIndex}), &api.Evaluation{})
	look(client, "/v1/evaluation/"+reply.EvalID+"/allocations",
		list{stubOf(reply.EvalID, started)}, &[]api.AllocationListStub{})
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
	counts, _, err := client.Jobs().Summary("site", q)
	check(err, "summary")
	equal(counts.Summary["g"], api.TaskGroupSummary{Running: 1}, "summary")
	look(client, "/v1/jobs?prefix=site", list{jobStub}, &[]api.JobListStub{})
	look(client, "/v1/jobs/statuses", list{jobStatusOf(allocs[0])}, &[]map[string]any{})
	look(client, "/v1/job/site", wholeJob, &api.Job{})
	look(client, "/v1/job/site/allocations", list{stubOf(evals[0].ID, started)},
		&[]api.AllocationListStub{})
	look(client, "/v1/job/site/evaluations", list{evaluationOf(evals[0].ID, "job-register")},
		&[]api.Evaluation{})
	look(client, "/v1/job/site/summary", summary, &api.JobSummary{})
}

func allocStatus(client *api.Client, eval string) *api.Allocation {
	allocs, _, err := client.Evaluations().Allocations(eval, nil)
	check(err, "allocations")
	alloc := findAlloc(client, allocs[0].ID[:8])
	equal([]any{alloc.EvalID, *alloc.Job.ID, alloc.Metrics != nil}, []any{eval, "site", true}, "allocation")
	checks, err := client.Allocations().Checks(alloc.ID, nil)
	check(err, "checks")
	equal(len(checks), 0, "checks")
	stats, err := client.Allocations().Stats(alloc, nil)
	check(err, "statistics")
	equal(stats.Tasks["t"] != nil, true, "statistics")
	look(client, "/v1/allocation/"+alloc.ID, allocationOf(eval, alloc.NodeID, started),
		&api.Allocation{})
	look(client, "/v1/client/allocation/"+alloc.ID+"/stats", usage, &api.AllocResourceUsage{})
	return alloc
}

// Every command with the beginning of an id does this.
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
	// Follows both streams, from their end.
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
	equal(first(out, outErrs), "three\n", "later output")
	close(cancel)
}

// The client sends the size and the input independently, so the size may come later.
const execScript = `read x; echo got $x
if test -t 1; then until test "$(stty size)" = "20 60"; do sleep 0.02; done; stty size; fi
echo oops >&2; exit 9`

func allocExec(client *api.Client, alloc *api.Allocation) {
	alloc = findAlloc(client, alloc.ID[:8])
	_, _, err := client.Nodes().Info(alloc.NodeID, nil)
	check(err, "node")
	for _, tty := range []bool{false, true} {
		var out, errors bytes.Buffer
		sizes := make(chan api.TerminalSize, 1)
		sizes <- api.TerminalSize{Height: 20, Width: 60}
		code, err := client.Allocations().Exec(context.Background(), alloc, "t", tty,
			[]string{"sh", "-c", execScript},
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

func jobAction(client *api.Client, alloc *api.Allocation) {
	look(client, "/v1/job/site/actions", list{shape{"Name": "greet", "TaskName": "t",
		"TaskGroupName": "g", "Command": "/bin/sh",
		"Args": list{"-c", "echo hello $NOMAD_TASK_NAME; exit 3"}}}, &[]api.Action{})
	var out, errors bytes.Buffer
	code, err := client.Jobs().ActionExec(context.Background(), alloc, "site", "t", false, nil, "greet",
		strings.NewReader(""), &out, &errors, make(chan api.TerminalSize), nil)
	check(err, "action")
	equal([]any{code, out.String(), errors.String()}, []any{3, "hello t\n", ""}, "action")
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

func nodeStatus(client *api.Client, eval string) {
	all, _, err := client.Nodes().List(&api.QueryOptions{Params: map[string]string{"resources": "true"}})
	check(err, "nodes")
	equal(len(all), 1, "nodes")
	found, _, err := client.Nodes().PrefixList(all[0].ID[:8])
	check(err, "prefix")
	equal(len(found), 1, "prefix")
	node, _, err := client.Nodes().Info(all[0].ID, nil)
	check(err, "node")
	equal([]any{node.Status, node.Drain, node.SchedulingEligibility}, []any{"ready", false, "eligible"}, "node")
	allocs, _, err := client.Nodes().Allocations(node.ID, nil)
	check(err, "allocations of the node")
	equal(slices.ContainsFunc(allocs, func(a *api.Allocation) bool { return a.JobID == "site" }), true, "allocations")
	stats, err := client.Nodes().Stats(node.ID, nil)
	check(err, "statistics of the node")
	equal(stats.Memory.Total > 0, true, "memory")
	look(client, "/v1/nodes", list{nodeStub}, &[]api.NodeListStub{})
	address := strings.TrimPrefix(client.Address(), "http://")
	look(client, "/v1/node/"+node.ID, nodeAt(address).with(shape{"ID": node.ID}), &api.Node{})
	look(client, "/v1/node/"+node.ID+"/allocations", list{allocationOf(eval, node.ID, restarted)},
		&[]api.Allocation{})
	look(client, "/v1/client/stats?node_id="+node.ID, hostStats, &api.HostStats{})
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

// Registers the stopped job as it was read, without the stop, and stops it again.
func jobStart(client *api.Client) {
	spec, _, err := client.Jobs().Info("site", nil)
	check(err, "job start")
	*spec.Stop = false
	_, _, err = client.Jobs().Register(spec, nil)
	check(err, "job start")
	wait(client, "site", "running", 1)
	_, _, err = client.Jobs().Deregister("site", false, nil)
	check(err, "job stop")
	wait(client, "site", "complete", 2)
}
