// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "host/driver/driver.h"

namespace drover {

// Returns a task for tests that convert a task for a driver. Each field has a different value.
inline std::shared_ptr<const TaskConfig> DistinctTask() {
  auto config = std::make_shared<TaskConfig>();
  config->run_id = RunId::Random();
  int n = 0;
  for (std::string* text : {&config->id,
                            &config->alloc_id,
                            &config->alloc_name,
                            &config->job_id,
                            &config->job_name,
                            &config->parent_job_id,
                            &config->job_namespace,
                            &config->group_name,
                            &config->task_name,
                            &config->node_id,
                            &config->node_name,
                            &config->user,
                            &config->alloc_dir,
                            &config->task_dir,
                            &config->local_dir,
                            &config->secrets_dir,
                            &config->driver_config_json,
                            &config->log_dir,
                            &config->kill_signal,
                            &config->network_mode,
                            &config->network_namespace_path,
                            &config->cpu_cores,
                            &config->hostname}) {
    *text = "text " + std::to_string(++n);
  }
  config->env = {{"A", "1"}, {"B", "2"}};
  config->device_env = {{"C", "3"}};
  config->log_config = {21, 22, true};
  config->resources = {23, 24, 25};
  config->memory_limit_bytes = 26;
  config->cpu_shares = 27;
  config->ports = {{"http", 28, 29, "10.0.0.1"}, {"db", 30, 31, "10.0.0.2"}};
  config->mounts = {{"/in", "/out", true, "rslave"}};
  config->devices = {{"/dev/in", "/dev/out", "rw"}};
  config->kill_timeout = 32ns;
  config->cpu_quota = 33ns;
  config->labels = {{"label", "34"}};
  config->dns = {{"192.0.2.35"}, {"example.36"}, {"ndots:37", "rotate"}};
  return config;
}

}  // namespace drover
