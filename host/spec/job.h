// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/time.h"
#include "host/spec/blocks/artifact.h"
#include "host/spec/blocks/change_policy.h"
#include "host/spec/blocks/constraint.h"
#include "host/spec/blocks/device.h"
#include "host/spec/blocks/dns_config.h"
#include "host/spec/blocks/identity.h"
#include "host/spec/blocks/scaling.h"
#include "host/spec/blocks/service.h"
#include "host/spec/blocks/task_template.h"
#include "host/spec/blocks/volume.h"

// The workload as users describe it, after validation and with its defaults filled in. The names
// are the same as in the job's JSON.
namespace drover {

enum class JobType { kService, kBatch, kSystem, kSysbatch };
std::string_view JobTypeName(JobType type);  // such as "service"

using StringMap = std::map<std::string, std::string>;

struct RestartPolicy {
  enum class Mode { kFail, kDelay };
  int attempts = 2;
  Duration interval = std::chrono::minutes(30);
  Duration delay = 15s;
  Mode mode = Mode::kFail;
  bool render_templates = false;  // a restart also writes files again whose templates are unchanged

  bool operator==(const RestartPolicy&) const = default;
};
std::string_view RestartModeName(RestartPolicy::Mode mode);  // "fail" or "delay"
// Returns the restart policy of a group that sets none.
RestartPolicy DefaultRestartPolicy(JobType type);

struct LogConfig {
  int max_files = 10;
  std::int64_t max_file_size_bytes = 10LL << 20;
  bool disabled = false;

  bool operator==(const LogConfig&) const = default;
};

struct Lifecycle {
  enum class Hook { kPrestart, kPoststart, kPoststop };
  Hook hook = Hook::kPrestart;
  bool sidecar = false;

  bool operator==(const Lifecycle&) const = default;
};
std::string_view LifecycleHookName(Lifecycle::Hook hook);  // such as "prestart"

struct Resources {
  std::int64_t cpu_mhz = 100;
  std::int64_t memory_mb = 300;
  std::int64_t memory_max_mb = 0;  // 0 means no more than memory_mb
  std::int64_t cores = 0;          // cores reserved for this task alone; if not 0, cpu_mhz is 0

  bool operator==(const Resources&) const = default;
};

// A network port of the group. The value of a dynamic port is chosen at placement.
struct Port {
  std::string label;
  int value = 0;  // port on the host; 0 for a dynamic port before placement
  int to = 0;     // port inside the task's network; 0 and -1 mean the port on the host
  std::string host_ip;
  // The name of a network of the node, on one of whose addresses the port is. Empty: the address on
  // which the node's tasks have their ports.
  std::string host_network = {};

  bool operator==(const Port&) const = default;
};

struct Network {
  std::string mode = "host";  // "host", "none", "bridge" or "cni/NAME"
  std::vector<Port> reserved_ports;
  std::vector<Port> dynamic_ports;
  std::string hostname;  // of a network of the allocation's own; may hold variables
  DnsConfig dns;         // empty: as the network or else the host says
  StringMap cni_args;    // arguments for the plugins of the network

  bool operator==(const Network&) const = default;
};

// Returns whether a group with the network mode MODE gets a network of its own, which plugins make.
inline bool IsPluginNetwork(std::string_view mode) {
  return mode == "bridge" || mode.starts_with("cni/");
}

// A named command that operators can run while the task runs.
struct TaskAction {
  std::string name;
  std::string command;
  std::vector<std::string> args;

  bool operator==(const TaskAction&) const = default;
};

struct Task {
  std::string name;
  std::string driver;
  std::string user;
  // The driver's configuration, a JSON object as the user wrote it.
  std::string config_json = "{}";
  StringMap env;
  StringMap meta;
  std::optional<Lifecycle> lifecycle;
  std::optional<RestartPolicy> restart_policy;  // absent: the policy of the group
  Resources resources;
  // At most one, of mode host, and only if the group has no network. This is an older place for
  // ports: they belong to the task alone.
  std::vector<Network> networks;
  std::vector<DeviceRequest> devices;
  LogConfig log_config;
  Duration kill_timeout = 5s;
  std::string kill_signal;  // empty: the driver's default signal
  Duration shutdown_delay = 0s;
  bool leader = false;
  std::vector<TaskAction> actions;
  std::vector<Constraint> constraints;
  std::vector<Service> services;     // registered while the task runs
  Identity identity;                 // the default identity, which every task has
  std::vector<Identity> identities;  // the other ones
  std::vector<TaskTemplate> templates;
  std::vector<VolumeMount> volume_mounts;
  std::vector<Artifact> artifacts;     // fetched before the first start, in this order
  std::vector<ScalingPolicy> scaling;  // of the task's resources; at most one of each type
  std::string dispatch_payload_file;   // below local/, gets Job::payload; empty: none

  bool operator==(const Task&) const = default;
};

// When an allocation of a group counts as healthy: the part of the update block that says so.
struct UpdatePolicy {
  enum class HealthCheck { kChecks, kTaskStates, kManual };
  // kChecks: the tasks run and the checks pass. kTaskStates: the tasks run. kManual: nobody
  // watches.
  HealthCheck health_check = HealthCheck::kChecks;
  Duration min_healthy_time = 10s;                      // how long all of this must stay so
  Duration healthy_deadline = std::chrono::minutes(5);  // from the start of the allocation

  bool operator==(const UpdatePolicy&) const = default;
};
std::string_view HealthCheckName(UpdatePolicy::HealthCheck check);  // such as "task_states"

struct TaskGroup {
  std::string name;
  int count = 1;
  RestartPolicy restart_policy;
  std::vector<Task> tasks;
  std::vector<Network> networks;  // at most one
  StringMap meta;
  Duration shutdown_delay = 0s;
  std::optional<Duration> max_run_duration;
  int ephemeral_disk_mb = 300;
  // The files of the disk move to the allocation that replaces this one. `disk_migrate` also means
  // an allocation on another node, of which there is none yet.
  bool disk_sticky = false;
  bool disk_migrate = false;
  VolumeRequests volumes;
  std::vector<Constraint> constraints;
  // How many allocations leave a draining node at a time; not for batch jobs.
  int migrate_max_parallel = 1;
  UpdatePolicy update;
  UpdatePolicy migrate_health;  // of a replacement after a migration; never kManual
  RolloutPolicy rollout;
  ReschedulePolicy reschedule;
  DisconnectPolicy disconnect;
  std::vector<Service> services;         // registered while the allocation runs
  std::optional<ScalingPolicy> scaling;  // of the count, which is within its bounds

  bool operator==(const TaskGroup&) const = default;
};

struct Job {
  std::string id;
  std::string name;
  std::string parent_id;  // id of the job that dispatched this one; usually empty
  std::string region = "global";
  std::string job_namespace = "default";
  JobType type = JobType::kService;
  int priority = 50;
  std::vector<std::string> datacenters = {"*"};
  std::string node_pool = "default";  // "all" stands for every pool
  StringMap meta;
  std::vector<Constraint> constraints;
  std::vector<TaskGroup> groups;
  std::optional<PeriodicPolicy> periodic;
  std::optional<ParameterizedPolicy> parameterized;
  // Of a child that a request has started from a parameterized job.
  bool dispatched = false;
  std::string dispatch_token;  // a second request with the same token starts nothing
  std::string payload;         // base64, as in JSON

  // Returns whether the job only starts children, and never has allocations of its own.
  bool starts_children() const { return periodic || (parameterized && !dispatched); }

  bool operator==(const Job&) const = default;
};

// These functions return null if there is no task, group or action named NAME.
const Task* FindTask(const TaskGroup& group, std::string_view name);
const TaskGroup* FindGroup(const Job& job, std::string_view name);
const TaskAction* FindAction(const Task& task, std::string_view name);

// Returns the metadata of TASK, which is a task of GROUP and JOB: that of the job, the group and
// the task. If several of them have a key, the task's value wins over the group's, and the group's
// over the job's. An optional key of a parameterized job that nobody has set is empty.
StringMap MetaOf(const Job& job, const TaskGroup& group, const Task& task);

// Returns the restart policy of TASK: its own, or that of the group if it has none.
inline const RestartPolicy& EffectiveRestartPolicy(const TaskGroup& group, const Task& task) {
  return task.restart_policy ? *task.restart_policy : group.restart_policy;
}

// Each of these functions returns whether TASK is of the kind that the function's name states.
inline bool IsPrestart(const Task& task) {
  return task.lifecycle && task.lifecycle->hook == Lifecycle::Hook::kPrestart;
}
inline bool IsPoststart(const Task& task) {
  return task.lifecycle && task.lifecycle->hook == Lifecycle::Hook::kPoststart;
}
inline bool IsPoststop(const Task& task) {
  return task.lifecycle && task.lifecycle->hook == Lifecycle::Hook::kPoststop;
}
inline bool IsMain(const Task& task) { return !task.lifecycle; }
// Returns whether TASK is a prestart or poststart task that runs at the same time as the main
// tasks. A poststop task ignores the field `sidecar`.
inline bool IsSidecar(const Task& task) {
  return task.lifecycle && task.lifecycle->sidecar && !IsPoststop(task);
}

}  // namespace drover
