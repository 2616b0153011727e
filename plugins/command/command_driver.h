// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "drover/process_driver.hpp"
#include "id_ranges.h"
#include "task_user.h"

// The common part of the drivers exec and raw_exec, whose tasks are commands that jobs name.
namespace command {

// Throws an error that refuses the configuration of a task. WHY is the reason.
[[noreturn]] void Invalid(const std::string& why);

// Returns the option oom_score_adj of a task; throws if it is out of range.
int OomScore(const drover::Json& task_config);

// Removes the variables from ENV whose names match one of PATTERNS.
void DropVariables(const std::vector<std::string>& patterns, drover::StringMap* env);

// The user ids, group ids and environment variables that the operator denies to all tasks: the
// options denied_host_uids, denied_host_gids and denied_envvars. Also knows the ids in
// dynamic_users, which the agent gives to tasks.
struct Denied {
  IdRanges uids;
  IdRanges gids;
  IdRanges dynamic;
  std::vector<std::string> variables;

  static Denied Read(const drover::Json& config);
  // Returns the ids of USER. Throws if there is no such user or if one of the user's ids is denied.
  // If ROOT is false, also throws if one of the ids is 0. May block.
  TaskUser CheckUser(const std::string& user, bool root = true) const;
};

// The base class of the drivers exec and raw_exec. The type Settings is the plugin's configuration.
// Settings::Read(const Json&) returns a shared pointer to new settings. Configure replaces all
// settings.
template <typename Settings>
class CommandDriver : public drover::ProcessDriver {
 public:
  CommandDriver(drover::Host host, const drover::Json& config)
      : ProcessDriver(std::move(host)), settings_(Settings::Read(config)) {}

  void Configure(const drover::Json& config) override {
    auto settings = Settings::Read(config);
    std::lock_guard<std::mutex> lock(mutex_);
    settings_ = std::move(settings);
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

 protected:
  std::shared_ptr<const Settings> settings() {
    std::lock_guard<std::mutex> lock(mutex_);
    return settings_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const Settings> settings_;
};

}  // namespace command
