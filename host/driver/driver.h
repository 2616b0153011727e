// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/callback_list.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"
#include "host/driver/driver_limits.h"
#include "host/driver/resource_usage.h"
#include "host/process/usage_detail.h"
#include "host/spec/job.h"

// A task driver as the runners see it, whether its code is loaded from a plugin or is a test's.
namespace drover {

enum class FsIsolation { kNone = 0, kChroot = 1, kImage = 2 };

struct DriverInfo {
  std::string name;     // as jobs name it: "raw_exec"
  std::string version;  // of the plugin
  bool can_signal = false;
  bool can_exec = false;
  bool has_stats = false;
  FsIsolation fs_isolation = FsIsolation::kNone;
  bool disables_log_collection = false;
};

enum class Health { kUndetected = 0, kUnhealthy = 1, kHealthy = 2 };

struct Fingerprint {
  Health health = Health::kUndetected;
  std::string description;
  StringMap attributes;

  bool operator==(const Fingerprint&) const = default;
};

// The data by which a driver finds a task again after a restart of the agent. Only the driver knows
// its meaning.
struct TaskHandle {
  std::string driver;
  std::string driver_version;
  std::uint32_t format_version = 0;
  std::string state;  // bytes of the driver

  bool operator==(const TaskHandle&) const = default;
};

struct DriverNetwork {
  std::map<std::string, int> port_map;  // label to port
  std::string ip;
  bool auto_advertise = false;

  bool operator==(const DriverNetwork&) const = default;
};

struct ExitResult {
  int exit_code = 0;
  int signal = 0;
  bool oom_killed = false;
  std::string error;  // why the true result is not known; empty otherwise
  // When the task's process ended, as its supervisor has noted it; 0: the host does not know.
  WallTime ended_at = 0;

  bool Successful() const { return exit_code == 0 && signal == 0 && error.empty(); }
  bool operator==(const ExitResult&) const = default;
};

struct TaskMount {
  std::string task_path;
  std::string host_path;
  bool read_only = false;
  std::string propagation;

  bool operator==(const TaskMount&) const = default;
};

struct TaskDevice {
  std::string task_path;
  std::string host_path;
  std::string permissions;

  bool operator==(const TaskDevice&) const = default;
};

// The length of the periods for which processor time is limited.
inline constexpr Duration kCpuPeriod = 100ms;
// The share of MHZ in one core's time, in each of them. A core of unknown frequency counts as one
// of 1 GHz, as it does for the scheduler.
inline Duration CpuQuota(std::int64_t mhz, double core_mhz) {
  const double cores = static_cast<double>(mhz) / (core_mhz > 0 ? core_mhz : 1000);
  constexpr double kMost = 1e6;  // cores: more than any machine has, and no overflow
  return std::chrono::duration_cast<Duration>(std::min(cores, kMost) *
                                              std::chrono::duration<double>(kCpuPeriod));
}

// The task that a driver must start or recover. One object serves a whole run.
struct TaskConfig {
  RunId run_id;
  std::string id;  // "ALLOC/TASK/8 hex digits", new for each start
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
  std::string alloc_dir;           // host path of the allocation's shared directory ("alloc")
  std::string task_dir;            // host path of the task's directory
  std::string local_dir;           // host path of its "local"
  std::string secrets_dir;         // host path of its "secrets"
  std::string driver_config_json;  // validated, interpolated, defaults filled in

  // Where the process service writes the output; log files are NAME.stdout.N below log_dir.
  std::string log_dir;
  LogConfig log_config;

  Resources resources;
  std::int64_t memory_limit_bytes = 0;
  std::int64_t cpu_shares = 0;
  std::string cpu_cores;  // "0,5-7": reserved for the task; empty: none
  Duration cpu_quota{0};  // of each kCpuPeriod: what cpu_mhz are on this machine; 0 with cores
  std::vector<Port> ports;
  std::vector<TaskMount> mounts;
  std::vector<TaskDevice> devices;

  std::string kill_signal;
  Duration kill_timeout = 5s;
  std::string network_mode;            // "", "host" or "none"
  std::string network_namespace_path;  // empty: that of the host
};

enum class TaskState { kUnknown = 0, kRunning = 1, kExited = 2 };

struct TaskStatus {
  TaskState state = TaskState::kUnknown;
  WallTime started_at = 0;
  WallTime completed_at = 0;
  std::optional<ExitResult> exit_result;
  StringMap attributes;
};

struct TaskUsage {
  ResourceUsage total;
  std::map<int, ResourceUsage> pids;
  WallTime timestamp = 0;
};

struct StatsRequest {
  Duration interval = 1s;
  UsageDetail detail = UsageDetail::kTotals;  // with kTotals the samples may name no processes
};

struct StartedTask {
  TaskHandle handle;
  std::optional<DriverNetwork> network;
};

struct RecoveredTask {
  TaskHandle handle;
  std::optional<ExitResult> exited;  // it has ended meanwhile; absent: it is running
};

struct TerminalSize {
  int width = 80;
  int height = 24;
};

// The command of an exec session, with this side's ends of its streams. With a tty, error is not
// used.
struct ExecRequest {
  std::vector<std::string> command;
  bool tty = false;
  TerminalSize size;
  UniqueFd input;   // the session reads from it
  UniqueFd output;  // and writes to these
  UniqueFd error;
};

// A running exec session. Destroying it ends the session: its process group is killed.
class TaskExecSession {
 public:
  virtual ~TaskExecSession() = default;
  virtual Status Resize(TerminalSize size) = 0;
  virtual Co<Result<ExitResult>> Wait(Context context) = 0;
};

// An event that a driver reports about one of its tasks, for the task's list of events.
struct DriverEvent {
  RunId run_id;
  std::string message;
  StringMap annotations;
};

// Every method is for the control thread and returns without blocking; a coroutine ends early, with
// the context's error, when its context does. What the driver then still does is its own affair
// (and a late answer is dropped), so a start that was given up must be followed by Destroy. A call
// past its deadline makes the driver unhealthy.
class Driver {
 public:
  virtual ~Driver() = default;

  virtual const DriverInfo& info() const = 0;
  virtual const Fingerprint& fingerprint() const = 0;
  // Called after each change of the fingerprint.
  [[nodiscard]] virtual Subscription OnFingerprint(std::function<void()> changed) = 0;
  // Hears the driver's events of this run until the subscription goes; false events are dropped.
  [[nodiscard]] virtual Subscription OnEvents(RunId run,
                                              std::function<void(const DriverEvent&)> hear) = 0;
  // Hears each handle that replaces the one that this run's Start or Recover returned, until the
  // subscription goes: a new instance of the plugin may find the run under another handle.
  [[nodiscard]] virtual Subscription OnHandle(RunId run,
                                              std::function<void(const TaskHandle&)> hear) = 0;

  // How long the driver waits for an answer of its plugin before it gives the call up by itself,
  // WHICH of the limits; 0: as long as the caller.
  virtual Duration LimitOf(Duration DriverLimits::* which) const {
    (void)which;
    return Duration(0);
  }

  // The task's configuration checked against the driver's schema and brought into its form, with
  // defaults filled in. A text that holds ${...} stands for any scalar unless FINAL. PLACE is the
  // JSON pointer of the configuration: those of the error begin with it.
  virtual Result<std::string> NormalizeConfigAt(const std::string& place,
                                                const std::string& config_json, bool final) = 0;
  Result<std::string> NormalizeConfig(const std::string& config_json, bool final) {
    return NormalizeConfigAt("", config_json, final);
  }

  virtual Co<Result<StartedTask>> Start(Context context,
                                        std::shared_ptr<const TaskConfig> config) = 0;
  // Code::kNotFound: the driver knows nothing of it. The handle is empty when none was stored.
  virtual Co<Result<RecoveredTask>> Recover(Context context,
                                            std::shared_ptr<const TaskConfig> config,
                                            TaskHandle handle) = 0;
  // Returns when the task has ended; may be called many times until it is destroyed.
  virtual Co<Result<ExitResult>> Wait(Context context, RunId run) = 0;
  // Sends SIGNAL (empty: the driver's default), and kills when TIMEOUT is over. Returns when
  // the task is stopped.
  virtual Co<Status> Stop(Context context, RunId run, Duration timeout, std::string signal) = 0;
  // Without the driver's help: every process of the run is killed through shim and cgroup. For a
  // driver that is unhealthy or late.
  virtual Co<Status> ForceKill(Context context, RunId run) = 0;
  virtual Co<Status> Signal(Context context, RunId run, std::string signal) = 0;
  // Forgets the task; without FORCE a running one is an error (kFailedPrecondition).
  virtual Co<Status> Destroy(Context context, RunId run, bool force) = 0;
  virtual Co<Result<TaskStatus>> Inspect(Context context, RunId run) = 0;
  // Feeds SINK at each interval, the first sample at once, and returns when the stream has ended:
  // success when the driver closed it, else its error (kUnimplemented: never ask again). After it
  // has returned the sink is not called.
  virtual Co<Status> Stats(Context context, RunId run, StatsRequest request,
                           std::function<void(TaskUsage)> sink) = 0;
  virtual Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, RunId run,
                                                            ExecRequest request) = 0;
};

// Finds drivers by the name that jobs use.
class DriverRegistry {
 public:
  virtual ~DriverRegistry() = default;
  // Null when no plugin of that name is known.
  virtual Driver* Find(const std::string& name) = 0;
};

}  // namespace drover
