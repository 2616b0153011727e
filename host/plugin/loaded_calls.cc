// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// This file turns the methods of LoadedDriver into calls of the plugin. Each call runs on the pool
// and has a deadline. The calls that start, recover, stop or destroy one run happen one after the
// other. A call is given up when its caller stops waiting.
#include <string_view>

#include "host/abi/abi_read.h"
#include "host/abi/abi_trace.h"
#include "host/abi/abi_write.h"
#include "host/base/patience.h"
#include "host/plugin/loaded_driver.h"

namespace drover {
namespace {

// Calls FUNCTION, a function of the plugin. Returns an error if FUNCTION throws an exception.
template <typename Function>
std::int32_t Guarded(const Function& function, drover_error* error) {
  try {
    return function(error);
  } catch (...) {
    WriteError(Error(Code::kInternal, "it threw an exception out of a function of the plugin ABI"),
               error);
    return DROVER_E_INTERNAL;
  }
}

drover_error NewError() { return NewStruct<drover_error>(); }

// A call of shutdown gets no call_cancelled, because shutdown frees the instance that
// call_cancelled uses.
bool IsShutdown(const PendingCall& call) { return std::string_view(call.verb) == "shutdown"; }

// Calls the driver's call_cancelled. Runs on a thread of the pool.
void TellCancelled(const PluginHost& host, const DriverContainer& container, drover_instance* self,
                   std::uint64_t id) {
  const TimePoint began = BootClock::now();
  container.table()->call_cancelled(self, id);
  TraceReturn(host.plugin(), "call_cancelled", id, RunId(), began, DROVER_OK);
}

}  // namespace

Error LoadedDriver::Unavailable(const std::string& why) const {
  return Error(Code::kUnavailable, "driver " + info_.name + ": " + why, true);
}

Status LoadedDriver::Usable() const {
  if (instance_ == nullptr) return Unavailable("it was never created");
  if (host_->is_shutting_down()) return Unavailable("it is being shut down");
  if (host_->pool().exhausted()) return Unavailable(fingerprint_.description);
  return {};
}

std::shared_ptr<PendingCall> LoadedDriver::NewCall(const char* verb, RunId run,
                                                   CallDecoder decode) const {
  auto call = std::make_shared<PendingCall>(loop(), verb, run, decode);
  if (run == RunId() || !hear_events_) return call;
  call->hear_progress = [this, run](const TaskProgress& progress) {
    DriverEvent event;
    event.run_id = run;
    event.progress = redactor_->Clean(progress);
    hear_events_(event);
  };
  return call;
}

std::int32_t LoadedDriver::RunVerb(PluginHost* host, const DriverContainer& container,
                                   drover_instance* told, const PendingCall& call, const Verb& verb,
                                   drover_error* error) {
  if (!host->calls().Enter(call.id)) {
    // The call was given up before it began, so the driver needs no call_cancelled.
    const Error given_up(Code::kCancelled, "the call was given up");
    host->calls().Fail(call.id, given_up);
    WriteError(given_up, error);
    return DROVER_E_CANCELLED;
  }
  auto frame = NewStruct<drover_call>();
  frame.id = call.id;
  frame.run_id = ToRunId(call.run);
  frame.deadline =
      call.deadline == TimePoint::max() ? INT64_MAX : call.deadline.time_since_epoch().count();
  const TimePoint began = BootClock::now();
  const std::int32_t status = Guarded([&](drover_error* out) { return verb(&frame, out); }, error);
  TraceReturn(host->plugin(), call.verb, call.id, call.run, began, status);
  if (status != DROVER_OK) host->calls().Fail(call.id, ReadError(status, error));
  host->calls().Leave(call.id);
  // Most drivers ignore a call_cancelled for a call that they have not registered yet. So the host
  // repeats call_cancelled after the driver's function has returned.
  if (told != nullptr && host->calls().IsPending(call.id) && host->calls().IsCancelled(call.id))
    TellCancelled(*host, container, told, call.id);
  return status;
}

Co<Result<CallValue>> LoadedDriver::Call(Context context, std::shared_ptr<PendingCall> call,
                                         Duration limit, bool control, Verb verb) {
  if (context.cancelled()) co_return context.status().error();
  const TimePoint own = limit.count() > 0 ? loop()->Now() + limit : TimePoint::max();
  call->deadline = std::min(own, context.deadline().value_or(TimePoint::max()));
  // A shutdown gets no more time, so that a driver cannot hold up the end of the agent.
  if (own != TimePoint::max()) {
    call->latest = IsShutdown(*call) ? own : own + limits().extend;
  }
  host_->calls().Add(call);
  PluginPool::Job job;
  job.what = call->verb;
  job.hold = limit.count() > 0 ? std::min(limit, limits().hold) : limits().hold;
  job.control = control;
  drover_instance* const told = IsShutdown(*call) || call->told_once ? nullptr : instance_;
  job.run = [host = host_, container = container_, told, call, verb = std::move(verb)] {
    drover_error error = NewError();
    (void)RunVerb(host.get(), *container, told, *call, verb, &error);
  };
  if (!host_->pool().Post(std::move(job))) {
    host_->calls().Fail(call->id, Error(Code::kUnavailable, "no thread is left"));
    co_return Unavailable(std::string("no thread is left for ") + call->verb);
  }
  if (own == TimePoint::max()) {
    (void)co_await call->done.Wait(context);
  } else {
    for (Duration left = limit;;) {
      const Patience patience(context, left);
      (void)co_await call->done.Wait(patience.context());
      const TimePoint now = loop()->Now();
      // The driver may have asked for more time.
      if (call->outcome || context.cancelled() || call->extended <= now) break;
      left = call->extended - now;
    }
  }
  call->ended = true;
  if (call->reported) host_->progress().End(call->id);
  if (call->outcome) co_return Redacted(*call->outcome);
  GiveUp(*call);
  if (context.cancelled()) co_return context.status().error();
  const Duration had = std::max(limit, call->extended - call->began);
  if (call->may_be_late) {
    const Patience grace(context, limits().abandoned);
    (void)co_await call->done.Wait(grace.context());
  }
  if (!call->outcome && !context.cancelled()) NoteOverdue(call, had);
  co_return Error(Code::kTimeout, "driver " + info_.name + " did not answer to " + call->verb +
                                      " within " + FormatDuration(had));
}

void PostCancelled(const std::shared_ptr<PluginHost>& host,
                   std::shared_ptr<DriverContainer> container, drover_instance* self,
                   std::uint64_t id) {
  if (host->is_shutting_down() || !host->calls().HasBegun(id)) return;
  const auto tell = [host, container = std::move(container), self, id] {
    TellCancelled(*host, *container, self, id);
  };
  host->pool().Post({"call_cancelled", tell, host->limits().hold, false});
}

Result<CallValue> LoadedDriver::Redacted(Result<CallValue> value) const {
  if (value.ok()) return value;
  const Error& error = value.error();
  return Error(error.code(), redactor_->Clean(error.message()), error.recoverable());
}

void LoadedDriver::GiveUp(const PendingCall& call) {
  if (!host_->calls().Cancel(call.id)) return;
  if (instance_ != nullptr) PostCancelled(host_, container_, instance_, call.id);
}

Co<Result<CallValue>> LoadedDriver::CallInTurn(Context context, std::shared_ptr<PendingCall> call,
                                               Duration limit, Verb verb) {
  DROVER_CO_TRY(Usable());
  std::shared_ptr<Turn>& slot = turns_[call->run];
  if (!slot) slot = std::make_shared<Turn>(loop());
  const std::shared_ptr<Turn> turn = slot;
  ++turn->users;
  while (turn->busy) {
    Status waited = co_await turn->freed.Wait(context);
    if (!waited.ok()) {
      --turn->users;
      LeaveTurn(call->run, nullptr);
      co_return waited.error();
    }
  }
  turn->busy = true;
  turn->freed.Reset();
  Result<CallValue> value =
      co_await Call(std::move(context), call, limit, /*control=*/false, std::move(verb));
  // If the call was given up, the driver is still busy with it. HoldTurn then delays the next call
  // of the run for a limited time.
  const bool given_up = !call->outcome && host_->calls().IsPending(call->id);
  if (!given_up || !gate_.Spawn(HoldTurn(call, turn))) {
    --turn->users;
    LeaveTurn(call->run, turn.get());
  }
  co_return value;
}

Co<void> LoadedDriver::HoldTurn(std::shared_ptr<PendingCall> call, std::shared_ptr<Turn> turn) {
  const Context until = life_.WithTimeout(limits().abandoned);
  (void)co_await call->done.Wait(until);
  --turn->users;
  LeaveTurn(call->run, turn.get());
  // A start or recover that was given up may make a task after its run was destroyed. Such a task
  // has no owner, so the run is destroyed again.
  if (!call->brings_task) co_return;
  (void)co_await call->done.Wait(life_);
  const bool made = call->outcome && call->outcome->ok();
  if (!made || host_->FindRun(call->run) != nullptr) co_return;
  host_->Log(PluginLogLevel::kWarn,
             std::string(call->verb) + " ended after its run was destroyed: it is destroyed again",
             &call->run);
  (void)co_await Destroy(life_, call->run, /*force=*/true);
}

void LoadedDriver::LeaveTurn(const RunId& run, Turn* turn) {
  if (turn != nullptr) {
    turn->busy = false;
    turn->freed.Set();
  }
  const auto found = turns_.find(run);
  if (found != turns_.end() && found->second->users == 0) turns_.erase(found);
}

Co<Status> LoadedDriver::Invoke(Context context, const char* what, RunId run, std::uint64_t id,
                                Duration hold, bool control, Plain function, bool is_call) {
  struct Answer {
    explicit Answer(Loop* loop) : returned(loop) {}
    Event returned;
    Status status;
  };
  auto answer = std::make_shared<Answer>(loop());
  PluginPool::Job job{what, nullptr, hold, control};
  job.run = [host = host_, answer, what, run, id, is_call, function = std::move(function)] {
    drover_error error = NewError();
    const TimePoint began = BootClock::now();
    const std::int32_t status = Guarded(function, &error);
    if (!is_call) TraceReturn(host->plugin(), what, id, run, began, status);
    Status result;
    if (status != DROVER_OK) result = ReadError(status, &error);
    host->port()->Post([answer, result] {
      answer->status = result;
      answer->returned.Set();
    });
  };
  if (!host_->pool().Post(std::move(job))) {
    co_return Unavailable(std::string("no thread is left for ") + what);
  }
  // HOLD limits only how long this coroutine waits. The pool itself detects a function that holds
  // its thread for too long.
  const Patience patience(context, hold);
  (void)co_await answer->returned.Wait(patience.context());
  if (answer->returned.is_set()) co_return answer->status;
  if (context.cancelled()) co_return context.status();
  // The error is recoverable, since the function may still return.
  co_return Error(
      Code::kTimeout,
      "driver " + info_.name + " did not return from " + what + " within " + FormatDuration(hold),
      /*recoverable=*/true);
}

void LoadedDriver::NoteOverdue(const std::shared_ptr<PendingCall>& call, Duration limit) {
  Overdue& entry = overdue_[call->id];
  entry.what = std::string(call->verb) + " has not answered within " + FormatDuration(limit);
  entry.run = call->run;
  entry.late = call->done.OnSet([this, id = call->id] {
    overdue_.erase(id);
    UpdateHealth();
  });
  host_->Log(PluginLogLevel::kError, entry.what, &call->run);
  UpdateHealth();
}

// Removes all entries of a destroyed run, also the overdue calls that made the driver unhealthy.
void LoadedDriver::ForgetRun(const RunId& run) {
  host_->calls().ForgetRun(run);
  host_->runs().erase(run);
  redactor_->Forget(run);
  std::erase_if(overdue_, [&](const auto& entry) { return entry.second.run == run; });
  UpdateHealth();
}

void LoadedDriver::UpdateHealth() {
  Fingerprint now = told_;
  const auto unhealthy = [&](std::string why) {
    if (stuck_) stuck_(why);
    now.health = Health::kUnhealthy;
    now.description = std::move(why);
  };
  if (ending_) {
    now.health = Health::kUndetected;
    now.description = "the driver has been shut down";
  } else if (const int held = host_->pool().held(); held > 0) {
    unhealthy(host_->pool().held_by() + " does not return; " + std::to_string(held) + " of " +
              std::to_string(limits().written_off_threads) + " threads that it may hold are held" +
              (host_->pool().exhausted() ? ", so its calls fail at once" : ""));
  } else if (!overdue_.empty()) {
    unhealthy(overdue_.begin()->second.what);
  }
  if (now.health != Health::kUndetected) {
    now.attributes.insert(capability_attributes_.begin(), capability_attributes_.end());
  }
  if (now == fingerprint_) return;
  if (now.health != fingerprint_.health) {
    host_->Log(now.health == Health::kUnhealthy ? PluginLogLevel::kWarn : PluginLogLevel::kInfo,
               std::string("is now ") +
                   (now.health == Health::kHealthy     ? "healthy"
                    : now.health == Health::kUnhealthy ? "unhealthy"
                                                       : "undetected") +
                   (now.description.empty() ? "" : ": " + now.description));
  }
  fingerprint_ = std::move(now);
  fingerprint_listeners_.Call();
}

}  // namespace drover
