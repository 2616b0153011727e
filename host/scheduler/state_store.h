// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <vector>

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

  // Hears of each write, in their order: what it has changed, and the tables. [control] Set before
  // the first write.
  using Journal = std::function<void(const std::vector<StateEvent>& changes, const Tables& tables)>;
  void SetJournal(Journal journal) { journal_ = std::move(journal); }
  // While this lives, the journal hears of no write; then of all of them as of one. So what they
  // have changed is kept together.
  class Together {
   public:
    explicit Together(StateStore* store) : store_(store) { ++store_->together_; }
    ~Together() { store_->EndTogether(); }
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;

   private:
    StateStore* const store_;
  };
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
        : mask(of), newer_than(newer), changed(on) {}
    const TableMask mask;
    const std::uint64_t newer_than;
    Event changed;
  };
  using Waiters = std::list<std::shared_ptr<Waiter>>;
  // Those who wait on one loop. A write costs one task of their loop, however many they are, and
  // none while the one of an earlier write has not run.
  struct LoopWaiters {
    Waiters waiters;
    std::array<std::size_t, kTables> of_table{};      // how many wait for it
    std::array<std::uint64_t, kTables> written_at{};  // what the task has to tell
    bool told = false;                                // the task is on its way
  };

  // Waits for a write to MASK, unless THERE already says that it is there.
  Co<Status> Wait(Context context, TableMask mask, std::uint64_t newer_than,
                  std::function<bool()> there);
  std::shared_ptr<Waiter> AddWaiter(Loop* loop, TableMask mask, std::uint64_t newer_than,
                                    Waiters::iterator* place);
  void RemoveWaiter(Loop* loop, Waiters::iterator place);
  // Has each loop wake those of its own who wait for one of the tables of WRITTEN.
  void WakeLoops(TableMask written, std::uint64_t index);
  static void Wake(std::mutex* mutex, LoopWaiters* of);

  void EndTogether();

  Journal journal_;
  int together_ = 0;
  std::vector<StateEvent> unheard_;  // what the journal has still to hear of
  mutable std::shared_mutex tables_mutex_;
  Tables tables_;
  EventLog events_;
  // Shared with the tasks on their way to loops, which may outlive the store by a turn.
  const std::shared_ptr<std::mutex> waiters_mutex_ = std::make_shared<std::mutex>();
  std::map<Loop*, std::shared_ptr<LoopWaiters>> waiters_;
};

}  // namespace drover
