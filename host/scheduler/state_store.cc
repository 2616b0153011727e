// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/state_store.h"

#include <utility>

namespace drover {

StateStore::~StateStore() { DROVER_CHECK(waiters_.empty()); }

void StateStore::Read(const std::function<void(const Tables&)>& look) const {
  const std::shared_lock lock(tables_mutex_);
  look(tables_);
}

std::uint64_t StateStore::Write(
    std::string_view cause, const std::function<TableMask(Tables*, std::uint64_t index)>& change) {
  TableMask written = 0;
  std::uint64_t index = 0;
  {
    const std::unique_lock lock(tables_mutex_);
    index = ++tables_.last_index;
    written = change(&tables_, index);
    for (int i = 0; i < kTables; ++i) {
      if ((written & (1u << i)) != 0) tables_.index[static_cast<std::size_t>(i)] = index;
    }
    if (journal_) journal_(tables_.changes, tables_);
    events_.Add(index, cause, std::exchange(tables_.changes, {}));
  }
  const std::lock_guard lock(waiters_mutex_);
  for (const std::shared_ptr<Waiter>& waiter : waiters_) {
    if ((waiter->mask & written) == 0 || index <= waiter->newer_than) continue;
    // It is still in the list, so its loop is still there.
    waiter->loop->Post([waiter] { waiter->changed.Set(); });
  }
  return index;
}

Co<Status> StateStore::WaitNewer(Context context, TableMask mask, std::uint64_t newer_than) {
  std::function<bool()> there = [this, mask, newer_than] {
    const std::shared_lock lock(tables_mutex_);
    return tables_.IndexOf(mask) > newer_than;
  };
  co_return co_await Wait(context, mask, newer_than, std::move(there));
}

Co<Status> StateStore::WaitEvents(Context context, std::uint64_t newer_than) {
  std::function<bool()> there = [this, newer_than] { return events_.last_index() > newer_than; };
  co_return co_await Wait(context, kAllTables, newer_than, std::move(there));
}

Co<Status> StateStore::Wait(Context context, TableMask mask, std::uint64_t newer_than,
                            std::function<bool()> there) {
  const auto waiter = std::make_shared<Waiter>(context.loop(), mask, newer_than);
  Waiters::iterator place;
  {
    const std::lock_guard lock(waiters_mutex_);
    place = waiters_.insert(waiters_.end(), waiter);
  }
  // Only now, so that no write falls between the look and the wait.
  Status waited;
  if (!there()) waited = co_await waiter->changed.Wait(context);
  const std::lock_guard lock(waiters_mutex_);
  waiters_.erase(place);
  co_return waited;
}

std::size_t StateStore::waiting() const {
  const std::lock_guard lock(waiters_mutex_);
  return waiters_.size();
}

}  // namespace drover
