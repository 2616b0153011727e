// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/state_store.h"

#include <algorithm>
#include <utility>

namespace drover {

namespace {

// Services go with their allocation. So any write may change their table, and the writer need not
// know that.
TableMask TablesOfServices(const std::vector<StateEvent>& changes) {
  const bool any = std::any_of(changes.begin(), changes.end(), [](const StateEvent& change) {
    return change.topic() == Topic::kService;
  });
  return any ? MaskOf(Table::kServices) : 0;
}

}  // namespace

StateStore::~StateStore() { DROVER_CHECK(waiters_.empty()); }

void StateStore::Read(const std::function<void(const Tables&)>& look) const {
  const std::shared_lock lock(tables_mutex_);
  look(tables_);
}

std::uint64_t StateStore::Write(
    std::string_view cause, const std::function<TableMask(Tables*, std::uint64_t index)>& change) {
  TableMask written = 0;
  std::uint64_t index = 0;
  std::vector<StateEvent> changes;
  {
    const std::unique_lock lock(tables_mutex_);
    index = ++tables_.last_index;
    written = change(&tables_, index) | TablesOfServices(tables_.changes);
    for (int i = 0; i < kTables; ++i) {
      if ((written & (1u << i)) != 0) tables_.index[static_cast<std::size_t>(i)] = index;
    }
    changes = std::exchange(tables_.changes, {});
  }
  // The journal reads the tables without the lock, so that readers need not wait for the journal.
  // No other thread writes to the tables.
  if (journal_ && together_ > 0) unheard_.insert(unheard_.end(), changes.begin(), changes.end());
  if (journal_ && together_ == 0) journal_(changes, tables_);
  events_.Add(index, cause, std::move(changes));
  WakeLoops(written, index);
  return index;
}

void StateStore::EndTogether() {
  if (--together_ == 0 && !unheard_.empty()) journal_(std::exchange(unheard_, {}), tables_);
}

Co<Status> StateStore::WaitNewer(Context context, TableMask mask, std::uint64_t newer_than) {
  return Wait(context, mask, newer_than, [this, mask, newer_than] {
    const std::shared_lock lock(tables_mutex_);
    return tables_.IndexOf(mask) > newer_than;
  });
}

Co<Status> StateStore::WaitEvents(Context context, std::uint64_t newer_than) {
  return Wait(context, kAllTables, newer_than,
              [this, newer_than] { return events_.last_index() > newer_than; });
}

Co<Status> StateStore::Wait(Context context, TableMask mask, std::uint64_t newer_than,
                            std::function<bool()> there) {
  Waiters::iterator place;
  const std::shared_ptr<Waiter> waiter = AddWaiter(context.loop(), mask, newer_than, &place);
  // Checks only after the waiter was added, so that the waiter cannot miss a write.
  Status waited;
  if (!there()) waited = co_await waiter->changed.Wait(context);
  RemoveWaiter(context.loop(), place);
  co_return waited;
}

std::shared_ptr<StateStore::Waiter> StateStore::AddWaiter(Loop* loop, TableMask mask,
                                                          std::uint64_t newer_than,
                                                          Waiters::iterator* place) {
  const auto waiter = std::make_shared<Waiter>(loop, mask, newer_than);
  const std::lock_guard lock(*waiters_mutex_);
  std::shared_ptr<LoopWaiters>& of = waiters_[loop];
  if (of == nullptr) of = std::make_shared<LoopWaiters>();
  *place = of->waiters.insert(of->waiters.end(), waiter);
  for (std::size_t table = 0; table < kTables; ++table) of->of_table[table] += mask >> table & 1u;
  return waiter;
}

void StateStore::RemoveWaiter(Loop* loop, Waiters::iterator place) {
  const std::lock_guard lock(*waiters_mutex_);
  const auto of = waiters_.find(loop);
  const TableMask mask = (*place)->mask;
  for (std::size_t table = 0; table < kTables; ++table) {
    of->second->of_table[table] -= mask >> table & 1u;
  }
  of->second->waiters.erase(place);
  if (of->second->waiters.empty()) waiters_.erase(of);
}

void StateStore::WakeLoops(TableMask written, std::uint64_t index) {
  const std::lock_guard lock(*waiters_mutex_);
  for (const auto& [loop, of] : waiters_) {
    bool awaited = false;
    for (std::size_t table = 0; table < kTables; ++table) {
      if ((written >> table & 1u) == 0) continue;
      of->written_at[table] = index;
      awaited = awaited || of->of_table[table] > 0;
    }
    if (!awaited || std::exchange(of->posted, true)) continue;
    // The loop has a waiter, so it still exists.
    loop->Post([mutex = waiters_mutex_, of] { Wake(mutex.get(), of.get()); });
  }
}

void StateStore::Wake(std::mutex* mutex, LoopWaiters* of) {
  const std::lock_guard lock(*mutex);
  of->posted = false;
  for (const std::shared_ptr<Waiter>& waiter : of->waiters) {
    for (std::size_t table = 0; table < kTables; ++table) {
      if ((waiter->mask >> table & 1u) == 0) continue;
      if (of->written_at[table] > waiter->newer_than) waiter->changed.Set();
    }
  }
}

std::size_t StateStore::waiting() const {
  const std::lock_guard lock(*waiters_mutex_);
  std::size_t count = 0;
  for (const auto& [loop, of] : waiters_) count += of->waiters.size();
  return count;
}

}  // namespace drover
