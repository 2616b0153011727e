// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>

#include "host/alloc/alloc_store.h"
#include "host/node/kept_state.h"
#include "host/node/ledger_store.h"

namespace drover {

// Stores the records of one allocation, for an agent that keeps its state. The ledger also names
// the runs of the allocation. So the next agent can find the runs even if the store is damaged.
class KeptAllocStore : public AllocStore {
 public:
  // RESTORED holds the tasks that have records already. It may be null. STORE must outlive this
  // object.
  KeptAllocStore(Store* store, std::shared_ptr<RunLedger> ledger, std::string alloc_id,
                 const KeptState::Tasks* restored);

  Co<Status> Known(Context context) override;
  Co<Status> SaveLocalState(Context context, std::string task_name,
                            std::shared_ptr<const LocalState> state) override;
  void SaveTaskState(const std::string& task_name, TaskSnapshot state) override;
  Co<Status> Delete(Context context) override;

 private:
  Store* const store_;
  const std::string alloc_id_;
  LedgerStore ledger_;
  // Whether the agent has read the allocation and all its runs from the store. Such an allocation
  // continues even if the disk is full.
  bool known_ = false;
  std::set<std::string> tasks_;  // the tasks that have records
};

}  // namespace drover
