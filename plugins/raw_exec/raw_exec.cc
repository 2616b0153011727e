// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The driver raw_exec runs a command of the host without isolation.
#include <stdlib.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command_driver.h"
#include "command_lookup.h"
#include "drover/capabilities.hpp"
#include "drover/entry.hpp"

namespace raw_exec {
namespace {

using command::DropVariables;
using command::Invalid;
using command::OomScore;

const char kConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "enabled": {"type": "boolean", "default": false},
    "denied_host_uids": {"type": "string", "default": ""},
    "denied_host_gids": {"type": "string", "default": ""},
    "denied_envvars": {"type": "array", "items": {"type": "string"}},
    "dynamic_users": {"type": "string", "default": ""}
  }
})";

const char kTaskConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "required": ["command"],
  "properties": {
    "command": {"type": "string"},
    "args": {"type": "array", "items": {"type": "string"}},
    "cgroup_v2_override": {"type": "string"},
    "cgroup_v1_override": {"type": "object", "additionalProperties": {"type": "string"}},
    "oom_score_adj": {"type": "integer", "default": 0},
    "work_dir": {"type": "string", "default": ""},
    "denied_envvars": {"type": "array", "items": {"type": "string"}}
  }
})";

// The plugin's configuration. A new configuration replaces the whole object.
struct Settings {
  bool enabled = false;
  command::Denied denied;

  static std::shared_ptr<const Settings> Read(const drover::Json& config) {
    auto out = std::make_shared<Settings>();
    out->enabled = config.Bool("enabled");
    out->denied = command::Denied::Read(config);
    return out;
  }
};

class RawExecDriver : public command::CommandDriver<Settings> {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.offers = kOffers | DROVER_CAP_CAPABILITIES;
    info.needs = kNeeds;
    info.config_schema = kConfigSchema;
    info.task_config_schema = kTaskConfigSchema;
    return info;
  }

  static drover::Capabilities GetCapabilities() {
    drover::Capabilities out;
    out.network_modes = {"host", "none", "bridge", "cni"};
    out.mount_kinds.emplace();  // the tasks see the files of the machine as they are
    out.users = true;
    out.labels = out.remote = out.must_create_network = false;
    return out;
  }
  const void* Extension(std::string_view id) override {
    return drover::CapabilitiesOf<RawExecDriver>(id);
  }

  using CommandDriver::CommandDriver;

  drover::Fingerprint Probe() override {
    if (!settings()->enabled) return {drover::Health::kUndetected, "disabled", {}};
    if (!host().process().available())
      return {drover::Health::kUnhealthy, "the host has no process service", {}};
    drover::Fingerprint out;
    out.attributes["driver.raw_exec"] = "true";
    if (::geteuid() != 0) {
      out.description = "Healthy; the agent is not root: tasks run as uid " +
                        std::to_string(::geteuid()) +
                        ", without resource limits, and may reach everything that the agent may";
    }
    return out;
  }

  void StartAsync(drover::TaskConfig task, drover::Call<drover::Started> call) override {
    if (!settings()->enabled) {
      throw drover::Error(drover::Code::kFailedPrecondition, "raw_exec is disabled");
    }
    ProcessDriver::StartAsync(std::move(task), std::move(call));
  }

  drover::ProcessSpec Plan(const drover::TaskConfig& task) override {
    auto settings = this->settings();
    const drover::Json& config = task.driver_config;
    drover::ProcessSpec out;
    out.oom_score_adj = OomScore(config);
    out.work_dir = config.String("work_dir");
    if (out.work_dir.empty()) out.work_dir = task.task_dir;
    if (out.work_dir[0] != '/') Invalid("work_dir must be an absolute path");
    TakeCgroups(config, &out);
    CheckUser(*settings, task.user);
    out.user = task.user;
    out.env = task.env;
    DropVariables(settings->denied.variables, &out.env);
    DropVariables(config.Strings("denied_envvars"), &out.env);
    // The command is looked up last, since the look-up may make the file executable.
    out.argv = config.Strings("args");
    out.argv.insert(out.argv.begin(),
                    FindCommand(config.String("command"), task.task_dir, SearchPath(task.env)));
    return out;
  }

 private:
  // Copies the operator's cgroups from CONFIG to OUT. The host still tracks the task in a cgroup of
  // its own.
  static void TakeCgroups(const drover::Json& config, drover::ProcessSpec* out) {
    out->cgroup = config.String("cgroup_v2_override");
    const drover::Json& v1 = config["cgroup_v1_override"];
    if (!v1.is_null()) {
      for (const auto& [controller, path] : v1.AsObject()) {
        out->v1_cgroups[controller] = path.AsString();
      }
    }
    if (!out->cgroup.empty() && !out->v1_cgroups.empty()) {
      Invalid("only one of cgroups_v1_override and cgroups_v2_override may be set");
    }
  }

  static void CheckUser(const Settings& settings, const std::string& user) {
    const uid_t uid = settings.denied.CheckUser(user).uid;
    if (::geteuid() != 0 && uid != ::geteuid()) {
      throw drover::Error(drover::Code::kPermissionDenied,
                          "the agent is not root and cannot run a task as user " + user);
    }
  }

  static std::string SearchPath(const drover::StringMap& env) {
    auto found = env.find("PATH");
    if (found != env.end()) return found->second;
    const char* own = ::getenv("PATH");
    return own == nullptr ? "/usr/local/bin:/usr/bin:/bin" : own;
  }
};

}  // namespace
}  // namespace raw_exec

DROVER_DRIVER(raw_exec::RawExecDriver, "raw_exec", "0.1.0", "Apache-2.0")
