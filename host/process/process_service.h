// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/loop.h"
#include "host/base/result.h"
#include "host/process/dropped_output.h"
#include "host/process/place/run_places.h"
#include "host/process/process_spec.h"
#include "host/process/usage_detail.h"

namespace drover {

// One command that runs beside the task of a run. The destructor closes the session. Control
// thread only.
class ExecSession {
 public:
  virtual ~ExecSession() = default;

  // Returns the master side of the terminal, a non-blocking descriptor that the session owns.
  // Returns -1 if the session has no terminal. After Wait has returned, the bytes that can still
  // be read without blocking are the last output of the command. A background child that keeps the
  // terminal open does not keep the session open.
  virtual int terminal() const = 0;

  virtual Status Resize(std::uint16_t rows, std::uint16_t columns) = 0;
  // Sends a signal to the session's process group.
  virtual Status Signal(int signal_number) = 0;
  // Returns when the command has ended. If the command could not be executed, the ExecExit has the
  // code 127 or 126 and an error.
  virtual Co<Result<ExecExit>> Wait(Context context) = 0;
  // Kills the session's process group. Wait then returns how the command ended. Idempotent.
  virtual void Close() = 0;
};

struct StartMessage;

struct ProcessServiceOptions {
  // The directory of the shims' sockets and exit records, on a tmpfs and with mode 0700. If empty,
  // it is /run/drover for root and $XDG_RUNTIME_DIR/drover for other users. It is made if it is
  // missing.
  std::string run_dir;
  // The directory below which each run gets its tracking cgroup, of version 2 or of the freezer. If
  // empty, it is the cgroup "tasks" of the unit that systemd has delegated to this process
  // (process/unit_cgroups.h). Without such a unit, it is "drover" below the mount point of version
  // 2 or of the freezer. The value "none" means no cgroups; then each shim finds the processes of
  // its run by walking its descendants.
  std::string cgroup_root;
  // The version 2 cgroup in which shims are started. If empty, it is the cgroup "shims" of the unit
  // that systemd has delegated to this process. Without such a unit, it is the agent's own cgroup.
  std::string shim_cgroup;
  // The initial soft limit of open files for tasks whose driver sets no limit. Many programs work
  // badly with a high limit. 0 means the limit of this process.
  std::uint64_t open_files = 0;
  // The initial soft limit in bytes of core files for tasks whose driver sets no limit. If it is
  // absent, it is the limit of this process.
  std::optional<std::uint64_t> core_bytes;
  // Changes the start message of a shim. Only for tests: a test can remove a step and show the
  // attack that the step prevents.
  std::function<void(StartMessage*)> change_start;
};

// Starts and manages the processes of runs. Each run has a shim, which starts its process and
// outlives this object and the agent. Control thread only. Every coroutine must end before the
// service is destroyed. If the context of a coroutine ends, the coroutine returns early with the
// error of the context, but the work that it began continues.
class ProcessService {
 public:
  virtual ~ProcessService() = default;

  // Returns when the new process has begun to execute the program. If a step of the start fails,
  // the error names that step. If Start returns an error, nothing of the run is left, even if the
  // context ended first.
  virtual Co<Result<ProcessInfo>> Start(Context context, ProcessSpec spec) = 0;
  // If the run has a place, the place stays after an error, and StartOutput may be called again
  // when the output has ended.
  virtual Co<Result<ProcessInfo>> StartOutput(Context context, OutputSpec spec) = 0;

  // Notes, in a durable step, that RUN has a process NAME beside its own process, and returns the
  // id of this process. The id is random. Start then takes it as spec.run, with RUN as spec.group.
  // All other functions take it, too. The other processes of RUN are killed when its own process
  // has ended, and are released with RUN. Fails with kFailedPrecondition if RUN has a process NAME
  // or a place.
  virtual Result<RunId> AddNamed(RunId run, const std::string& name) {
    (void)run, (void)name;
    return Error(Code::kUnimplemented, "this process service has no named processes");
  }
  // Returns the processes of RUN that AddNamed has noted, also those of an earlier agent.
  virtual Result<std::map<std::string, RunId>> Named(RunId run) const {
    (void)run;
    return std::map<std::string, RunId>();
  }
  // Forgets the name of a process, which must have been released. If no process of RUN is left,
  // removes the cgroups of RUN, so that its own process can still start.
  virtual Status ForgetNamed(RunId run, const std::string& name) {
    (void)run, (void)name;
    return {};
  }
  // Returns the directory of the cgroup that tracks RUN, or an empty text if there is none.
  virtual std::string CgroupPath(RunId run) const {
    (void)run;
    return {};
  }
  // Opens a pidfd of the process of RUN. Fails with kFailedPrecondition if the process has ended.
  virtual Result<UniqueFd> OpenPidfd(RunId run) const {
    (void)run;
    return Error(Code::kUnimplemented, "this process service opens no pidfds");
  }

  // Takes over a run that an earlier agent started, whether the run is alive or has ended. The
  // error is kNotFound if the run never started or has been released. The error is kUnavailable if
  // the state of the run cannot be determined now, for example for lack of descriptors; then the
  // caller must try again. If the shim of the run is lost, the run is killed before this function
  // returns, and its exit has the error "supervisor lost". What is in a place goes on.
  using Attached = std::variant<ProcessInfo, ProcessExit>;
  virtual Co<Result<Attached>> Attach(Context context, RunId run) = 0;

  // Returns when the run has ended and its output has been written to the files. Output that the
  // disk did not take is not in the files. Any number of callers may wait, even after the end,
  // until Release is called.
  virtual Co<Result<ProcessExit>> Wait(Context context, RunId run) = 0;

  // Sends a signal to the process of the run.
  virtual Co<Status> Signal(Context context, RunId run, int signal_number) = 0;
  // Sends SIGNAL_NUMBER only to the process of the run. Waits at most TIMEOUT for the end of the
  // process, then kills all processes that the run has started. If the process ends in time, the
  // remaining processes of the run are killed at that moment. Returns when the run has ended. With
  // a TIMEOUT of 0, Stop kills all processes of the run at once.
  virtual Co<Result<ProcessExit>> Stop(Context context, RunId run, int signal_number,
                                       Duration timeout) = 0;
  // Holds all processes of the run, or lets them go on. Stop and Kill let a paused run go on. Fails
  // with kUnimplemented if the run has no cgroup.
  virtual Status SetPaused(RunId run, bool paused) {
    (void)run, (void)paused;
    return Error(Code::kUnimplemented, "this process service cannot pause runs");
  }
  virtual bool IsPaused(RunId run) const {
    (void)run;
    return false;
  }
  // Kills all processes of the run; Wait returns when they have ended.
  virtual Status Kill(RunId run) = 0;
  // Kills all processes of all runs of this service.
  virtual void KillAll() = 0;

  // Kills the remaining processes of the run and removes its cgroup, exit record and socket.
  // Afterwards the service does not know the run any more. Releasing an unknown run succeeds.
  virtual Co<Status> Release(Context context, RunId run) = 0;

  // Makes the place of a run whose processes an engine starts, and not this service. If the run has
  // a place already, which an earlier agent may have made, returns that. Kill and Release know also
  // the places of earlier agents: Kill kills what is there, and Release removes the place. After
  // MakePlace, KillAll kills what is there, too, and Usage measures it. Fails with
  // kFailedPrecondition if the machine has no cgroups for it, or if the run has a process or the
  // name of one.
  virtual Result<RunPlace> MakePlace(RunId run) {
    (void)run;
    return Error(Code::kUnimplemented, "this process service has no places for runs");
  }
  // Kills what is left in the place of a run and removes it. Succeeds if the run has none.
  virtual Co<Status> RemovePlace(Context context, RunId run) {
    (void)context, (void)run;
    co_return Status();
  }
  // True if the run has a place, also one of an earlier agent.
  virtual bool HasPlace(RunId run) {
    (void)run;
    return false;
  }
  // Returns how many processes in the place of a run were killed for lack of memory.
  virtual std::uint64_t PlaceOomKills(RunId run) {
    (void)run;
    return 0;
  }

  virtual Co<Result<ProcessUsage>> Usage(Context context, RunId run, UsageDetail detail) = 0;

  virtual Co<Result<std::unique_ptr<ExecSession>>> Exec(Context context, RunId run,
                                                        ExecSpec spec) = 0;

  // Calls HEAR each time that the shim begins to drop output of the run, and each time that the
  // shim has added to its count of dropped bytes. If the shim has dropped output before, calls
  // HEAR at once. The calls end when the subscription is destroyed. All calls for a run come
  // before Wait for this run returns.
  [[nodiscard]] virtual Subscription OnDroppedOutput(
      RunId run, std::function<void(const DroppedOutput&)> hear) = 0;

  // Returns one sentence for the driver's fingerprint. The sentence says how processes are tracked,
  // and which processes can escape the tracking.
  virtual std::string TrackingDescription() const = 0;
};

Result<std::unique_ptr<ProcessService>> NewProcessService(Loop* loop,
                                                          ProcessServiceOptions options);

}  // namespace drover
