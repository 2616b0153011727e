// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/alloc/alloc_store.h"
#include "host/node/run_ledger.h"

namespace drover {

// Writes the directory and the runs of one allocation to the node's ledger, so that the next node
// can clear them away. Stores nothing else. An allocation whose tasks end with its node needs no
// other store.
class LedgerStore : public AllocStore {
 public:
  // KEEP_DIRECTORY means that the allocation directory must not be cleared away. RUNS holds the
  // runs that the ledger names already, by task.
  LedgerStore(std::shared_ptr<RunLedger> ledger, std::string alloc_id, bool keep_directory,
              std::map<std::string, RunId> runs = {});

  Co<Status> SaveLocalState(Context context, std::string task_name,
                            std::shared_ptr<const LocalState> state) override;
  void SaveTaskState(const std::string&, TaskSnapshot) override {}
  Co<Status> Delete(Context context) override;

 private:
  const std::shared_ptr<RunLedger> ledger_;
  const std::string alloc_id_;
  std::map<std::string, RunId> runs_;  // the runs in the ledger, by task
};

}  // namespace drover
