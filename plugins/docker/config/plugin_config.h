// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "config/text.h"

namespace drover_docker {

// The logging of a container by the engine.
struct Logging {
  std::string driver;  // empty means the default of this driver
  StringMap options;
};

struct DanglingSettings {
  bool enabled = true;
  bool dry_run = false;
  Duration period = std::chrono::minutes(5);
  Duration creation_grace = std::chrono::minutes(5);
};

// The operator's configuration of the plugin. docs/docker.md describes the members.
struct Settings {
  std::string endpoint = "unix:///var/run/docker.sock";
  std::string tls_cert;
  std::string tls_key;
  std::string tls_ca;
  std::string auth_config;           // a file in the form of ~/.docker/config.json
  std::string auth_helper;           // "NAME" of the program docker-credential-NAME
  std::set<std::string> allow_caps;  // in lower case, without "cap_"; "all" means all
  bool allow_privileged = false;
  std::set<std::string> allow_runtimes;
  std::vector<std::string> allow_devices;  // patterns of host paths, with "*"
  std::set<std::string> allow_host_modes;
  bool volumes_enabled = false;
  std::string selinux_label;
  std::vector<std::string> extra_labels;  // patterns of names, with "*"
  bool gc_image = true;
  Duration gc_image_delay = std::chrono::minutes(3);
  bool gc_container = true;
  DanglingSettings dangling;
  Duration image_pull_timeout = std::chrono::minutes(5);
  Duration pull_activity_timeout = std::chrono::minutes(2);
  std::int64_t container_exists_attempts = 5;
  std::int64_t pids_limit = 0;  // 0 means no limit
  std::int64_t oom_score_adj = 0;
  bool disable_log_collection = false;
  bool host_cgroups = true;  // containers are below the cgroups that the host gives their runs
  Logging logging;

  // Reads the configuration. Throws drover::Error, which names the option.
  static Settings Read(const drover::Json& config);

  bool AllowsCap(const std::string& name) const {
    return allow_caps.count("all") != 0 || allow_caps.count(name) != 0;
  }
  bool AllowsHostMode(const std::string& mode) const {
    return allow_privileged || allow_host_modes.count(mode) != 0;
  }
};

// Returns the name of a capability in lower case and without "cap_".
std::string CapabilityName(std::string_view text);
// The capabilities that a container has in a stock Docker engine.
const std::set<std::string>& DockerCapabilities();
// Reads a block "logging". WHERE is its name in messages.
Logging ReadLogging(const std::string& where, const drover::Json& config);

}  // namespace drover_docker
