// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/scheduler/event_log.h"
#include "host/scheduler/tables.h"

namespace drover {

// The tables, for one writer (the scheduler, on the control thread) and many readers (the API's
// threads). Records are shared, so a reader copies pointers and encodes them without a lock.
class StateStore {
 public:
  StateStore() = default;
  StateStore(const StateStore&) = delete;
  StateStore& operator=(const StateStore&) = delete;
  ~StateStore();

  // Hears of each write, in their order, inside it: what it has changed, and the tables. Before the
  // first write.
  using Journal = std::function<void(const std::vector<StateEvent>& changes, const Tables& tables)>;
  void SetJournal(Journal journal) { journal_ = std::move(journal); }
  // Begins with TABLES instead of empty ones; before anybody else knows this object.
  void Begin(Tables tables) { tables_ = std::move(tables); }

  // Calls LOOK with the tables, which do not change meanwhile. Copy what you need: a writer waits.
  // [any thread]
  void Read(const std::function<void(const Tables&)>& look) const;

  // One numbered write: CHANGE gets the tables and the new index, and returns the tables that it
  // has written to; those who wait for one of them are told. What it has put is in events() then,
  // with CAUSE. [control]
  std::uint64_t Write(std::string_view cause,
                      const std::function<TableMask(Tables*, std::uint64_t index)>& change);

  // Returns when a table of MASK has an index above NEWER_THAN, or with the error of the context.
  // On the thread of the context's loop. [any thread]
  Co<Status> WaitNewer(Context context, TableMask mask, std::uint64_t newer_than);

  // What the newest writes have changed. [any thread]
  const EventLog& events() const { return events_; }
  // Returns when there are events of an index above NEWER_THAN; otherwise as WaitNewer.
  Co<Status> WaitEvents(Context context, std::uint64_t newer_than);

  // How many wait; a metric. [any thread]
  std::size_t waiting() const;

 private:
  struct Waiter {
    Waiter(Loop* on, TableMask of, std::uint64_t newer)
        : loop(on), mask(of), newer_than(newer), changed(on) {}
    Loop* const loop;
    const TableMask mask;
    const std::uint64_t newer_than;
    Event changed;
  };
  using Waiters = std::list<std::shared_ptr<Waiter>>;

  // Waits for a write to MASK, unless THERE already says that it is there.
  Co<Status> Wait(Context context, TableMask mask, std::uint64_t newer_than,
                  std::function<bool()> there);

  Journal journal_;
  mutable std::shared_mutex tables_mutex_;
  Tables tables_;
  EventLog events_;
  mutable std::mutex waiters_mutex_;
  Waiters waiters_;
};

}  // namespace drover
