// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/base/event.h"
#include "host/base/keyed_listeners.h"
#include "host/base/live_count.h"
#include "host/base/loop.h"
#include "host/process/boot_id.h"
#include "host/process/cgroup_tracker.h"
#include "host/process/dropped_output.h"
#include "host/process/process_spec.h"
#include "host/process/shim_connection.h"
#include "shim/start_plan.h"

namespace drover {

// The objects that all runs of a service share.
struct RunHost {
  Loop* loop = nullptr;
  UniqueFd run_directory;
  BootId boot = ThisBoot();
  // Null: the shims find the processes of their runs by walking their descendants.
  std::unique_ptr<CgroupTracker> tracker;
  KeyedListeners<RunId, const DroppedOutput&> on_dropped;
  std::function<void(const RunId&)> on_end;  // called when a run has ended; empty: nobody listens
};

// Follows one run through the connection to its shim until the end of the run. Holds two
// descriptors while the run lasts. Control thread only.
class SupervisedRun : public std::enable_shared_from_this<SupervisedRun>,
                      public LiveCount<SupervisedRun> {
 public:
  SupervisedRun(std::shared_ptr<RunHost> host, RunId id, bool tracked)
      : host_(std::move(host)),
        id_(id),
        tracked_(tracked),
        started_(host_->loop),
        ended_(host_->loop) {}
  ~SupervisedRun();

  const RunId& id() const { return id_; }
  bool tracked() const { return tracked_; }
  const ProcessInfo& info() const { return info_; }
  const std::optional<ProcessExit>& exit() const { return exit_; }
  const DroppedOutput& dropped() const { return dropped_; }
  // This event is set after the shim's first answer, or at the end of the run.
  Event& started() { return started_; }
  Event& ended() { return ended_; }
  // Returns true if the shim itself reported the end of the run. Then the shim's socket has been
  // removed.
  bool reported_end() const { return reported_end_; }
  const std::optional<drover_start_reply>& start_reply() const { return start_reply_; }

  // Follows the run through CONNECTION to its shim. PIDFD refers to the shim.
  void Follow(std::shared_ptr<ShimConnection> connection, UniqueFd pidfd);
  void set_info(const ProcessInfo& info) { info_ = info; }
  // Stores what REPLY, the shim's answer to a hello, reports. Closes the pidfd if it refers to
  // another process than the shim. Then only the end of the connection shows that the shim has
  // ended.
  void Introduce(const drover_attach_hello_reply& reply);
  const std::shared_ptr<ShimConnection>& connection() const { return connection_; }

  // Sends SIGKILL to all processes of the run, once through the cgroup and once through the shim.
  // One of the two is sufficient.
  void Kill();
  // Kills the shim if FORCE is true. Otherwise sends SIGCONT to the shim, in case the shim is
  // stopped. The caller uses this function if a shim does not report the end of a killed run.
  void WakeShim(bool force);

  // Ends the run with EXIT, unless the run has already ended. Closes the connection to the shim.
  void End(ProcessExit exit);

 private:
  void OnEvent(const drover_attach_header& header, const ShimConnection::Bytes& bytes);
  void OnGap(const drover_attach_gap& gap);
  void OnClosed();
  bool ShimIsDead() const;
  bool Reconnect();
  void Lose();
  void WaitUntilEmpty(int tries);
  void After(Duration delay, std::function<void()> function);
  static void Collect(Loop* loop, std::shared_ptr<UniqueFd> pidfd, Duration pause);

  std::shared_ptr<RunHost> host_;
  RunId id_;
  bool tracked_;
  ProcessInfo info_;
  std::shared_ptr<ShimConnection> connection_;
  UniqueFd pidfd_;
  std::optional<drover_start_reply> start_reply_;
  std::optional<ProcessExit> exit_;
  DroppedOutput dropped_;
  std::array<bool, 2> in_gap_{};  // true: output of stdout or stderr is being dropped
  Event started_;
  Event ended_;
  bool reported_end_ = false;
  int reconnects_ = 0;
};

using RunPointer = std::shared_ptr<SupervisedRun>;
// The runs that a service knows.
using RunTable = std::map<RunId, RunPointer>;

}  // namespace drover
