// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/supervised_run.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "host/process/exit_record.h"
#include "host/process/shim_peer.h"

namespace drover {
namespace {

constexpr int kMaxReconnects = 100;
constexpr Duration kReconnectDelay = 10ms;

// Returns true if this process becomes the parent of every shim, for example as the first process
// of a container. Then this process must reap the shims when they have ended.
bool AdoptsOrphans() {
  int subreaper = 0;
  return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &subreaper) == 0 && subreaper != 0);
}

}  // namespace

SupervisedRun::~SupervisedRun() {
  if (connection_) connection_->Close();
}

void SupervisedRun::Follow(std::shared_ptr<ShimConnection> connection, UniqueFd pidfd) {
  connection_ = std::move(connection);
  pidfd_ = std::move(pidfd);
  const std::weak_ptr<SupervisedRun> weak = weak_from_this();
  connection_->Start(
      [weak](const drover_attach_header& header, const ShimConnection::Bytes& bytes) {
        if (const auto self = weak.lock()) self->OnEvent(header, bytes);
      },
      [weak] {
        if (const auto self = weak.lock()) self->OnClosed();
      });
}

void SupervisedRun::Introduce(const drover_attach_hello_reply& reply) {
  info_.pid = reply.pid;
  info_.shim_pid = reply.shim_pid;
  info_.started_at = reply.started_at;
  info_.started_boot = reply.started_boot;
  const bool started = reply.started_boot != 0;  // false: the shim has not executed its task yet
  if (started && !StartedBefore(pidfd_.get(), reply.started_boot)) pidfd_.Reset();
  started_.Set();
}

void SupervisedRun::OnEvent(const drover_attach_header& header,
                            const ShimConnection::Bytes& bytes) {
  switch (header.type) {
    case DROVER_START_REPLY: {
      start_reply_ = MessageAs<drover_start_reply>(bytes);
      info_.pid = start_reply_->pid;
      info_.shim_pid = start_reply_->shim_pid;
      info_.started_at = start_reply_->started_at;
      info_.started_boot = start_reply_->started_boot;
      started_.Set();
      return;
    }
    case DROVER_ATTACH_EXIT: {
      const std::string_view record(bytes.data() + sizeof header, bytes.size() - sizeof header);
      Result<ProcessExit> exit = ParseExitRecord(record, id_, host_->boot);
      reported_end_ = exit.ok();
      End(exit.ok() ? *exit : LostExit(exit.error().message(), host_->loop->Wall()));
      return;
    }
    case DROVER_ATTACH_GAP:
      OnGap(MessageAs<drover_attach_gap>(bytes));
      return;
    default:
      return;  // a message type of a newer shim
  }
}

void SupervisedRun::OnGap(const drover_attach_gap& gap) {
  const bool begins = gap.begins != 0;
  in_gap_[gap.stream == 1 ? 1 : 0] = begins;
  if (!begins) {
    dropped_.lines += gap.lines;
    dropped_.bytes += gap.bytes;
  }
  dropped_.ongoing = in_gap_[0] || in_gap_[1];
  host_->on_dropped.Call(id_, dropped_);
}

void SupervisedRun::End(ProcessExit exit) {
  if (exit_) return;
  exit_ = std::move(exit);
  if (exit_->started_at == 0) exit_->started_at = info_.started_at;
  // The exit record also counts dropped output that no event reported: bytes that the shim could
  // not write at the end, and events that the agent missed. The exit of a lost run counts no
  // dropped output.
  if (exit_->dropped_bytes > dropped_.bytes) {
    dropped_ = {false, exit_->dropped_lines, exit_->dropped_bytes};
    host_->on_dropped.Call(id_, dropped_);
  }
  // The connection is closed later, since one of its methods may have called this function.
  host_->loop->Post([connection = std::move(connection_)] {
    if (connection) connection->Close();
  });
  if (AdoptsOrphans() && pidfd_)
    Collect(host_->loop, std::make_shared<UniqueFd>(std::move(pidfd_)), 1ms);
  pidfd_.Reset();
  started_.Set();
  ended_.Set();
  if (host_->on_end) host_->on_end(id_);
}

// Reaps the shim, which has become a child of this process and will end soon. If the shim has not
// ended, tries again after PAUSE, and doubles the pause each time.
void SupervisedRun::Collect(Loop* loop, std::shared_ptr<UniqueFd> pidfd, Duration pause) {
  // The longest pause. A shim that has not ended after this pause hangs in a write to a disk, and
  // is not reaped.
  constexpr Duration kLongest = 1min;
  siginfo_t info{};
  const bool waits = waitid(static_cast<idtype_t>(3 /* P_PIDFD */), static_cast<id_t>(pidfd->get()),
                            &info, WEXITED | WNOHANG) == 0;
  if (!waits || info.si_pid != 0 || pause > kLongest) return;
  loop->After(pause, [loop, pidfd, pause] { Collect(loop, pidfd, pause * 2); });
}

bool SupervisedRun::ShimIsDead() const {
  pollfd poll_pidfd{pidfd_.get(), POLLIN, 0};
  return !pidfd_ || poll(&poll_pidfd, 1, 0) == 1;
}

void SupervisedRun::After(Duration delay, std::function<void()> function) {
  const std::weak_ptr<SupervisedRun> weak = weak_from_this();
  host_->loop->After(delay, [weak, function = std::move(function)] {
    const auto self = weak.lock();
    if (self && !self->exit_) function();
  });
}

// Handles the end of the connection. Either the shim has ended or will end soon, or the shim closed
// the connection because the agent did not read.
void SupervisedRun::OnClosed() {
  if (exit_) return;
  // ShimIsDead must be called before ReadExitRecord. The shim writes its exit record before it
  // ends. So if the shim is dead and ReadExitRecord finds no record, there will never be a record.
  const bool dead = ShimIsDead();
  Result<ProcessExit> exit = ReadExitRecord(host_->run_directory.get(), id_, host_->boot);
  if (exit.ok()) {
    End(std::move(*exit));
  } else if (exit.code() == Code::kUnavailable) {
    After(kReconnectDelay, [this] { OnClosed(); });  // the record may exist but be unreadable now
  } else if (!started_.is_set() || (start_reply_ && start_reply_->error != 0)) {
    // The shim failed before it executed the task, and will end soon.
    End(LostExit("the shim ended before it started the task", host_->loop->Wall()));
  } else if (dead) {
    Lose();
  } else if (++reconnects_ > kMaxReconnects) {
    WakeShim(true);
    Lose();
  } else if (!Reconnect()) {
    After(kReconnectDelay, [this] { OnClosed(); });
  }
}

bool SupervisedRun::Reconnect() {
  int error = 0;
  Result<UniqueFd> socket = ShimConnection::Connect(host_->run_directory.get(), id_, &error);
  // If Connect failed because of this process and not because of the shim, the attempt is not
  // counted.
  if (!socket.ok() && !ShimConnection::NobodyListens(error)) --reconnects_;
  if (!socket.ok()) return false;
  auto connection = ShimConnection::Make(host_->loop, std::move(*socket));
  if (!connection->Send(HelloMessage(DROVER_ATTACH_EVENT_EXIT | DROVER_ATTACH_EVENT_GAP)))
    return false;
  UniqueFd pidfd = std::move(pidfd_);
  Follow(std::move(connection), std::move(pidfd));
  return true;
}

// The task's pipes and exit status were lost with the shim, so the processes of the task must be
// killed.
void SupervisedRun::Lose() {
  if (tracked_) host_->tracker->Kill(id_);
  WaitUntilEmpty(0);
}

void SupervisedRun::WaitUntilEmpty(int tries) {
  // The maximum number of checks whether processes are left. There is at least 1 ms between two
  // checks. Without a maximum, a process that hangs in the kernel would prevent the end of the run.
  constexpr int kTries = 1000;
  if (tracked_ && host_->tracker->Populated(id_) && tries < kTries) {
    After(1ms, [this, tries] { WaitUntilEmpty(tries + 1); });
    return;
  }
  End(LostExit("supervisor lost", host_->loop->Wall()));
}

void SupervisedRun::Kill() {
  if (exit_) return;
  if (tracked_) host_->tracker->Kill(id_);
  if (connection_)
    connection_->Send(ShimConnection::Message(drover_attach_header{}, DROVER_ATTACH_KILL));
}

void SupervisedRun::WakeShim(bool force) {
  if (pidfd_) syscall(SYS_pidfd_send_signal, pidfd_.get(), force ? SIGKILL : SIGCONT, nullptr, 0);
}

}  // namespace drover
