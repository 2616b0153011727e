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
#include "host/state/event_log.h"
#include "host/state/tables.h"

namespace drover {

// Holds the tables for one writer (the scheduler, on the control thread) and many readers (the
// API's threads). Records are shared. So a reader copies pointers to records under the lock, and
// encodes the records without the lock.
class StateStore {
 public:
  StateStore() = default;
  StateStore(const StateStore&) = delete;
  StateStore& operator=(const StateStore&) = delete;
  ~StateStore();

  // A function that is called after each write, in the order of the writes, with the changes and
  // the tables. Set the function before the first write. [control]
  using Journal = std::function<void(const std::vector<StateEvent>& changes, const Tables& tables)>;
  void SetJournal(Journal journal) { journal_ = std::move(journal); }
  // While an object of this class lives, the journal is not called. When the object is destroyed,
  // the journal receives the changes of all writes since its construction in one call. So these
  // changes are stored together.
  class Together {
   public:
    explicit Together(StateStore* store) : store_(store) { ++store_->together_; }
    ~Together() { store_->EndTogether(); }
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;

   private:
    StateStore* const store_;
  };
  // Replaces the empty tables by TABLES. Call it before any other code uses this object.
  void Begin(Tables tables) { tables_ = std::move(tables); }

  // Calls LOOK with the tables, which do not change during the call. LOOK must be short and copy
  // what the caller needs, since a writer waits for it. [any thread]
  void Read(const std::function<void(const Tables&)>& look) const;

  // Makes one write and returns its index. CHANGE receives the tables and the index, and returns
  // the set of tables that it has written to. After CHANGE has returned, Write wakes all waiters
  // for these tables, and adds the changes with CAUSE to events(). [control]
  std::uint64_t Write(std::string_view cause,
                      const std::function<TableMask(Tables*, std::uint64_t index)>& change);

  // Returns when a table of MASK has an index above NEWER_THAN, or with an error when CONTEXT
  // ends. Call it on the thread of the context's loop. [any thread]
  Co<Status> WaitNewer(Context context, TableMask mask, std::uint64_t newer_than);

  // The changes of the newest writes. [any thread]
  const EventLog& events() const { return events_; }
  // Like WaitNewer, but returns when there are events with an index above NEWER_THAN.
  Co<Status> WaitEvents(Context context, std::uint64_t newer_than);

  // Returns the number of waiters, for metrics. [any thread]
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
  // The waiters of one loop. A write posts at most one task to the loop, however many waiters
  // there are. A write posts no task if the task of an earlier write has not run yet.
  struct LoopWaiters {
    Waiters waiters;
    std::array<std::size_t, kTables> of_table{};      // how many waiters each table has
    std::array<std::uint64_t, kTables> written_at{};  // the index of the last write to each table
    bool posted = false;                              // a task is posted and has not run
  };

  // Waits for a write to a table of MASK, unless THERE already returns true.
  Co<Status> Wait(Context context, TableMask mask, std::uint64_t newer_than,
                  std::function<bool()> there);
  std::shared_ptr<Waiter> AddWaiter(Loop* loop, TableMask mask, std::uint64_t newer_than,
                                    Waiters::iterator* place);
  void RemoveWaiter(Loop* loop, Waiters::iterator place);
  // Makes each loop wake its waiters for any table of WRITTEN.
  void WakeLoops(TableMask written, std::uint64_t index);
  static void Wake(std::mutex* mutex, LoopWaiters* of);

  void EndTogether();

  Journal journal_;
  int together_ = 0;
  std::vector<StateEvent> unheard_;  // changes that the journal has not received yet
  mutable std::shared_mutex tables_mutex_;
  Tables tables_;
  EventLog events_;
  // Tasks that were posted to loops share this mutex. Such a task may run after the StateStore was
  // destroyed.
  const std::shared_ptr<std::mutex> waiters_mutex_ = std::make_shared<std::mutex>();
  std::map<Loop*, std::shared_ptr<LoopWaiters>> waiters_;
};

}  // namespace drover
