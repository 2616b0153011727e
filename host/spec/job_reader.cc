// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "host/spec/blocks/change_json.h"
#include "host/spec/blocks/device_json.h"
#include "host/spec/blocks/job_template_checks.h"
#include "host/spec/blocks/periodic_checks.h"
#include "host/spec/blocks/scaling_checks.h"
#include "host/spec/blocks/scaling_json.h"
#include "host/spec/blocks/service_json.h"
#include "host/spec/blocks/stored_changes.h"
#include "host/spec/blocks/task_template_json.h"
#include "host/spec/blocks/volume_json.h"
#include "host/spec/job_fields.h"
#include "host/spec/job_json.h"
#include "host/spec/job_limits.h"
#include "host/spec/job_members.h"
#include "host/spec/strict_json.h"

// Reading a job has three steps: the table of fields checks names and types, this file builds the
// types with their defaults, and CheckJob checks the values. Each step adds its faults to one list.
namespace drover {
namespace {

using nlohmann::json;

// A register request may have these fields in addition to the job. Only the API uses them.
constexpr std::string_view kRequestFields[] = {
    "Job",       "Submission",        "EnforceIndex", "JobModifyIndex", "PolicyOverride",
    "Diff",      "PreserveResources", "EvalPriority", "PreserveCounts", "Region",
    "Namespace", "SecretID",          "AuthToken",    "Canonicalize"};

using Members = JobMembers;

RestartPolicy ReadRestartPolicy(const Members& in, RestartPolicy defaults) {
  RestartPolicy policy = defaults;
  in.Read("Attempts", &policy.attempts);
  in.Read("Interval", &policy.interval);
  in.Read("Delay", &policy.delay);
  using Mode = RestartPolicy::Mode;
  ReadName(in, "Mode", {Mode::kFail, Mode::kDelay}, RestartModeName, &policy.mode);
  in.Read("RenderTemplates", &policy.render_templates);
  return policy;
}

void ReadPort(const Members& in, Port* port) {
  in.Read("Label", &port->label);
  in.Read("Value", &port->value);
  in.Read("To", &port->to);
  in.Read("HostNetwork", &port->host_network);
  if (port->host_network == "default") port->host_network.clear();
}

void ReadNetwork(const Members& in, Network* network) {
  std::string mode;
  in.Read("Mode", &mode);
  if (!mode.empty()) network->mode = mode;
  in.ReadList("ReservedPorts", &network->reserved_ports, ReadPort);
  in.ReadList("DynamicPorts", &network->dynamic_ports, ReadPort);
  in.Read("Hostname", &network->hostname);
  const Members dns = in.Object("DNS");
  dns.Read("Servers", &network->dns.servers);
  dns.Read("Searches", &network->dns.searches);
  dns.Read("Options", &network->dns.options);
  in.Object("CNI").Read("Args", &network->cni_args);
}

LogConfig ReadLogConfig(const Members& in) {
  LogConfig config;
  std::int64_t megabytes = config.max_file_size_bytes >> 20;
  in.Read("MaxFiles", &config.max_files);
  in.Read("MaxFileSizeMB", &megabytes);
  // The value is clamped, so that the product does not overflow. A clamped value is still beyond
  // the bound, so the later check reports it.
  config.max_file_size_bytes =
      std::clamp(megabytes, -kMostLogFileMb, kMostLogFileMb + 1) * (1 << 20);
  in.Read("Disabled", &config.disabled);
  if (in.Find("Enabled") != nullptr) {
    bool enabled = true;
    in.Read("Enabled", &enabled);
    if (enabled && config.disabled) in.Fault("Enabled", "is true, but so is Disabled");
    config.disabled = !enabled;
  }
  return config;
}

// Returns nothing if the hook is wrong. The task is then read as a main task, so that the mistake
// gives only one fault.
std::optional<Lifecycle> ReadLifecycle(const Members& in) {
  using Hook = Lifecycle::Hook;
  std::optional<Hook> hook;
  std::string text;
  in.Read("Hook", &text);
  if (text.empty()) in.Fault("Hook", "is missing; write prestart, poststart or poststop");
  ReadName(in, "Hook", {Hook::kPrestart, Hook::kPoststart, Hook::kPoststop}, LifecycleHookName,
           &hook);
  if (!hook) return std::nullopt;
  Lifecycle lifecycle{.hook = *hook};
  in.Read("Sidecar", &lifecycle.sidecar);
  return lifecycle;
}

void ReadAction(const Members& in, TaskAction* action) {
  in.Read("Name", &action->name);
  in.Read("Command", &action->command);
  in.Read("Args", &action->args);
}

void ReadIdentity(const Members& in, Identity* identity) {
  in.Read("Audience", &identity->audience);
  in.Read("Env", &identity->env);
  in.Read("File", &identity->file);
  in.Read("Filepath", &identity->filepath);
  using Mode = Identity::ChangeMode;
  ReadName(in, "ChangeMode", {Mode::kNoop, Mode::kSignal, Mode::kRestart}, IdentityChangeModeName,
           &identity->change_mode);
  in.Read("ChangeSignal", &identity->change_signal);
  in.Read("TTL", &identity->ttl);
}

// Reads the identity that every task has.
Identity ReadDefaultIdentity(const Members& in) {
  Identity identity;
  std::string name;
  in.Read("Name", &name);
  if (!name.empty()) identity.name = name;
  ReadIdentity(in, &identity);
  return identity;
}

// Reads an identity that has a name. Only the default one has an audience without being told.
void ReadNamedIdentity(const Members& in, Identity* identity) {
  identity->name.clear();
  identity->audience.clear();
  in.Read("Name", &identity->name);
  ReadIdentity(in, identity);
}

void ReadArtifact(const Members& in, Artifact* artifact) {
  in.Read("GetterSource", &artifact->source);
  std::string destination;
  in.Read("RelativeDest", &destination);
  if (!destination.empty()) artifact->destination = destination;
  using Mode = Artifact::Mode;
  ReadName(in, "GetterMode", {Mode::kAny, Mode::kFile, Mode::kDir}, ArtifactModeName,
           &artifact->mode);
  in.Read("GetterOptions", &artifact->options);
  in.Read("GetterHeaders", &artifact->headers);
  in.Read("GetterInsecure", &artifact->insecure);
  in.Read("Chown", &artifact->chown);
}

// Reads the services of a group or task. OWNER names it.
void ReadServices(const Members& in, const ServiceOwner& owner, std::vector<Service>* services) {
  in.ReadList(
      "Services", services,
      [&owner](const Members& of, Service* service) { ReadService(of, owner, service); },
      kMostServices);
}

void ReadTask(const Members& in, const RestartPolicy& group_policy, ServiceOwner owner,
              Task* task) {
  in.Read("Name", &task->name);
  in.Read("Driver", &task->driver);
  in.Read("User", &task->user);
  if (const json* config = in.Find("Config")) {
    if (config->is_object()) {
      task->config_json = config->dump();
    } else {
      in.Fault("Config", "must be an object");
    }
  }
  in.Read("Env", &task->env);
  in.Read("Meta", &task->meta);
  if (in.Find("Lifecycle") != nullptr) task->lifecycle = ReadLifecycle(in.Object("Lifecycle"));
  if (in.Find("RestartPolicy") != nullptr) {
    task->restart_policy = ReadRestartPolicy(in.Object("RestartPolicy"), group_policy);
  }
  const Members resources = in.Object("Resources");
  resources.Read("Cores", &task->resources.cores);
  if (task->resources.cores != 0) task->resources.cpu_mhz = 0;  // replaced below if CPU is given
  resources.Read("CPU", &task->resources.cpu_mhz);
  resources.Read("MemoryMB", &task->resources.memory_mb);
  resources.Read("MemoryMaxMB", &task->resources.memory_max_mb);
  resources.ReadList("Networks", &task->networks, ReadNetwork);
  resources.ReadList("Devices", &task->devices, ReadDeviceRequest, kMostDeviceRequests);
  task->log_config = ReadLogConfig(in.Object("LogConfig"));
  in.Read("KillTimeout", &task->kill_timeout);
  in.Read("KillSignal", &task->kill_signal);
  in.Read("ShutdownDelay", &task->shutdown_delay);
  in.Read("Leader", &task->leader);
  in.ReadList("Actions", &task->actions, ReadAction);
  in.ReadList("Constraints", &task->constraints, ReadConstraint);
  task->identity = ReadDefaultIdentity(in.Object("Identity"));
  in.ReadList("Identities", &task->identities, ReadNamedIdentity);
  in.ReadList("Templates", &task->templates, ReadTemplate, kMostTemplates);
  in.ReadList("VolumeMounts", &task->volume_mounts, ReadVolumeMount);
  in.ReadList("Artifacts", &task->artifacts, ReadArtifact, kMostArtifacts);
  in.ReadList("ScalingPolicies", &task->scaling, ReadTaskScaling, kMostTaskScalings);
  in.Object("DispatchPayload").Read("File", &task->dispatch_payload_file);
  owner.task = task->name;
  ReadServices(in, owner, &task->services);
}

// Reads the part of an update block that says when an allocation is healthy. A deadline of 0 leaves
// the default. OF_JOB: the block of the whole job, in which clients write 0 for what is not set.
void ReadUpdate(const Members& in, bool of_job, UpdatePolicy* update) {
  using HealthCheck = UpdatePolicy::HealthCheck;
  ReadName(in, "HealthCheck",
           {HealthCheck::kChecks, HealthCheck::kTaskStates, HealthCheck::kManual}, HealthCheckName,
           &update->health_check);
  UpdatePolicy read = *update;
  in.Read("MinHealthyTime", &read.min_healthy_time);
  in.Read("HealthyDeadline", &read.healthy_deadline);
  if (!of_job || read.min_healthy_time != 0s) update->min_healthy_time = read.min_healthy_time;
  if (read.healthy_deadline != 0s) update->healthy_deadline = read.healthy_deadline;
}

// JOB has its own fields already, without its groups.
void ReadGroup(const Members& in, const Job& job, TaskGroup* group) {
  in.Read("Name", &group->name);
  in.Read("Count", &group->count);
  ReadGroupScaling(in, group);
  group->restart_policy =
      ReadRestartPolicy(in.Object("RestartPolicy"), DefaultRestartPolicy(job.type));
  const ServiceOwner owner{job.name, group->name, ""};
  in.ReadList("Tasks", &group->tasks, [group, &owner](const Members& task_in, Task* task) {
    ReadTask(task_in, group->restart_policy, owner, task);
  });
  ReadServices(in, owner, &group->services);
  in.ReadList("Networks", &group->networks, ReadNetwork);
  in.Read("Meta", &group->meta);
  in.Read("ShutdownDelay", &group->shutdown_delay);
  if (in.Find("MaxRunDuration") != nullptr) {
    Duration limit{};
    in.Read("MaxRunDuration", &limit);
    group->max_run_duration = limit;
  }
  in.ReadList("Constraints", &group->constraints, ReadConstraint);
  const Members disk = in.Object("EphemeralDisk");
  disk.Read("SizeMB", &group->ephemeral_disk_mb);
  disk.Read("Sticky", &group->disk_sticky);
  disk.Read("Migrate", &group->disk_migrate);
  ReadVolumes(in, &group->volumes);
  in.Object("Migrate").Read("MaxParallel", &group->migrate_max_parallel);
  ReadUpdate(in.Object("Update"), false, &group->update);
  ReadGroupChanges(in, group);
}

Job ReadJob(const Members& in) {
  Job job;
  in.Read("ID", &job.id);
  job.name = job.id;
  std::string name;
  in.Read("Name", &name);
  if (!name.empty()) job.name = name;
  in.Read("ParentID", &job.parent_id);
  std::string text;
  in.Read("Region", &text);
  if (!text.empty()) job.region = text;
  text.clear();
  in.Read("Namespace", &text);
  if (!text.empty()) job.job_namespace = text;
  ReadName(in, "Type", {JobType::kService, JobType::kBatch, JobType::kSystem, JobType::kSysbatch},
           JobTypeName, &job.type);
  in.Read("Priority", &job.priority);
  in.Read("Datacenters", &job.datacenters);
  text.clear();
  in.Read("NodePool", &text);
  if (!text.empty()) job.node_pool = text;
  in.Read("Meta", &job.meta);
  in.ReadList("Constraints", &job.constraints, ReadConstraint);
  ReadJobStarts(in, &job);
  TaskGroup defaults;  // for groups that do not set the same blocks
  in.Object("Migrate").Read("MaxParallel", &defaults.migrate_max_parallel);
  ReadUpdate(in.Object("Update"), true, &defaults.update);
  ReadJobChanges(in, job.type, &defaults);
  in.ReadList("TaskGroups", &job.groups, [&](const Members& group_in, TaskGroup* group) {
    *group = defaults;
    ReadGroup(group_in, job, group);
  });
  return job;
}

// Adds a warning for each part of JOB that is carried out, but should be written in another way.
void WarnOfForms(const Job& job, const std::string& pointer, JobFaults* warnings) {
  WarnOfStarts(job, JobPlace(pointer, warnings));
  for (std::size_t g = 0; g < job.groups.size(); ++g) {
    const std::string group = JsonPointer(JsonPointer(pointer, "TaskGroups"), g);
    for (std::size_t t = 0; t < job.groups[g].tasks.size(); ++t) {
      const std::string task = JsonPointer(JsonPointer(group, "Tasks"), t);
      const Task& of_job = job.groups[g].tasks[t];
      WarnOfIdentities(of_job.identity, of_job.identities, task, warnings);
      WarnOfTemplates(of_job.templates, JobPlace(task, warnings) / "Templates");
      if (of_job.networks.empty()) continue;
      warnings->Add(JsonPointer(JsonPointer(task, "Resources"), "Networks"),
                    "is an older place for ports, which only this task has; write them into the "
                    "network of the group");
    }
  }
}

// Returns the job inside ROOT, and sets POINTER to its JSON pointer. If there is no job, returns
// null and adds a fault.
const json* FindJob(const json& root, std::string* pointer, JobFaults* faults) {
  if (!root.is_object()) {
    faults->Add("", "must be a JSON object");
    return nullptr;
  }
  const auto wrapped = root.find("Job");
  if (wrapped == root.end()) return &root;
  *pointer = "/Job";
  if (!wrapped->is_object()) {
    faults->Add("/Job", "must be an object");
    return nullptr;
  }
  for (const auto& [key, value] : root.items()) {
    bool known = false;
    for (const std::string_view field : kRequestFields) known = known || key == field;
    if (!known) faults->Add(JsonPointer("", key), "there is no such field beside \"Job\"");
  }
  return &*wrapped;
}

}  // namespace

Result<Job> ParseStoredJob(std::string_view text, bool* dropped) {
  const auto root = ParseStrictJson(text);
  if (!root.ok()) return root.error();
  JobFaults faults, unused;
  std::string pointer;
  const json* const object = FindJob(*root, &pointer, &faults);
  if (object == nullptr) return faults.ToError();
  CheckJobFields(*object, pointer, &faults, &unused);
  Job job = ReadJob(Members(*object, pointer, &faults));
  *dropped = DropWrongChanges(&job);
  CheckJob(job, pointer, &faults);
  if (!faults.empty()) return faults.ToError();
  return job;
}

Result<Job> ParseJob(std::string_view text, std::vector<JobFault>* list, std::string* place,
                     std::vector<JobFault>* warnings) {
  JobFaults faults, warned;
  Job job;
  const auto root = ParseStrictJson(text);
  if (!root.ok()) {
    faults.Add("", root.error().message());
  } else {
    std::string pointer;
    if (const json* object = FindJob(*root, &pointer, &faults)) {
      CheckJobFields(*object, pointer, &faults, &warned);
      job = ReadJob(Members(*object, pointer, &faults));
      CheckJob(job, pointer, &faults);
      WarnOfForms(job, pointer, &warned);
    }
    if (place != nullptr) *place = pointer;
  }
  if (warnings != nullptr) *warnings = warned.Take();
  if (faults.empty()) {
    if (list != nullptr) list->clear();
    return job;
  }
  const Error error = faults.ToError();
  if (list != nullptr) *list = faults.Take();
  return error;
}

}  // namespace drover
