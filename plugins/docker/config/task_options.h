// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/plugin_config.h"

namespace drover_docker {

struct RegistryLogin {
  std::string username;
  std::string password;
  std::string email;
  std::string server_address;
  bool empty() const { return username.empty() && password.empty(); }
};

struct DeviceOption {
  std::string host_path;
  std::string container_path;
  std::string permissions;  // some of "rwm"
};

enum class MountKind { kBind, kVolume, kTmpfs };

// One element of "mount" or "mounts", or of "volumes".
struct MountOption {
  std::string where;  // the option, for messages: "/mount/0"
  MountKind kind = MountKind::kVolume;
  std::string target;
  std::string source;
  bool read_only = false;
  bool make_source = false;  // an element of "volumes" whose directory is made if it is missing
  std::string propagation;
  std::string selinux;          // "z" or "Z" of an element of "volumes"; may be empty
  std::int64_t tmpfs_size = 0;  // in bytes; 0 means no limit of its own
  std::int64_t tmpfs_mode = 0;
  bool no_copy = false;
  StringMap labels;
  std::string driver;
  StringMap driver_options;
};

struct Ulimit {
  std::string name;
  std::int64_t soft = 0;  // -1 means no limit
  std::int64_t hard = 0;
};

// The configuration of a task, "config" in a job. docs/docker.md describes the members.
struct TaskOptions {
  std::string image;
  std::vector<std::string> entrypoint;
  std::string command;
  std::vector<std::string> args;
  RegistryLogin auth;
  bool auth_soft_fail = false;
  bool force_pull = false;
  Duration image_pull_timeout{0};  // 0 means that of the plugin
  std::string load;                // a file below the task's directory

  std::string work_dir;
  std::string hostname;
  bool init = false;
  bool interactive = false;
  bool tty = false;
  StringMap labels;
  std::optional<Logging> logging;
  bool healthchecks_disabled = false;
  std::optional<std::int64_t> container_exists_attempts;

  std::vector<std::string> cap_add;  // as CapabilityName returns them
  std::vector<std::string> cap_drop;
  bool privileged = false;
  std::vector<DeviceOption> devices;
  std::vector<std::string> group_add;
  std::vector<std::string> security_opt;
  std::string runtime;
  std::string cgroupns;
  std::string ipc_mode;
  std::string pid_mode;
  std::string userns_mode;
  std::string uts_mode;
  bool readonly_rootfs = false;

  std::vector<MountOption> mounts;
  StringMap storage_opt;
  std::int64_t shm_size = 0;  // in bytes

  std::int64_t cpu_cfs_period = 0;  // in us
  bool cpu_hard_limit = false;
  std::string cpuset_cpus;
  std::int64_t memory_hard_limit = 0;  // in MiB
  std::int64_t oom_score_adj = 0;
  std::int64_t pids_limit = 0;
  StringMap sysctl;
  std::vector<Ulimit> ulimits;

  std::string network_mode;
  std::vector<std::string> network_aliases;
  std::vector<std::string> ports;
  std::map<std::string, std::int64_t> port_map;  // label -> port in the container
  std::vector<std::string> dns_servers;
  std::vector<std::string> dns_search_domains;
  std::vector<std::string> dns_options;
  std::vector<std::string> extra_hosts;
  std::string ipv4_address;
  std::string ipv6_address;
  std::string mac_address;
  bool advertise_ipv6_address = false;

  // Reads the configuration and checks what can be checked without the operator's rules. Throws
  // drover::Error, which names the option.
  static TaskOptions Read(const drover::Json& config);
};

// Reads one element of "volumes": "SOURCE:TARGET" or "SOURCE:TARGET:OPTIONS".
MountOption ReadVolume(const std::string& where, const std::string& text);
// Reads one element of "ulimit": a name, and "SOFT" or "SOFT:HARD".
Ulimit ReadUlimit(const std::string& name, const std::string& text);

}  // namespace drover_docker
