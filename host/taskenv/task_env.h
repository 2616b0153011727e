// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"
#include "host/spec/allocation.h"
#include "host/spec/job.h"
#include "host/taskenv/interpolation.h"

namespace drover {

// The facts about the machine that jobs may use.
struct NodeInfo {
  std::string id;
  std::string name;
  std::string datacenter = "dc1";
  std::string region = "global";
  std::string node_class;
  std::string pool = "default";
  std::string cgroup_parent;  // the parent of the tasks' cgroups; empty: none
  StringMap attributes;       // from the fingerprint: "kernel.name", ...
  StringMap meta;             // see NodeMeta
};

// The root directory that a task sees. The values are those of drover_fs_isolation.
enum class TaskRoot {
  kHost = 0,    // the host's, with the host's paths; its environment is inherited
  kChroot = 1,  // its own: /alloc, /local, /secrets; inherits an allow-list only
  kImage = 2,   // an image's, which has an environment of its own too
};

// Everything from which a task's environment is made. Pointers must be valid during the call.
struct TaskEnvInput {
  const NodeInfo* node = nullptr;
  const Allocation* alloc = nullptr;
  const Task* task = nullptr;
  TaskRoot root = TaskRoot::kHost;
  // Host paths of the directories that the task knows as NOMAD_ALLOC_DIR, NOMAD_TASK_DIR and
  // NOMAD_SECRETS_DIR.
  std::string alloc_dir;
  std::string local_dir;
  std::string secrets_dir;
  StringMap host_env;               // of the agent, see ReadHostEnv
  std::vector<StringMap> hook_env;  // in the order of the hooks; later wins; not interpolated
  std::map<std::string, int> driver_ports;  // ports inside of the task, chosen by its driver
  std::string cpu_cores;                    // reserved for the task: "0,5-7"; empty: none
};

// The environment of a task, and the values of the ${...} in its configuration. Immutable.
class TaskEnv {
 public:
  // Later wins: the description of the task, meta, host variables that are not set yet, the task's
  // own variables with ${...} replaced, and the hooks'. An error is a mistake in the job: a name
  // that is impossible after interpolation, or more than kMaxBytes in total.
  static Result<TaskEnv> Build(const TaskEnvInput& input);
  static constexpr std::size_t kMaxBytes = 4u << 20;

  // The variables that the task gets.
  const StringMap& env() const { return env_; }

  // Replaces ${NOMAD_X} and any other variable, ${node.unique.id}, ${node.unique.name},
  // ${node.datacenter}, ${node.region}, ${node.class}, ${node.pool}, ${attr.KEY}, ${meta.KEY} (of
  // the node), ${node.attr.KEY} and ${node.meta.KEY}. Unknown references stay.
  std::string Interpolate(std::string_view text) const;

  // For the configuration of drivers: also knows ${env["KEY"]} (and attr["KEY"], meta["KEY"]). An
  // unknown reference is an error that names it.
  Result<std::string> InterpolateStrict(std::string_view text) const;

  // Interpolates all texts of a JSON value, keys too. Errors contain the JSON pointer. Unless
  // STRICT, unknown references stay.
  Result<std::string> InterpolateConfig(std::string_view json, bool strict) const;

 private:
  TaskEnv() = default;
  const std::string* Find(std::string_view name) const;
  const std::string* FindVariable(std::string_view name) const;
  const std::string* FindInConfig(std::string_view name) const;

  std::map<std::string, std::string, std::less<>> node_;  // "node.class", "attr.KEY", ...
  std::map<std::string, std::string, std::less<>> raw_;   // variables by their original names
  StringMap env_;
};

}  // namespace drover
