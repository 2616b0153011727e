// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/result.h"
#include "host/spec/allocation.h"
#include "host/spec/job.h"
#include "host/taskenv/interpolation.h"

namespace drover {

// The facts about the node that jobs may use.
struct NodeInfo {
  std::string id;
  std::string name;
  std::string datacenter = "dc1";
  std::string region = "global";
  std::string node_class;
  std::string pool = "default";
  std::string cgroup_parent;  // parent of the tasks' cgroups; empty if there is none
  StringMap attributes;       // from the fingerprint, such as "kernel.name"
  StringMap meta;             // merged metadata of the node, see NodeMeta

  bool operator==(const NodeInfo&) const = default;
};

// Values by the names of their references.
using TextVariables = std::map<std::string, std::string, std::less<>>;

// Returns the values of the references to the node, by name: "node.class" or "attr.KEY".
TextVariables NodeVariables(const NodeInfo& node);

// Which root directory a task sees. The values are those of drover_fs_isolation.
enum class TaskRoot {
  // The root of the host. The task gets the host's paths and inherits the agent's environment.
  kHost = 0,
  // A root of its own with /alloc, /local and /secrets. The task inherits only an allow-list of
  // variables.
  kChroot = 1,
  // The root of an image, which also has an environment of its own. The task inherits no
  // variables.
  kImage = 2,
};

// The input from which a task's environment is built. The pointers must be valid during the call.
struct TaskEnvInput {
  const NodeInfo* node = nullptr;
  // The result of NodeVariables for NODE, which many environments may share. Null: it is made anew.
  std::shared_ptr<const TextVariables> node_variables = nullptr;
  const Allocation* alloc = nullptr;
  // Null: the environment is that of the whole group. It has no variables of a single task, such as
  // paths and limits, and none of the agent.
  const Task* task = nullptr;
  TaskRoot root = TaskRoot::kHost;
  // Paths on the host of three directories. The task gets these paths as NOMAD_ALLOC_DIR,
  // NOMAD_TASK_DIR and NOMAD_SECRETS_DIR. A task that does not see the host's root gets /alloc,
  // /local and /secrets instead.
  std::string alloc_dir;
  std::string local_dir;
  std::string secrets_dir;
  StringMap host_env;  // environment of the agent, see ReadHostEnv
  // Variables from each hook, in the order of the hooks. These variables are not interpolated. If
  // two hooks set the same variable, the later hook gives the value.
  std::vector<StringMap> hook_env;
  // Ports inside the task that its driver has chosen, by label.
  std::map<std::string, int> driver_ports;
  // Cores that are reserved for the task, such as "0,5-7". Empty if none are.
  std::string cpu_cores;
};

// Replaces references in texts of a running task. Immutable, so any thread may use it.
class RunTexts {
 public:
  RunTexts() = default;
  RunTexts(std::shared_ptr<const TextVariables> node, TextVariables renamed)
      : node_(std::move(node)), renamed_(std::move(renamed)) {}

  // Replaces what TaskEnv::InterpolateStrict replaces. ENV has the variables of the task. If STRICT
  // is false, unknown references stay.
  Result<std::string> Interpolate(const StringMap& env, std::string_view text, bool strict) const;

 private:
  std::shared_ptr<const TextVariables> node_;  // null: there is no node
  TextVariables renamed_;  // the variables that the task has under cleaned names, by the others
};

// The environment of a task, and the values of the references ${...} in its configuration.
// Immutable.
class TaskEnv {
 public:
  // Builds the environment from these sources: the description of the task, metadata, the agent's
  // variables, the task's own variables with references replaced, and the hooks' variables. If two
  // sources set the same variable, the later source gives the value. But a variable of the agent
  // never replaces an earlier one. The references of the task's own variables may also name the
  // hooks' variables.
  //
  // An error is a mistake in the job: a name or value that is impossible after interpolation, or
  // more than kMaxBytes in total.
  static Result<TaskEnv> Build(const TaskEnvInput& input);
  static constexpr std::size_t kMaxBytes = 4u << 20;

  // Returns the variables that the task gets.
  const StringMap& env() const { return env_; }

  // Replaces ${NOMAD_X} and any other variable. Also replaces ${node.unique.id},
  // ${node.unique.name}, ${node.datacenter}, ${node.region}, ${node.class}, ${node.pool},
  // ${attr.KEY}, ${meta.KEY}, ${node.attr.KEY} and ${node.meta.KEY}, where "meta" is the node's
  // metadata. Unknown references stay.
  std::string Interpolate(std::string_view text) const;

  // Interpolates the configuration of a driver. In addition to Interpolate, it replaces
  // ${env["KEY"]}, ${attr["KEY"]} and ${meta["KEY"]}. An unknown reference is an error that names
  // the reference.
  Result<std::string> InterpolateStrict(std::string_view text) const;

  // Returns what replaces references in further texts, with variables that are given then. It
  // is small, and does not need this object.
  RunTexts texts() const;

  // Interpolates all texts of a JSON value, and also its keys. An error contains the JSON pointer
  // of the text. If STRICT is false, unknown references stay.
  Result<std::string> InterpolateConfig(std::string_view json, bool strict) const;

 private:
  TaskEnv() = default;
  const std::string* Find(std::string_view name) const;
  const std::string* FindVariable(std::string_view name) const;
  const std::string* FindInConfig(std::string_view name) const;

  std::shared_ptr<const TextVariables> node_;  // never null
  // The values of the variables by their original names, before CleanName.
  TextVariables raw_;
  StringMap env_;
};

}  // namespace drover
