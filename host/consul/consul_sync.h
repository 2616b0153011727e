// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/base/result.h"
#include "host/base/time.h"
#include "host/consul/consul_api.h"
#include "host/consul/consul_service.h"

namespace drover {

// Keeps the services of this node in one cluster of Consul as they should be. Changes are sent at
// once, several together. Each interval, all of them are compared with what Consul has, so whatever
// others change or Consul forgets is put right. While Consul is away, it is tried again at short
// times, and when it is back all is compared, twice.
//
// A service belongs to this agent if its id begins with kConsulIdPrefix and its metadata has the id
// of this node. No other service is ever removed. Control thread only.
class ConsulSync {
 public:
  struct Options {
    std::string cluster = "default";  // for messages
    std::string node_id;
    Duration interval = 30s;       // from one comparison of all to the next
    Duration probe = 2s;           // how often an idle Consul is asked for one service
    Duration first_retry = 250ms;  // from one failing try to the next; doubles until last_retry
    Duration last_retry = 2s;
    Duration most_clear = 5s;  // how long Clear waits at most
    // Gets a sentence for the log when Consul goes, comes back, or refuses a service. May be null.
    std::function<void(const std::string& sentence)> log;
  };
  struct Counters {
    std::uint64_t registered = 0;    // requests that registered a service
    std::uint64_t deregistered = 0;  // requests that removed one
    std::uint64_t comparisons = 0;   // of all services
    std::uint64_t failures = 0;      // requests that failed
  };

  // An allocation, and one of its tasks or "" for its group.
  using Owner = std::pair<std::string, std::string>;

  // API must outlive this object.
  ConsulSync(Loop* loop, ConsulApi* api, Options options);
  ConsulSync(const ConsulSync&) = delete;
  ConsulSync& operator=(const ConsulSync&) = delete;
  // Start and Stop may be called once each. If Start was called, Stop must end before this object.
  ~ConsulSync();

  void Start();
  // Ends all work, and all waiting. What is registered stays, because tasks go on.
  Co<void> Stop();

  // Says that this agent knows all allocations of an earlier agent, and that the owners in LIVE go
  // on. Until then, services that nobody has set stay. Afterwards those of other owners are removed
  // at once. Those of an owner in LIVE stay until it sets or clears its services, however long its
  // driver takes to find its task again. Call it once.
  void Restored(std::set<Owner> live);

  // Replaces the services of an owner: a task of an allocation, or its group (""). Ids begin with
  // ConsulIdPrefixOf(ALLOC_ID).
  void Set(const std::string& alloc_id, const std::string& owner,
           std::vector<ConsulService> services);
  // Removes them. Returns when Consul does not have them any more, or with an error when CONTEXT or
  // the longest wait has ended, when Consul refuses, or at once if Consul has been away for a
  // while. They are removed then all the same.
  Co<Status> Clear(Context context, std::string alloc_id, std::string owner);

  // Tells Consul the result of a script. Only the newest result of a check is sent. Ignores a check
  // that is not there. NAMESAKE: how many checks before it in the service have the same name.
  void Report(const std::string& service_id, const std::string& check_name, ConsulStatus status,
              const std::string& output, int namesake = 0);

  // Returns the services that an allocation should have.
  std::vector<std::shared_ptr<const ConsulService>> ServicesOf(const std::string& alloc_id) const;

  bool failing() const { return failing_since_.has_value(); }
  const Counters& counters() const { return counters_; }

 private:
  struct CheckReport {
    ConsulStatus status = ConsulStatus::kCritical;
    std::string output;
    bool unsent = true;
  };
  struct Entry {
    Owner owner;
    std::shared_ptr<const ConsulService> wanted;  // null: it must go
    std::uint64_t version = 0;                    // changes with WANTED
    bool dirty = true;                            // a request is needed
    std::string refused;                          // why Consul refuses it; empty if it does not
    std::map<std::string, CheckReport> reports;   // by the id of the check
  };
  using Entries = std::map<std::string, Entry>;  // by the id of the service
  // Several requests at a time.
  struct Round {
    std::vector<std::string> ids;
    std::size_t next = 0;
    bool trouble = false;  // a request failed and must be made again
    bool away = false;     // no request can be made
  };

  Co<void> Run();
  Co<void> WaitForWork();
  // Each returns whether Consul can be used.
  Co<bool> Pass();
  Co<bool> CompareAll();
  Co<bool> Probe();
  Co<bool> SendChanges();

  Co<void> Work(Round* round);
  Co<void> SendEntry(std::string id, Round* round);
  Co<void> SendReports(std::string id, Round* round);
  // Returns whether the entry ID may go on after the request for WANTED.
  bool Done(const std::string& id, std::uint64_t version, bool wanted, const Status& status,
            Round* round);
  void Compare(const ConsulServices& services, const ConsulCheckStateMap& checks);
  // Notes that OWNER has set or cleared its services. Returns whether Consul may have services of
  // an earlier agent that this object does not know yet.
  bool Hear(const Owner& owner);
  bool MustGo(const Owner& owner) const;
  bool IsGone(const Owner& owner) const;
  const Entry* Refused(const Owner& owner) const;
  bool HasChanges() const;
  bool AwayForLong() const;
  void Change(Entry* entry, std::shared_ptr<const ConsulService> wanted);
  void SetFailing(bool failing, const std::string& why);
  void Log(const std::string& sentence) const;
  void Wake() { wake_.Set(); }
  void TellWaiters(const Owner& owner);
  void TellAllWaiters();
  // Calls SEE with each entry of an allocation.
  void ForAlloc(const std::string& alloc_id, const std::function<void(Entry&)>& see);

  Loop* const loop_;
  ConsulApi* const api_;
  const Options options_;
  Context context_;
  Gate gate_;
  Event wake_;
  // Of the owners for whose end Clear waits: set and reset when an entry of the owner has changed.
  std::map<Owner, std::shared_ptr<Event>> waiting_;
  int waiters_ = 0;  // calls of Clear that wait
  Event no_waiters_;
  bool stopped_ = false;

  Entries entries_;
  bool restored_ = false;     // set by Restored
  std::set<Owner> heard_;     // until then: the owners that have set or cleared their services
  std::set<Owner> live_;      // those of an earlier agent that go on and have done neither yet
  std::set<Owner> unlisted_;  // cleared, but their services are not known yet

  bool compare_due_ = true;
  TimePoint next_compare_;
  TimePoint next_probe_;
  std::string probed_;  // the service of the last probe
  std::optional<TimePoint> failing_since_;
  std::string last_error_;
  Counters counters_;
};

}  // namespace drover
