// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The driver exec: a command in a root file system, namespaces and rights of its own. The isolation
// itself is the host's; this maps the options of jobs and operators to it.
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "capabilities.h"
#include "controllers.h"
#include "drover/entry.hpp"
#include "drover/process_driver.hpp"
#include "env_filter.h"
#include "id_ranges.h"
#include "task_user.h"

namespace exec_driver {
namespace {

const char kConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "no_pivot_root": {"type": "boolean", "default": false},
    "default_pid_mode": {"type": "string", "enum": ["private", "host"], "default": "private"},
    "default_ipc_mode": {"type": "string", "enum": ["private", "host"], "default": "private"},
    "allow_caps": {"type": "array", "items": {"type": "string"}},
    "denied_host_uids": {"type": "string", "default": ""},
    "denied_host_gids": {"type": "string", "default": ""},
    "denied_envvars": {"type": "array", "items": {"type": "string"}},
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
    "work_dir": {"type": "string", "default": ""}
  }
})";

[[noreturn]] void Invalid(const std::string& why) {
  throw drover::Error(drover::Code::kInvalidArgument, "failed driver config validation: " + why);
}

// The plugin's configuration; replaced as a whole.
struct Settings {
  bool pivot = true;
  bool host_pids = false;
  bool host_ipc = false;
  std::vector<std::string> allow_caps;
  raw_exec::IdRanges denied_uids;
  raw_exec::IdRanges denied_gids;
  std::vector<std::string> denied_envvars;
  drover::StringMap root_paths;
  std::int64_t pids_limit = 0;

  static std::shared_ptr<const Settings> Read(const drover::Json& config) {
    auto out = std::make_shared<Settings>();
    out->pivot = !config.Bool("no_pivot_root");
    out->host_pids = config.String("default_pid_mode") == "host";
    out->host_ipc = config.String("default_ipc_mode") == "host";
    out->allow_caps =
        config["allow_caps"].is_null() ? DefaultCapabilities() : config.Strings("allow_caps");
    out->denied_uids =
        raw_exec::IdRanges::Parse(config.String("denied_host_uids"), "/denied_host_uids");
    out->denied_gids =
        raw_exec::IdRanges::Parse(config.String("denied_host_gids"), "/denied_host_gids");
    out->pids_limit = config.Int("pids_limit");
    if (out->pids_limit < 1 || out->pids_limit > 4 << 20) {
      throw drover::Error(drover::Code::kInvalidArgument,
                          "/pids_limit: must be from 1 to 4194304 processes");
    }
    out->denied_envvars = config.Strings("denied_envvars");
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

class ExecDriver : public drover::ProcessDriver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.offers = kOffers;
    info.needs = kNeeds;
    info.fs_isolation = DROVER_FS_CHROOT;
    info.config_schema = kConfigSchema;
    info.task_config_schema = kTaskConfigSchema;
    return info;
  }

  ExecDriver(drover::Host host, const drover::Json& config)
      : ProcessDriver(std::move(host)), settings_(Settings::Read(config)) {}

  void Configure(const drover::Json& config) override {
    auto settings = Settings::Read(config);
    std::lock_guard<std::mutex> lock(mutex_);
    settings_ = std::move(settings);
  }

  drover::Fingerprint Probe() override {
    drover::Fingerprint out;
    if (!host().process().available()) {
      out.health = drover::Health::kUndetected;
      out.description = "the host has no process service: give this driver one";
      return out;
    }
    if (::geteuid() != 0) {
      out.health = drover::Health::kUndetected;
      out.description =
          "exec makes namespaces and mounts, for which the agent must be root: start it as root, "
          "or use raw_exec";
      return out;
    }
    out.attributes["driver.exec"] = "true";
    std::string missing = MissingControllers();
    if (!missing.empty()) {
      out.description =
          "Healthy, but tasks are not limited in their " + missing +
          ": mount the cgroup controllers of these names, or hand them down to the agent's cgroup";
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
    Capabilities capabilities = ChooseCapabilities(settings->allow_caps, config.Strings("cap_add"),
                                                   config.Strings("cap_drop"));
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
    CheckUser(*settings, out.user);
    out.env = task.env;
    for (auto at = out.env.begin(); at != out.env.end();) {
      at = Denied(settings->denied_envvars, at->first) ? out.env.erase(at) : std::next(at);
    }
    out.argv = config.Strings("args");
    std::string command = config.String("command");
    if (command.empty()) Invalid("command must not be empty");
    if (IsLocal(task, command)) command.insert(0, "/local/");
    out.argv.insert(out.argv.begin(), std::move(command));
    return out;
  }

  int StopSignal(const std::string& requested) const override {
    if (requested.empty()) return SIGINT;
    if (auto number = drover::SignalNumber(requested)) return *number;
    throw drover::Error(drover::Code::kInvalidArgument,
                        "error unknown signal given for shutdown: " + requested);
  }

  int SignalToSend(const drover::RunId& run, const std::string& name) const override {
    if (auto number = drover::SignalNumber(name)) return *number;
    host().Log(drover::LogLevel::kWarn, run,
               "unknown signal \"" + name + "\" to send to the task: sending SIGINT instead");
    return SIGINT;
  }

  drover::ExitResult Ended(drover::ExitResult result) const override {
    if (!result.error.empty()) {
      result.exit_code = -1;
      result.error = "executor: error waiting on process: " + result.error;
    } else if (result.signal != 0) {
      result.exit_code = 128 + result.signal;
    }
    return result;
  }

 private:
  std::shared_ptr<const Settings> settings() {
    std::lock_guard<std::mutex> lock(mutex_);
    return settings_;
  }

  // A job may ask for less than the operator's default, never for more.
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

  static int OomScore(const drover::Json& config) {
    std::int64_t score = config.Int("oom_score_adj");
    if (score < 0) Invalid("oom_score_adj must not be negative");
    if (score > 1000) Invalid("oom_score_adj must not be above 1000");
    return static_cast<int>(score);
  }

  static bool Denied(const std::vector<std::string>& patterns, const std::string& name) {
    for (const std::string& pattern : patterns) {
      if (raw_exec::Matches(pattern, name)) return true;
    }
    return false;
  }

  // A plain name is looked for in the task's own directory first, then in the PATH inside the root.
  static bool IsLocal(const drover::TaskConfig& task, const std::string& command) {
    if (command.find('/') != std::string::npos) return false;
    struct stat info;
    std::string path = task.local_dir + "/" + command;
    return ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  }

  static void CheckUser(const Settings& settings, const std::string& user) {
    raw_exec::TaskUser ids = raw_exec::LookUpUser(user);
    if (settings.denied_uids.Contains(ids.uid)) {
      throw drover::Error(drover::Code::kPermissionDenied,
                          "running as uid " + std::to_string(ids.uid) + " is disallowed");
    }
    for (gid_t gid : ids.gids) {
      if (!settings.denied_gids.Contains(gid)) continue;
      throw drover::Error(drover::Code::kPermissionDenied,
                          "running as gid " + std::to_string(gid) + " is disallowed");
    }
  }

  std::mutex mutex_;
  std::shared_ptr<const Settings> settings_;
};

}  // namespace
}  // namespace exec_driver

DROVER_DRIVER(exec_driver::ExecDriver, "exec", "0.1.0", "Apache-2.0")
