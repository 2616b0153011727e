// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/loop.h"
#include "host/base/result.h"
#include "host/process/dropped_output.h"
#include "host/process/process_spec.h"
#include "host/process/usage_detail.h"

namespace drover {

// One command inside a running run. Destroying it closes it. Control thread only.
class ExecSession {
 public:
  virtual ~ExecSession() = default;

  // The master side of the terminal, non-blocking, owned by the session; -1 without a terminal.
  // After Wait has returned, the bytes that can be read without blocking are the last of the
  // output: a background child that keeps the terminal does not keep the session.
  virtual int terminal() const = 0;

  virtual Status Resize(std::uint16_t rows, std::uint16_t columns) = 0;
  // Sends a signal to the session's process group.
  virtual Status Signal(int signal_number) = 0;
  // Returns when the command has ended. A command that could not be executed is an ExecExit with
  // code 127 or 126 and an error.
  virtual Co<Result<ExecExit>> Wait(Context context) = 0;
  // Kills the session's process group; Wait then returns how it ended. Idempotent.
  virtual void Close() = 0;
};

struct StartMessage;

struct ProcessServiceOptions {
  // The directory of the shims' sockets and exit records: on a tmpfs, mode 0700. Empty: /run/drover
  // for root, else $XDG_RUNTIME_DIR/drover. Made if missing.
  std::string run_dir;
  // The directory below which each run gets its cgroup, of version 2 or of the freezer. Empty:
  // "tasks" of the unit that systemd has delegated to this process (process/unit_cgroups.h), else
  // "drover" below the mount point of version 2 or the freezer. "none": no cgroups, the shims walk
  // their descendants.
  std::string cgroup_root;
  // A version 2 cgroup to start shims in. Empty: "shims" of that unit, else the agent's own cgroup.
  std::string shim_cgroup;
  // The initial soft limit of open files of tasks whose driver sets none: many programs work badly
  // with a high one. 0: the limit of this process.
  std::uint64_t open_files = 0;
  // For tests only: changes the start message of a shim. Without a step, a test can show the attack
  // that the step prevents.
  std::function<void(StartMessage*)> change_start;
};

// The processes of the runs. A shim starts and holds each of them, and outlives this object and the
// agent. Control thread only. Every coroutine must end before the service is destroyed. It ends
// early, with the context's error, when its context ends; the work that it began goes on.
class ProcessService {
 public:
  virtual ~ProcessService() = default;

  // Returns when the program has been executed. The error names the step that failed. After an
  // error nothing of the run is left, also if the context ended first.
  virtual Co<Result<ProcessInfo>> Start(Context context, ProcessSpec spec) = 0;
  virtual Co<Result<ProcessInfo>> StartOutput(Context context, OutputSpec spec) = 0;

  // Takes over a run that an earlier agent started, whether it runs or has ended. kNotFound: it
  // never started, or has been released. kUnavailable: the state of the run cannot be found out
  // now, for example for lack of descriptors; call again. If the shim of a run is lost, the run is
  // killed before this returns, and its end has the error "supervisor lost".
  using Attached = std::variant<ProcessInfo, ProcessExit>;
  virtual Co<Result<Attached>> Attach(Context context, RunId run) = 0;

  // Returns when the run has ended and its output is in the files, as far as the disk took it. Any
  // number of callers may wait, also after the end, until Release.
  virtual Co<Result<ProcessExit>> Wait(Context context, RunId run) = 0;

  // Sends a signal to the process.
  virtual Co<Status> Signal(Context context, RunId run, int signal_number) = 0;
  // Sends SIGNAL_NUMBER to the process alone, waits TIMEOUT for its end, then kills everything that
  // the run has started. If the process ends in time, the processes that it leaves behind are
  // killed then. Returns when the run has ended. A timeout of 0 kills at once.
  virtual Co<Result<ProcessExit>> Stop(Context context, RunId run, int signal_number,
                                       Duration timeout) = 0;
  // Kills all processes of the run; Wait returns when they have ended.
  virtual Status Kill(RunId run) = 0;
  // Kills all processes of all runs of this service.
  virtual void KillAll() = 0;

  // Kills the remaining processes of the run and removes its cgroup, exit record and socket; the
  // run is unknown afterwards. Releasing an unknown run succeeds.
  virtual Co<Status> Release(Context context, RunId run) = 0;

  virtual Co<Result<ProcessUsage>> Usage(Context context, RunId run, UsageDetail detail) = 0;

  virtual Co<Result<std::unique_ptr<ExecSession>>> Exec(Context context, RunId run,
                                                        ExecSpec spec) = 0;

  // Calls HEAR each time that output of the run begins to be dropped, and each time that dropped
  // output has been counted; at once if some was dropped before. The calls stop when the
  // subscription goes. All calls have been made when Wait returns.
  [[nodiscard]] virtual Subscription OnDroppedOutput(
      RunId run, std::function<void(const DroppedOutput&)> hear) = 0;

  // Describes for the fingerprint, in one sentence, how processes are tracked and which processes
  // that does not confine.
  virtual std::string TrackingDescription() const = 0;
};

Result<std::unique_ptr<ProcessService>> NewProcessService(Loop* loop,
                                                          ProcessServiceOptions options);

}  // namespace drover
