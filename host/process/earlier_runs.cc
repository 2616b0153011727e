// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/earlier_runs.h"

#include <cerrno>
#include <cstring>
#include <string>

#include "host/base/patience.h"
#include "host/process/exit_record.h"
#include "host/process/named/named_notes.h"
#include "host/process/run_directory.h"
#include "host/process/shim_peer.h"
#include "host/process/small_file.h"

namespace drover {
namespace {

// How long a shim may take to answer. After that time it counts as stuck.
constexpr Duration kGreetPatience = 3s;
constexpr Duration kBirthPatience = 200ms;

// Makes an error for a run that may be alive, although this cannot be checked now. Such a run must
// not be started again.
Error CannotFindOut(const RunId& run, const Error& error) {
  return Error(Code::kUnavailable,
               "cannot find out now what became of run " + run.ToString() + ": " + error.message(),
               true);
}

}  // namespace

Co<Result<RunPointer>> EarlierRuns::TakeOver(Context context, RunId run) {
  const TimePoint birth_end = host_->loop->Now() + kBirthPatience;
  for (;;) {
    if (const auto known = runs_->find(run); known != runs_->end()) {
      RunPointer pointer = known->second;
      DROVER_CO_TRY(co_await pointer->started().Wait(context));
      co_return pointer;
    }
    int connect_error = 0;
    Result<UniqueFd> socket =
        ShimConnection::Connect(host_->run_directory.get(), run, &connect_error);
    if (!socket.ok() && !ShimConnection::NobodyListens(connect_error))
      co_return CannotFindOut(run, socket.error());
    if (socket.ok()) {
      Result<RunPointer> greeted = co_await Greet(context, run, std::move(*socket));
      if (greeted.code() == Code::kResourceExhausted) co_return CannotFindOut(run, greeted.error());
      if (greeted.code() == Code::kUnimplemented) {
        DROVER_CO_TRY(co_await KillOrphans(context, run));
        co_return Remember(run, LostExit(greeted.error().message(), host_->loop->Wall()));
      }
      if (greeted.code() != Code::kUnavailable) co_return greeted;
      // If the context has ended, this coroutine stops waiting, but the run continues.
      DROVER_CO_TRY(context.status());
      // The run ended after the connection was made. By now its exit record exists, or the run is
      // lost.
    }
    if (runs_->contains(run)) continue;
    Result<ProcessExit> exit = ReadExitRecord(host_->run_directory.get(), run, host_->boot);
    if (exit.ok()) co_return Remember(run, std::move(*exit));
    if (exit.code() == Code::kUnavailable) co_return CannotFindOut(run, exit.error());
    auto cgroup = CgroupTracker::State::kNone;
    if (IsTracked(run)) {
      const Result<CgroupTracker::State> looked = host_->tracker->Look(run);
      if (!looked.ok()) co_return CannotFindOut(run, looked.error());
      cgroup = *looked;
      // If the run's own process never started, its named processes may still be there.
      if (cgroup == CgroupTracker::State::kAlive && connect_error == ENOENT && HasOnlyNamed(run)) {
        cgroup = CgroupTracker::State::kEmpty;
      }
    }
    const bool alive = cgroup == CgroupTracker::State::kAlive;
    if (exit.code() == Code::kFailedPrecondition && !alive) {
      RemoveCgroups(run);
      DROVER_CO_TRY(ForgetEnd(host_->run_directory.get(), run, false));
      co_return Error(Code::kNotFound, exit.error().message());
    }
    if (alive || socket.ok() || connect_error == ECONNREFUSED) {
      DROVER_CO_TRY(co_await KillOrphans(context, run));
      co_return Remember(run, LostExit("supervisor lost", host_->loop->Wall()));
    }
    // The cgroup is made before the shim starts. If the last agent died between these two steps,
    // the shim may still appear.
    const bool may_come = !host_->tracker || cgroup == CgroupTracker::State::kEmpty;
    if (!may_come || host_->loop->Now() >= birth_end) {
      RemoveCgroups(run);
      co_return Error(Code::kNotFound, "run " + run.ToString() + " was never started");
    }
    DROVER_CO_TRY(co_await Sleep(context, 10ms));
  }
}

// Returns true if a cgroup tracks the processes of RUN. The processes in a place are those of an
// engine, even if the place has the path of a tracking cgroup. The shim of such a run only reads
// its output, so they go on whatever became of the shim.
bool EarlierRuns::IsTracked(const RunId& run) const {
  return host_->tracker != nullptr && !cgroups_->places().Has(run);
}

// Returns true if all processes in the tracking cgroup of RUN are in the cgroups of named ones.
bool EarlierRuns::HasOnlyNamed(const RunId& run) const {
  if (!NamedNotes(host_->run_directory.get()).Any(run)) return false;
  const UniqueFd directory = host_->tracker->OpenRun(run);
  return directory && ReadSmallFile(directory.get(), "cgroup.procs").value_or("?").empty();
}

// Removes the cgroups of a run without processes, but not a place, which an engine may be about to
// use.
void EarlierRuns::RemoveCgroups(const RunId& run) {
  if (!cgroups_->places().Has(run)) cgroups_->Remove(run);
}

// Follows the run whose shim listens at the other end of SOCKET.
Co<Result<RunPointer>> EarlierRuns::Greet(Context context, RunId run, UniqueFd socket) {
  DROVER_CO_ASSIGN(UniqueFd pidfd, PidfdOfPeer(socket.get()));
  auto connection = ShimConnection::Make(host_->loop, std::move(socket));
  auto pointer = std::make_shared<SupervisedRun>(host_, run, IsTracked(run));
  pointer->Follow(connection, std::move(pidfd));
  const Patience patience(context, kGreetPatience);
  const Result<ShimConnection::Bytes> answer = co_await connection->Call(
      patience.context(), HelloMessage(DROVER_ATTACH_EVENT_EXIT | DROVER_ATTACH_EVENT_GAP));
  DROVER_CO_TRY(context.status());
  if (!answer.ok() && answer.code() == Code::kTimeout) {
    // The shim hangs, so nobody reads its task's output. The run counts as lost.
    pointer->WakeShim(true);
    co_return Error(Code::kUnavailable, "the shim does not answer");
  }
  if (!answer.ok()) co_return answer.error();
  const auto reply = MessageAs<drover_attach_hello_reply>(*answer);
  if (reply.header.type != DROVER_ATTACH_HELLO_REPLY) {
    // The shim speaks another version of the protocol and understands no command. This function
    // kills the shim, because its task must not run at the same time as the task that replaces it.
    pointer->WakeShim(true);
    co_return Error(Code::kUnimplemented, "supervisor lost: it does not speak version " +
                                              std::to_string(DROVER_ATTACH_VERSION) +
                                              " of the attach protocol");
  }
  if (std::memcmp(reply.run_id, run.bytes.data(), run.bytes.size()) != 0)
    co_return Error(Code::kNotFound, "run " + run.ToString() + " was never started");
  pointer->Introduce(reply);
  if (IsOfAnotherBoot(reply.boot_id, host_->boot)) {
    // It is not known which process has answered with the run's id. This process is killed, because
    // a run must not exist twice.
    pointer->Kill();
    pointer->WakeShim(true);
    co_return Error(Code::kUnimplemented,
                    "supervisor lost: it reports another boot of the machine");
  }
  (*runs_)[run] = pointer;
  co_return pointer;
}

// Kills the processes in the cgroup of a run that has no shim.
Co<Status> EarlierRuns::KillOrphans(Context context, RunId run) {
  const TimePoint end = host_->loop->Now() + 1s;
  while (IsTracked(run) && host_->tracker->Populated(run) && host_->loop->Now() < end) {
    host_->tracker->Kill(run);
    DROVER_CO_TRY(co_await Sleep(context, 1ms));
  }
  co_return Status();
}

RunPointer EarlierRuns::Remember(const RunId& run, ProcessExit exit) {
  auto pointer = std::make_shared<SupervisedRun>(host_, run, IsTracked(run));
  pointer->End(std::move(exit));
  (*runs_)[run] = pointer;
  return pointer;
}

}  // namespace drover
