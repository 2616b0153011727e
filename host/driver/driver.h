// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/callback_list.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"
#include "host/driver/driver_capabilities.h"
#include "host/driver/driver_limits.h"
#include "host/driver/resource_usage.h"
#include "host/driver/start_turns.h"
#include "host/driver/task_news.h"
#include "host/driver/task_progress.h"
#include "host/process/usage_detail.h"
#include "host/spec/job.h"

// A task driver as the runners use it. The driver's code comes from a plugin, or from a test.
namespace drover {

enum class FsIsolation { kNone = 0, kChroot = 1, kImage = 2 };

struct DriverInfo {
  std::string name;     // name of the driver in jobs, such as "raw_exec"
  std::string version;  // the plugin's version
  bool can_signal = false;
  bool can_exec = false;
  bool has_stats = false;
  FsIsolation fs_isolation = FsIsolation::kNone;
  bool disables_log_collection = false;
  bool takes_hostname = false;    // the driver itself gives a task its hostname
  bool takes_dns = false;         // the driver itself carries out the task's DNS
  bool only_devices = false;      // the plugin offers devices, and runs no tasks
  bool only_task_hooks = false;   // the plugin runs no tasks, but has hooks for them
  std::uint32_t hook_stages = 0;  // bits of HookStageBit
  bool can_pause = false;         // the driver itself pauses tasks
  bool has_news = false;          // the driver tells what changes in running tasks
  bool has_capabilities = false;  // the driver says what it can do
  // What the driver says, once there is an instance. Null if it says nothing.
  std::shared_ptr<const DriverCapabilities> capabilities = nullptr;
};

enum class Health { kUndetected = 0, kUnhealthy = 1, kHealthy = 2 };

struct Fingerprint {
  Health health = Health::kUndetected;
  std::string description;
  StringMap attributes;

  bool operator==(const Fingerprint&) const = default;
};

// The data by which a driver finds a task again after a restart of the agent. Only the driver can
// interpret STATE.
struct TaskHandle {
  std::string driver;
  std::string driver_version;
  std::uint32_t format_version = 0;
  std::string state;  // the driver's own bytes

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
  std::string error;  // why the true result is not known, or empty
  // The time at which the task's process ended, from the exit record of its shim. 0 if the host
  // does not have this time.
  WallTime ended_at = 0;

  bool Successful() const { return exit_code == 0 && signal == 0 && error.empty(); }
  bool operator==(const ExitResult&) const = default;
};

struct TaskMount {
  std::string task_path;
  std::string host_path;
  bool read_only = false;
  std::string propagation;
  // Whether a symbolic link in host_path is an error. Only the process service obeys this.
  bool no_links = false;

  bool operator==(const TaskMount&) const = default;
};

struct TaskDevice {
  std::string task_path;
  std::string host_path;
  std::string permissions;

  bool operator==(const TaskDevice&) const = default;
};

// The period of the processor limit: a limited task may use a quota of processor time in each
// period.
inline constexpr Duration kCpuPeriod = 100ms;
// Returns the quota of processor time in each period that corresponds to MHZ, if one core has
// CORE_MHZ. If CORE_MHZ is unknown (0), a core counts as 1 GHz, as in the scheduler.
inline Duration CpuQuota(std::int64_t mhz, double core_mhz) {
  const double cores = static_cast<double>(mhz) / (core_mhz > 0 ? core_mhz : 1000);
  // A number of cores that no machine has, but small enough to avoid overflow.
  constexpr double kMost = 1e6;
  return std::chrono::duration_cast<Duration>(std::min(cores, kMost) *
                                              std::chrono::duration<double>(kCpuPeriod));
}

// Replaces the references ${...} in a text of a driver, with the variables ENV of a task and what
// else its configuration may name. If STRICT is true, an unknown reference is an error; otherwise
// it stays. Any thread may call it.
using Interpolation =
    std::function<Result<std::string>(const StringMap& env, std::string_view text, bool strict)>;

// The task that a driver must start or recover. One object is used for a whole run.
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
  std::string local_dir;           // host path of the task's "local" directory
  std::string secrets_dir;         // host path of the task's "secrets" directory
  std::string driver_config_json;  // validated and interpolated, with all defaults

  // The directory and the limits for the task's output. The process service writes the files
  // NAME.stdout.N and NAME.stderr.N in log_dir, where NAME is the task's name.
  std::string log_dir;
  LogConfig log_config;

  Resources resources;
  std::int64_t memory_limit_bytes = 0;
  std::int64_t cpu_shares = 0;
  std::string cpu_cores;  // reserved cores, such as "0,5-7"; empty if no cores are reserved
  // The quota of processor time in each kCpuPeriod that corresponds to cpu_mhz on this machine. 0
  // if cores are reserved.
  Duration cpu_quota{0};
  std::vector<Port> ports;
  std::vector<TaskMount> mounts;
  std::vector<TaskDevice> devices;

  std::string kill_signal;
  Duration kill_timeout = 5s;
  std::string network_mode;            // "", "host", "none", "bridge" or "cni/NAME"
  std::string network_namespace_path;  // empty for the host's namespace
  // The name that the task has in its network; empty for the host's name. The process service sets
  // it for tasks with namespaces of their own.
  std::string hostname;
  StringMap labels;
  DnsConfig dns;                        // empty: the task looks names up as the host does
  Interpolation interpolate = nullptr;  // null: nothing can be replaced in texts of the driver
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
  // With kTotals the samples need not list single processes.
  UsageDetail detail = UsageDetail::kTotals;
};

struct StartedTask {
  TaskHandle handle;
  std::optional<DriverNetwork> network;
};

struct RecoveredTask {
  TaskHandle handle;
  // The result of the task if it has ended. Absent if the task is running.
  std::optional<ExitResult> exited;
};

struct TerminalSize {
  int width = 80;
  int height = 24;
};

// The command of an exec session, with the file descriptors that the session uses for input, output
// and errors. With a tty, ERROR is not used.
struct ExecRequest {
  std::vector<std::string> command;
  bool tty = false;
  TerminalSize size;
  UniqueFd input;   // the session reads its input from this
  UniqueFd output;  // the session writes its output to this
  UniqueFd error;
  // True: the task runner replaces each ${...} in COMMAND by its value for the task. The driver
  // receives the result.
  bool interpolate = false;
};

// A running exec session. The destructor ends the session by killing the command's process group.
class TaskExecSession {
 public:
  virtual ~TaskExecSession() = default;
  virtual Status Resize(TerminalSize size) = 0;
  virtual Co<Result<ExitResult>> Wait(Context context) = 0;
};

// An event that a driver reports about one of its tasks. It is added to the task's list of events.
struct DriverEvent {
  RunId run_id;
  std::string message;
  StringMap annotations;
  // If it has a value, the event is a report of progress, and the other two are empty.
  std::optional<TaskProgress> progress{};
};

struct TaskNews {
  using What = TaskNewsParts<TaskHandle, DriverNetwork>;
  RunId run_id;
  What what;
};

// Every method is for the control thread and returns without blocking. A coroutine ends early,
// with the error of its context, when the context ends. The driver may still continue the call
// then, and its late answer is dropped. So the caller must call Destroy after a Start that ended
// early. A call past its deadline makes the driver unhealthy.
class Driver {
 public:
  virtual ~Driver() = default;

  virtual const DriverInfo& info() const = 0;
  virtual const Fingerprint& fingerprint() const = 0;
  // Calls CHANGED after each change of the fingerprint.
  [[nodiscard]] virtual Subscription OnFingerprint(std::function<void()> changed) = 0;
  // Calls HEAR for each event that the driver reports for this run, until the subscription is
  // destroyed. Malformed events are dropped.
  [[nodiscard]] virtual Subscription OnEvents(RunId run,
                                              std::function<void(const DriverEvent&)> hear) = 0;
  // Calls HEAR for each handle that replaces the handle of this run. A handle is replaced when a
  // new instance of the plugin returns another one for the run. The calls end when the
  // subscription is destroyed.
  [[nodiscard]] virtual Subscription OnHandle(RunId run,
                                              std::function<void(const TaskHandle&)> hear) = 0;

  // Calls HEAR with the news of this run, until the subscription is destroyed.
  [[nodiscard]] virtual Subscription OnNews(RunId run, std::function<void(const TaskNews&)> hear) {
    (void)run, (void)hear;
    return {};
  }

  // Returns the limit WHICH: how long the driver waits for the plugin's answer before it gives the
  // call up. 0 means that only the caller's context limits the wait.
  virtual Duration LimitOf(Duration DriverLimits::* which) const {
    (void)which;
    return Duration(0);
  }

  // The turns of the driver's starts. A caller takes one before Start and keeps it until Start has
  // returned. Null if the driver has no limit.
  virtual StartTurns* start_turns() { return nullptr; }

  // Checks the task's configuration against the driver's schema. Returns it in the schema's form,
  // with all defaults. Unless FINAL, a text that contains ${...} is valid for any scalar. PLACE is
  // the JSON pointer of the configuration. The JSON pointers in the error begin with it.
  virtual Result<std::string> NormalizeConfigAt(const std::string& place,
                                                const std::string& config_json, bool final) = 0;
  Result<std::string> NormalizeConfig(const std::string& config_json, bool final) {
    return NormalizeConfigAt("", config_json, final);
  }

  // Whether PrepareTask may have something to do. A caller that gets false need not call it.
  virtual bool Prepares() const { return false; }
  // Fetches what the task of CONFIG needs before its start, such as an image, or waits for another
  // task that needs the same. HEAR gets the reports of progress until the call returns. The task's
  // run need not be started afterwards.
  virtual Co<Status> PrepareTask(Context context, std::shared_ptr<const TaskConfig> config,
                                 HearProgress hear) {
    (void)context, (void)config, (void)hear;
    co_return Status();
  }
  virtual Co<Result<StartedTask>> Start(Context context,
                                        std::shared_ptr<const TaskConfig> config) = 0;
  // Fails with Code::kNotFound if the driver does not know the task. HANDLE is empty if no handle
  // was stored.
  virtual Co<Result<RecoveredTask>> Recover(Context context,
                                            std::shared_ptr<const TaskConfig> config,
                                            TaskHandle handle) = 0;
  // Returns when the task has ended. May be called many times until the task is destroyed.
  virtual Co<Result<ExitResult>> Wait(Context context, RunId run) = 0;
  // Sends SIGNAL to the task, or the driver's default signal if SIGNAL is empty. Kills the task
  // when TIMEOUT is over. Returns when the task has ended.
  virtual Co<Status> Stop(Context context, RunId run, Duration timeout, std::string signal) = 0;
  // Kills every process of the run through shim and cgroup, without the driver. For a driver that
  // is unhealthy or late.
  virtual Co<Status> ForceKill(Context context, RunId run) = 0;
  virtual Co<Status> Signal(Context context, RunId run, std::string signal) = 0;
  // Holds the task, or lets it go on. Fails with kUnimplemented if neither the driver nor the host
  // can do so.
  virtual Co<Status> Pause(Context context, RunId run, bool paused);
  // Removes the task from the driver. Without FORCE, fails with kFailedPrecondition if the task is
  // running.
  virtual Co<Status> Destroy(Context context, RunId run, bool force) = 0;
  virtual Co<Result<TaskStatus>> Inspect(Context context, RunId run) = 0;
  // Calls SINK with a sample at each interval, and with the first sample immediately. Returns when
  // the stream has ended: with success if the driver closed it, otherwise with the driver's error.
  // After kUnimplemented the caller must not call Stats again. SINK is not called after the
  // return.
  virtual Co<Status> Stats(Context context, RunId run, StatsRequest request,
                           std::function<void(TaskUsage)> sink) = 0;
  virtual Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, RunId run,
                                                            ExecRequest request) = 0;
};

inline Co<Status> Driver::Pause(Context, RunId, bool) {
  co_return Error(Code::kUnimplemented, "driver " + info().name + " cannot pause tasks");
}

// Finds drivers by the name that jobs use.
class DriverRegistry {
 public:
  virtual ~DriverRegistry() = default;
  // Returns null if no plugin with that name is known.
  virtual Driver* Find(const std::string& name) = 0;
};

}  // namespace drover
