// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/host_process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

#include "drover/signals.hpp"
#include "host/abi/abi_read.h"
#include "host/abi/abi_write.h"
#include "host/base/event.h"
#include "host/plugin/exec/exec_bridge.h"
#include "host/plugin/service_done.h"
#include "host/plugin/traced.h"
#include "host/process/network_namespace.h"
#include "host/process/task_owner.h"
#include "host/process/task_root.h"
#include "host/process/user_lookup.h"

namespace drover {
namespace {

using Host = std::shared_ptr<PluginHost>;

constexpr std::size_t kMaxNames = 128;
constexpr std::int64_t kMaxProcesses = 4 << 20;  // the kernel's maximum number of process ids
// In bytes; the kernel's usual limit for a program's arguments.
constexpr std::size_t kMaxArguments = 2u << 20;

Error NotARun() {
  return Error(Code::kNotFound, "the run is not one of this driver, or was destroyed");
}

// A driver's request to a service. A driver's thread passes it to the control thread.
struct Operation {
  Host host;
  RunId run;
  ServiceDone done;
};

// Posts an operation to the control thread and returns DROVER_OK. If the operation is refused,
// writes ERROR and returns its code. WORK(operation) makes the coroutine that carries out the
// operation.
template <typename Work>
std::int32_t Submit(const drover_host* face, const char* what, const drover_run_id* run,
                    drover_done done, void* context, drover_error* error, Work work) {
  Host host = PluginHost::From(face);
  const auto refuse_gone = [error] {
    return Refuse(Error(Code::kUnavailable, "the host has shut this driver down"), error);
  };
  if (!host) return refuse_gone();
  if (run == nullptr || done == nullptr) {
    return Refuse(Error(Code::kInvalidArgument, std::string(what) + " needs a run and a function"),
                  error);
  }
  auto operation = std::make_shared<Operation>(
      Operation{host, ReadRunId(*run), ServiceDone(host, what, done, context)});
  const bool posted = host->port()->Post([operation, work = std::move(work)]() mutable {
    if (operation->host->services_context().cancelled()) {
      operation->done.Finish(operation->host->services_context().status());
    } else if (operation->host->FindRun(operation->run) == nullptr) {
      operation->done.Finish(Status(NotARun()));
    } else {
      operation->host->services().Spawn(work(operation));
    }
  });
  return posted ? DROVER_OK : refuse_gone();
}

using Op = std::shared_ptr<Operation>;

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

// The driver's request to start a process. The host opens the task's root and network later,
// because only the host has their paths.
struct StartRequest {
  ProcessSpec spec;
  TaskRootOptions root;
  std::string network;   // path of the network namespace; empty for the host's network
  std::string task_dir;  // directory whose owner becomes the process's user
  bool limited = false;  // if true, the resource limits of the task's configuration apply
  bool hard_cpu = false;
};

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

Result<StartRequest> ReadStart(const drover_process_start_args* args) {
  StartRequest request;
  DROVER_ASSIGN(request.spec, ReadSpec(args));
  DROVER_ASSIGN(const drover_process_start_args raw, CopyStruct(args));
  if (raw.isolation != nullptr) DROVER_TRY(ReadIsolation(raw.isolation, &request));
  return request;
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

// Copies the network from the task's configuration to REQUEST. For an isolated task, also copies
// the directories, mounts, devices and limits.
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

// Returns where the output of a run is stored. The driver has no influence on this place.
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

// Returns how the shim must stop the run when the agent has ended, or nothing if the run must
// continue. Only a foreground run is stopped. The shim uses the kill signal and the kill timeout of
// the task, as the host does.
std::optional<BoundSpec> BoundOf(const PluginHost& host, const TaskConfig& config) {
  if (!host.bind_runs()) return std::nullopt;
  BoundSpec bound;
  bound.kill_signal = drover::SignalNumber(config.kill_signal).value_or(SIGINT);
  bound.kill_timeout = config.kill_timeout;
  return bound;
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
  if (spec.namespaces) {
    DROVER_ASSIGN(spec.namespaces->root, OpenTaskRoot(request->root));
  }
  return {};
}

// Opens the directories of the task's root and the network, and makes the task's user the owner of
// the task directory. This happens on a thread of the plugin's pool, because a file system may be
// slow. If CONTEXT ends first, the coroutine ends, but that thread may still use REQUEST.
Co<Status> OpenPlacesOnThread(Context context, Host host, std::shared_ptr<StartRequest> request) {
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

Co<void> DoStart(Op op, std::shared_ptr<StartRequest> request) {
  const Context context = op->host->services_context().Child();
  const std::shared_ptr<const TaskConfig> config = op->host->FindRun(op->run)->config;
  Result<LogSpec> logs = LogsOf(*config);
  Status ready = logs.ok() ? Status() : Status(logs.error());
  if (ready.ok()) {
    TakeFromConfig(*config, request.get());
    Host host = op->host;
    ready = co_await OpenPlacesOnThread(context, host, request);
  }
  PluginHost::Run* run = op->host->FindRun(op->run);
  if (ready.ok() && run == nullptr) ready = NotARun();  // the run was destroyed during the opening
  if (!ready.ok()) {
    op->done.Finish(ready);
    co_return;
  }
  ProcessSpec* spec = &request->spec;
  spec->run = op->run;
  spec->logs = std::move(*logs);
  spec->bound = BoundOf(*op->host, *config);
  ++run->asked;
  Result<ProcessInfo> started = co_await op->host->processes()->Start(context, std::move(*spec));
  if (started.ok() && op->host->FindRun(op->run) == nullptr) {
    // The run was destroyed while its process was started. The driver can no longer release the
    // process, since the run is not one of its runs.
    const Status released = co_await op->host->processes()->Release(context, op->run);
    op->done.Finish(released.ok() ? Status(NotARun()) : released);
    co_return;
  }
  op->done.Finish(std::move(started));
}

// Stores the time at which the process ended, because the driver's exit result contains no time.
void NoteEnd(const Operation& op, const ProcessExit& end) {
  if (PluginHost::Run* run = op.host->FindRun(op.run)) run->ended_at = end.finished_at;
}

Co<void> DoAttach(Op op) {
  ++op->host->FindRun(op->run)->asked;
  const Context context = op->host->services_context().Child();
  Result<ProcessService::Attached> attached =
      co_await op->host->processes()->Attach(context, op->run);
  if (attached.ok()) {
    if (const auto* end = std::get_if<ProcessExit>(&*attached)) NoteEnd(*op, *end);
  }
  op->done.FinishAttach(std::move(attached));
}

Co<void> DoWait(Op op) {
  const Context context = op->host->services_context().Child();
  Result<ProcessExit> end = co_await op->host->processes()->Wait(context, op->run);
  if (end.ok()) NoteEnd(*op, *end);
  op->done.Finish(std::move(end));
}

Co<void> DoSignal(Op op, int number) {
  const Context context = op->host->services_context().Child();
  op->done.Finish(co_await op->host->processes()->Signal(context, op->run, number));
}

Co<void> DoStop(Op op, int number, Duration timeout) {
  const Context context = op->host->services_context().Child();
  Result<ProcessExit> end = co_await op->host->processes()->Stop(context, op->run, number, timeout);
  op->done.Finish(end.ok() ? Status() : Status(end.error()));
}

Co<void> DoKill(Op op) {
  op->done.Finish(op->host->processes()->Kill(op->run));
  co_return;
}

Co<void> DoRelease(Op op) {
  const Context context = op->host->services_context().Child();
  const int asked = op->host->FindRun(op->run)->asked;
  const Status released = co_await op->host->processes()->Release(context, op->run);
  // After this release, the host need not release the run again. But if the driver requested
  // another process of the run in the meantime, run->asked and run->freed differ, so the host will
  // release the run again.
  PluginHost::Run* const run = op->host->FindRun(op->run);
  if (released.ok() && run != nullptr) {
    run->freed = asked;
    run->inherited = false;
  }
  op->done.Finish(released);
}

Co<void> DoUsage(Op op, UsageDetail detail) {
  const Context context = op->host->services_context().Child();
  Result<ProcessUsage> usage = co_await op->host->processes()->Usage(context, op->run, detail);
  if (!usage.ok()) {
    op->done.Finish(Status(usage.error()));
    co_return;
  }
  Loop* loop = op->host->loop();
  op->done.Finish(Result<TaskUsage>(ToTaskUsage(*usage, op->host->FindRun(op->run), loop->Now(),
                                                loop->Wall(), op->host->core_mhz())));
}

Co<void> DoExec(Op op, std::shared_ptr<ExecBridge> bridge) {
  Result<ExecExit> end = co_await bridge->Run();
  op->host->exec_sessions().erase(op->done.context());
  op->done.Finish(std::move(end));
}

Co<void> DoOutput(Op op) {
  PluginHost::Run* run = op->host->FindRun(op->run);
  Result<LogSpec> logs = LogsOf(*run->config);
  std::array<int, 2> out{-1, -1};
  std::array<int, 2> err{-1, -1};
  Status status;
  if (!logs.ok()) {
    status = logs.error();
  } else if (pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0) {
    status = ErrnoError(errno, "pipe");
  }
  UniqueFd out_read(out[0]), out_write(out[1]), err_read(err[0]), err_write(err[1]);
  if (!status.ok()) {
    op->done.Finish(status);
    co_return;
  }
  OutputSpec spec;
  spec.run = op->run;
  spec.stdout_pipe = std::move(out_read);
  spec.stderr_pipe = std::move(err_read);
  spec.logs = std::move(*logs);
  spec.bound = BoundOf(*op->host, *run->config);
  ++run->asked;
  const Context context = op->host->services_context().Child();
  Result<ProcessInfo> started =
      co_await op->host->processes()->StartOutput(context, std::move(spec));
  if (!started.ok()) {
    op->done.Finish(Status(started.error()));
  } else {
    op->done.FinishPipes(std::move(out_write), std::move(err_write));
  }
}

// ------------------------------------------------------------- the functions that drivers call

// Each function has the name that it has in the C header's list. The table below is made from that
// list.
namespace process {

std::int32_t start(const drover_host* face, const drover_run_id* run,
                   const drover_process_start_args* args, drover_done done, void* context,
                   drover_error* error) {
  Result<StartRequest> request = ReadStart(args);
  if (!request.ok()) return Refuse(request.error(), error);
  auto shared = std::make_shared<StartRequest>(std::move(*request));
  return Submit(face, "process.start", run, done, context, error,
                [shared](Op op) { return DoStart(op, shared); });
}

#define DROVER_PLAIN_FUNCTION(function, Work)                                             \
  std::int32_t function(const drover_host* face, const drover_run_id* run,                \
                        const drover_process_none_args*, drover_done done, void* context, \
                        drover_error* error) {                                            \
    return Submit(face, "process." #function, run, done, context, error,                  \
                  [](Op op) { return Work(op); });                                        \
  }
DROVER_PLAIN_FUNCTION(attach, DoAttach)
DROVER_PLAIN_FUNCTION(wait, DoWait)
DROVER_PLAIN_FUNCTION(kill, DoKill)
DROVER_PLAIN_FUNCTION(release, DoRelease)
#undef DROVER_PLAIN_FUNCTION

std::int32_t usage(const drover_host* face, const drover_run_id* run,
                   const drover_process_usage_args* args, drover_done done, void* context,
                   drover_error* error) {
  const Result<drover_process_usage_args> raw = CopyStruct(args);
  if (!raw.ok()) return Refuse(raw.error(), error);
  const UsageDetail detail =
      (raw->flags & DROVER_STATS_PROCESSES) != 0 ? UsageDetail::kProcesses : UsageDetail::kTotals;
  return Submit(face, "process.usage", run, done, context, error,
                [detail](Op op) { return DoUsage(op, detail); });
}

std::int32_t signal(const drover_host* face, const drover_run_id* run,
                    const drover_process_signal_args* args, drover_done done, void* context,
                    drover_error* error) {
  const Result<drover_process_signal_args> raw = CopyStruct(args);
  if (!raw.ok()) return Refuse(raw.error(), error);
  return Submit(face, "process.signal", run, done, context, error,
                [number = raw->number](Op op) { return DoSignal(op, number); });
}

std::int32_t stop(const drover_host* face, const drover_run_id* run,
                  const drover_process_stop_args* args, drover_done done, void* context,
                  drover_error* error) {
  const Result<drover_process_stop_args> raw = CopyStruct(args);
  if (!raw.ok()) return Refuse(raw.error(), error);
  // The timeout is limited to one year. In practice that is no limit, and a year can be added to
  // any point in time without overflow.
  constexpr std::int64_t kYear = 365LL * 24 * 3600 * 1'000'000'000;
  const Duration timeout(std::clamp<std::int64_t>(raw->timeout, 0, kYear));
  return Submit(face, "process.stop", run, done, context, error,
                [number = raw->number, timeout](Op op) { return DoStop(op, number, timeout); });
}

std::int32_t exec(const drover_host* face, const drover_run_id* run, const drover_exec_args* args,
                  drover_done done, void* context, drover_error* error) {
  const Result<drover_exec_args> raw = CopyStruct(args);
  if (!raw.ok()) return Refuse(raw.error(), error);
  auto request = std::make_shared<ExecBridge::Request>();
  // From here on the host owns the file descriptors with the ownership DROVER_FD_GIVEN, even if
  // this function fails.
  const auto take = [](const drover_fd& fd) {
    if (fd.ownership == DROVER_FD_GIVEN) return UniqueFd(fd.fd);
    if (fd.ownership == DROVER_FD_BORROWED) return UniqueFd(fcntl(fd.fd, F_DUPFD_CLOEXEC, 3));
    return UniqueFd();
  };
  request->input = take(raw->input);
  request->output = take(raw->output);
  request->error = take(raw->error);
  Result<std::vector<std::string>> command = ReadTexts(raw->command);
  if (!command.ok()) return Refuse(command.error(), error);
  if (command->empty()) {
    return Refuse(Error(Code::kInvalidArgument, "there is no command to run"), error);
  }
  request->command = std::move(*command);
  request->tty = raw->tty != 0;
  request->size = {raw->width, raw->height};
  return Submit(face, "process.exec", run, done, context, error, [request](Op op) {
    // The bridge must be registered before the coroutine runs, because the next function in the
    // control thread's queue may be an exec_end of this session.
    auto bridge = std::make_shared<ExecBridge>(op->host.get(), op->run, std::move(*request));
    op->host->exec_sessions()[op->done.context()] = bridge.get();
    return DoExec(op, bridge);
  });
}

}  // namespace process

std::int32_t ExecResize(const drover_host* face, void* context, std::int32_t width,
                        std::int32_t height, drover_error* error) {
  const Host host = PluginHost::From(face);
  const bool posted = host && host->port()->Post([host, context, width, height] {
    const auto found = host->exec_sessions().find(context);
    if (found != host->exec_sessions().end()) (void)found->second->Resize({width, height});
  });
  if (!posted) return Refuse(Error(Code::kUnavailable, "the host is gone"), error);
  return DROVER_OK;
}

void ExecEnd(const drover_host* face, void* context) {
  const Host host = PluginHost::From(face);
  if (!host) return;
  host->port()->Post([host, context] {
    const auto found = host->exec_sessions().find(context);
    if (found != host->exec_sessions().end()) found->second->End();
  });
}

std::int32_t OpenOutput(const drover_host* face, const drover_run_id* run, drover_done done,
                        void* context, drover_error* error) {
  return Submit(face, "task-output.open", run, done, context, error,
                [](Op op) { return DoOutput(op); });
}

#define DROVER_PROCESS_ENTRY(function, args_type, result_type) \
  Traced<"process." #function, process::function>::Call,
const drover_process kProcess = {sizeof(drover_process), 0,
                                 DROVER_PROCESS_FUNCTIONS(DROVER_PROCESS_ENTRY)
                                     Traced<"process.exec_resize", ExecResize>::Call,
                                 Traced<"process.exec_end", ExecEnd>::Call};
#undef DROVER_PROCESS_ENTRY
const drover_task_output kTaskOutput = {sizeof(drover_task_output), 0,
                                        Traced<"task-output.open", OpenOutput>::Call};

}  // namespace

const void* ProcessExtension() { return &kProcess; }
const void* TaskOutputExtension() { return &kTaskOutput; }

}  // namespace drover
