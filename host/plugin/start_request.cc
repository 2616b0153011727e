// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/start_request.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <functional>
#include <utility>

#include "drover/signals.hpp"
#include "host/abi/abi_read.h"
#include "host/base/event.h"
#include "host/process/named/root_paths.h"
#include "host/process/network_namespace.h"
#include "host/process/task_owner.h"
#include "host/process/user_lookup.h"

namespace drover {
namespace {

constexpr std::size_t kMaxNames = 128;
constexpr std::int64_t kMaxProcesses = 4 << 20;  // the kernel's maximum number of process ids
// In bytes; the kernel's usual limit for a program's arguments.
constexpr std::size_t kMaxArguments = 2u << 20;

// Limits for isolated tasks. A task writes no core file, because the machine's core handler runs
// outside the task's isolation. A task cannot use up the machine's file descriptors. The soft limit
// is 1024, because programs that use select() fail with higher descriptor numbers. Other programs
// can raise the soft limit.
std::vector<ResourceLimit> IsolatedLimits() {
  rlimit own{};
  getrlimit(RLIMIT_NOFILE, &own);
  const std::uint64_t hard = std::min<std::uint64_t>(own.rlim_max, 65536);
  return {{RLIMIT_CORE, 0, 0}, {RLIMIT_NOFILE, std::min<std::uint64_t>(hard, 1024), hard}};
}

Result<std::vector<std::string>> ReadNames(const drover_array& array) {
  if (array.count > kMaxNames) return Error(Code::kInvalidArgument, "too many capabilities");
  return ReadTexts(array);
}

Status ReadIsolation(const drover_isolation* args, StartRequest* request) {
  constexpr std::uint32_t kKnown = DROVER_ISOLATE_ROOT | DROVER_ISOLATE_PIDS | DROVER_ISOLATE_IPC |
                                   DROVER_ISOLATE_CALLS | DROVER_ISOLATE_NO_PIVOT |
                                   DROVER_ISOLATE_RESOURCES | DROVER_ISOLATE_CPU_HARD;
  DROVER_ASSIGN(const drover_isolation raw, CopyStruct(args));
  if ((raw.flags & ~kKnown) != 0) {
    return Error(Code::kUnimplemented,
                 "the driver asks for a kind of isolation that this host does not know");
  }
  if ((raw.flags & DROVER_ISOLATE_ROOT) == 0) {
    return Error(Code::kInvalidArgument, "isolation needs a root of its own");
  }
  if (geteuid() != 0) {
    return Error(Code::kPermissionDenied, "only an agent that runs as root can isolate tasks");
  }
  NamespaceSpec& namespaces = request->spec.namespaces.emplace();
  namespaces.pids = (raw.flags & DROVER_ISOLATE_PIDS) != 0;
  namespaces.ipc = (raw.flags & DROVER_ISOLATE_IPC) != 0;
  request->root.pivot = (raw.flags & DROVER_ISOLATE_NO_PIVOT) == 0;
  Privileges& privileges = request->spec.privileges.emplace();
  privileges.filter_calls = (raw.flags & DROVER_ISOLATE_CALLS) != 0;
  DROVER_ASSIGN(std::vector<std::string> names, ReadNames(raw.capabilities));
  DROVER_ASSIGN(privileges.bounding, CapabilitySet::Parse(names));
  DROVER_ASSIGN(names, ReadNames(raw.ambient_capabilities));
  DROVER_ASSIGN(privileges.ambient, CapabilitySet::Parse(names));
  if (raw.root_paths.count > kMaxNames) {
    return Error(Code::kInvalidArgument, "too many paths for the root");
  }
  DROVER_TRY(ReadArray<drover_pair>(
      raw.root_paths, sizeof(drover_pair), [&](const drover_pair* pair) -> Status {
        DROVER_ASSIGN(std::string host_path, ReadBytes(pair->key, 4096));
        DROVER_ASSIGN(std::string task_path, ReadBytes(pair->value, 4096));
        request->root.host_paths.emplace_back(std::move(host_path), std::move(task_path));
        return {};
      }));
  request->spec.limits = IsolatedLimits();
  request->spec.umask = 022;
  if (raw.max_processes < 0 || raw.max_processes > kMaxProcesses) {
    return Error(Code::kInvalidArgument,
                 "max_processes must be from 0 to " + std::to_string(kMaxProcesses));
  }
  request->spec.resources.max_processes = raw.max_processes;
  request->limited = (raw.flags & DROVER_ISOLATE_RESOURCES) != 0;
  request->hard_cpu = (raw.flags & DROVER_ISOLATE_CPU_HARD) != 0;
  return {};
}

Result<ProcessSpec> ReadSpec(const drover_process_start_args* args) {
  DROVER_ASSIGN(const drover_process_start_args raw, CopyStruct(args));
  ProcessSpec spec;
  DROVER_ASSIGN(spec.argv, ReadTexts(raw.argv));
  if (spec.argv.empty() || spec.argv[0].empty()) {
    return Error(Code::kInvalidArgument, "there is no program to start: argv is empty");
  }
  DROVER_TRY(
      ReadArray<drover_pair>(raw.env, sizeof(drover_pair), [&](const drover_pair* pair) -> Status {
        DROVER_ASSIGN(std::string key, ReadBytes(pair->key, kMaxArguments));
        DROVER_ASSIGN(std::string value, ReadBytes(pair->value, kMaxArguments));
        if (key.empty() || key.find_first_of(std::string("=\0", 2)) != std::string::npos ||
            value.find('\0') != std::string::npos) {
          return Error(Code::kInvalidArgument,
                       "an environment variable has no usable name or holds a NUL byte");
        }
        spec.env.emplace_back(std::move(key), std::move(value));
        return {};
      }));
  DROVER_ASSIGN(std::string cwd, ReadBytes(raw.work_dir, 4096));
  if (!cwd.empty()) spec.cwd = std::move(cwd);
  DROVER_ASSIGN(const std::string user, ReadBytes(raw.user, 256));
  DROVER_ASSIGN(spec.user, LookUpUser(user));
  spec.oom_score_adj = raw.oom_score_adj;
  DROVER_ASSIGN(spec.cgroup, ReadBytes(raw.cgroup, 4096));
  DROVER_TRY(ReadArray<drover_pair>(
      raw.v1_cgroups, sizeof(drover_pair), [&](const drover_pair* pair) -> Status {
        DROVER_ASSIGN(std::string controller, ReadBytes(pair->key, 256));
        DROVER_ASSIGN(std::string path, ReadBytes(pair->value, 4096));
        spec.v1_cgroups.emplace_back(std::move(controller), std::move(path));
        return {};
      }));
  return spec;
}

// Converts the host path of a directory of the task to its path inside the task's root. Returns
// every other path unchanged, since it is already a path inside the root.
std::string InRoot(const std::string& path, const TaskConfig& config) {
  const std::pair<const std::string&, const char*> directories[] = {{config.alloc_dir, "/alloc"},
                                                                    {config.task_dir, ""}};
  for (const auto& [host_path, task_path] : directories)
    if (!host_path.empty() && (path + "/").starts_with(host_path + "/")) {
      const std::string inside = task_path + path.substr(host_path.size());
      return inside.empty() ? "/" : inside;
    }
  return path;
}

Status OpenPlaces(StartRequest* request) {
  ProcessSpec& spec = request->spec;
  // If the task's configuration names no user, the driver may choose a user. Only the driver's
  // request contains this user, so the host changes the owner of the task directory here.
  if (spec.user) {
    DROVER_TRY(HandOverTaskDirectory(request->task_dir, *spec.user, spec.namespaces.has_value()));
  }
  if (!request->network.empty()) {
    DROVER_ASSIGN(spec.network, OpenNetworkNamespace(request->network));
  }
  if (!request->root_path.empty()) {
    DROVER_ASSIGN(request->root.host_paths, RootPathsOf(request->root_path));
  }
  if (spec.namespaces) {
    DROVER_ASSIGN(spec.namespaces->root, OpenTaskRoot(request->root));
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> ReadTexts(const drover_array& array) {
  std::vector<std::string> texts;
  std::size_t total = 0;
  DROVER_TRY(ReadArray<drover_str>(array, sizeof(drover_str), [&](const drover_str* at) -> Status {
    DROVER_ASSIGN(std::string text, ReadBytes(*at, kMaxArguments));
    total += text.size();
    if (text.find('\0') != std::string::npos || total > kMaxArguments) {
      return Error(Code::kInvalidArgument, "an argument holds a NUL byte, or all are too long");
    }
    texts.push_back(std::move(text));
    return {};
  }));
  return texts;
}

Result<StartRequest> ReadStart(const drover_process_start_args* args) {
  StartRequest request;
  DROVER_ASSIGN(request.spec, ReadSpec(args));
  DROVER_ASSIGN(const drover_process_start_args raw, CopyStruct(args));
  if (raw.isolation != nullptr) DROVER_TRY(ReadIsolation(raw.isolation, &request));
  return request;
}

void TakeFromConfig(const TaskConfig& config, StartRequest* request) {
  request->network = config.network_namespace_path;
  request->task_dir = config.task_dir;
  if (!request->spec.namespaces) return;
  if (request->limited) {
    ResourceLimits& limits = request->spec.resources;
    limits.memory = config.resources.memory_mb << 20;
    limits.memory_max = config.resources.memory_max_mb << 20;
    limits.cpu_shares = config.cpu_shares;
    limits.cores = config.cpu_cores;
    if (request->hard_cpu)
      limits.cpu_time = std::chrono::duration<double>(config.cpu_quota) / kCpuPeriod;
  }
  request->spec.namespaces->hostname = config.hostname;
  request->spec.cwd = InRoot(request->spec.cwd, config);
  TaskRootOptions& root = request->root;
  root.alloc_dir = config.alloc_dir;
  root.log_dir = config.log_dir;
  root.task_dir = config.task_dir;
  for (const TaskMount& mount : config.mounts)
    root.volumes.push_back(
        {mount.host_path, mount.task_path, mount.read_only, mount.propagation, mount.no_links});
  for (const TaskDevice& device : config.devices)
    root.devices.push_back(
        {device.host_path, device.task_path, device.permissions.find('w') == std::string::npos});
}

Result<LogSpec> LogsOf(const TaskConfig& config) {
  LogSpec logs;
  logs.task = config.task_name;
  logs.max_files = static_cast<std::uint32_t>(std::max(1, config.log_config.max_files));
  logs.max_file_size =
      static_cast<std::uint64_t>(std::max<std::int64_t>(1, config.log_config.max_file_size_bytes));
  logs.disabled = config.log_config.disabled || config.log_dir.empty();
  if (logs.disabled) return logs;
  logs.directory.Reset(
      open(config.log_dir.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!logs.directory) return ErrnoError(errno, "log directory " + config.log_dir);
  return logs;
}

std::optional<BoundSpec> BoundOf(const PluginHost& host, const TaskConfig& config) {
  if (!host.bind_runs()) return std::nullopt;
  BoundSpec bound;
  bound.kill_signal = drover::SignalNumber(config.kill_signal).value_or(SIGINT);
  bound.kill_timeout = config.kill_timeout;
  return bound;
}

Co<Status> OpenPlacesOnThread(Context context, std::shared_ptr<PluginHost> host,
                              std::shared_ptr<StartRequest> request) {
  const ProcessSpec& spec = request->spec;
  if (!spec.user && !spec.namespaces && request->network.empty()) co_return Status();
  struct Opening {
    explicit Opening(Loop* loop) : done(loop) {}
    Event done;
    Status status;
  };
  auto opening = std::make_shared<Opening>(host->loop());
  std::function<void()> open_all = [opening, request, port = host->port()] {
    opening->status = OpenPlaces(request.get());
    port->Post([opening] { opening->done.Set(); });
  };
  if (!host->pool().Post({"open the task's root", std::move(open_all), host->limits().hold}))
    co_return Error(Code::kUnavailable, "the driver has no thread left to open the task's root");
  DROVER_CO_TRY(co_await opening->done.Wait(context));
  co_return opening->status;
}

}  // namespace drover
