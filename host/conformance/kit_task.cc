// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/kit_task.h"

#include <filesystem>
#include <system_error>

#include "host/taskenv/task_env.h"

namespace drover {

namespace {

// The node of all tasks and plugins of this process.
const std::string& KitNodeId() {
  static const std::string id = RandomUuid();
  return id;
}

}  // namespace

PluginNode MakeKitNode(const std::string& directory) {
  PluginNode node;
  node.node_id = KitNodeId();
  node.node_name = "kit";
  node.node_pool = "default";
  node.datacenter = "dc1";
  node.region = "global";
  node.agent_version = "kit";
  node.directory = directory + "/plugin_data";
  node.cgroup_parent = "/drover_kit";
  return node;
}

TaskConfig MakeKitTask(const std::string& directory, const std::string& name) {
  TaskConfig config;
  config.run_id = RunId::Random();
  config.task_name = name;
  config.alloc_id = RandomUuid();
  config.id = config.alloc_id + "/" + name + "/00000000";
  config.alloc_name = "kit.group[0]";
  config.job_id = config.job_name = "kit";
  config.job_namespace = "default";
  config.group_name = "group";
  config.node_id = KitNodeId();
  config.node_name = "kit";
  config.alloc_dir = directory + "/alloc";
  config.task_dir = directory + "/" + name;
  config.local_dir = config.task_dir + "/local";
  config.secrets_dir = config.task_dir + "/secrets";
  config.log_dir = config.alloc_dir + "/logs";
  for (const std::string& path : {config.local_dir, config.secrets_dir, config.log_dir}) {
    std::error_code ignored;  // if this fails, the start of the task reports an error
    std::filesystem::create_directories(path, ignored);
  }
  config.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                {"NOMAD_TASK_NAME", name},
                {"NOMAD_ALLOC_DIR", config.alloc_dir},
                {"NOMAD_TASK_DIR", config.local_dir},
                {"NOMAD_SECRETS_DIR", config.secrets_dir}};
  config.interpolate = [](const StringMap& env, std::string_view text, bool strict) {
    return RunTexts().Interpolate(env, text, strict);
  };
  config.memory_limit_bytes = config.resources.memory_mb << 20;
  config.cpu_shares = config.resources.cpu_mhz;
  config.cpu_quota = CpuQuota(config.resources.cpu_mhz, 0);
  config.kill_timeout = 1s;
  return config;
}

}  // namespace drover
