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

#include "drover/drover.h"
#include "host/abi/plugin_info.h"
#include "host/base/event.h"
#include "host/base/ids.h"
#include "host/base/live_count.h"
#include "host/base/loop_port.h"
#include "host/base/unique_fd.h"
#include "host/driver/driver.h"

namespace drover {

// The result of create.
struct CreatedInstance {
  drover_instance* instance = nullptr;
  std::optional<PluginInfo> info{};  // absent: the library's
};
// The result of an asynchronous verb, copied out of the driver's memory.
using CallValue = std::variant<std::monostate, StartedTask, RecoveredTask, ExitResult, TaskStatus,
                               CreatedInstance>;
using CallDecoder = Result<CallValue> (*)(const void* result);

// One call of an asynchronous verb. The constant part is for any thread, the rest for the control
// thread.
struct PendingCall : LiveCount<PendingCall> {
  PendingCall(Loop* loop, const char* name, RunId of, CallDecoder with);

  const std::uint64_t id;
  const char* const verb;
  const RunId run;  // zero: of none
  const CallDecoder decode;
  const TimePoint began;
  TimePoint deadline = TimePoint::max();
  bool brings_task = false;  // start and recover; set before it is added
  bool told_once = false;    // the driver does not hear again of its cancellation; set before, too

  Event done;
  std::optional<Result<CallValue>> outcome;
};

// An id for a call, a stream or a session: never used twice in this process. [any thread]
std::uint64_t NextPluginId();

// The calls that a driver has still to complete, by id.
class CallTable {
 public:
  // COMPLAIN hears of completions that belong to no call. [any thread]
  CallTable(std::shared_ptr<LoopPort> port, std::function<void(const std::string&)> complain,
            std::string plugin);

  void Add(std::shared_ptr<PendingCall> call);  // control thread
  // Around the verb's function: a completion from within, or from another thread meanwhile, counts
  // when the function has returned, so that the next one of the run never meets it. [any thread]
  // False: the call was given up or ended before it was begun, and the verb is not to be called.
  bool Enter(std::uint64_t id);
  void Leave(std::uint64_t id);
  // The driver's host->complete. The first for an id counts, others are dropped and logged.
  // [any thread]
  void Complete(std::uint64_t id, const drover_error* error, const void* result);
  // The call ends without the driver's completion: it was refused. [any thread]
  void Fail(std::uint64_t id, Error error);

  // The host has given the call up; false when it is not pending any more. [any thread]
  bool Cancel(std::uint64_t id);
  bool IsCancelled(std::uint64_t id) const;
  Result<UniqueFd> CancelFd(std::uint64_t id);

  // Whether the driver may know of it: it was entered once. Of one that was cancelled before, this
  // stays false.
  bool HasBegun(std::uint64_t id) const;
  bool IsPending(std::uint64_t id) const;
  // Whether the driver has not ended a VERB of RUN that was given up.
  bool IsAtIt(std::string_view verb, const RunId& run) const;

  // Ends the calls of a run that was destroyed, with kNotFound: completions would come too late.
  // Not those that may still bring a task and were given up: somebody has to see to that.
  void ForgetRun(const RunId& run);
  // Ends all that are left, with ERROR, or with the completion of those that are still entered.
  void EndAll(const Error& error);
  std::size_t size() const;
  // Completions that were dropped, in all.
  long dropped() const { return dropped_; }

 private:
  struct Entry {
    std::shared_ptr<PendingCall> call;
    bool cancelled = false;
    UniqueFd event;
    bool begun = false;
    bool entered = false;    // the verb's function has not returned
    bool completed = false;  // by the driver
    std::optional<Result<CallValue>> outcome;
  };
  using Entries = std::map<std::uint64_t, Entry>;
  Entry Take(Entries::iterator entry);  // under the lock
  std::optional<Entry> Extract(std::uint64_t id);
  void Deliver(std::shared_ptr<PendingCall> call, Result<CallValue> outcome);
  void DeliverWhenLeft(std::uint64_t id, Result<CallValue> outcome);

  const std::shared_ptr<LoopPort> port_;
  const std::function<void(const std::string&)> complain_;
  const std::string plugin_;
  mutable std::mutex mutex_;
  Entries entries_;
  std::set<std::pair<RunId, std::uint64_t>> of_runs_;  // the same calls, by run
  std::atomic<long> dropped_{0};
};

}  // namespace drover
