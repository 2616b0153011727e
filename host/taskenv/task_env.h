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

// What jobs may ask about the machine.
struct NodeInfo {
  std::string id;
  std::string name;
  std::string datacenter = "dc1";
  std::string region = "global";
  std::string node_class;
  std::string pool = "default";
  std::string cgroup_parent;  // below which the tasks' cgroups are; empty: none
  StringMap attributes;       // of the fingerprint: "kernel.name", ...
  StringMap meta;             // see NodeMeta
};

// What the task sees as its root directory; the values are those of the driver's file isolation.
enum class TaskRoot {
  kHost = 0,    // the host's: paths are those of the host, its environment is inherited
  kChroot = 1,  // its own: /alloc, /local, /secrets; of the host's environment an allow-list
  kImage = 2,   // that of an image, which has an environment of its own too
};

// Everything that a task's environment is made of. The pointers must be valid during the call.
struct TaskEnvInput {
  const NodeInfo* node = nullptr;
  const Allocation* alloc = nullptr;
  const Task* task = nullptr;
  TaskRoot root = TaskRoot::kHost;
  // Host paths of what the task knows as NOMAD_ALLOC_DIR, NOMAD_TASK_DIR and NOMAD_SECRETS_DIR.
  std::string alloc_dir;
  std::string local_dir;
  std::string secrets_dir;
  StringMap host_env;               // of the agent, see ReadHostEnv
  std::vector<StringMap> hook_env;  // in the order of the hooks; later wins, and is not searched
  std::map<std::string, int> driver_ports;  // ports inside of the task that its driver chose
  std::string cpu_cores;                    // reserved for the task: "0,5-7"; empty: none
};

// The environment of a task, and what the ${...} in its configuration stand for. Immutable.
class TaskEnv {
 public:
  // Later wins: what describes the task, meta, what the host has and nobody has set, the task's
  // own variables with ${...} replaced, the hooks'. An error is the user's: a name that cannot be
  // one after interpolation, or more than kMaxBytes in all.
  static Result<TaskEnv> Build(const TaskEnvInput& input);
  static constexpr std::size_t kMaxBytes = 4u << 20;

  // What the task gets.
  const StringMap& env() const { return env_; }

  // Replaces ${NOMAD_X} and any other variable, ${node.unique.id}, ${node.unique.name},
  // ${node.datacenter}, ${node.region}, ${node.class}, ${node.pool}, ${attr.KEY}, ${meta.KEY}
  // (of the node), ${node.attr.KEY} and ${node.meta.KEY}. What is unknown stays.
  std::string Interpolate(std::string_view text) const;

  // For the configuration of drivers: knows ${env["KEY"]} too (and attr["KEY"], meta["KEY"]), and
  // what is unknown is an error that names it.
  Result<std::string> InterpolateStrict(std::string_view text) const;

  // All texts of a JSON value, keys too. Errors name the JSON pointer. Not STRICT leaves what is
  // unknown.
  Result<std::string> InterpolateConfig(std::string_view json, bool strict) const;

 private:
  TaskEnv() = default;
  const std::string* Find(std::string_view name) const;
  const std::string* FindVariable(std::string_view name) const;
  const std::string* FindInConfig(std::string_view name) const;

  std::map<std::string, std::string, std::less<>> node_;  // "node.class", "attr.KEY", ...
  std::map<std::string, std::string, std::less<>> raw_;   // variables by the names before cleaning
  StringMap env_;
};

}  // namespace drover
