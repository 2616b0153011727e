// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/ledger_store.h"

#include <spdlog/spdlog.h>

namespace drover {

LedgerStore::LedgerStore(std::shared_ptr<RunLedger> ledger, std::string alloc_id,
                         bool keep_directory, std::map<std::string, RunId> runs)
    : ledger_(std::move(ledger)), alloc_id_(std::move(alloc_id)), runs_(std::move(runs)) {
  if (keep_directory) return;
  const Status added = ledger_->AddAlloc(alloc_id_);
  if (!added.ok()) spdlog::warn("allocation {}: {}", alloc_id_, added.error().message());
}

Co<Status> LedgerStore::SaveLocalState(Context, std::string task_name,
                                       std::shared_ptr<const LocalState> state) {
  const auto known = runs_.find(task_name);
  if (known != runs_.end() && known->second == state->run_id) co_return Status();
  if (state->run_id) DROVER_CO_TRY(ledger_->AddRun(*state->run_id));
  if (known != runs_.end()) {
    ledger_->RemoveRun(known->second);
    runs_.erase(known);
  }
  if (state->run_id) runs_[task_name] = *state->run_id;
  co_return Status();
}

Co<Status> LedgerStore::Delete(Context) {
  for (const auto& [task, run] : runs_) ledger_->RemoveRun(run);
  runs_.clear();
  ledger_->RemoveAlloc(alloc_id_);
  co_return Status();
}

}  // namespace drover
