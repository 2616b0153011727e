// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/consul_sync.h"

#include <algorithm>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

// How many requests run at a time.
constexpr std::size_t kParallel = 8;
// When all is compared once more after Consul has come back: it may carry out a request late that
// has failed here.
constexpr Duration kLateRequests = 2s;

bool IsRefusal(Code code) {
  return code == Code::kInvalidArgument || code == Code::kPermissionDenied;
}
// Whether another request may succeed, since Consul has answered.
bool IsAnswer(Code code) {
  return IsRefusal(code) || code == Code::kNotFound || code == Code::kInternal;
}

}  // namespace

ConsulSync::ConsulSync(Loop* loop, ConsulApi* api, Options options)
    : loop_(loop),
      api_(api),
      options_(std::move(options)),
      context_(loop),
      gate_(loop),
      wake_(loop),
      no_waiters_(loop) {
  no_waiters_.Set();
}

ConsulSync::~ConsulSync() { DROVER_CHECK(waiters_ == 0); }

void ConsulSync::Start() {
  next_compare_ = next_probe_ = loop_->Now();
  gate_.Spawn(Run());
}

Co<void> ConsulSync::Stop() {
  stopped_ = true;
  context_.Cancel("the agent ends");
  Wake();
  TellAllWaiters();
  co_await gate_.Close();
  while (waiters_ > 0) co_await no_waiters_.Wait();
}

void ConsulSync::Restored(std::set<Owner> live) {
  live_ = std::move(live);
  for (const Owner& owner : heard_) live_.erase(owner);
  heard_.clear();
  restored_ = true;
  compare_due_ = true;
  Wake();
}

bool ConsulSync::Hear(const Owner& owner) {
  if (restored_) return live_.erase(owner) > 0;
  return heard_.insert(owner).second;
}

void ConsulSync::ForAlloc(const std::string& alloc_id, const std::function<void(Entry&)>& see) {
  const std::string prefix = ConsulIdPrefixOf(alloc_id);
  for (auto at = entries_.lower_bound(prefix); at != entries_.end(); ++at) {
    if (!at->first.starts_with(prefix)) return;
    see(at->second);
  }
}

void ConsulSync::Change(Entry* entry, std::shared_ptr<const ConsulService> wanted) {
  entry->wanted = std::move(wanted);
  ++entry->version;
  entry->dirty = true;
  entry->refused.clear();
  if (entry->wanted == nullptr) {
    entry->reports.clear();
    return;
  }
  const auto is_there = [entry](const std::string& id) {
    const std::vector<ConsulCheck>& checks = entry->wanted->checks;
    return std::any_of(checks.begin(), checks.end(),
                       [&id](const ConsulCheck& check) { return check.id == id; });
  };
  std::erase_if(entry->reports, [&](const auto& report) { return !is_there(report.first); });
}

void ConsulSync::Set(const std::string& alloc_id, const std::string& owner,
                     std::vector<ConsulService> services) {
  const Owner key(alloc_id, owner);
  // What an earlier agent has registered need not be registered again.
  if (Hear(key)) compare_due_ = true;
  unlisted_.erase(key);
  std::set<std::string> ids;
  for (ConsulService& service : services) {
    DROVER_CHECK(service.id.starts_with(ConsulIdPrefixOf(alloc_id)));
    const auto [at, added] = entries_.try_emplace(service.id);
    Entry& entry = at->second;
    ids.insert(service.id);
    entry.owner = key;
    if (entry.wanted != nullptr && *entry.wanted == service) continue;
    Change(&entry, std::make_shared<const ConsulService>(std::move(service)));
  }
  const std::string prefix = ConsulIdPrefixOf(alloc_id);
  for (auto at = entries_.lower_bound(prefix); at != entries_.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    Entry& entry = at->second;
    const bool goes = entry.owner == key && ids.count(at->first) == 0;
    if (goes && entry.wanted != nullptr) Change(&entry, nullptr);
  }
  Wake();
  TellWaiters(key);
}

Co<Status> ConsulSync::Clear(Context context, std::string alloc_id, std::string owner) {
  const Owner key(alloc_id, owner);
  ForAlloc(alloc_id, [&](Entry& entry) {
    if (entry.owner == key && entry.wanted != nullptr) Change(&entry, nullptr);
  });
  if (Hear(key)) {
    unlisted_.insert(key);
    compare_due_ = true;
  }
  if (IsGone(key)) co_return Status();
  Wake();
  ++waiters_;
  no_waiters_.Reset();
  std::shared_ptr<Event>& shared = waiting_[key];
  if (shared == nullptr) shared = std::make_shared<Event>(loop_);
  const std::shared_ptr<Event> changed = shared;
  const Context limited = context.WithTimeout(options_.most_clear);
  Status status;
  while (!IsGone(key)) {
    const Entry* const refused = Refused(key);
    if (stopped_) {
      status = Error(Code::kUnavailable, "the agent ends, and services stay in Consul");
    } else if (refused != nullptr) {
      status = Error(Code::kFailedPrecondition, refused->refused);
    } else if (AwayForLong()) {
      status = Error(Code::kUnavailable, "services are removed when Consul is back: " + last_error_,
                     true);
    } else {
      status = co_await changed->Wait(limited);
      if (status.code() == Code::kTimeout && !context.cancelled()) {
        status = Error(Code::kTimeout,
                       "Consul has not removed the services in time; it is tried again", true);
      }
    }
    if (!status.ok()) break;
  }
  if (changed.use_count() == 2) waiting_.erase(key);  // nobody else waits for this owner
  if (--waiters_ == 0) no_waiters_.Set();
  co_return status;
}

void ConsulSync::Report(const std::string& service_id, const std::string& check_name,
                        ConsulStatus status, const std::string& output, int namesake) {
  const auto found = entries_.find(service_id);
  if (found == entries_.end() || found->second.wanted == nullptr) return;
  int before = 0;
  for (const ConsulCheck& check : found->second.wanted->checks) {
    if (check.name != check_name || before++ < namesake) continue;
    if (!check.script) return;
    found->second.reports[check.id] = {status, output, true};
    return Wake();
  }
}

std::vector<std::shared_ptr<const ConsulService>> ConsulSync::ServicesOf(
    const std::string& alloc_id) const {
  std::vector<std::shared_ptr<const ConsulService>> services;
  const std::string prefix = ConsulIdPrefixOf(alloc_id);
  for (auto at = entries_.lower_bound(prefix); at != entries_.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    if (at->second.wanted != nullptr) services.push_back(at->second.wanted);
  }
  return services;
}

bool ConsulSync::IsGone(const Owner& owner) const {
  if (unlisted_.count(owner) > 0) return false;
  const std::string prefix = ConsulIdPrefixOf(owner.first);
  for (auto at = entries_.lower_bound(prefix); at != entries_.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    if (at->second.owner == owner && at->second.wanted == nullptr) return false;
  }
  return true;
}

const ConsulSync::Entry* ConsulSync::Refused(const Owner& owner) const {
  const std::string prefix = ConsulIdPrefixOf(owner.first);
  for (auto at = entries_.lower_bound(prefix); at != entries_.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    const Entry& entry = at->second;
    const bool waits = entry.owner == owner && entry.wanted == nullptr;
    if (waits && !entry.dirty && !entry.refused.empty()) return &entry;
  }
  return nullptr;
}

bool ConsulSync::HasChanges() const {
  return std::any_of(entries_.begin(), entries_.end(), [](const auto& at) {
    const Entry& entry = at.second;
    return entry.dirty || std::any_of(entry.reports.begin(), entry.reports.end(),
                                      [](const auto& report) { return report.second.unsent; });
  });
}

bool ConsulSync::AwayForLong() const {
  return failing_since_ && loop_->Now() - *failing_since_ > options_.last_retry;
}

void ConsulSync::Log(const std::string& sentence) const {
  if (options_.log) options_.log("cluster " + options_.cluster + " of Consul: " + sentence);
}

void ConsulSync::SetFailing(bool failing, const std::string& why) {
  if (context_.cancelled()) return;
  if (failing) {
    ++counters_.failures;
    last_error_ = why;
    if (!failing_since_) {
      failing_since_ = loop_->Now();
      Log(why + "; it is tried again until it works");
    }
  } else if (failing_since_) {
    failing_since_.reset();
    Log("it can be used again");
  }
}

void ConsulSync::TellWaiters(const Owner& owner) {
  const auto found = waiting_.find(owner);
  if (found == waiting_.end()) return;
  found->second->Set();
  found->second->Reset();
}

void ConsulSync::TellAllWaiters() {
  for (const auto& [owner, event] : waiting_) {
    event->Set();
    event->Reset();
  }
}

Co<void> ConsulSync::Run() {
  Duration retry = options_.first_retry;
  while (!context_.cancelled()) {
    const TimePoint begin = loop_->Now();
    const bool usable = co_await Pass();
    TellAllWaiters();
    if (context_.cancelled()) break;
    if (usable) {
      if (failing()) next_compare_ = loop_->Now() + kLateRequests;
      SetFailing(false, "");
      retry = options_.first_retry;
      co_await WaitForWork();
      continue;
    }
    // Consul may have lost anything in the meantime.
    compare_due_ = true;
    // A request that has hung until its timeout is a pause by itself.
    const Duration rest = retry - (loop_->Now() - begin);
    if (rest > Duration(0)) {
      [[maybe_unused]] const Status slept = co_await Sleep(context_, rest);
    }
    retry = std::min(2 * retry, options_.last_retry);
  }
}

Co<void> ConsulSync::WaitForWork() {
  if (compare_due_ || HasChanges()) co_return;
  TimePoint until = next_compare_;
  if (!entries_.empty()) until = std::min(until, next_probe_);
  const Context nap = context_.WithDeadline(until);
  [[maybe_unused]] const Status woken = co_await wake_.Wait(nap);
}

Co<bool> ConsulSync::Pass() {
  wake_.Reset();
  const TimePoint now = loop_->Now();
  if (compare_due_ || now >= next_compare_) co_return co_await CompareAll();
  if (HasChanges()) co_return co_await SendChanges();
  if (now >= next_probe_) co_return co_await Probe();
  co_return true;
}

Co<bool> ConsulSync::Probe() {
  next_probe_ = loop_->Now() + options_.probe;
  auto at = entries_.upper_bound(probed_);
  if (at == entries_.end()) at = entries_.begin();
  if (at == entries_.end()) co_return true;
  probed_ = at->first;
  // One that Consul refuses is not there.
  if (at->second.wanted == nullptr || at->second.dirty || !at->second.refused.empty()) {
    co_return true;
  }
  const Result<bool> there = co_await api_->HasService(context_, probed_);
  if (there.ok() && !*there) compare_due_ = true;
  if (there.ok() || IsRefusal(there.code())) co_return true;
  SetFailing(true, there.error().message());
  co_return false;
}

Co<bool> ConsulSync::CompareAll() {
  compare_due_ = false;
  const std::set<Owner> unlisted = unlisted_;
  const Result<ConsulServices> services = co_await api_->ListServices(context_);
  Status status = services.ok() ? Status() : Status(services.error());
  ConsulCheckStateMap states;
  if (status.ok()) {
    Result<ConsulCheckStateMap> checks = co_await api_->ListChecks(context_);
    if (checks.ok()) {
      states = *std::move(checks);
    } else {
      status = checks.error();
    }
  }
  if (!status.ok()) {
    SetFailing(true, status.error().message());
    co_return false;
  }
  ++counters_.comparisons;
  next_compare_ = loop_->Now() + options_.interval;
  next_probe_ = loop_->Now() + options_.probe;
  Compare(*services, states);
  for (const Owner& owner : unlisted) unlisted_.erase(owner);
  co_return co_await SendChanges();
}

bool ConsulSync::MustGo(const Owner& owner) const {
  return unlisted_.count(owner) > 0 || (restored_ && live_.count(owner) == 0);
}

void ConsulSync::Compare(const ConsulServices& services, const ConsulCheckStateMap& checks) {
  std::map<std::string, std::set<std::string>> checks_of;
  for (const auto& [id, state] : checks) checks_of[state.service_id].insert(id);
  for (auto at = entries_.begin(); at != entries_.end();) {
    Entry& entry = at->second;
    const auto found = services.find(at->first);
    const bool there = found != services.end();
    if (entry.wanted == nullptr && !there) {
      at = entries_.erase(at);
      continue;
    }
    entry.dirty = entry.wanted == nullptr || !there ||
                  !SameConsulService(*entry.wanted, found->second) ||
                  !SameConsulChecks(*entry.wanted, checks_of[at->first]);
    if (!entry.dirty) entry.refused.clear();
    ++at;
  }
  for (const auto& [id, service] : services) {
    if (entries_.count(id) > 0) continue;
    const auto node = service.meta.find(kConsulMetaNode);
    const auto task = service.meta.find(kConsulMetaOwner);
    const std::string alloc_id = AllocOfConsulId(id);
    const bool ours = node != service.meta.end() && node->second == options_.node_id &&
                      task != service.meta.end() && !alloc_id.empty();
    if (!ours || !MustGo({alloc_id, task->second})) continue;
    Entry& entry = entries_[id];
    entry.owner = {alloc_id, task->second};
  }
}

Co<bool> ConsulSync::SendChanges() {
  Round round;
  for (const auto& [id, entry] : entries_) {
    const bool unsent = std::any_of(entry.reports.begin(), entry.reports.end(),
                                    [](const auto& report) { return report.second.unsent; });
    if (entry.dirty || unsent) round.ids.push_back(id);
  }
  std::vector<Co<void>> workers;
  for (std::size_t i = 0; i < std::min(kParallel, round.ids.size()); ++i) {
    workers.push_back(Work(&round));
  }
  co_await InParallel(loop_, std::move(workers));
  co_return !round.trouble && !round.away;
}

Co<void> ConsulSync::Work(Round* round) {
  while (!round->away && round->next < round->ids.size() && !context_.cancelled()) {
    const std::string id = round->ids[round->next++];
    co_await SendEntry(id, round);
  }
}

Co<void> ConsulSync::SendEntry(std::string id, Round* round) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) co_return;
  const std::uint64_t version = found->second.version;
  const std::shared_ptr<const ConsulService> wanted = found->second.wanted;
  if (found->second.dirty) {
    Status status;
    if (wanted != nullptr) {
      status = co_await api_->Register(context_, wanted);
    } else {
      status = co_await api_->Deregister(context_, id);
    }
    if (!Done(id, version, wanted != nullptr, status, round)) co_return;
  }
  if (wanted != nullptr) co_await SendReports(id, round);
}

bool ConsulSync::Done(const std::string& id, std::uint64_t version, bool wanted,
                      const Status& status, Round* round) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return false;
  Entry& entry = found->second;
  const bool same = entry.version == version;  // nobody has changed it during the request
  if (status.ok() || (!wanted && status.code() == Code::kNotFound)) {
    ++(wanted ? counters_.registered : counters_.deregistered);
    const Owner owner = entry.owner;
    if (same && wanted) {
      entry.dirty = false;
      entry.refused.clear();
      // A check that was registered anew has forgotten its results.
      for (auto& [check_id, report] : entry.reports) report.unsent = true;
    } else if (same) {
      entries_.erase(found);
    }
    TellWaiters(owner);
    return wanted && same;
  }
  if (context_.cancelled()) {
    round->away = true;
    return false;
  }
  const std::string& why = status.error().message();
  if (IsRefusal(status.code())) {
    ++counters_.failures;
    // The next comparison finds it again.
    if (same) {
      entry.dirty = false;
      if (entry.refused != why) Log("service " + Quoted(id) + ": " + why);
      entry.refused = why;
    }
    TellWaiters(entry.owner);
    return false;
  }
  SetFailing(true, why);
  round->trouble = true;
  round->away = round->away || !IsAnswer(status.code());
  return false;
}

Co<void> ConsulSync::SendReports(std::string id, Round* round) {
  while (!round->away && !context_.cancelled()) {
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.dirty) co_return;
    auto& reports = found->second.reports;
    const auto report = std::find_if(reports.begin(), reports.end(),
                                     [](const auto& at) { return at.second.unsent; });
    if (report == reports.end()) co_return;
    const std::string check_id = report->first;
    const CheckReport sent = report->second;
    report->second.unsent = false;
    const Status status = co_await api_->UpdateCheck(context_, check_id, sent.status, sent.output);
    if (status.ok()) continue;
    // A refused result is sent again with the next one of the check.
    if (context_.cancelled() || IsRefusal(status.code())) co_return;
    // A check that is not there is registered again by the next comparison.
    const auto again = entries_.find(id);
    if (again != entries_.end() && again->second.reports.count(check_id) > 0) {
      again->second.reports[check_id].unsent = true;
    }
    SetFailing(true, status.error().message());
    round->trouble = true;
    round->away = round->away || !IsAnswer(status.code());
    co_return;
  }
}

}  // namespace drover
