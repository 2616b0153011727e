// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>

#include "host/spec/blocks/device_checks.h"
#include "host/spec/blocks/disconnect_checks.h"
#include "host/spec/blocks/job_network_checks.h"
#include "host/spec/blocks/job_service_checks.h"
#include "host/spec/blocks/job_template_checks.h"
#include "host/spec/blocks/periodic_checks.h"
#include "host/spec/blocks/reschedule_checks.h"
#include "host/spec/blocks/scaling_checks.h"
#include "host/spec/blocks/update_checks.h"
#include "host/spec/blocks/volume_checks.h"
#include "host/spec/job_json.h"
#include "host/spec/job_limits.h"
#include "host/spec/job_place.h"
#include "host/spec/signal_name.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr int kMinDiskMb = 10;
constexpr int kMaxCount = 100'000;

using At = JobPlace;
using Names = UniqueNames;
using job_checks::CheckDuration;
using job_checks::CheckLength;
using job_checks::CheckMap;
using job_checks::CheckMost;
using job_checks::CheckText;
using job_checks::HasControl;
using job_checks::IsPlain;
using job_checks::kMaxName;

// Checks a name that becomes a part of paths.
void CheckPathName(std::string_view name, const At& at) {
  if (!CheckText(name, at)) return;
  if (name.find('/') != std::string_view::npos || name.find('\\') != std::string_view::npos) {
    at.Fault(Quoted(name) + " holds a slash");
  } else if (name == "." || name == "..") {
    at.Fault(Quoted(name) + " is not a name");
  }
}

void CheckRestartPolicy(const RestartPolicy& policy, const At& at) {
  if (policy.attempts < 0) {
    (at / "Attempts").Fault("must not be negative, but is " + std::to_string(policy.attempts));
  }
  if (policy.delay < 0s) {
    (at / "Delay").Fault("must not be negative, but is " + FormatDuration(policy.delay));
  }
  CheckLength(policy.delay, at / "Delay");
  CheckLength(policy.interval, at / "Interval");
  if (policy.interval < 5s) {
    (at / "Interval").Fault("must be at least 5s, but is " + FormatDuration(policy.interval));
    return;
  }
  if (policy.attempts == 0 && policy.mode == RestartPolicy::Mode::kDelay) {
    (at / "Attempts").Fault("0 attempts with mode \"delay\" is ambiguous; use mode \"fail\"");
  }
  const long double needed =
      static_cast<long double>(policy.attempts) * static_cast<long double>(policy.delay.count());
  if (needed > static_cast<long double>(policy.interval.count())) {
    at.Fault(std::to_string(policy.attempts) + " attempts with a delay of " +
             FormatDuration(policy.delay) + " do not fit into the interval of " +
             FormatDuration(policy.interval));
  }
}

void CheckResources(const Resources& resources, const At& at) {
  if (resources.cores < 0) {
    (at / "Cores").Fault("must not be negative, but is " + std::to_string(resources.cores));
  } else if (resources.cores > 0) {
    (at / "Cores").Unless(resources.cpu_mhz == 0, "a task has either Cores or CPU");
  } else if (resources.cpu_mhz < 1) {
    (at / "CPU").Fault("must be at least 1 MHz, but is " + std::to_string(resources.cpu_mhz));
  }
  CheckMost(resources.cores, kMostCores, at / "Cores");
  CheckMost(resources.cpu_mhz, kMostCpuMhz, at / "CPU");
  CheckMost(resources.memory_mb, kMostMemoryMb, at / "MemoryMB");
  CheckMost(resources.memory_max_mb, kMostMemoryMb, at / "MemoryMaxMB");
  if (resources.memory_mb < 10) {
    (at / "MemoryMB").Fault("must be at least 10, but is " + std::to_string(resources.memory_mb));
  }
  if (resources.memory_max_mb != 0 && resources.memory_max_mb < resources.memory_mb) {
    (at / "MemoryMaxMB")
        .Fault("is " + std::to_string(resources.memory_max_mb) + ", less than MemoryMB, which is " +
               std::to_string(resources.memory_mb));
  }
}

void CheckLogConfig(const LogConfig& config, int disk_mb, const At& at) {
  const std::int64_t size_mb = config.max_file_size_bytes >> 20;
  if (config.max_files < 1) {
    (at / "MaxFiles").Fault("must be at least 1, but is " + std::to_string(config.max_files));
  } else if (size_mb < 1) {
    (at / "MaxFileSizeMB").Fault("must be at least 1, but is " + std::to_string(size_mb));
  } else if (size_mb > kMostLogFileMb) {
    (at / "MaxFileSizeMB").Fault("must be at most " + std::to_string(kMostLogFileMb));
  } else if (!CheckMost(config.max_files, kMostLogFiles, at / "MaxFiles")) {
    return;
  } else if (disk_mb < kMinDiskMb) {
    return;  // a wrong disk size is already reported for the group
  } else if (!config.disabled && config.max_files * size_mb > disk_mb) {
    at.Fault("the log storage of " + std::to_string(config.max_files * size_mb) +
             " MB is more than the group's ephemeral disk of " + std::to_string(disk_mb) + " MB");
  }
}

void CheckActions(const std::vector<TaskAction>& actions, const At& at) {
  Names names;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const TaskAction& action = actions[i];
    if (CheckText(action.name, at / i / "Name") && !IsPlain(action.name, "-")) {
      (at / i / "Name").Fault(Quoted(action.name) + " may hold only letters, digits and \"-\"");
    }
    names.Add(action.name, at / i / "Name");
    (at / i / "Command").Unless(!action.command.empty(), "is missing");
  }
}

// OF_TASK means that the constraints belong to a task. A task is placed with its group, so its
// constraints cannot limit the number of allocations.
void CheckConstraints(const std::vector<Constraint>& constraints, bool of_task, const At& at) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const Constraint& constraint = constraints[i];
    if (!IsOperand(constraint.operand)) {
      (at / i / "Operand").Fault(Quoted(constraint.operand) + " is not supported by this version");
    } else if (of_task && IsDistinct(constraint.operand)) {
      (at / i / "Operand").Fault(Quoted(constraint.operand) + " is for jobs and task groups");
    } else if (constraint.operand == "distinct_hosts") {
      const std::string& right = constraint.right;
      (at / i / "RTarget")
          .Unless(right.empty() || right == "true" || right == "false", "must be true or false");
    } else if (constraint.left.empty()) {
      (at / i / "LTarget").Fault("is missing");
    } else if (constraint.operand == "distinct_property") {
      const std::string& right = constraint.right;
      const bool is_count = right.find_first_not_of("0123456789") == std::string::npos &&
                            right.size() < 7 && right[0] != '0';
      (at / i / "RTarget").Unless(is_count, "must be a number of allocations from 1 to 999999");
    }
  }
}

void CheckTask(const TaskGroup& group, const Task& task, const At& at) {
  CheckPathName(task.name, at / "Name");
  if (task.name == "alloc") {
    (at / "Name").Fault("a task cannot be named \"alloc\": that is the shared directory");
  }
  if (CheckText(task.driver, at / "Driver") &&
      (!IsPlain(task.driver, "_-.") || task.driver[0] == '.')) {
    (at / "Driver").Fault(Quoted(task.driver) + " is not the name of a driver");
  }
  if (task.user.size() > kMaxName || HasControl(task.user)) {
    (at / "User").Fault(Quoted(task.user) + " is not a user");
  }
  CheckMap(task.env, true, at / "Env");
  CheckMap(task.meta, false, at / "Meta");
  if (IsPoststop(task)) {
    (at / "Lifecycle" / "Sidecar")
        .Unless(!task.lifecycle->sidecar, "a poststop task cannot be a sidecar");
    (at / "Leader").Unless(!task.leader, "a poststop task cannot be the leader");
  }
  if (task.restart_policy) CheckRestartPolicy(*task.restart_policy, at / "RestartPolicy");
  CheckResources(task.resources, at / "Resources");
  CheckDeviceRequests(task.devices, at / "Resources" / "Devices");
  CheckLogConfig(task.log_config, group.ephemeral_disk_mb, at / "LogConfig");
  CheckDuration(task.kill_timeout, at / "KillTimeout");
  CheckDuration(task.shutdown_delay, at / "ShutdownDelay");
  CheckConstraints(task.constraints, true, at / "Constraints");
  if (!task.kill_signal.empty() && !IsSignalName(task.kill_signal)) {
    (at / "KillSignal").Fault(Quoted(task.kill_signal) + " is not a signal, such as \"SIGTERM\"");
  }
  CheckActions(task.actions, at / "Actions");
  CheckIdentities(task.identity, task.identities, at.pointer(), at.faults());
  CheckTemplates(task.templates, at / "Templates");
  CheckArtifacts(task.artifacts, task.name, at.pointer(), at.faults());
}

void CheckTasks(const TaskGroup& group, const At& at) {
  if (group.tasks.empty()) {
    at.Fault("the group has no task");
    return;
  }
  Names names;
  const Task* leader = nullptr;
  bool has_main = false;
  for (std::size_t i = 0; i < group.tasks.size(); ++i) {
    const Task& task = group.tasks[i];
    CheckTask(group, task, at / i);
    names.Add(task.name, at / i / "Name");
    has_main = has_main || IsMain(task);
    if (!task.leader) continue;
    if (leader != nullptr) {
      (at / i / "Leader").Fault("the group already has the leader " + Quoted(leader->name));
    }
    leader = &task;
  }
  at.Unless(has_main, "the group has no main task: each has a Lifecycle");
}

void CheckGroup(const Job& job, const TaskGroup& group, const At& at) {
  CheckPathName(group.name, at / "Name");
  const bool per_node = job.type == JobType::kSystem || job.type == JobType::kSysbatch;
  if (group.count < 0) {
    (at / "Count").Fault("must not be negative, but is " + std::to_string(group.count));
  } else if (per_node && group.count > 1) {
    (at / "Count")
        .Fault("a " + std::string(JobTypeName(job.type)) +
               " job runs once on each node: it must not exceed 1, but is " +
               std::to_string(group.count));
  } else if (group.count > kMaxCount) {
    (at / "Count")
        .Fault("must not exceed " + std::to_string(kMaxCount) + ", but is " +
               std::to_string(group.count));
  }
  CheckRestartPolicy(group.restart_policy, at / "RestartPolicy");
  CheckTasks(group, at / "Tasks");
  CheckNetworks(group, at);
  CheckServices(group, at);
  CheckVolumes(job.type, group, at);
  CheckScaling(job.type, group, at);
  CheckMap(group.meta, false, at / "Meta");
  CheckConstraints(group.constraints, false, at / "Constraints");
  CheckDuration(group.shutdown_delay, at / "ShutdownDelay");
  if (group.ephemeral_disk_mb < kMinDiskMb) {
    (at / "EphemeralDisk" / "SizeMB")
        .Fault("must be at least 10, but is " + std::to_string(group.ephemeral_disk_mb));
  }
  CheckChanges(job.type, group, at);
  CheckReschedule(job.type, group.reschedule, at / "ReschedulePolicy");
  CheckDisconnect(group.disconnect, at / "Disconnect");
  if (!group.max_run_duration) return;
  CheckLength(*group.max_run_duration, at / "MaxRunDuration");
  if (*group.max_run_duration <= 0s) {
    (at / "MaxRunDuration")
        .Fault("must be more than 0s, but is " + FormatDuration(*group.max_run_duration));
  } else if (job.type == JobType::kService || job.type == JobType::kSystem) {
    (at / "MaxRunDuration").Fault("only batch and sysbatch jobs may have one");
  }
}

}  // namespace

void CheckJob(const Job& job, const std::string& pointer, JobFaults* faults) {
  const At at(pointer, faults);
  if (CheckText(job.id, at / "ID") && job.id.find(' ') != std::string::npos) {
    (at / "ID").Fault(Quoted(job.id) + " holds a space");
  }
  if (job.name != job.id) CheckText(job.name, at / "Name");
  if (HasControl(job.parent_id))
    (at / "ParentID").Fault("holds a control character or an invisible one");
  CheckText(job.region, at / "Region");
  if (CheckText(job.job_namespace, at / "Namespace") && !IsPlain(job.job_namespace, "-")) {
    (at / "Namespace")
        .Fault(Quoted(job.job_namespace) + " may hold only letters, digits and \"-\"");
  }
  if (job.priority < 1 || job.priority > 100) {
    (at / "Priority").Fault("must be 1 to 100, but is " + std::to_string(job.priority));
  }
  if (job.datacenters.empty()) (at / "Datacenters").Fault("is empty; write \"*\" for all");
  for (std::size_t i = 0; i < job.datacenters.size(); ++i) {
    CheckText(job.datacenters[i], at / "Datacenters" / i);
  }
  if (CheckText(job.node_pool, at / "NodePool") && !IsPlain(job.node_pool, "-_")) {
    (at / "NodePool")
        .Fault(Quoted(job.node_pool) + " may hold only letters, digits, \"-\" and \"_\"");
  }
  CheckMap(job.meta, false, at / "Meta");
  CheckStarts(job, at);
  CheckConstraints(job.constraints, false, at / "Constraints");
  if (job.groups.empty()) (at / "TaskGroups").Fault("the job has no task group");
  Names names;
  for (std::size_t i = 0; i < job.groups.size(); ++i) {
    CheckGroup(job, job.groups[i], at / "TaskGroups" / i);
    names.Add(job.groups[i].name, at / "TaskGroups" / i / "Name");
  }
}

}  // namespace drover
