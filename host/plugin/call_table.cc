// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/call_table.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "host/abi/abi_read.h"
#include "host/abi/abi_trace.h"

namespace drover {

std::uint64_t NextPluginId() {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

PendingCall::PendingCall(Loop* loop, const char* name, RunId of, CallDecoder with)
    : id(NextPluginId()), verb(name), run(of), decode(with), began(loop->Now()), done(loop) {}

CallTable::CallTable(std::shared_ptr<LoopPort> port,
                     std::function<void(const std::string&)> complain, std::string plugin)
    : port_(std::move(port)), complain_(std::move(complain)), plugin_(std::move(plugin)) {}

void CallTable::Add(std::shared_ptr<PendingCall> call) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t id = call->id;
  of_runs_.emplace(call->run, id);
  entries_[id].call = std::move(call);
}

CallTable::Entry CallTable::Take(Entries::iterator entry) {
  of_runs_.erase({entry->second.call->run, entry->first});
  return std::move(entries_.extract(entry).mapped());
}

bool CallTable::Enter(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.cancelled) return false;
  found->second.begun = found->second.entered = true;
  return true;
}

bool CallTable::HasBegun(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  return found != entries_.end() && found->second.begun;
}

void CallTable::Leave(std::uint64_t id) {
  std::optional<Entry> over;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    found->second.entered = false;
    if (!found->second.outcome) return;
    over = Take(found);
  }
  Deliver(over->call, *std::move(over->outcome));
}

std::optional<CallTable::Entry> CallTable::Extract(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return std::nullopt;
  return Take(found);
}

void CallTable::Deliver(std::shared_ptr<PendingCall> call, Result<CallValue> outcome) {
  auto shared = std::make_shared<Result<CallValue>>(std::move(outcome));
  port_->Post([call = std::move(call), shared] {
    call->outcome.emplace(std::move(*shared));
    call->done.Set();
  });
}

void CallTable::DeliverWhenLeft(std::uint64_t id, Result<CallValue> outcome) {
  std::shared_ptr<PendingCall> call;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;  // the run was destroyed, which ended the call
    if (found->second.entered) {
      found->second.outcome = std::move(outcome);
      return;
    }
    call = Take(found).call;
  }
  Deliver(std::move(call), std::move(outcome));
}

void CallTable::Complete(std::uint64_t id, const drover_error* error, const void* result) {
  std::shared_ptr<PendingCall> pending;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found != entries_.end() && !found->second.completed) {
      found->second.completed = true;
      pending = found->second.call;
    }
  }
  if (!pending) {
    ++dropped_;
    complain_("it completed call " + std::to_string(id) +
              ", which is not known or was completed before: the completion is dropped");
    return;
  }
  const PendingCall& call = *pending;
  if (error != nullptr) {
    Error failed = ReadError(DROVER_OK, error);
    TraceCompletion(plugin_, call.verb, id, call.run, call.began,
                    static_cast<std::int32_t>(failed.code()));
    DeliverWhenLeft(id, std::move(failed));
    return;
  }
  TraceCompletion(plugin_, call.verb, id, call.run, call.began, DROVER_OK);
  Result<CallValue> value = call.decode(result);
  if (!value.ok()) {
    value = value.error().WithContext(std::string("its answer to ") + call.verb);
    complain_(value.error().message());
  }
  DeliverWhenLeft(id, std::move(value));
}

void CallTable::Fail(std::uint64_t id, Error error) {
  if (std::optional<Entry> entry = Extract(id)) Deliver(entry->call, std::move(error));
}

bool CallTable::Cancel(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.completed) return false;
  found->second.cancelled = true;
  const std::uint64_t one = 1;
  if (found->second.event) (void)!write(found->second.event.get(), &one, sizeof one);
  return true;
}

bool CallTable::IsCancelled(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  return found == entries_.end() || found->second.cancelled;
}

Result<UniqueFd> CallTable::CancelFd(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return Error(Code::kNotFound, "the call is completed or unknown");
  Entry& entry = found->second;
  if (!entry.event) {
    entry.event.Reset(eventfd(entry.cancelled ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!entry.event) return ErrnoError(errno, "eventfd");
  }
  UniqueFd copy(fcntl(entry.event.get(), F_DUPFD_CLOEXEC, 3));
  if (!copy) return ErrnoError(errno, "dup");
  return copy;
}

bool CallTable::IsPending(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  return entries_.count(id) != 0;
}

std::shared_ptr<PendingCall> CallTable::FindOpen(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return nullptr;
  const Entry& entry = found->second;
  return entry.begun && !entry.completed && !entry.cancelled ? entry.call : nullptr;
}

bool CallTable::Extend(std::uint64_t id, Duration more) {
  constexpr Duration kLongest = std::chrono::hours(24 * 365);
  const std::shared_ptr<PendingCall> call = FindOpen(id);
  if (!call) return false;
  const std::int64_t wanted = std::clamp(more, Duration(0), kLongest).count();
  std::int64_t before = call->asked;
  while (before < wanted && !call->asked.compare_exchange_weak(before, wanted)) continue;
  // However often the driver asks, one job at a time is posted for the call.
  if (before != 0 || wanted == 0) return true;
  return port_->Post([call] {
    const TimePoint until = call->done.loop()->Now() + Duration(call->asked.exchange(0));
    call->extended = std::max(call->extended, std::min(until, call->latest));
  });
}

bool CallTable::IsAtIt(std::string_view verb, const RunId& run) const {
  const std::lock_guard lock(mutex_);
  for (auto it = of_runs_.lower_bound({run, 0}); it != of_runs_.end() && it->first == run; ++it) {
    const Entry& entry = entries_.at(it->second);
    if (entry.cancelled && entry.call->verb == verb) return true;
  }
  return false;
}

void CallTable::ForgetRun(const RunId& run) {
  std::vector<std::uint64_t> forgotten;
  {
    const std::lock_guard lock(mutex_);
    for (auto it = of_runs_.lower_bound({run, 0}); it != of_runs_.end() && it->first == run; ++it) {
      const Entry& entry = entries_.at(it->second);
      if (!entry.call->brings_task || !entry.cancelled) forgotten.push_back(it->second);
    }
  }
  for (const std::uint64_t id : forgotten)
    Fail(id, Error(Code::kNotFound, "the task was destroyed"));
}

void CallTable::EndAll(const Error& error) {
  std::map<std::uint64_t, Entry> left;
  {
    const std::lock_guard lock(mutex_);
    left.swap(entries_);
    of_runs_.clear();
  }
  for (auto& [id, entry] : left) {
    Deliver(std::move(entry.call), std::move(entry.outcome).value_or(error));
  }
}

std::size_t CallTable::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace drover
