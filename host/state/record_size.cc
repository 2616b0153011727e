// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/record_size.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace drover {
namespace {

using nlohmann::json;

// The bytes that the allocator and the tree add to an element of a map or a set.
constexpr std::size_t kNode = 48;
// The bytes that the allocator and the reference count add to a separately allocated object.
constexpr std::size_t kObject = 32;

std::size_t Of(const std::string& text) {
  constexpr std::size_t kInside = 15;  // a string stores longer texts in separate memory
  return text.capacity() > kInside ? text.capacity() + 16 : 0;
}

std::size_t Of(const SmallText& text) {
  return text.empty() ? 0 : sizeof(std::uint32_t) + text.view().size() + 16;
}

std::size_t Of(const StringMap& map) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : map) {
    bytes += kNode + sizeof(StringMap::value_type) + Of(key) + Of(value);
  }
  return bytes;
}

std::size_t Of(const json& value) {
  if (const auto* text = value.get_ptr<const std::string*>()) {
    return kObject + sizeof(std::string) + Of(*text);
  }
  std::size_t bytes = 0;
  if (value.is_array()) {
    const auto& list = *value.get_ptr<const json::array_t*>();
    bytes += kObject + sizeof(json::array_t) + list.capacity() * sizeof(json);
    for (const json& element : list) bytes += Of(element);
  } else if (value.is_object()) {
    const auto& object = *value.get_ptr<const json::object_t*>();
    bytes += kObject + sizeof(json::object_t);
    for (const auto& [key, element] : object) {
      bytes += kNode + sizeof(json::object_t::value_type) + Of(key) + Of(element);
    }
  }
  return bytes;
}

std::size_t Of(const std::vector<Constraint>& constraints) {
  std::size_t bytes = constraints.capacity() * sizeof(Constraint);
  for (const Constraint& one : constraints) bytes += Of(one.left) + Of(one.operand) + Of(one.right);
  return bytes;
}

std::size_t Of(const std::vector<std::string>& texts) {
  std::size_t bytes = texts.capacity() * sizeof(std::string);
  for (const std::string& text : texts) bytes += Of(text);
  return bytes;
}

std::size_t Of(const std::vector<Network>& networks) {
  std::size_t bytes = networks.capacity() * sizeof(Network);
  for (const Network& network : networks) {
    bytes += (network.reserved_ports.capacity() + network.dynamic_ports.capacity()) * sizeof(Port);
    bytes += Of(network.hostname) + Of(network.cni_args) + Of(network.dns.servers) +
             Of(network.dns.searches) + Of(network.dns.options);
  }
  return bytes;
}

std::size_t Of(const ServiceCheck& check) {
  std::size_t bytes = Of(check.name) + Of(check.command) + Of(check.args) + Of(check.path) +
                      Of(check.protocol) + Of(check.port_label) + Of(check.notes) +
                      Of(check.tls_server_name) + Of(check.method) + Of(check.body) +
                      Of(check.task) + Of(check.grpc_service);
  for (const auto& [key, values] : check.header) {
    bytes += kNode + sizeof(key) + sizeof(values) + Of(key) + Of(values);
  }
  return bytes;
}

std::size_t Of(const std::vector<Service>& services) {
  std::size_t bytes = services.capacity() * sizeof(Service);
  for (const Service& service : services) {
    bytes += Of(service.name) + Of(service.cluster) + Of(service.tags) + Of(service.canary_tags) +
             Of(service.port_label) + Of(service.address) + Of(service.meta) +
             Of(service.canary_meta) + Of(service.tagged_addresses) + Of(service.task) +
             service.checks.capacity() * sizeof(ServiceCheck);
    for (const ServiceCheck& check : service.checks) bytes += Of(check);
  }
  return bytes;
}

std::size_t Of(const VolumeRequests& volumes) {
  std::size_t bytes = 0;
  for (const auto& [name, volume] : volumes) {
    bytes += kNode + sizeof(VolumeRequests::value_type) + Of(name) + Of(volume.type) +
             Of(volume.source) + Of(volume.access_mode) + Of(volume.attachment_mode);
  }
  return bytes;
}

std::size_t Of(const std::vector<VolumeMount>& mounts) {
  std::size_t bytes = mounts.capacity() * sizeof(VolumeMount);
  for (const VolumeMount& mount : mounts) {
    bytes += Of(mount.volume) + Of(mount.destination) + Of(mount.propagation_mode);
  }
  return bytes;
}

std::size_t Of(const Identity& identity) {
  return Of(identity.name) + Of(identity.filepath) + Of(identity.change_signal) +
         Of(identity.audience);
}

std::size_t Of(const TaskTemplate& of) {
  std::size_t bytes = Of(of.source) + Of(of.data) + Of(of.destination) + Of(of.change_signal) +
                      Of(of.perms) + Of(of.left_delimiter) + Of(of.right_delimiter);
  if (of.script) bytes += Of(of.script->command) + Of(of.script->args);
  return bytes;
}

std::size_t Of(const std::vector<Artifact>& artifacts) {
  std::size_t bytes = artifacts.capacity() * sizeof(Artifact);
  for (const Artifact& artifact : artifacts) {
    bytes += Of(artifact.source) + Of(artifact.destination) + Of(artifact.options) +
             Of(artifact.headers);
  }
  return bytes;
}

std::size_t Of(const ScalingPolicy& policy) { return Of(policy.type) + Of(policy.policy_json); }

std::size_t Of(const Task& task) {
  std::size_t bytes = Of(task.name) + Of(task.driver) + Of(task.user) + Of(task.config_json) +
                      Of(task.env) + Of(task.meta) + Of(task.kill_signal) + Of(task.constraints) +
                      Of(task.networks) + Of(task.services) + Of(task.volume_mounts) +
                      Of(task.artifacts) + task.actions.capacity() * sizeof(TaskAction);
  for (const TaskAction& action : task.actions) {
    bytes += Of(action.name) + Of(action.command) + Of(action.args);
  }
  bytes += Of(task.identity) + task.identities.capacity() * sizeof(Identity);
  for (const Identity& identity : task.identities) bytes += Of(identity);
  bytes += task.templates.capacity() * sizeof(TaskTemplate);
  for (const TaskTemplate& of : task.templates) bytes += Of(of);
  bytes += task.scaling.capacity() * sizeof(ScalingPolicy);
  for (const ScalingPolicy& policy : task.scaling) bytes += Of(policy);
  return bytes;
}

std::size_t Of(const TaskGroup& group) {
  std::size_t bytes = Of(group.name) + Of(group.meta) + Of(group.constraints) + Of(group.networks) +
                      Of(group.services) + Of(group.volumes) +
                      group.tasks.capacity() * sizeof(Task);
  for (const Task& task : group.tasks) bytes += Of(task);
  if (group.scaling) bytes += Of(*group.scaling);
  return bytes;
}

std::size_t Of(const Job& job) {
  std::size_t bytes = kObject + sizeof(Job) + Of(job.id) + Of(job.name) + Of(job.meta) +
                      Of(job.node_pool) + Of(job.constraints) +
                      job.groups.capacity() * sizeof(TaskGroup);
  for (const std::string& name : job.datacenters) bytes += sizeof(std::string) + Of(name);
  for (const TaskGroup& group : job.groups) bytes += Of(group);
  return bytes;
}

std::size_t Of(const JobSubmission& submission) {
  return kObject + sizeof(JobSubmission) + Of(submission.source) + Of(submission.variables) +
         Of(submission.variable_flags);
}

std::size_t Of(const JobRecord& record) {
  std::size_t bytes = kObject + sizeof(JobRecord) + Of(record.status);
  if (record.scaling == nullptr) return bytes;
  for (const auto& scaling : *record.scaling) {
    bytes += kObject + sizeof(ScalingRecord) + Of(scaling->id) + Of(scaling->policy);
  }
  return bytes;
}

std::size_t Of(const Evaluation& eval) {
  std::size_t bytes = kObject + sizeof(Evaluation) + Of(eval.id) + Of(eval.job_id) +
                      Of(eval.node_id) + Of(eval.deployment_id) + Of(eval.previous_eval) +
                      Of(eval.blocked_eval) + Of(eval.next_eval);
  for (const auto& [group, failure] : eval.failed_groups) {
    bytes += kNode + sizeof(failure) + 2 * Of(group);
    for (const auto& [why, count] : failure.constraint_filtered) bytes += 2 * kNode + Of(why);
    for (const auto& [why, count] : failure.dimension_exhausted) bytes += 2 * kNode + Of(why);
  }
  for (const auto& [group, count] : eval.queued) bytes += 2 * kNode + Of(group);
  return bytes;
}

std::size_t Of(const Allocation& alloc) {
  std::size_t bytes = kObject + sizeof(Allocation) + Of(alloc.id) + Of(alloc.name) +
                      Of(alloc.eval_id) + Of(alloc.node_id) + Of(alloc.node_name) +
                      Of(alloc.datacenter) + Of(alloc.group_name) + Of(alloc.previous) +
                      Of(alloc.desired_description) +
                      alloc.ports.capacity() * sizeof(AllocatedPort);
  for (const auto& [task, cores] : alloc.cores) {
    bytes += 2 * kNode + Of(task) + cores.capacity() * sizeof(int);
  }
  for (const auto& [task, devices] : alloc.devices) {
    bytes += 2 * kNode + Of(task);
    for (const AllocatedDevice& device : devices) {
      bytes += sizeof(AllocatedDevice) + device.ids.capacity() * sizeof(std::string);
    }
  }
  return bytes;
}

std::size_t Of(const TaskEvent& event) {
  return sizeof(TaskEvent) + Of(event.type) + Of(event.details) + Of(event.display_message);
}

std::size_t Of(const AllocRecord& record) {
  std::size_t bytes = kObject + sizeof(AllocRecord) + Of(record.reported.id) + Of(record.previous) +
                      Of(record.next) + Of(record.reported.status.description);
  for (const auto& [task, state] : record.reported.tasks) bytes += 2 * kNode + Of(task);
  return bytes;
}

std::size_t Of(const NodeRecord& node) {
  std::size_t bytes = kObject + sizeof(NodeRecord) + Of(node.attributes) + Of(node.meta) +
                      node.core_ids.capacity() * sizeof(int) +
                      node.interfaces.capacity() * sizeof(NodeInterface);
  for (const auto& [name, driver] : node.drivers) {
    bytes += kNode + sizeof(driver) + Of(name) + Of(driver.description) + Of(driver.attributes);
  }
  for (const DeviceGroup& group : node.devices) {
    bytes += sizeof(group) + group.attributes.size() * (kNode + sizeof(DeviceValue)) +
             group.instances.capacity() * sizeof(DeviceInstance);
  }
  return bytes;
}

std::size_t Of(const ServiceRegistration& service) {
  return kObject + sizeof(ServiceRegistration) + Of(service.id) + Of(service.name) +
         Of(service.service_namespace) + Of(service.node_id) + Of(service.datacenter) +
         Of(service.job_id) + Of(service.alloc_id) + Of(service.tags) + Of(service.address);
}

std::size_t Of(const VariableRecord& variable) {
  return kObject + sizeof(VariableRecord) + Of(variable.name_space) + Of(variable.path) +
         Of(variable.sealed_items);
}

std::size_t Of(const VolumeRecord& volume) {
  std::size_t bytes = kObject + sizeof(VolumeRecord) + Of(volume.id) + Of(volume.name_space) +
                      Of(volume.name) + Of(volume.plugin_id) + Of(volume.host_path) +
                      Of(volume.parameters) + Of(volume.constraints) +
                      volume.capabilities.capacity() * sizeof(VolumeCapability) +
                      volume.claims.capacity() * sizeof(VolumeClaim);
  for (const VolumeClaim& claim : volume.claims) {
    bytes += Of(claim.id) + Of(claim.job_id) + Of(claim.group) + Of(claim.alloc_id);
  }
  return bytes;
}

std::size_t Of(const Deployment& of) {
  std::size_t bytes =
      kObject + sizeof(Deployment) + Of(of.id) + Of(of.job_id) + Of(of.status_description);
  for (const auto& [name, group] : of.groups) {
    bytes += kNode + Of(name) + sizeof(group) + Of(group.placed_canaries);
  }
  return bytes;
}

std::size_t Of(const PeriodicLaunch& of) {
  return kObject + sizeof(PeriodicLaunch) + Of(of.job_namespace) + Of(of.job_id);
}

std::size_t Of(const JobRestart& of) {
  return kObject + sizeof(JobRestart) + Of(of.id) + Of(of.job_id) + Of(of.groups) + Of(of.tasks) +
         Of(of.allocs) + Of(of.errors) + Of(of.status_description);
}

std::size_t Of(const SchedulerConfig&) { return kObject + sizeof(SchedulerConfig); }

std::size_t Of(const AllocChange& of) {
  return kObject + sizeof(AllocChange) + of.reschedules.capacity() * sizeof(RescheduleEvent) +
         of.states.capacity() * sizeof(AllocStateChange) + Of(of.preempted) +
         Of(of.follow_up_eval) + Of(of.preempted_by);
}

// Walk calls SEE with each part of EVENT. If a part occurs several times, SEE receives it each
// time.
template <typename See>
class Parts {
 public:
  explicit Parts(See see) : see_(see) {}

  void Walk(const StateEvent& event) {
    std::visit([this](const auto& record) { this->Part(record); }, event.record);
  }

 private:
  template <typename T>
  void Part(const std::shared_ptr<const T>& part) {
    if (part == nullptr) return;
    see_(part.get(), [&part] { return Of(*part); });
    Inside(*part);
  }
  // Calls SEE for a task state and for each of its events. The events are separate parts, because
  // earlier and later states share them.
  void Part(const TaskSnapshot& state) {
    if (state == nullptr) return;
    see_(state.get(), [&state] {
      return kObject + sizeof(TaskStateRecord) + state->events.capacity() * sizeof(SharedTaskEvent);
    });
    for (const TaskEvent& event : state->events) {
      see_(&event, [&event] { return kObject + Of(event); });
    }
  }

  template <typename T>
  void Inside(const T&) {}
  void Inside(const JobRecord& record) {
    Part(record.job);
    Part(record.json.base());
    Part(record.json.own());
    Part(record.submission);
  }
  void Inside(const Allocation& alloc) { Part(alloc.job); }
  void Inside(const AllocRecord& record) {
    Part(record.alloc);
    Part(record.job);
    Part(record.change);
    for (const auto& [task, state] : record.reported.tasks) Part(state);
  }

  See see_;
};

}  // namespace

std::size_t SizeOf(const JobRecord& record) {
  const JobDocument& document = record.json;
  return Of(record) + Of(*record.job) +
         Of(document.own() == nullptr ? *document.base() : *document.own());
}
std::size_t SizeOf(const JobSubmission& submission) { return Of(submission); }
std::size_t SizeOf(const Evaluation& eval) { return Of(eval); }
std::size_t SizeOf(const NodeRecord& node) { return Of(node); }
std::size_t SizeOf(const ServiceRegistration& service) { return Of(service); }
std::size_t SizeOf(const VariableRecord& variable) { return Of(variable); }
std::size_t SizeOf(const VolumeRecord& volume) { return Of(volume); }
std::size_t SizeOf(const Deployment& deployment) { return Of(deployment); }
std::size_t SizeOf(const PeriodicLaunch& launch) { return Of(launch); }
std::size_t SizeOf(const JobRestart& restart) { return Of(restart); }
std::size_t SizeOf(const SchedulerConfig& config) { return Of(config); }
std::size_t SizeOf(const TaskStateRecord& state) {
  std::size_t bytes = kObject + sizeof(TaskStateRecord);
  for (const TaskEvent& event : state.events)
    bytes += kObject + sizeof(SharedTaskEvent) + Of(event);
  return bytes;
}
std::size_t SizeOf(const AllocRecord& record) {
  std::size_t bytes = Of(record) + Of(*record.alloc);
  for (const auto& [task, state] : record.reported.tasks) {
    if (state != nullptr) bytes += SizeOf(*state);
  }
  return bytes;
}

void RecordSizes::Add(const StateEvent& event) {
  const auto see = [this](const void* part, const auto& size) {
    Part& of = parts_[part];
    if (of.uses++ > 0) return;
    of.bytes = size();
    bytes_ += of.bytes;
  };
  Parts(see).Walk(event);
}

void RecordSizes::Remove(const StateEvent& event) {
  const auto see = [this](const void* part, const auto&) {
    const auto found = parts_.find(part);
    if (found == parts_.end() || --found->second.uses > 0) return;
    bytes_ -= found->second.bytes;
    parts_.erase(found);
  };
  Parts(see).Walk(event);
}

}  // namespace drover
