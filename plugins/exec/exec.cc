// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The driver exec runs a command with its own root file system, namespaces and rights. The host
// isolates the command. This driver converts the options of jobs and operators to the options of
// the host's isolation.
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capabilities.h"
#include "command_driver.h"
#include "controllers.h"
#include "drover/capabilities.hpp"
#include "drover/entry.hpp"
#include "isolation_trial.h"
#include "own_root.h"

namespace exec_driver {
namespace {

using command::DropVariables;
using command::Invalid;
using command::OomScore;

const char kConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "no_pivot_root": {"type": "boolean", "default": false},
    "default_pid_mode": {"type": "string", "enum": ["private", "host"], "default": "private"},
    "default_ipc_mode": {"type": "string", "enum": ["private", "host"], "default": "private"},
    "allow_caps": {"type": "array", "items": {"type": "string"}},
    "allow_root": {"type": "boolean", "default": false},
    "denied_host_uids": {"type": "string", "default": ""},
    "denied_host_gids": {"type": "string", "default": ""},
    "denied_envvars": {"type": "array", "items": {"type": "string"}},
    "dynamic_users": {"type": "string", "default": ""},
    "chroot_env": {"type": "object", "additionalProperties": {"type": "string"}},
    "pids_limit": {"type": "integer", "default": 4096}
  }
})";

const char kTaskConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "required": ["command"],
  "properties": {
    "command": {"type": "string"},
    "args": {"type": "array", "items": {"type": "string"}},
    "pid_mode": {"type": "string", "default": ""},
    "ipc_mode": {"type": "string", "default": ""},
    "cap_add": {"type": "array", "items": {"type": "string"}},
    "cap_drop": {"type": "array", "items": {"type": "string"}},
    "oom_score_adj": {"type": "integer", "default": 0},
    "cpu_hard_limit": {"type": "boolean", "default": false},
    "work_dir": {"type": "string", "default": ""}
  }
})";

// The plugin's configuration. A new configuration replaces the whole object.
struct Settings {
  bool pivot = true;
  bool host_pids = false;
  bool host_ipc = false;
  std::vector<std::string> allow_caps;
  bool allow_root = false;
  command::Denied denied;
  drover::StringMap root_paths;
  std::int64_t pids_limit = 0;

  static std::shared_ptr<const Settings> Read(const drover::Json& config) {
    auto out = std::make_shared<Settings>();
    out->pivot = !config.Bool("no_pivot_root");
    out->host_pids = config.String("default_pid_mode") == "host";
    out->host_ipc = config.String("default_ipc_mode") == "host";
    out->allow_root = config.Bool("allow_root");
    out->allow_caps =
        config["allow_caps"].is_null() ? DefaultCapabilities() : config.Strings("allow_caps");
    out->denied = command::Denied::Read(config);
    out->pids_limit = config.Int("pids_limit");
    if (out->pids_limit < 1 || out->pids_limit > 4 << 20) {
      throw drover::Error(drover::Code::kInvalidArgument,
                          "/pids_limit: must be from 1 to 4194304 processes");
    }
    if (!config["chroot_env"].is_null()) {
      for (const auto& entry : config["chroot_env"].AsObject()) {
        const std::string& target = entry.second.AsString();
        if (entry.first.empty() || entry.first[0] != '/' || target.empty() || target[0] != '/') {
          throw drover::Error(
              drover::Code::kInvalidArgument,
              "/chroot_env: \"" + entry.first + "\" and \"" + target + "\" must be absolute paths");
        }
        out->root_paths[entry.first] = target;
      }
    }
    return out;
  }
};

class ExecDriver : public command::CommandDriver<Settings> {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.offers = kOffers | DROVER_CAP_CAPABILITIES;
    info.needs = kNeeds;
    info.fs_isolation = DROVER_FS_CHROOT;
    info.config_schema = kConfigSchema;
    info.task_config_schema = kTaskConfigSchema;
    return info;
  }

  static drover::Capabilities GetCapabilities() {
    drover::Capabilities out;
    out.network_modes = {"host", "none", "bridge", "cni"};
    out.mount_kinds = {"bind", "device"};
    out.propagations = {"private", "host-to-task", "bidirectional"};
    out.hostname = out.dns = true;
    out.users = true;
    out.labels = out.remote = out.must_create_network = false;
    return out;
  }
  const void* Extension(std::string_view id) override {
    return drover::CapabilitiesOf<ExecDriver>(id);
  }

  using CommandDriver::CommandDriver;

  drover::Fingerprint Probe() override {
    if (!host().process().available())
      return Undetected("the host has no process service: give this driver one");
    if (::geteuid() != 0)
      return Undetected(
          "exec makes namespaces and mounts, for which the agent must be root: start it as root, "
          "or use raw_exec");
    if (IsInChroot())
      return Undetected(
          "exec changes the root of its tasks, for which the agent must not be in a chroot: start "
          "it outside, or give it a mount namespace whose root is its own (pivot_root), or use "
          "raw_exec");
    const bool pivot = settings()->pivot;
    if (isolates_ != pivot) {
      std::string why = WhyNotIsolated(pivot);
      if (!why.empty())
        return Undetected("exec cannot isolate tasks here: it " + why + ", or use raw_exec");
      isolates_ = pivot;
    }
    drover::Fingerprint out;
    out.attributes["driver.exec"] = "true";
    std::string missing = MissingLimits();
    if (!missing.empty()) {
      out.description = "Healthy, but tasks are not limited in their " + missing;
    }
    return out;
  }

  drover::ProcessSpec Plan(const drover::TaskConfig& task) override {
    auto settings = this->settings();
    const drover::Json& config = task.driver_config;
    drover::ProcessSpec out;
    drover::Isolation isolation;
    isolation.pids = !HostMode(config.String("pid_mode"), settings->host_pids, "pid_mode");
    isolation.ipc = !HostMode(config.String("ipc_mode"), settings->host_ipc, "ipc_mode");
    isolation.pivot = settings->pivot;
    isolation.root_paths = settings->root_paths;
    isolation.max_processes = settings->pids_limit;
    isolation.cpu_hard = config.Bool("cpu_hard_limit");
    // Without pivot_root, the new root only hides the old root. A task that may call chroot could
    // return to the old root, so no task gets sys_chroot.
    Capabilities capabilities =
        ChooseCapabilities(settings->allow_caps, config.Strings("cap_add"),
                           config.Strings("cap_drop"), settings->pivot ? "" : "sys_chroot");
    isolation.capabilities = std::move(capabilities.bounding);
    isolation.ambient_capabilities = std::move(capabilities.ambient);
    out.isolation = std::move(isolation);

    out.oom_score_adj = OomScore(config);
    out.work_dir = config.String("work_dir");
    if (!out.work_dir.empty() && out.work_dir[0] != '/') {
      Invalid("work_dir must be absolute but got relative path \"" + out.work_dir + "\"");
    }
    if (out.work_dir.empty()) out.work_dir = "/";
    out.user = task.user.empty() ? "nobody" : task.user;
    settings->denied.CheckUser(out.user, settings->allow_root);
    out.env = task.env;
    DropVariables(settings->denied.variables, &out.env);
    out.argv = config.Strings("args");
    std::string command = config.String("command");
    if (command.empty()) Invalid("command must not be empty");
    if (IsLocal(task, command)) command.insert(0, "/local/");
    out.argv.insert(out.argv.begin(), std::move(command));
    return out;
  }

 private:
  static drover::Fingerprint Undetected(std::string why) {
    return {drover::Health::kUndetected, std::move(why), {}};
  }

  // True if a task uses the namespace of the host. A job may ask for less access than the
  // operator's default allows, but not for more.
  static bool HostMode(const std::string& asked, bool host_is_default, const std::string& name) {
    if (asked.empty()) return host_is_default;
    if (asked == "private") return false;
    if (asked != "host") {
      Invalid(name + " must be \"private\" or \"host\", got \"" + asked + "\"");
    }
    if (!host_is_default) {
      throw drover::Error(drover::Code::kPermissionDenied,
                          "failed driver config validation: " + name +
                              " \"host\" is not allowed: the operator must set default_" + name +
                              " to \"host\"");
    }
    return true;
  }

  // True if COMMAND is a plain name and the task's own directory has a file of that name. The
  // driver prefers that file to a file in the PATH inside the root.
  static bool IsLocal(const drover::TaskConfig& task, const std::string& command) {
    if (command.find('/') != std::string::npos) return false;
    struct stat info;
    std::string path = task.local_dir + "/" + command;
    return ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  }

  // The value of Settings::pivot with which a trial of the isolation has succeeded. Only Probe uses
  // it.
  std::optional<bool> isolates_;
};

}  // namespace
}  // namespace exec_driver

DROVER_DRIVER(exec_driver::ExecDriver, "exec", "0.1.0", "Apache-2.0")
