// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/agent/run_ledger.h"
#include "host/alloc/alloc_store.h"

namespace drover {

// Writes to the node's ledger what the next node must clear away of one allocation, and nothing
// else. This is the whole store of an allocation whose tasks end with its node.
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
