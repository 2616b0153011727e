// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The driver raw_exec: a command of the host, without isolation.
#include <stdlib.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "command_lookup.h"
#include "drover/entry.hpp"
#include "drover/process_driver.hpp"
#include "env_filter.h"
#include "id_ranges.h"
#include "task_user.h"

namespace raw_exec {
namespace {

const char kConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "enabled": {"type": "boolean", "default": false},
    "denied_host_uids": {"type": "string", "default": ""},
    "denied_host_gids": {"type": "string", "default": ""},
    "denied_envvars": {"type": "array", "items": {"type": "string"}}
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

// The plugin's configuration; replaced as a whole.
struct Settings {
  bool enabled = false;
  IdRanges denied_uids;
  IdRanges denied_gids;
  std::vector<std::string> denied_envvars;

  static std::shared_ptr<const Settings> Read(const drover::Json& config) {
    auto out = std::make_shared<Settings>();
    out->enabled = config.Bool("enabled");
    out->denied_uids = IdRanges::Parse(config.String("denied_host_uids"), "/denied_host_uids");
    out->denied_gids = IdRanges::Parse(config.String("denied_host_gids"), "/denied_host_gids");
    out->denied_envvars = config.Strings("denied_envvars");
    return out;
  }
};

[[noreturn]] void Invalid(const std::string& why) {
  throw drover::Error(drover::Code::kInvalidArgument, "failed driver config validation: " + why);
}

class RawExecDriver : public drover::ProcessDriver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.offers = kOffers;
    info.needs = kNeeds;
    info.config_schema = kConfigSchema;
    info.task_config_schema = kTaskConfigSchema;
    return info;
  }

  RawExecDriver(drover::Host host, const drover::Json& config)
      : ProcessDriver(std::move(host)), settings_(Settings::Read(config)) {}

  void Configure(const drover::Json& config) override {
    auto settings = Settings::Read(config);
    std::lock_guard<std::mutex> lock(mutex_);
    settings_ = std::move(settings);
  }

  drover::Fingerprint Probe() override {
    drover::Fingerprint out;
    if (!settings()->enabled) {
      out.health = drover::Health::kUndetected;
      out.description = "disabled";
      return out;
    }
    if (!host().process().available()) {
      out.health = drover::Health::kUnhealthy;
      out.description = "the host has no process service";
      return out;
    }
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
    RefuseCgroups(config);
    CheckUser(*settings, task.user);
    out.user = task.user;
    out.env = task.env;
    Deny(settings->denied_envvars, &out.env);
    Deny(config.Strings("denied_envvars"), &out.env);
    // Looked up last, since it may make the file executable.
    out.argv = config.Strings("args");
    out.argv.insert(out.argv.begin(),
                    FindCommand(config.String("command"), task.task_dir, SearchPath(task.env)));
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

  static int OomScore(const drover::Json& config) {
    std::int64_t score = config.Int("oom_score_adj");
    if (score < 0) Invalid("oom_score_adj must not be negative");
    if (score > 1000) Invalid("oom_score_adj must not be above 1000");
    return static_cast<int>(score);
  }

  static void RefuseCgroups(const drover::Json& config) {
    bool v2 = !config.String("cgroup_v2_override").empty();
    const drover::Json& v1_map = config["cgroup_v1_override"];
    bool v1 = !v1_map.is_null() && !v1_map.AsObject().empty();
    if (v1 && v2) Invalid("only one of cgroups_v1_override and cgroups_v2_override may be set");
    if (v1 || v2) {
      Invalid(std::string(v1 ? "cgroup_v1_override" : "cgroup_v2_override") +
              " is not supported by this version: a task is tracked in a cgroup of its own; "
              "remove the option");
    }
  }

  static void CheckUser(const Settings& settings, const std::string& user) {
    TaskUser ids = LookUpUser(user);
    if (settings.denied_uids.Contains(ids.uid)) {
      throw drover::Error(drover::Code::kPermissionDenied,
                          "running as uid " + std::to_string(ids.uid) + " is disallowed");
    }
    for (gid_t gid : ids.gids) {
      if (!settings.denied_gids.Contains(gid)) continue;
      throw drover::Error(drover::Code::kPermissionDenied,
                          "running as gid " + std::to_string(gid) + " is disallowed");
    }
    if (::geteuid() != 0 && ids.uid != ::geteuid()) {
      throw drover::Error(drover::Code::kPermissionDenied,
                          "the agent is not root and cannot run a task as user " + user);
    }
  }

  static void Deny(const std::vector<std::string>& patterns, drover::StringMap* env) {
    for (auto at = env->begin(); at != env->end();) {
      bool denied = false;
      for (const std::string& pattern : patterns) denied = denied || Matches(pattern, at->first);
      at = denied ? env->erase(at) : std::next(at);
    }
  }

  static std::string SearchPath(const drover::StringMap& env) {
    auto found = env.find("PATH");
    if (found != env.end()) return found->second;
    const char* own = ::getenv("PATH");
    return own == nullptr ? "/usr/local/bin:/usr/bin:/bin" : own;
  }

  std::mutex mutex_;
  std::shared_ptr<const Settings> settings_;
};

}  // namespace
}  // namespace raw_exec

DROVER_DRIVER(raw_exec::RawExecDriver, "raw_exec", "0.1.0", "Apache-2.0")
