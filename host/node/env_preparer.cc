// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/env_preparer.h"

#include <algorithm>

#include "host/spec/job_limits.h"

namespace drover {
namespace {

class EnvPreparer : public TaskPreparer {
 public:
  EnvPreparer(const NodeInfo* node, StringMap host_env, double core_mhz)
      : node_(node), host_env_(std::move(host_env)), core_mhz_(core_mhz) {}

  Result<std::vector<std::string>> Interpolate(const PrepareRequest& request,
                                               std::vector<std::string> texts) override {
    if (std::ranges::none_of(texts, HasReference)) return texts;
    DROVER_ASSIGN(const TaskEnv env, TaskEnv::Build(InputFor(request)));
    std::size_t bytes = 0;
    for (std::string& text : texts) {
      text = env.Interpolate(text);
      bytes += text.size();
      if (bytes > TaskEnv::kMaxBytes) {
        return Error(Code::kInvalidArgument, "the texts become larger than " +
                                                 std::to_string(TaskEnv::kMaxBytes) +
                                                 " bytes when their ${...} are replaced");
      }
    }
    return texts;
  }

  Result<TaskConfig> Prepare(const PrepareRequest& request) override {
    const Allocation& alloc = *request.alloc;
    const Task& task = *request.task;
    DROVER_ASSIGN(const TaskEnv env, TaskEnv::Build(InputFor(request)));
    TaskConfig config;
    DROVER_ASSIGN(config.driver_config_json,
                  env.InterpolateConfig(task.config_json, /*strict=*/!request.running));
    config.alloc_id = alloc.id;
    config.alloc_name = alloc.name;
    config.job_id = alloc.job->id;
    config.job_name = alloc.job->name;
    config.parent_job_id = alloc.job->parent_id;
    config.job_namespace = alloc.job->job_namespace;
    config.group_name = alloc.group_name;
    config.task_name = task.name;
    config.node_id = node_->id;
    config.node_name = node_->name;
    config.env = env.env();
    config.interpolate = [texts = std::make_shared<const RunTexts>(env.texts())](
                             const StringMap& variables, std::string_view text, bool strict) {
      return texts->Interpolate(variables, text, strict);
    };
    // Another hook may have replaced a variable of a device.
    for (const auto& [name, value] : request.device_env) {
      const auto found = config.env.find(name);
      if (found != config.env.end() && found->second == value) config.device_env[name] = value;
    }
    config.user = request.user.empty() ? env.Interpolate(task.user) : request.user;
    config.alloc_dir = request.location.alloc_dir;
    config.task_dir = request.location.task_dir;
    config.local_dir = request.location.local_dir;
    config.secrets_dir = request.location.secrets_dir;
    config.log_dir = request.location.log_dir;
    config.log_config = task.log_config;
    config.log_config.disabled |= request.driver.disables_log_collection;
    const Resources resources = Bounded(task.resources);
    config.resources = resources;
    config.memory_limit_bytes = std::max(resources.memory_mb, resources.memory_max_mb) << 20;
    config.cpu_cores = CoresOf(request);
    // By default, a cgroup has 1024 CPU shares. A task gets 1024 shares for each reserved core.
    config.cpu_shares = resources.cores > 0 ? resources.cores * 1024 : resources.cpu_mhz;
    config.cpu_quota = CpuQuota(resources.cpu_mhz, core_mhz_);
    for (const AllocatedPort& allocated : alloc.ports) {
      if (!allocated.task.empty() && allocated.task != task.name) continue;
      Port port;
      port.label = allocated.label;
      port.value = allocated.value;
      port.to = allocated.to;
      port.host_ip = allocated.host_ip;
      config.ports.push_back(std::move(port));
    }
    config.mounts = request.mounts;
    config.devices = request.devices;
    config.kill_signal = task.kill_signal;
    config.kill_timeout = task.kill_timeout;
    config.network_namespace_path = request.location.network_namespace;
    const TaskGroup* group = alloc.group();
    if (group != nullptr && !group->networks.empty()) {
      const Network& network = group->networks[0];
      config.network_mode = network.mode;
      if (!network.hostname.empty()) {
        DROVER_ASSIGN(config.hostname, OfAlloc(alloc, network.hostname));
      }
      config.dns = network.dns;
      for (auto* list : {&config.dns.servers, &config.dns.searches, &config.dns.options}) {
        for (std::string& text : *list) {
          DROVER_ASSIGN(text, OfAlloc(alloc, text));
        }
      }
    }
    // A plugin of the network may say how names are looked up in it.
    if (config.dns.empty() && alloc.network) config.dns = alloc.network->dns;
    return config;
  }

 private:
  // All tasks of an allocation have the same network, so its variables are those of the allocation.
  Result<std::string> OfAlloc(const Allocation& alloc, const std::string& text) const {
    if (!HasReference(text)) return text;
    TaskEnvInput input;
    input.node = node_;
    input.alloc = &alloc;
    DROVER_ASSIGN(const TaskEnv env, TaskEnv::Build(input));
    return env.Interpolate(text);
  }
  static bool HasReference(const std::string& text) { return text.find("${") != std::string::npos; }
  static std::string CoresOf(const PrepareRequest& request) {
    const auto cores = request.alloc->cores.find(request.task->name);
    return cores == request.alloc->cores.end() ? "" : CoreList(cores->second);
  }

  // All runs share the values of the node, until these change.
  const std::shared_ptr<const TextVariables>& NodeTexts() {
    if (!node_texts_ || shown_ != *node_) {
      shown_ = *node_;
      node_texts_ = std::make_shared<const TextVariables>(NodeVariables(shown_));
    }
    return node_texts_;
  }

  TaskEnvInput InputFor(const PrepareRequest& request) {
    TaskEnvInput input;
    input.node = node_;
    input.node_variables = NodeTexts();
    input.alloc = request.alloc.get();
    input.task = request.task.get();
    input.root = static_cast<TaskRoot>(request.driver.fs_isolation);
    input.alloc_dir = request.location.alloc_dir;
    input.local_dir = request.location.local_dir;
    input.secrets_dir = request.location.secrets_dir;
    input.host_env = host_env_;
    input.hook_env.push_back(request.hook_env);
    input.cpu_cores = CoresOf(request);
    if (request.network) input.driver_ports = request.network->port_map;
    return input;
  }

  const NodeInfo* const node_;
  const StringMap host_env_;
  const double core_mhz_;
  NodeInfo shown_;  // NODE as NODE_TEXTS_ shows it
  std::shared_ptr<const TextVariables> node_texts_;
};

static_assert(static_cast<int>(TaskRoot::kHost) == static_cast<int>(FsIsolation::kNone));
static_assert(static_cast<int>(TaskRoot::kChroot) == static_cast<int>(FsIsolation::kChroot));
static_assert(static_cast<int>(TaskRoot::kImage) == static_cast<int>(FsIsolation::kImage));

}  // namespace

std::unique_ptr<TaskPreparer> NewEnvPreparer(const NodeInfo* node, StringMap host_env,
                                             double core_mhz) {
  return std::make_unique<EnvPreparer>(node, std::move(host_env), core_mhz);
}

}  // namespace drover
