// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "drover/json.hpp"
#include "drover/view.hpp"

// C++ types of the data that host and driver exchange. Their values own their memory.
namespace drover {
inline namespace sdk_v1 {

using Duration = std::chrono::nanoseconds;

// Identifies a run, which is one start of a task.
struct RunId {
  std::array<std::uint8_t, 16> bytes{};

  bool operator==(const RunId& other) const { return bytes == other.bytes; }
  bool operator!=(const RunId& other) const { return bytes != other.bytes; }
  bool operator<(const RunId& other) const { return bytes < other.bytes; }

  std::string Text() const {
    static const char kDigits[] = "0123456789abcdef";
    std::string out;
    for (std::uint8_t byte : bytes) {
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
    return out;
  }
};

struct Empty {};

struct Port {
  std::string label;
  int value = 0;  // the port on the host
  int to = 0;     // the port inside the task's network; 0 means the same port as VALUE
  std::string host_ip;
};

struct Mount {
  std::string task_path;
  std::string host_path;
  bool read_only = false;
  std::string propagation;
};

struct Device {
  std::string task_path;
  std::string host_path;
  std::string permissions;
};

// A task as the driver must run it. drover_task_config in drover.h describes the members.
struct TaskConfig {
  RunId run_id;
  std::string id;
  std::string alloc_id;
  std::string alloc_name;
  std::string job_id;
  std::string job_name;
  std::string parent_job_id;
  std::string job_namespace;
  std::string group_name;
  std::string task_name;
  std::string node_id;
  std::string node_name;
  StringMap env;
  StringMap device_env;
  std::string user;
  std::string alloc_dir;
  std::string task_dir;
  std::string local_dir;
  std::string secrets_dir;
  std::string log_dir;
  std::string driver_config_text;  // the JSON text that the host sent
  Json driver_config;              // the value that was parsed from that text
  bool logs_disabled = false;
  std::int64_t log_max_files = 0;
  std::int64_t log_max_file_size = 0;
  std::int64_t cpu_mhz = 0;
  std::int64_t cpu_shares = 0;
  std::int64_t memory_mb = 0;
  std::int64_t memory_max_mb = 0;
  std::int64_t memory_limit = 0;
  std::vector<Port> ports;
  std::vector<Mount> mounts;
  std::vector<Device> devices;
  std::string kill_signal;
  Duration kill_timeout{0};
  std::string network_mode;
  std::string network_namespace;
  std::string cpu_cores;
  Duration cpu_period{0};
  Duration cpu_quota{0};
  std::string hostname;
  StringMap labels;
  std::vector<std::string> dns_servers;
  std::vector<std::string> dns_searches;
  std::vector<std::string> dns_options;
};

// The data by which the driver finds a task again. Only the driver interprets the bytes of STATE.
struct TaskHandle {
  std::uint32_t format_version = 1;
  std::string state;
  std::string driver_version;  // set by the host, which ignores a value from the driver
};

struct DriverNetwork {
  std::string ip;
  bool auto_advertise = false;
  std::vector<Port> ports;  // each with label and value
};

struct Started {
  TaskHandle handle;
  std::optional<DriverNetwork> network;
};

struct ExitResult {
  int exit_code = 0;
  int signal = 0;
  bool oom_killed = false;
  std::string error;  // why the true result is not known; empty if it is known
};

struct Recovered {
  std::optional<ExitResult> exited;  // the result if the task has ended; absent if it runs
  std::optional<TaskHandle> handle;  // replaces the stored handle; absent means no change
};

enum class TaskState { kUnknown = 0, kRunning = 1, kExited = 2 };

struct TaskStatus {
  TaskState state = TaskState::kUnknown;
  std::int64_t started_at = 0;  // ns since 1970
  std::int64_t completed_at = 0;
  std::optional<ExitResult> exit_result;
  StringMap attributes;
};

struct StopRequest {
  Duration timeout{0};  // 0 means that the task is killed at once
  std::string signal;   // empty means the driver's default signal
};

enum class Health { kUndetected = 0, kUnhealthy = 1, kHealthy = 2 };

struct Fingerprint {
  Health health = Health::kHealthy;
  std::string description = "Healthy";
  StringMap attributes;

  bool operator==(const Fingerprint& other) const {
    return health == other.health && description == other.description &&
           attributes == other.attributes;
  }
};

struct Event {
  RunId run_id;
  std::string message;
  StringMap annotations;
};

struct Usage {
  int pid = 0;                 // set if this is the usage of one process
  std::uint64_t measured = 0;  // DROVER_STAT_... bits of the measured members
  // The members from rss to kernel_max_usage are in bytes.
  std::uint64_t rss = 0, cache = 0, swap = 0, mapped_file = 0, usage = 0, max_usage = 0;
  std::uint64_t kernel_usage = 0, kernel_max_usage = 0;
  double system_mode = 0, user_mode = 0, percent = 0;  // all in percent of one core
  double total_ticks = 0;                              // in MHz
  std::uint64_t throttled_periods = 0, throttled_time = 0;
};

struct Stats {
  std::int64_t timestamp = 0;  // ns since 1970
  Usage total;
  std::vector<Usage> processes;
};

// The host's request for the statistics of a task.
struct StatsRequest {
  Duration interval{0};
  bool processes = false;  // if true, a sample also has the usage of each process
};

inline std::int64_t WallNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace sdk_v1
}  // namespace drover
