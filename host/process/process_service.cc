// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/process_service.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "host/base/descriptor_reserve.h"
#include "host/base/durable_step.h"
#include "host/base/patience.h"
#include "host/process/clean_namespace.h"
#include "host/process/earlier_runs.h"
#include "host/process/exit_record.h"
#include "host/process/named/named_notes.h"
#include "host/process/process_usage.h"
#include "host/process/run_cgroups.h"
#include "host/process/run_directory.h"
#include "host/process/shim_exec_session.h"
#include "host/process/shim_launcher.h"
#include "host/process/shim_peer.h"
#include "host/process/small_file.h"
#include "host/process/start_message.h"
#include "host/process/supervised_run.h"
#include "host/process/unit_cgroups.h"
#include "host/process/usage_sampler.h"

namespace drover {
namespace {

// How long a run may take to end after it was killed. After that time its shim counts as stuck.
constexpr Duration kKillPatience = 3s;
constexpr Duration kWakePatience = 2s;
constexpr Duration kReleasePatience = 10s;

int OwnOomScoreAdj() {
  const std::string text = ReadSmallFile(AT_FDCWD, "/proc/self/oom_score_adj").value_or("0");
  return std::atoi(text.c_str());
}

std::string PathOfDescriptor(int fd) {
  std::error_code failed;
  const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), failed);
  return failed ? std::string() : path.string();
}

class ProcessServiceImpl : public ProcessService {
 public:
  ProcessServiceImpl(std::shared_ptr<RunHost> host, ShimLauncher launcher, std::string unit,
                     std::string untracked_reason, ProcessServiceOptions options)
      : host_(std::move(host)),
        loop_(host_->loop),
        launcher_(std::move(launcher)),
        cgroups_(host_->tracker.get(), std::move(unit), host_->run_directory.get()),
        untracked_reason_(std::move(untracked_reason)),
        options_(std::move(options)),
        clean_namespace_(loop_),
        named_(host_->run_directory.get()),
        earlier_(host_, &cgroups_, &runs_),
        usage_(
            loop_, [this](const RunId& run) { return cgroups_.OpenUsage(run); },
            [this](const RunId& run) { return Walk(run); }) {
    environment_.boot_id = host_->boot;
    environment_.own_oom_score_adj = OwnOomScoreAdj();
    environment_.run_directory = host_->run_directory.get();
    host_->on_end = [this](const RunId& run) { KillNamed(run); };
  }
  ~ProcessServiceImpl() override { host_->on_end = nullptr; }

  Co<Result<ProcessInfo>> Start(Context context, ProcessSpec spec) override {
    DROVER_CO_TRY(MayStart());
    const RunId run = spec.run;
    StartEnvironment environment = environment_;
    if (spec.namespaces) {
      DROVER_CO_ASSIGN(environment.clean_namespace, co_await clean_namespace_.Get(context));
    }
    // The run may have changed during that wait. Nothing else changes it before the launch.
    DROVER_CO_TRY(MayJoinItsRun(spec));
    const bool shared = spec.group || named_.Any(run);
    DROVER_CO_ASSIGN(RunCgroups::Made cgroups,
                     shared ? cgroups_.MakeShared(&spec) : cgroups_.Make(&spec));
    cgroups.AddTo(&environment);
    Result<StartMessage> message = CompileStart(spec, environment);
    if (!message.ok()) {
      RemoveUnused(run);
      co_return message.error();
    }
    if (options_.change_start) options_.change_start(&*message);
    Result<RunPointer> launched = DurableStep(
        Step::kLaunchShim, [&] { return Launch(run, *message, host_->tracker != nullptr); });
    // The shim has copies of the descriptors now. The agent closes its own copies, so that a
    // running task needs only two descriptors of the agent.
    {
      const ProcessSpec closed = std::move(spec);
      const RunCgroups::Made closed_cgroups = std::move(cgroups);
    }
    if (!launched.ok()) {
      RemoveUnused(run);
      co_return launched.error();
    }
    co_return co_await AwaitStart(context, std::move(*launched), std::move(*message));
  }

  Co<Result<ProcessInfo>> StartOutput(Context context, OutputSpec spec) override {
    DROVER_CO_TRY(MayStart());
    DROVER_CO_ASSIGN(StartMessage message, CompileOutputStart(spec, environment_));
    // A place outlives the shim that reads the output, so its run may get another shim.
    const auto known = runs_.find(spec.run);
    if (known != runs_.end() && known->second->exit() && HasPlace(spec.run))
      DROVER_CO_TRY(ForgetShim(spec.run));
    DROVER_CO_ASSIGN(RunPointer launched, DurableStep(Step::kLaunchShim, [&] {
                       return Launch(spec.run, message, false);
                     }));
    {
      const OutputSpec closed = std::move(spec);
    }
    co_return co_await AwaitStart(context, std::move(launched), std::move(message));
  }

  Result<RunId> AddNamed(RunId run, const std::string& name) override {
    DROVER_TRY(HasNoPlace(run));
    return named_.Add(run, name);
  }

  Result<std::map<std::string, RunId>> Named(RunId run) const override { return named_.Read(run); }

  Status ForgetNamed(RunId run, const std::string& name) override {
    DROVER_TRY(named_.Remove(run, name));
    // The first process of a run makes the cgroups of the run. If none is left, and the run's own
    // process has not started, that one must be able to make them.
    if (!runs_.contains(run) && !HasPlace(run)) RemoveUnused(run);
    return {};
  }

  std::string CgroupPath(RunId run) const override {
    const UniqueFd directory = host_->tracker ? host_->tracker->OpenRun(run) : UniqueFd();
    return directory ? PathOfDescriptor(directory.get()) : std::string();
  }

  Result<UniqueFd> OpenPidfd(RunId run) const override {
    DROVER_ASSIGN(const RunPointer pointer, FindRunning(run));
    const ProcessInfo& info = pointer->info();
    if (info.pid == 0) return Error(Code::kFailedPrecondition, "the run has no process");
    UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, info.pid, 0)));
    if (!pidfd && errno != ESRCH) return ErrnoError(errno, "cannot open a pidfd of the process");
    // Another process may have got the pid. It began later than the process of the run.
    if (!pidfd || !StartedBefore(pidfd.get(), info.started_boot))
      return Error(Code::kFailedPrecondition, "the process has ended");
    return pidfd;
  }

  Co<Result<Attached>> Attach(Context context, RunId run) override {
    DROVER_CO_ASSIGN(const RunPointer pointer, co_await earlier_.TakeOver(context, run));
    if (pointer->exit()) co_return Attached(*pointer->exit());
    co_return Attached(pointer->info());
  }

  Co<Result<ProcessExit>> Wait(Context context, RunId run) override {
    DROVER_CO_ASSIGN(const RunPointer pointer, Find(run));
    DROVER_CO_TRY(co_await pointer->ended().Wait(context));
    co_return *pointer->exit();
  }

  Co<Status> Signal(Context context, RunId run, int signal_number) override {
    DROVER_CO_ASSIGN(const RunPointer pointer, FindRunning(run));
    DROVER_CO_ASSIGN(ShimConnection::Bytes message,
                     SignalMessage(DROVER_ATTACH_SIGNAL, signal_number));
    std::string what = "cannot send signal " + std::to_string(signal_number) + " to the task";
    co_return co_await pointer->connection()->Command(context, std::move(message), std::move(what));
  }

  Co<Result<ProcessExit>> Stop(Context context, RunId run, int signal_number,
                               Duration timeout) override {
    DROVER_CO_ASSIGN(const RunPointer pointer, Find(run));
    DROVER_CO_ASSIGN(ShimConnection::Bytes message,
                     SignalMessage(DROVER_ATTACH_SIGNAL, signal_number));
    if (IsPaused(run)) (void)host_->tracker->SetFrozen(run, false);
    if (timeout > 0ns && pointer->connection()) {
      // The signal is sent only to the process of the run, because that process knows the order in
      // which its children must end.
      pointer->connection()->Send(std::move(message));
      Context limit = context.WithTimeout(timeout);
      const Status in_time = co_await pointer->ended().Wait(limit);
      limit.Cancel();
      if (in_time.ok()) co_return *pointer->exit();
      DROVER_CO_TRY(context.status());
    }
    co_return co_await KillAndWait(context, pointer);
  }

  Status SetPaused(RunId run, bool paused) override {
    DROVER_ASSIGN(const RunPointer pointer, Find(run));
    if (pointer->exit()) return Error(Code::kFailedPrecondition, "the run has ended");
    if (!host_->tracker || !pointer->tracked()) {
      return Error(Code::kUnimplemented,
                   "processes can only be paused by a cgroup of their run, and the runs of this "
                   "machine have none: see the description of the driver");
    }
    return host_->tracker->SetFrozen(run, paused);
  }

  bool IsPaused(RunId run) const override {
    return host_->tracker != nullptr && runs_.contains(run) && host_->tracker->Frozen(run);
  }

  Status Kill(RunId run) override {
    KillNamed(run);
    const bool placed = HasPlace(run);
    if (placed) cgroups_.Kill(run);
    const Result<RunPointer> pointer = Find(run);
    if (pointer.ok()) (*pointer)->Kill();
    return placed || pointer.ok() ? Status() : Status(pointer.error());
  }

  void KillAll() override {
    for (const auto& [id, run] : runs_) run->Kill();
    for (const RunId& run : places_) cgroups_.Kill(run);
  }

  Result<RunPlace> MakePlace(RunId run) override {
    if (!host_->tracker) {
      return Error(Code::kFailedPrecondition,
                   "runs have no cgroups on this machine (" + untracked_reason_ + ")");
    }
    const bool found = HasPlace(run);
    if (!found) {
      // A process of the host has a cgroup until its run is released, whichever agent started it.
      DROVER_ASSIGN(const CgroupTracker::State state, host_->tracker->Look(run));
      if (state != CgroupTracker::State::kNone || named_.Any(run)) {
        return Error(Code::kFailedPrecondition,
                     "run " + run.ToString() + " has a process of the host, so it has no place");
      }
    }
    Result<RunPlace> place =
        DurableStep(Step::kMakePlace, [&] { return cgroups_.places().Make(run); });
    if (place.ok()) {
      places_.insert(run);
    } else if (!found) {
      cgroups_.places().Remove(run);
    }
    return place;
  }

  Co<Status> RemovePlace(Context context, RunId run) override {
    if (!HasPlace(run)) co_return Status();
    DROVER_CO_TRY(BeginStep(Step::kRemovePlace));
    DROVER_CO_TRY(co_await RemoveCgroup(context, run));
    EndStep(Step::kRemovePlace);
    places_.erase(run);
    usage_.Forget(run);
    co_return Status();
  }

  bool HasPlace(RunId run) override { return cgroups_.places().Has(run); }

  std::uint64_t PlaceOomKills(RunId run) override { return cgroups_.places().OomKills(run); }

  Co<Status> Release(Context context, RunId run) override {
    if (!runs_.contains(run)) {
      // The run may belong to an earlier agent. Then it is taken over and ended like a run of this
      // agent.
      Result<Attached> attached = co_await Attach(context, run);
      if (!attached.ok() && attached.code() != Code::kNotFound) co_return attached.error();
    }
    do {
      const auto known = runs_.find(run);
      if (known != runs_.end() && !known->second->exit())
        DROVER_CO_TRY(co_await KillAndWait(context, known->second));
      DROVER_CO_TRY(co_await ReleaseNamed(context, run));
      DROVER_CO_TRY(BeginStep(Step::kRemoveCgroup));
      DROVER_CO_TRY(co_await RemoveCgroup(context, run));
      EndStep(Step::kRemoveCgroup);
      // Another process may have come during these waits. Nobody would find it after this function.
    } while (named_.Any(run) || FindRunning(run).ok());
    DROVER_CO_TRY(ForgetShim(run));
    places_.erase(run);
    usage_.Forget(run);
    co_return Status();
  }

  Co<Result<ProcessUsage>> Usage(Context, RunId run, UsageDetail detail) override {
    if (!places_.contains(run)) DROVER_CO_TRY(FindRunning(run));
    co_return usage_.Sample(run, detail);
  }

  Co<Result<std::unique_ptr<ExecSession>>> Exec(Context context, RunId run,
                                                ExecSpec spec) override {
    DROVER_CO_ASSIGN(const RunPointer pointer, FindRunning(run));
    const pid_t leader = pointer->info().pid;
    if (leader == 0) co_return Error(Code::kFailedPrecondition, "the run has no process");
    int error = 0;
    Result<UniqueFd> socket = ShimConnection::Connect(host_->run_directory.get(), run, &error);
    if (!socket.ok() && !ShimConnection::NobodyListens(error)) co_return socket.error();
    if (!socket.ok()) co_return Error(Code::kFailedPrecondition, "the task is not running");
    auto connection = ShimConnection::Make(loop_, std::move(*socket));
    co_return co_await StartExecSession(context, loop_, std::move(connection), leader,
                                        std::move(spec));
  }

  Subscription OnDroppedOutput(RunId run, std::function<void(const DroppedOutput&)> hear) override {
    if (const auto known = runs_.find(run); known != runs_.end()) {
      const DroppedOutput dropped = known->second->dropped();
      if (dropped != DroppedOutput()) hear(dropped);
    }
    return host_->on_dropped.Add(run, std::move(hear));
  }

  std::string TrackingDescription() const override {
    if (host_->tracker)
      return "each run is tracked by a cgroup below " + host_->tracker->root() +
             "; nothing it starts can leave it but a process with the rights to move itself";
    return "runs are tracked by walking the descendants of their supervisors (" +
           untracked_reason_ +
           "); processes that run as another user, and those that multiply faster than they are "
           "found, are not confined, nor is any process whose supervisor was killed";
  }

 private:
  // Releases the processes of RUN beside its own process and forgets their names. An earlier agent
  // may have noted names, so they are read from the run directory.
  Co<Status> ReleaseNamed(Context context, RunId run) {
    NamedNotes::Names released;
    for (;;) {
      DROVER_CO_ASSIGN(NamedNotes::Names named, named_.Read(run));
      if (named.empty()) co_return Status();
      if (named == released) co_return named_.RemoveAll(run);
      for (const auto& [name, process] : named) DROVER_CO_TRY(co_await Release(context, process));
      released = std::move(named);
    }
  }

  // Kills the processes of RUN beside its own process.
  void KillNamed(const RunId& run) {
    const Result<NamedNotes::Names> named = named_.Read(run);
    if (!named.ok()) return;
    for (const auto& [name, process] : *named) {
      if (const auto known = runs_.find(process); known != runs_.end()) {
        known->second->Kill();
      } else if (host_->tracker) {
        host_->tracker->Kill(process);  // an earlier agent started it
      }
    }
  }

  std::vector<ProcessUsage::Process> Walk(const RunId& run) {
    std::vector<ProcessUsage::Process> processes;
    if (places_.contains(run)) {
      for (const pid_t pid : cgroups_.places().Members(run)) {
        if (const auto process = ReadProcessUsage(pid, 0)) processes.push_back(*process);
      }
      return processes;
    }
    const Result<RunPointer> found = FindRunning(run);
    if (!found.ok()) return processes;
    const ProcessInfo& info = (*found)->info();
    for (const pid_t pid :
         (*found)->tracked() ? host_->tracker->Members(run) : DescendantsOf(info.shim_pid)) {
      // ReadProcessUsage skips a child of the shim if it has the name of the process that holds the
      // namespaces. The task's own process may have this name, too. So for the task's process, the
      // shim's pid is passed as 0. Then ReadProcessUsage does not skip it.
      const std::optional<ProcessUsage::Process> process =
          ReadProcessUsage(pid, pid == info.pid ? 0 : info.shim_pid);
      if (process) processes.push_back(*process);
    }
    return processes;
  }

  Result<RunPointer> Find(const RunId& run) const {
    const auto found = runs_.find(run);
    if (found == runs_.end())
      return Error(Code::kNotFound, "run " + run.ToString() + " is not known");
    return found->second;
  }

  Result<RunPointer> FindRunning(const RunId& run) const {
    DROVER_ASSIGN(RunPointer pointer, Find(run));
    if (pointer->exit() || !pointer->connection())
      return Error(Code::kFailedPrecondition, "the task is not running");
    return pointer;
  }

  // Succeeds if, after another start, enough descriptors would be left to stop and clean up all
  // running tasks.
  static Status MayStart() {
    if (!DescriptorsLeft(kDescriptorsForStops + kDescriptorsForClients))
      return FewDescriptorsLeft();
    return {};
  }

  Status HasNoPlace(const RunId& run) {
    if (!HasPlace(run)) return {};
    return Error(Code::kFailedPrecondition,
                 "run " + run.ToString() + " has a place, so an engine starts its processes");
  }

  // Succeeds if the run of the process may have processes of the host, and has not been released.
  Status MayJoinItsRun(const ProcessSpec& spec) {
    DROVER_TRY(HasNoPlace(spec.group.value_or(spec.run)));
    if (!spec.group) return {};
    DROVER_ASSIGN(const NamedNotes::Names named, named_.Read(*spec.group));
    for (const auto& [name, process] : named)
      if (process == spec.run) return {};
    return Error(Code::kFailedPrecondition,
                 "run " + spec.group->ToString() + " was released before its process started");
  }

  Result<RunPointer> Launch(const RunId& run, const StartMessage& message, bool tracked) {
    if (runs_.contains(run))
      return Error(Code::kFailedPrecondition, "run " + run.ToString() + " was started already");
    auto pointer = std::make_shared<SupervisedRun>(host_, run, tracked);
    DROVER_TRY(launcher_.Launch(message, pointer.get()));
    runs_[run] = pointer;
    return pointer;
  }

  Co<Result<ProcessInfo>> AwaitStart(Context context, RunPointer run, StartMessage message) {
    const Status waited = co_await run->started().Wait(context);
    const std::optional<drover_start_reply> reply = run->start_reply();
    if (waited.ok() && reply && reply->error == 0) co_return run->info();
    Error error(Code::kInternal, "the shim ended before it started the task", true);
    if (!waited.ok()) {
      error = waited.error();
    } else if (reply) {
      error = StartError(*reply, message);
      if (reply->kind == DROVER_STEP_CLEAN_MOUNTS) clean_namespace_.Failed(reply->error);
      run->End(LostExit(error.message(), loop_->Wall()));
    }
    // The cgroups and files of a run that did not start must be removed, even if the context has
    // ended.
    Context cleanup(loop_);
    Context limit = cleanup.WithTimeout(kKillPatience + kWakePatience + kReleasePatience);
    const Status released = co_await ReleaseUnstarted(limit, run);
    cleanup.Cancel();
    if (!released.ok()) co_return error.WithContext(released.error().message());
    co_return error;
  }

  // Releases a run that did not start. If the run has a place, only its output did not start, and
  // the place stays.
  Co<Status> ReleaseUnstarted(Context context, RunPointer run) {
    if (!HasPlace(run->id())) co_return co_await Release(context, run->id());
    if (!run->exit()) DROVER_CO_TRY(co_await KillAndWait(context, run));
    co_return ForgetShim(run->id());
  }

  // Removes the files of the shim of RUN, which has ended, and forgets the shim.
  Status ForgetShim(const RunId& run) {
    const auto ended = runs_.find(run);
    const bool clean = ended != runs_.end() && ended->second->reported_end();
    DROVER_TRY(ForgetEnd(host_->run_directory.get(), run, clean));
    runs_.erase(run);
    return {};
  }

  // Removes the cgroups of a process that was not launched, unless other processes of its run may
  // be about to enter them.
  void RemoveUnused(const RunId& run) {
    if (!named_.Any(run)) cgroups_.Remove(run);
  }

  // Kills the run and waits for its end. If the shim does not report the end, this function sends
  // SIGCONT to the shim, in case the shim is stopped. If the shim still reports no end, this
  // function kills the shim.
  Co<Result<ProcessExit>> KillAndWait(Context context, RunPointer run) {
    run->Kill();
    for (const bool force : {false, true}) {
      const Patience patience(context, force ? kWakePatience : kKillPatience);
      const Status in_time = co_await run->ended().Wait(patience.context());
      if (in_time.ok()) co_return *run->exit();
      DROVER_CO_TRY(context.status());
      run->WakeShim(force);
    }
    const Patience patience(context, kWakePatience);
    const Status in_time = co_await run->ended().Wait(patience.context());
    DROVER_CO_TRY(context.status());
    if (!in_time.ok()) run->End(LostExit("supervisor lost", loop_->Wall()));
    co_return *run->exit();
  }

  Co<Status> RemoveCgroup(Context context, RunId run) {
    const TimePoint end = loop_->Now() + kReleasePatience;
    for (Duration pause = 1ms; !cgroups_.Remove(run);
         pause = std::min<Duration>(pause * 2, 100ms)) {
      cgroups_.Kill(run);
      if (loop_->Now() >= end)
        co_return Error(Code::kUnavailable,
                        "processes of run " + run.ToString() + " do not die; its cgroup stays",
                        true);
      DROVER_CO_TRY(co_await Sleep(context, pause));
    }
    co_return Status();
  }

  std::shared_ptr<RunHost> host_;
  Loop* loop_;
  const ShimLauncher launcher_;
  RunCgroups cgroups_;
  std::string untracked_reason_;
  const ProcessServiceOptions options_;
  StartEnvironment environment_;
  CleanNamespace clean_namespace_;
  NamedNotes named_;
  RunTable runs_;
  EarlierRuns earlier_;
  std::set<RunId> places_;  // those that this service has made or found
  UsageSampler usage_;
};

}  // namespace

Result<std::unique_ptr<ProcessService>> NewProcessService(Loop* loop,
                                                          ProcessServiceOptions options) {
  auto host = std::make_shared<RunHost>();
  host->loop = loop;
  DROVER_ASSIGN(host->run_directory, OpenRunDirectory(options.run_dir));
  std::string untracked_reason = "by configuration", unit;
  if (options.cgroup_root.empty() && options.shim_cgroup.empty()) {
    DROVER_ASSIGN(const std::optional<UnitCgroups> own, EnterUnitCgroups());
    if (own) {
      unit = own->unit;
      options.cgroup_root = own->tasks();
      options.shim_cgroup = own->shims();
    }
  }
  if (options.cgroup_root != "none") {
    Result<std::unique_ptr<CgroupTracker>> tracker =
        CgroupTracker::Open(options.cgroup_root, host->run_directory.get());
    if (tracker.ok()) {
      host->tracker = std::move(*tracker);
    } else if (!options.cgroup_root.empty()) {
      return tracker.error();
    } else {
      untracked_reason = tracker.error().message();
    }
  }
  DROVER_ASSIGN(ShimLauncher launcher, ShimLauncher::Open(loop, options));
  return std::unique_ptr<ProcessService>(
      std::make_unique<ProcessServiceImpl>(std::move(host), std::move(launcher), std::move(unit),
                                           std::move(untracked_reason), std::move(options)));
}

}  // namespace drover
