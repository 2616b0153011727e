// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Drives an agent with the Go client of Nomad. Every Go program reads the structs that this client
// decodes.
package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/hashicorp/nomad/api"
)

func main() {
	switch os.Args[1] {
	case "fields":
		printJobFields()
		return
	case "access":
		access(os.Args[2])
		fmt.Println("all calls have been made")
		return
	case "jobs":
		check(printJobs(), "jobs")
		return
	}
	client, err := api.NewClient(&api.Config{Address: os.Args[1]})
	check(err, "client")
	commands(client)
	register(client)
	allocs := wait(client, "web", "running", 2)
	readJob(client)
	readAlloc(client, allocs[0])
	blocking(client)
	plan(client)
	restartThreeWays(client, allocs[0].ID)
	stats(client, allocs[0].ID)
	signal(client, allocs[0].ID)
	nodes(client)
	versions(client)
	services(client)
	metadata(client)
	variables(client)
	policies(client)
	scaling(client)
	agent(client)
	mistakes(client)
	filesAndCommands(client)
	stop(client, allocs[1])
	deployments(client)
	children(client)
	samples(client)
	end(client)
	fmt.Println("all calls have been made")
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "FAILED: "+format+"\n", args...)
	os.Exit(1)
}

func check(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func equal(got, want any, what string) {
	if !reflect.DeepEqual(got, want) {
		fail("%s: %#v, not %#v", what, got, want)
	}
}

func until(what string, condition func() bool) {
	for end := time.Now().Add(40 * time.Second); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			fail("not within 40 s: %s", what)
		}
	}
}

func pointer[T any](value T) *T { return &value }

func job() *api.Job {
	job := api.NewServiceJob("web", "web", "global", 50)
	group := api.NewTaskGroup("g", 2)
	group.Networks = []*api.NetworkResource{{Mode: "host", DynamicPorts: []api.Port{{Label: "http"}}}}
	group.Update = &api.UpdateStrategy{MaxParallel: pointer(0)} // see deployments.go
	task := api.NewTask("t", "raw_exec")
	task.SetConfig("command", "/bin/sleep")
	task.SetConfig("args", []string{"1000"})
	task.Env = map[string]string{"A": "b"}
	task.Resources = &api.Resources{CPU: pointer(20), MemoryMB: pointer(20)}
	task.LogConfig = api.DefaultLogConfig()
	group.AddTask(task)
	job.AddTaskGroup(group)
	job.AddDatacenter("*")
	// Fills in every default of the client, as the command line does.
	job.Canonicalize()
	return job
}

func register(client *api.Client) {
	reply, meta, err := client.Jobs().EnforceRegister(job(), 0, nil)
	check(err, "register")
	equal(reply.JobModifyIndex > 0 && meta.LastIndex > 0, true, "indexes")
	// Watches it as the command line does: changes since its creation are answered at once.
	eval, later, err := client.Evaluations().Info(reply.EvalID,
		&api.QueryOptions{WaitIndex: reply.EvalCreateIndex, WaitTime: time.Minute})
	check(err, "evaluation")
	equal(later.LastIndex > reply.EvalCreateIndex, true, "the index of the evaluation")
	equal([]any{eval.Status, eval.TriggeredBy, eval.JobID, eval.CreateIndex},
		[]any{"complete", "job-register", "web", reply.EvalCreateIndex}, "evaluation")
	equal(len(eval.FailedTGAllocs), 0, "failed groups")
	allocs, _, err := client.Evaluations().Allocations(reply.EvalID, nil)
	check(err, "allocations of the evaluation")
	equal(len(allocs), 2, "allocations of the evaluation")
	_, _, err = client.Jobs().EnforceRegister(job(), 0, nil)
	equal(err != nil && strings.Contains(err.Error(), "job already exists"), true, "enforced index")
	equal(code(err), 500, "its code")
}

func wait(client *api.Client, job, status string, count int) []*api.AllocationListStub {
	var found []*api.AllocationListStub
	until(fmt.Sprintf("%d %s allocations of %s", count, status, job), func() bool {
		all, _, err := client.Jobs().Allocations(job, true, nil)
		check(err, "allocations")
		found = nil
		for _, alloc := range all {
			if alloc.ClientStatus == status {
				found = append(found, alloc)
			}
		}
		return len(found) == count
	})
	return found
}

func readJob(client *api.Client) {
	got, meta, err := client.Jobs().Info("web", nil)
	check(err, "job")
	equal([]any{*got.ID, *got.Status, *got.Version, *got.Stop, *got.Type, *got.Namespace},
		[]any{"web", "running", uint64(0), false, "service", "default"}, "job")
	equal(meta.KnownLeader && meta.LastIndex > 0, true, "meta of the query")
	// The answer is the job that the client has sent: another registration of it changes nothing.
	sent := job()
	filter := func(text string) int {
		jobs, _, err := client.Jobs().List(&api.QueryOptions{Filter: text})
		check(err, text)
		return len(jobs)
	}
	// The command line looks so for jobs that it may dispatch or force.
	equal([]int{filter("Periodic is not nil"), filter("ParameterizedJob is not nil"),
		filter("any TaskGroups as g { g.Name == g and g.Count == 2 }")}, []int{0, 0, 1}, "filters")
	equal(fmt.Sprint(got.TaskGroups[0].Tasks[0].Config),
		fmt.Sprint(sent.TaskGroups[0].Tasks[0].Config), "configuration")
	equal(*got.TaskGroups[0].RestartPolicy.Attempts, *sent.TaskGroups[0].RestartPolicy.Attempts,
		"restart policy")
	equal(*got.TaskGroups[0].Update.MaxParallel, *sent.TaskGroups[0].Update.MaxParallel, "update")
	summary, _, err := client.Jobs().Summary("web", nil)
	check(err, "summary")
	equal(summary.Summary["g"].Running, 2, "running")
	stubs, _, err := client.Jobs().List(&api.QueryOptions{Prefix: "we"})
	check(err, "jobs")
	equal([]any{len(stubs), stubs[0].ID, stubs[0].JobSummary.Summary["g"].Running},
		[]any{1, "web", 2}, "jobs")
	versions, _, _, err := client.Jobs().Versions("web", false, nil)
	check(err, "versions")
	equal(len(versions), 1, "versions")
	deployments, _, err := client.Jobs().Deployments("web", true, nil)
	check(err, "deployments")
	equal(len(deployments), 0, "deployments")
	evals, _, err := client.Jobs().Evaluations("web", nil)
	check(err, "evaluations")
	equal(len(evals), 1, "evaluations")
}

func readAlloc(client *api.Client, stub *api.AllocationListStub) {
	equal([]any{stub.JobID, stub.TaskGroup, stub.JobType, stub.DesiredStatus, stub.NodeName != ""},
		[]any{"web", "g", "service", "run", true}, "stub")
	alloc, _, err := client.Allocations().Info(stub.ID, nil)
	check(err, "allocation")
	equal(*alloc.Job.ID, "web", "its job")
	equal(len(alloc.AllocatedResources.Shared.Ports), 1, "ports")
	port := alloc.AllocatedResources.Shared.Ports[0]
	equal([]any{port.Label, port.Value >= 20000, port.HostIP != ""}, []any{"http", true, true}, "port")
	equal(alloc.AllocatedResources.Tasks["t"].Memory.MemoryMB, int64(20), "memory")
	equal([]int{*alloc.TaskResources["t"].CPU, *alloc.TaskResources["t"].MemoryMB,
		*alloc.Resources.MemoryMaxMB, len(alloc.Resources.Networks[0].DynamicPorts)},
		[]int{20, 20, 0, 1}, "resources in their old form")
	equal(alloc.NetworkStatus != nil && len(alloc.Metrics.ScoreMetaData) == 1, true,
		"its network and its node")
	state := alloc.TaskStates["t"]
	equal([]any{state.State, state.Failed, state.Restarts}, []any{"running", false, uint64(0)}, "state")
	equal(time.Since(state.StartedAt) < time.Hour && state.FinishedAt.IsZero(), true, "times")
	var types []string
	for _, event := range state.Events {
		types = append(types, event.Type)
		equal(event.DisplayMessage != "" && event.Time > 0, true, "event "+event.Type)
	}
	equal(types, []string{"Received", "Task Setup", "Started"}, "events")
	equal(alloc.Stub().ID, stub.ID, "stub of the allocation")
	helpers(alloc, stub)
	list, _, err := client.Allocations().PrefixList(stub.ID[:8])
	check(err, "prefix")
	equal([]any{len(list), list[0].ID}, []any{1, stub.ID}, "prefix")
	services, _, err := client.Allocations().Services(stub.ID, nil)
	check(err, "services")
	equal(len(services), 0, "services")
	checks, err := client.Allocations().Checks(stub.ID, nil)
	check(err, "checks")
	equal(len(checks), 0, "checks")
}

func blocking(client *api.Client) {
	_, meta, err := client.Jobs().List(nil)
	check(err, "jobs")
	answered := make(chan uint64)
	go func() {
		_, later, err := client.Jobs().List(
			&api.QueryOptions{WaitIndex: meta.LastIndex, WaitTime: time.Minute})
		check(err, "blocking query")
		answered <- later.LastIndex
	}()
	reply, _, err := client.Jobs().ForceEvaluate("web", nil)
	check(err, "evaluate")
	equal(reply != "", true, "evaluation")
	equal(<-answered > meta.LastIndex, true, "index of the blocking query")
}

func plan(client *api.Client) {
	changed := job()
	changed.TaskGroups[0].Count = pointer(3)
	changed.TaskGroups[0].Tasks[0].Env["A"] = "c"
	reply, meta, err := client.Jobs().Plan(changed, true, nil)
	check(err, "plan")
	equal(meta.LastIndex > 0 && reply.CreatedEvals == nil && reply.NextPeriodicLaunch.IsZero(), true,
		"the rest of the plan")
	updates := reply.Annotations.DesiredTGUpdates["g"]
	equal([]any{updates.DestructiveUpdate, updates.Place, reply.Diff.Type},
		[]any{uint64(2), uint64(1), "Edited"}, "plan")
	group := reply.Diff.TaskGroups[0]
	equal([]any{len(reply.Diff.Fields), group.Name, group.Updates, *group.Fields[0],
		group.Tasks[0].Annotations, *group.Tasks[0].Fields[0]},
		[]any{0, "g", map[string]uint64{"create": 1, "create/destroy update": 2},
			api.FieldDiff{Type: "Edited", Name: "Count", Old: "2", New: "3",
				Annotations: []string{"forces create"}},
			[]string{"forces create/destroy update"},
			api.FieldDiff{Type: "Edited", Name: "Env[A]", Old: "b", New: "c"}}, "diff of the plan")
	valid, _, err := client.Jobs().Validate(changed, nil)
	check(err, "validate")
	equal([]any{len(valid.ValidationErrors), valid.Error}, []any{0, ""}, "validation")
}

func restarts(client *api.Client, id string) uint64 {
	alloc, _, err := client.Allocations().Info(id, nil)
	check(err, "allocation")
	return alloc.TaskStates["t"].Restarts
}

func restartThreeWays(client *api.Client, id string) {
	alloc, _, err := client.Allocations().Info(id, nil)
	check(err, "allocation")
	check(client.Allocations().Restart(alloc, "t", nil), "restart of the task")
	until("one restart", func() bool { return restarts(client, id) == 1 })
	wait(client, "web", "running", 2)
	check(client.Allocations().Restart(alloc, "", nil), "restart of all running tasks")
	until("two restarts", func() bool { return restarts(client, id) == 2 })
	wait(client, "web", "running", 2)
	check(client.Allocations().RestartAllTasks(alloc, nil), "restart of all")
	until("three restarts", func() bool { return restarts(client, id) == 3 })
	wait(client, "web", "running", 2)
}

func stats(client *api.Client, id string) {
	alloc, _, err := client.Allocations().Info(id, nil)
	check(err, "allocation")
	usage, err := client.Allocations().Stats(alloc, nil)
	check(err, "statistics")
	equal(usage.ResourceUsage.MemoryStats.RSS > 0 && usage.Tasks["t"].Timestamp > 0, true, "usage")
	equal(len(usage.Tasks["t"].Pids) > 0, true, "processes")
}

func signal(client *api.Client, id string) {
	alloc, _, err := client.Allocations().Info(id, nil)
	check(err, "allocation")
	before := restarts(client, id)
	check(client.Allocations().Signal(alloc, nil, "t", "SIGKILL"), "signal")
	until("the signal has ended the task", func() bool {
		now, _, err := client.Allocations().Info(id, nil)
		check(err, "allocation")
		for _, event := range now.TaskStates["t"].Events {
			if event.Type == api.TaskTerminated && event.Details["exit_code"] == "137" {
				return now.TaskStates["t"].Restarts >= before
			}
		}
		return false
	})
}

func nodes(client *api.Client) {
	list, _, err := client.Nodes().List(&api.QueryOptions{Params: map[string]string{"resources": "true"}})
	check(err, "nodes")
	equal([]any{len(list), list[0].Status, list[0].SchedulingEligibility, list[0].Drivers["raw_exec"].Healthy},
		[]any{1, "ready", "eligible", true}, "node")
	equal(list[0].NodeResources.Memory.MemoryMB > 0, true, "memory of the node")
	node, _, err := client.Nodes().Info(list[0].ID, nil)
	check(err, "node")
	equal([]any{node.Datacenter, node.Attributes["kernel.name"], node.HTTPAddr != ""},
		[]any{"dc1", "linux", true}, "node")
	allocs, _, err := client.Nodes().Allocations(node.ID, nil)
	check(err, "allocations of the node")
	equal(len(allocs), 2, "allocations of the node")
	_, err = client.Nodes().ToggleEligibility(node.ID, false, nil)
	check(err, "ineligible")
	_, err = client.Nodes().ToggleEligibility(node.ID, true, nil)
	check(err, "eligible")
	node, _, err = client.Nodes().Info(list[0].ID, nil)
	check(err, "node")
	var events []string
	for _, event := range node.Events {
		events = append(events, event.Message)
	}
	equal(events, []string{"Node registered", "Node marked as ineligible for scheduling",
		"Node marked as eligible for scheduling"}, "events of the node")
	linux, _, err := client.Nodes().List(&api.QueryOptions{
		Filter: `Attributes["kernel.name"] == "linux"`})
	check(err, "nodes")
	equal(len(linux), 1, "nodes with Linux")
	usage, err := client.Nodes().Stats(node.ID, nil)
	check(err, "statistics of the node")
	equal(usage.AllocDirStats.Device, node.Attributes["unique.storage.volume"], "its disk")
	for _, name := range []string{"os.signals", "cpu.totalcompute", "unique.storage.bytestotal"} {
		equal(node.Attributes[name] != "", true, name)
	}
	constrained := job()
	constrained.Constraints = []*api.Constraint{
		api.NewConstraint("${attr.nomad.version}", "semver", ">= 1.0.0")}
	planned, _, err := client.Jobs().Plan(constrained, false, nil)
	check(err, "plan")
	equal(len(planned.FailedTGAllocs), 0, "groups that the version keeps out")
}

func agent(client *api.Client) {
	self, err := client.Agent().Self()
	check(err, "self")
	equal(self.Member.Status, "alive", "member")
	members, err := client.Agent().Members()
	check(err, "members")
	equal(len(members.Members), 1, "members")
	health, err := client.Agent().Health()
	check(err, "health")
	equal(health.Client.Ok && health.Server.Ok, true, "health")
	leader, err := client.Status().Leader()
	check(err, "leader")
	equal(leader != "", true, "leader")
	regions, err := client.Regions().List()
	check(err, "regions")
	equal(regions, []string{"global"}, "regions")
	found, _, err := client.Search().PrefixSearch("we", "jobs", nil)
	check(err, "search")
	equal([]any{found.Matches["jobs"], found.Truncations["jobs"]}, []any{[]string{"web"}, false}, "search")
	namespaces, _, err := client.Namespaces().List(nil)
	check(err, "namespaces")
	equal(namespaces[0].Name, "default", "namespaces")
}

// Returns the HTTP code of an error, 0 if it has none.
func code(err error) int {
	var response api.UnexpectedResponseError
	if errors.As(err, &response) {
		return response.StatusCode()
	}
	return 0
}

func mistakes(client *api.Client) {
	_, _, err := client.Jobs().Info("none", nil)
	equal(code(err), 404, "no such job")
	bad := job()
	bad.TaskGroups[0].Tasks[0].Driver = "none"
	_, _, err = client.Jobs().Register(bad, nil)
	equal(code(err), 500, "a job that cannot be")
	equal(strings.Contains(err.Error(), "/Job/TaskGroups/0/Tasks/0/Driver"), true, err.Error())
	_, _, err = client.Allocations().Info("3f6b0d4c-0000-4000-8000-000000000000", nil)
	equal(code(err), 404, "no such allocation")
}

func stop(client *api.Client, stub *api.AllocationListStub) {
	alloc, _, err := client.Allocations().Info(stub.ID, nil)
	check(err, "allocation")
	reply, err := client.Allocations().Stop(alloc, nil)
	check(err, "stop")
	eval, _, err := client.Evaluations().Info(reply.EvalID, nil)
	check(err, "evaluation")
	equal(eval.TriggeredBy, "alloc-stop", "its evaluation")
	wait(client, "web", "complete", 1)
	stopped, _, err := client.Allocations().Info(stub.ID, nil)
	check(err, "allocation")
	transition(stopped, true, false)
	equal([]any{stopped.ServerTerminalStatus(), stopped.ClientTerminalStatus()}, []any{true, true}, "status")
	running := wait(client, "web", "running", 2)
	replaced := false
	for _, other := range running {
		now, _, err := client.Allocations().Info(other.ID, nil)
		check(err, "allocation")
		replaced = replaced || now.PreviousAllocation == stub.ID
	}
	equal(replaced, true, "a replacement")
	check(client.Allocations().GC(alloc, nil), "garbage")
}

func end(client *api.Client) {
	_, _, err := client.Jobs().Deregister("none", true, nil)
	check(err, "a job that is not there")
	_, _, err = client.Jobs().Deregister("web", false, nil)
	check(err, "deregister")
	scaled, _, err := client.Jobs().Scale("web", "g", pointer(3), "", false, nil, nil)
	check(err, "scale a stopped job")
	eval, _, err := client.Evaluations().Info(scaled.EvalID, nil)
	check(err, "evaluation")
	equal(eval.TriggeredBy, "job-scaling", "its evaluation")
	until("the job is dead", func() bool {
		job, _, err := client.Jobs().Info("web", nil)
		check(err, "job")
		return *job.Status == "dead" && *job.Stop
	})
	wait(client, "web", "complete", 2)
	check(client.System().GarbageCollect(), "garbage")
	jobs, _, err := client.Jobs().List(nil)
	check(err, "jobs")
	equal(len(jobs), 0, "jobs")
}
