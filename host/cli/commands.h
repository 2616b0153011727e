// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace drover {

// The commands, each in the file of its name. They print for themselves and return the exit code.

struct RunOptions {
  std::string job_file;
  std::string config_file;  // empty: no plugins but those of plugin_dirs
  std::vector<std::string> plugin_dirs;
  std::string alloc_dir;  // empty: a new directory below $TMPDIR, removed at the end
  bool json = false;
  bool no_logs = false;
  bool no_stats = false;
  bool keep = false;  // leave the allocation directories behind
};
int RunCommand(const RunOptions& options);

struct AgentCommandOptions {
  std::string config_file;
  std::vector<std::string> plugin_dirs;
  bool dev = false;
  std::string data_dir;    // empty: that of the configuration; with dev a new directory
  std::string bind;        // empty: that of the configuration
  int port = -1;           // -1: that of the configuration
  std::string log_level;   // empty: that of the configuration; with dev "info"
  std::string log_format;  // empty: that of the configuration
};
int AgentCommand(const AgentCommandOptions& options);

struct ValidateOptions {
  std::vector<std::string> job_files;
  std::string config_file;
  std::vector<std::string> plugin_dirs;
  bool json = false;
};
int ValidateCommand(const ValidateOptions& options);

struct PluginOptions {
  std::string config_file;
  std::vector<std::string> plugin_dirs;
  std::string file;  // of inspect, validate and test
  bool json = false;
  // of test
  std::vector<std::string> cases;
  bool list_cases = false;
  bool in_process = false;
  std::string isolation = "in-process";
  std::string plugin_config;
  std::string task_config;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> max_skips;  // more are a failure
};
int PluginListCommand(const PluginOptions& options);
int PluginInspectCommand(const PluginOptions& options);
int PluginValidateCommand(const PluginOptions& options);
int PluginTestCommand(const PluginOptions& options);

int VersionCommand(bool json);

}  // namespace drover
