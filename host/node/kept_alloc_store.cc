// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/kept_alloc_store.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/state/record_size.h"
#include "host/task/task_record.h"

namespace drover {
namespace {

constexpr Duration kRetry = 1s;  // the store also waits this long before it repeats a write

std::map<std::string, RunId> RunsOf(const KeptState::Tasks* tasks) {
  std::map<std::string, RunId> runs;
  if (tasks == nullptr) return runs;
  for (const auto& [name, task] : *tasks) {
    if (task.local.run_id) runs[name] = *task.local.run_id;
  }
  return runs;
}

std::size_t SizeOf(const StringMap& map) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : map) bytes += 64 + key.size() + value.size();
  return bytes;
}

// Returns the bytes of memory that STATE holds. Leaves out the configuration of the task, since
// the runner holds it in memory in any case.
std::size_t HeldBy(const LocalState& state) {
  std::size_t bytes = sizeof(LocalState) + (state.handle ? state.handle->state.size() : 0);
  for (const auto& [name, hook] : state.hooks) bytes += SizeOf(hook.data) + SizeOf(hook.env);
  return bytes;
}

std::string Dump(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

KeptAllocStore::KeptAllocStore(Store* store, std::shared_ptr<RunLedger> ledger,
                               std::string alloc_id, const KeptState::Tasks* restored)
    : store_(store),
      alloc_id_(std::move(alloc_id)),
      ledger_(std::move(ledger), alloc_id_, /*keep_directory=*/true, RunsOf(restored)) {
  if (restored == nullptr) return;
  known_ = std::ranges::none_of(*restored, [](const auto& task) {
    return task.second.state.state == RunnerState::kRunning && !task.second.local.run_id;
  });
  for (const auto& [name, task] : *restored) tasks_.insert(name);
}

Co<Status> KeptAllocStore::Known(Context context) {
  if (known_) co_return Status();
  // The store received the allocation's record before the runner was made. So this code only waits
  // until the record is committed. The store logs errors itself.
  Status committed = co_await store_->Committed(context);
  while (!committed.ok()) {
    DROVER_CO_TRY(co_await Sleep(context, kRetry));
    committed = co_await store_->Committed(context);
  }
  co_return Status();
}

Co<Status> KeptAllocStore::SaveLocalState(Context context, std::string task_name,
                                          std::shared_ptr<const LocalState> state) {
  tasks_.insert(task_name);
  DROVER_CO_TRY(co_await ledger_.SaveLocalState(context, task_name, state));
  store_->Put(LocalStateKey(alloc_id_, task_name),
              {[state] { return Dump(EncodeLocalState(*state)); }, HeldBy(*state)});
  co_return co_await store_->Committed(context);
}

void KeptAllocStore::SaveTaskState(const std::string& task_name, TaskSnapshot state) {
  tasks_.insert(task_name);
  store_->Put(TaskStateKey(alloc_id_, task_name),
              {[state] { return Dump(EncodeTaskState(*state)); }, drover::SizeOf(*state)});
}

Co<Status> KeptAllocStore::Delete(Context context) {
  Store::Changes changes;
  for (const std::string& task : tasks_) {
    changes[TaskStateKey(alloc_id_, task)] = nullptr;
    changes[LocalStateKey(alloc_id_, task)] = nullptr;
  }
  store_->Give(std::move(changes));
  DROVER_CO_TRY(co_await store_->Committed(context));
  co_return co_await ledger_.Delete(context);
}

}  // namespace drover
