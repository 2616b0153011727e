// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "drover/drover.h"
#include "host/abi/plugin_info.h"
#include "host/base/event.h"
#include "host/base/ids.h"
#include "host/base/live_count.h"
#include "host/base/loop_port.h"
#include "host/base/unique_fd.h"
#include "host/device/device_reservation.h"
#include "host/driver/driver.h"
#include "host/driver/plugin_hooks.h"
#include "host/driver/prepared_item.h"

namespace drover {

// The result of a driver's create function.
struct CreatedInstance {
  drover_instance* instance = nullptr;
  std::optional<PluginInfo> info{};  // empty: the library's information applies
};
// The result of an asynchronous verb, copied out of the driver's memory.
using CallValue = std::variant<std::monostate, StartedTask, RecoveredTask, ExitResult, TaskStatus,
                               CreatedInstance, DeviceReservation, PluginHookAnswer, std::string,
                               std::uint64_t, std::vector<PreparedItem>>;
using CallDecoder = Result<CallValue> (*)(const void* result);

// One call of an asynchronous verb. Any thread may read the constant members; only the control
// thread may use the other members.
struct PendingCall : LiveCount<PendingCall> {
  PendingCall(Loop* loop, const char* name, RunId of, CallDecoder with);

  const std::uint64_t id;
  const char* const verb;
  const RunId run;  // zero if the call belongs to no run
  const CallDecoder decode;
  const TimePoint began;
  TimePoint deadline = TimePoint::max();
  // True for start and recover, which may make a task. Set before the call is added to the table.
  bool brings_task = false;
  // If true, the driver gets call_cancelled at most once for this call. Set before the call is
  // added to the table.
  bool told_once = false;
  // If true, a call that is past its deadline is first given up. Only if it has not ended soon
  // after that, the driver is unhealthy. Set before the call is added to the table.
  bool may_be_late = false;
  // Gets the progress that the driver reports for this call. Set before the call is added to the
  // table. If it is empty, reports are dropped.
  HearProgress hear_progress{};
  std::atomic<bool> reported{false};  // the driver has reported progress [any thread]

  // How long the call may last, since the driver asked for more time; before BEGAN if it has not
  // asked. At most LATEST.
  TimePoint extended{};
  TimePoint latest{};
  bool ended = false;  // nobody waits for the call any more
  // The time that the driver has asked for since the control thread looked last. [any thread]
  std::atomic<std::int64_t> asked{0};

  Event done;
  std::optional<Result<CallValue>> outcome;
};

// Returns an id for a call, a stream or a session. No id is used twice in this process.
// [any thread]
std::uint64_t NextPluginId();

// The calls that a driver has not completed yet, by id.
class CallTable {
 public:
  // Calls COMPLAIN, on any thread, with a message for each completion that belongs to no call or
  // has a malformed result.
  CallTable(std::shared_ptr<LoopPort> port, std::function<void(const std::string&)> complain,
            std::string plugin);

  void Add(std::shared_ptr<PendingCall> call);  // control thread only
  // The caller calls the driver's function between Enter and Leave. If the driver completes the
  // call before the function returns, Leave delivers the completion. So the next call of the run
  // starts only after the function has returned. Enter returns false if the call was given up or
  // has ended. The caller must then not call the function. [any thread]
  bool Enter(std::uint64_t id);
  void Leave(std::uint64_t id);
  // Handles the driver's call of host->complete. The table accepts only the first completion of an
  // id. It drops and logs all later completions of this id. [any thread]
  void Complete(std::uint64_t id, const drover_error* error, const void* result);
  // Ends the call with ERROR. This is for a call that the driver will not complete, such as a
  // refused call. [any thread]
  void Fail(std::uint64_t id, Error error);

  // Marks the call as given up by the host. Returns false if the call is no longer pending.
  // [any thread]
  bool Cancel(std::uint64_t id);
  bool IsCancelled(std::uint64_t id) const;
  Result<UniqueFd> CancelFd(std::uint64_t id);

  // Returns true if the call is pending and Enter has succeeded for it, so that the driver may know
  // the call. A call that is cancelled before Enter never begins, because Enter fails.
  bool HasBegun(std::uint64_t id) const;
  bool IsPending(std::uint64_t id) const;
  // Returns the call if the driver knows it and may still work for it: it has begun, and was
  // neither completed nor given up. Otherwise returns null. [any thread]
  std::shared_ptr<PendingCall> FindOpen(std::uint64_t id) const;
  // Lets the call last at least MORE from now on, but not beyond PendingCall::latest. Returns false
  // if the call is not open. [any thread]
  bool Extend(std::uint64_t id, Duration more);
  // Returns true if the host gave up a call of VERB for RUN and the driver has not completed that
  // call yet.
  bool IsAtIt(std::string_view verb, const RunId& run) const;

  // Ends the calls of a destroyed run with kNotFound, because their completions would come too
  // late. But a start or recover that was given up stays in the table: it may still make a task,
  // which must then be destroyed.
  void ForgetRun(const RunId& run);
  // Ends all pending calls with ERROR. Exception: if the driver has completed a call whose function
  // has not returned yet, the call ends with the driver's result.
  void EndAll(const Error& error);
  std::size_t size() const;
  // The number of completions that were dropped since the table was made.
  long dropped() const { return dropped_; }

 private:
  struct Entry {
    std::shared_ptr<PendingCall> call;
    bool cancelled = false;
    UniqueFd event;
    bool begun = false;
    bool entered = false;    // true between Enter and Leave
    bool completed = false;  // the driver has completed the call
    std::optional<Result<CallValue>> outcome;
  };
  using Entries = std::map<std::uint64_t, Entry>;
  Entry Take(Entries::iterator entry);  // the caller must hold the lock
  std::optional<Entry> Extract(std::uint64_t id);
  void Deliver(std::shared_ptr<PendingCall> call, Result<CallValue> outcome);
  void DeliverWhenLeft(std::uint64_t id, Result<CallValue> outcome);

  const std::shared_ptr<LoopPort> port_;
  const std::function<void(const std::string&)> complain_;
  const std::string plugin_;
  mutable std::mutex mutex_;
  Entries entries_;
  std::set<std::pair<RunId, std::uint64_t>> of_runs_;  // the ids in entries_, by run
  std::atomic<long> dropped_{0};
};

}  // namespace drover
