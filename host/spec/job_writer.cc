// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/spec/blocks/change_json.h"
#include "host/spec/blocks/device_json.h"
#include "host/spec/blocks/scaling_json.h"
#include "host/spec/blocks/service_json.h"
#include "host/spec/blocks/task_template_json.h"
#include "host/spec/blocks/volume_json.h"
#include "host/spec/job_json.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

json ToJson(const StringMap& map) { return map.empty() ? json(nullptr) : json(map); }

json ToJson(const RestartPolicy& policy) {
  return {{"Attempts", policy.attempts},
          {"Interval", policy.interval.count()},
          {"Delay", policy.delay.count()},
          {"Mode", RestartModeName(policy.mode)},
          {"RenderTemplates", policy.render_templates}};
}

json ToJson(const std::vector<Port>& ports) {
  json list = json::array();
  for (const Port& port : ports) {
    list.push_back({{"Label", port.label},
                    {"Value", port.value},
                    {"To", port.to},
                    {"HostNetwork", port.host_network.empty() ? "default" : port.host_network}});
  }
  return list;
}

json ToJson(const DnsConfig& dns) {
  return {{"Servers", dns.servers}, {"Searches", dns.searches}, {"Options", dns.options}};
}

json ToJson(const std::vector<Network>& networks) {
  json list = json::array();
  for (const Network& network : networks) {
    json& one = list.emplace_back(json{{"Mode", network.mode},
                                       {"ReservedPorts", ToJson(network.reserved_ports)},
                                       {"DynamicPorts", ToJson(network.dynamic_ports)}});
    if (!network.hostname.empty()) one["Hostname"] = network.hostname;
    if (!network.dns.empty()) one["DNS"] = ToJson(network.dns);
    if (!network.cni_args.empty()) one["CNI"] = {{"Args", network.cni_args}};
  }
  return list;
}

json ToJson(const std::vector<TaskAction>& actions) {
  if (actions.empty()) return nullptr;
  json list = json::array();
  for (const TaskAction& action : actions) {
    list.push_back({{"Name", action.name}, {"Command", action.command}, {"Args", action.args}});
  }
  return list;
}

json ToJson(const Identity& identity) {
  return {{"Name", identity.name},
          {"Audience", identity.audience},
          {"Env", identity.env},
          {"File", identity.file},
          {"Filepath", identity.filepath},
          {"ChangeMode", IdentityChangeModeName(identity.change_mode)},
          {"ChangeSignal", identity.change_signal},
          {"TTL", identity.ttl.count()}};
}

json ToJson(const std::vector<Identity>& identities) {
  json list = json::array();
  for (const Identity& identity : identities) list.push_back(ToJson(identity));
  return list.empty() ? json(nullptr) : list;
}

json ToJson(const std::vector<Artifact>& artifacts) {
  json list = json::array();
  for (const Artifact& artifact : artifacts) {
    list.push_back({{"GetterSource", artifact.source},
                    {"GetterOptions", ToJson(artifact.options)},
                    {"GetterHeaders", ToJson(artifact.headers)},
                    {"GetterMode", ArtifactModeName(artifact.mode)},
                    {"GetterInsecure", artifact.insecure},
                    {"RelativeDest", artifact.destination},
                    {"Chown", artifact.chown}});
  }
  return list.empty() ? json(nullptr) : list;
}

json ToJson(const Task& task) {
  json out = {
      {"Name", task.name},
      {"Driver", task.driver},
      {"User", task.user},
      // A parser has written config_json. If it is not JSON after all, the value becomes null.
      {"Config", json::parse(task.config_json, nullptr, false)},
      {"Env", ToJson(task.env)},
      {"Meta", ToJson(task.meta)},
      {"Lifecycle", nullptr},
      {"RestartPolicy", nullptr},
      {"Resources",
       {{"CPU", task.resources.cpu_mhz},
        {"Cores", task.resources.cores},
        {"MemoryMB", task.resources.memory_mb},
        {"MemoryMaxMB", task.resources.memory_max_mb}}},
      {"LogConfig",
       {{"MaxFiles", task.log_config.max_files},
        {"MaxFileSizeMB", task.log_config.max_file_size_bytes >> 20},
        {"Disabled", task.log_config.disabled}}},
      {"KillTimeout", task.kill_timeout.count()},
      {"KillSignal", task.kill_signal},
      {"ShutdownDelay", task.shutdown_delay.count()},
      {"Leader", task.leader},
      {"Actions", ToJson(task.actions)},
      {"Constraints", ConstraintsToJson(task.constraints)},
      {"Services", ServicesToJson(task.services)},
      {"Identity", nullptr},
      {"Identities", ToJson(task.identities)},
      {"Templates", TemplatesToJson(task.templates)},
      {"VolumeMounts", VolumeMountsToJson(task.volume_mounts)},
      {"Artifacts", ToJson(task.artifacts)},
      {"ScalingPolicies", ScalingsToJson(task.scaling)}};
  // The default identity is written only if it differs from that of other tasks.
  if (!(task.identity == Identity())) out["Identity"] = ToJson(task.identity);
  if (out["Config"].is_discarded()) out["Config"] = nullptr;
  if (!task.networks.empty()) out["Resources"]["Networks"] = ToJson(task.networks);
  if (!task.devices.empty()) out["Resources"]["Devices"] = DeviceRequestsToJson(task.devices);
  if (task.lifecycle) {
    out["Lifecycle"] = {{"Hook", LifecycleHookName(task.lifecycle->hook)},
                        {"Sidecar", task.lifecycle->sidecar}};
  }
  if (!task.dispatch_payload_file.empty())
    out["DispatchPayload"] = {{"File", task.dispatch_payload_file}};
  if (task.restart_policy) out["RestartPolicy"] = ToJson(*task.restart_policy);
  return out;
}

json ToJson(const TaskGroup& group, JobType type) {
  json tasks = json::array();
  for (const Task& task : group.tasks) tasks.push_back(ToJson(task));
  json out = {{"Name", group.name},
              {"Count", group.count},
              {"RestartPolicy", ToJson(group.restart_policy)},
              {"Tasks", std::move(tasks)},
              {"Networks", ToJson(group.networks)},
              {"Meta", ToJson(group.meta)},
              {"ShutdownDelay", group.shutdown_delay.count()},
              {"MaxRunDuration", nullptr},
              {"Constraints", ConstraintsToJson(group.constraints)},
              {"Services", ServicesToJson(group.services)},
              {"Volumes", VolumesToJson(group.volumes)},
              {"Scaling", group.scaling ? ScalingToJson(*group.scaling) : json()},
              {"EphemeralDisk",
               {{"SizeMB", group.ephemeral_disk_mb},
                {"Sticky", group.disk_sticky},
                {"Migrate", group.disk_migrate}}}};
  // These blocks are written only if they are not the default: jobs of some types have none, and
  // clients expect none there.
  WriteGroupChanges(group, type, &out);
  if (group.max_run_duration) out["MaxRunDuration"] = group.max_run_duration->count();
  return out;
}

}  // namespace

std::string JobToJson(const Job& job) {
  json groups = json::array();
  for (const TaskGroup& group : job.groups) groups.push_back(ToJson(group, job.type));
  json out = {{"ID", job.id},
              {"Name", job.name},
              {"ParentID", job.parent_id},
              {"Region", job.region},
              {"Namespace", job.job_namespace},
              {"Type", JobTypeName(job.type)},
              {"Priority", job.priority},
              {"Datacenters", job.datacenters},
              {"NodePool", job.node_pool},
              {"Meta", ToJson(job.meta)},
              {"Constraints", ConstraintsToJson(job.constraints)},
              {"TaskGroups", std::move(groups)}};
  WriteJobStarts(job, &out);
  return JsonText(out);
}

}  // namespace drover
