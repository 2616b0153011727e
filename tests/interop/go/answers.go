// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
package main

import "github.com/hashicorp/nomad/api"

// The agent's answers about the job "site", field by field. They do not list fields that an answer
// omits when they are empty.

func evaluationOf(id, trigger string) shape {
	return shape{"ID": id, "Priority": 50, "Type": "service", "TriggeredBy": trigger,
		"Namespace": "default", "JobID": "site", "JobModifyIndex": some, "NodeID": "",
		"NodeModifyIndex": 0, "DeploymentID": "", "Status": "complete", "StatusDescription": "",
		"Wait": 0, "NextEval": "", "PreviousEval": "", "BlockedEval": "", "FailedTGAllocs": empty,
		"PlanAnnotations": empty, "ClassEligibility": empty, "EscapedComputedClass": false,
		"QuotaLimitReached": "", "AnnotatePlan": false, "QueuedAllocations": shape{"g": 0},
		"SnapshotIndex": some, "CreateIndex": some, "ModifyIndex": some, "CreateTime": now,
		"ModifyTime": now}
}

func event(kind, says string) shape {
	return shape{"Type": kind, "Time": now, "DisplayMessage": says, "Details": empty,
		"FailsTask": false, "RestartReason": "", "SetupError": "", "DriverError": "", "ExitCode": 0,
		"Signal": 0, "Message": "", "KillReason": "", "KillTimeout": 0, "KillError": "",
		"StartDelay": 0, "DownloadError": "", "ValidationError": "", "DiskLimit": 0,
		"FailedSibling": "", "VaultError": "", "TaskSignalReason": "", "TaskSignal": "",
		"DriverMessage": "", "GenericSource": ""}
}

var (
	resources = shape{"CPU": 0, "Cores": 0, "MemoryMB": 0, "MemoryMaxMB": 0, "DiskMB": 0, "IOPS": 0,
		"Networks": empty, "Devices": empty, "NUMA": empty}
	unchanged = shape{"Migrate": nil, "Reschedule": nil, "ForceReschedule": nil,
		"NoShutdownDelay": nil, "MigrateDisablePlacement": nil}

	started = shape{"State": "running", "Failed": false, "Restarts": 0, "LastRestart": never,
		"StartedAt": nowText, "FinishedAt": never, "Events": list{
			event("Received", "Task received by client"),
			event("Task Setup", "Building Task Directory").with(shape{
				"Message": "Building Task Directory",
				"Details": shape{"message": "Building Task Directory"}}),
			event("Started", "Task started by client")}}
	restarted = started.with(shape{"Restarts": 1, "LastRestart": nowText, "Events": list{
		event("Received", "Task received by client"),
		event("Task Setup", "Building Task Directory").with(shape{
			"Message": "Building Task Directory", "Details": filled}),
		event("Started", "Task started by client"),
		event("Restart Signaled", "User requested running tasks to restart").with(shape{
			"RestartReason": "User requested running tasks to restart", "Details": filled}),
		event("Terminated", "Exit Code: 130, Signal: 2").with(shape{
			"ExitCode": 130, "Signal": 2, "Details": filled}),
		event("Restarting", "Task restarting in 0s").with(shape{"Details": filled}),
		event("Started", "Task started by client")}})
)

// The job in the list of a web page, with its only allocation.
func jobStatusOf(alloc *api.AllocationListStub) shape {
	return shape{"ID": "site", "Namespace": "default", "Name": "site", "Type": "service",
		"NodePool": "default", "Datacenters": list{"*"}, "Priority": 50, "Version": 0,
		"SubmitTime": now, "ModifyIndex": some, "GroupCountSum": 1, "ChildStatuses": nil,
		"ParentID": "", "LatestDeployment": nil, "Stop": false, "IsPack": false, "Status": "running",
		"Allocs": list{shape{"ID": alloc.ID, "Group": "g", "ClientStatus": "running",
			"NodeID": alloc.NodeID, "JobVersion": 0, "FollowupEvalID": "", "HasPausedTask": false,
			"DeploymentStatus": shape{"Canary": false, "Healthy": nil}}}}
}

// An allocation in a list.
func stubOf(eval string, state shape) shape {
	return shape{"ID": uuid, "EvalID": eval, "Name": "site.g[0]", "Namespace": "default",
		"NodeID": uuid, "NodeName": text, "JobID": "site", "JobType": "service", "JobVersion": 0,
		"TaskGroup": "g", "DesiredStatus": "run", "DesiredDescription": "",
		"DesiredTransition": unchanged, "ClientStatus": "running", "ClientDescription": text,
		"TaskStates": shape{"t": state}, "DeploymentStatus": empty, "FollowupEvalID": "",
		"RescheduleTracker": empty, "PreemptedAllocations": empty, "PreemptedByAllocation": "",
		"CreateIndex": some, "ModifyIndex": some, "CreateTime": now, "ModifyTime": now,
		"NextAllocation": ""}
}

func allocationOf(eval, node string, state shape) shape {
	return shape{"ID": uuid, "Namespace": "default", "EvalID": eval, "Name": "site.g[0]",
		"NodeID": node, "NodeName": text, "JobID": "site",
		"Job":             wholeJob.with(shape{"Status": text}),
		"TaskGroup":       "g",
		"Resources":       resources.with(shape{"CPU": 100, "MemoryMB": 300, "DiskMB": 300}),
		"SharedResources": resources.with(shape{"DiskMB": 300}),
		"TaskResources":   shape{"t": resources.with(shape{"CPU": 100, "MemoryMB": 300})},
		"AllocatedResources": shape{
			"Tasks": shape{"t": shape{"Cpu": shape{"CpuShares": 100, "ReservedCores": empty},
				"Memory": shape{"MemoryMB": 300, "MemoryMaxMB": 0}, "Networks": empty,
				"Devices": empty}},
			"TaskLifecycles": shape{"t": nil},
			"Shared":         shape{"Networks": empty, "DiskMB": 300, "Ports": empty}},
		"Services": empty, "Metrics": shape{"NodesEvaluated": 1, "NodesFiltered": 0,
			"NodesInPool": 1, "NodePool": "default", "NodesExhausted": 0, "AllocationTime": amount,
			"CoalescedFailures": 0,
			"ScoreMetaData":     list{shape{"NodeID": node, "Scores": empty, "NormScore": 0}}},
		"DesiredStatus": "run", "DesiredDescription": "", "DesiredTransition": unchanged,
		"ClientStatus": "running", "ClientDescription": text, "TaskStates": shape{"t": state},
		"AllocStates": empty, "DeploymentID": "", "DeploymentStatus": empty, "FollowupEvalID": "",
		"PreviousAllocation": "", "NextAllocation": "", "RescheduleTracker": empty,
		"NetworkStatus":        shape{"InterfaceName": "", "Address": "", "AddressIPv6": "", "DNS": nil},
		"PreemptedAllocations": empty, "PreemptedByAllocation": "",
		"CreateIndex": some, "ModifyIndex": some, "AllocModifyIndex": some, "CreateTime": now,
		"ModifyTime": now}
}

var (
	jobStub = shape{"ID": "site", "ParentID": "", "Name": "site", "Namespace": "default",
		"Datacenters": list{"*"}, "NodePool": "default", "Multiregion": nil, "Type": "service",
		"Priority": 50, "Periodic": false, "ParameterizedJob": false, "Stop": false,
		"Status": "running", "StatusDescription": "", "JobSummary": summary, "CreateIndex": some,
		"ModifyIndex": some, "JobModifyIndex": some, "SubmitTime": now}
	wholeJob = shape{"Region": "global", "Namespace": "default", "ID": "site", "Name": "site",
		"Type": "service", "Priority": 50, "Datacenters": list{"*"}, "Meta": empty, "Stop": false,
		"ParentID": "", "Status": "running", "StatusDescription": "", "Stable": false, "Version": 0,
		"SubmitTime": now, "CreateIndex": some, "ModifyIndex": some, "JobModifyIndex": some,
		"TaskGroups": list{shape{"Name": "g", "Count": 1, "Meta": empty, "Networks": empty,
			"RestartPolicy": shape{"Attempts": 2, "Interval": 1800e9, "Delay": 15e9, "Mode": "fail"},
			"EphemeralDisk": shape{"SizeMB": 300}, "ShutdownDelay": 0,
			"Tasks": list{shape{"Name": "t", "Driver": "raw_exec", "User": "", "Env": empty,
				"Meta": empty, "Config": shape{"command": "/bin/sh", "args": filled},
				"Resources": shape{"CPU": 100, "MemoryMB": 300, "MemoryMaxMB": 0, "Cores": 0},
				"LogConfig": shape{"MaxFiles": 10, "MaxFileSizeMB": 10, "Disabled": false},
				"Actions": list{shape{"Name": "greet", "Command": "/bin/sh",
					"Args": list{"-c", "echo hello $NOMAD_TASK_NAME; exit 3"}}},
				"KillTimeout": 5e9, "KillSignal": "", "ShutdownDelay": 0, "Leader": false}}}}}
	summary = shape{"JobID": "site", "Namespace": "default",
		"Summary": shape{"g": shape{"Queued": 0, "Complete": 0, "Failed": 0, "Running": 1,
			"Starting": 0, "Lost": 0, "Unknown": 0}},
		"Children":    shape{"Pending": 0, "Running": 0, "Dead": 0},
		"CreateIndex": some, "ModifyIndex": some}

	memory = shape{"RSS": some, "Cache": amount, "Swap": amount, "MappedFile": amount,
		"Usage": amount, "MaxUsage": amount, "KernelUsage": amount, "KernelMaxUsage": amount,
		"Measured": filled}
	processor = shape{"SystemMode": amount, "UserMode": amount, "TotalTicks": amount,
		"ThrottledPeriods": amount, "ThrottledTime": amount, "Percent": amount}
	used  = shape{"MemoryStats": memory, "CpuStats": processor, "DeviceStats": empty}
	usage = shape{"ResourceUsage": used, "Timestamp": now,
		"Tasks": shape{"t": shape{"ResourceUsage": used, "Timestamp": now, "Pids": filled}}}
)

var (
	drivers = shape{"raw_exec": shape{"Attributes": shape{"driver.raw_exec": "true"},
		"Detected": true, "Healthy": true, "HealthDescription": "Healthy", "UpdateTime": nowText}}
	nodeStub = shape{"Address": "127.0.0.1", "ID": uuid, "Attributes": empty, "Datacenter": "dc1",
		"Name": text, "NodePool": "default", "NodeClass": "", "Version": text, "Drain": false,
		"SchedulingEligibility": "eligible", "Status": "ready", "StatusDescription": "",
		"Drivers": drivers, "HostVolumes": empty, "LastDrain": nil, "CreateIndex": some,
		"ModifyIndex": some}
	// The node of an agent whose API is at this address.
	nodeAt = func(address string) shape {
		return shape{"ID": uuid, "Datacenter": "dc1", "Name": text, "HTTPAddr": address,
			"TLSEnabled": false,
			"Attributes": shape{"kernel.name": "linux", "cpu.numcores": text, "cpu.arch": text,
				"memory.totalbytes": text, "unique.hostname": text, "driver.raw_exec": "true",
				"nomad.version": text, "os.signals": text, "cpu.totalcompute": text,
				"unique.storage.volume": text, "unique.storage.bytestotal": text},
			"Resources": shape{"CPU": some, "MemoryMB": some, "DiskMB": some},
			"Reserved":  shape{"CPU": 0, "MemoryMB": 0, "DiskMB": 0},
			"NodeResources": shape{"Cpu": shape{"CpuShares": some, "TotalCpuCores": some,
				"ReservableCpuCores": filled}, "Memory": shape{"MemoryMB": some},
				"Disk": shape{"DiskMB": some}, "Networks": filled, "NodeNetworks": filled,
				"Devices": empty, "MinDynamicPort": 20000, "MaxDynamicPort": 32000},
			"ReservedResources": shape{"Cpu": shape{"CpuShares": 0}, "Memory": shape{"MemoryMB": 0},
				"Disk": shape{"DiskMB": 0}, "Networks": shape{"ReservedHostPorts": ""}},
			"Links": empty, "Meta": empty, "NodeClass": "",
			"NodePool": "default", "CgroupParent": "", "ComputedClass": text, "SecretID": "",
			"Drain": false, "DrainStrategy": nil, "SchedulingEligibility": "eligible",
			"Status": "ready", "StatusDescription": "", "StatusUpdatedAt": nowSeconds,
			"Events": list{shape{"Message": "Node registered", "Subsystem": "Cluster", "Details": empty,
				"Timestamp": nowText, "CreateIndex": 0}}, "Drivers": drivers, "HostVolumes": empty, "HostNetworks": empty,
			"LastDrain": nil, "CreateIndex": some, "ModifyIndex": some}
	}
	hostStats = shape{"Memory": shape{"Total": some, "Available": some, "Used": some, "Free": some},
		"CPU": filled, "DiskStats": filled, "DeviceStats": empty, "Uptime": some,
		"CPUTicksConsumed": amount, "Timestamp": now,
		"AllocDirStats": shape{"Device": text, "Mountpoint": text, "Size": some, "Used": some,
			"Available": some, "UsedPercent": some, "InodesUsedPercent": amount}}
	self = shape{
		"config": shape{"Region": "global", "Datacenter": "dc1", "Name": text,
			"Version": shape{"Version": text}, "ACL": shape{"Enabled": false}},
		"member": shape{"Name": text, "Addr": "127.0.0.1", "Port": some, "Status": "alive",
			"Tags":        shape{"role": "nomad", "region": "global", "dc": "dc1", "build": text},
			"ProtocolCur": 2, "ProtocolMin": 1, "ProtocolMax": 5, "DelegateCur": 4, "DelegateMin": 2,
			"DelegateMax": 5},
		"stats": shape{"client": shape{"node_id": uuid}}}
)
