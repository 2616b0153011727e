// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/alloc/alloc_state.h"
#include "host/task/local_state.h"

namespace drover {

// Stores the records with which an allocation continues after a restart of the agent. The
// allocation itself is stored by the code that placed it, before its runner is made. Control thread
// only.
class AllocStore : public LocalStateStore {
 public:
  // Returns when the next agent would know the allocation. Nothing is made for it before that.
  virtual Co<Status> Known(Context) { co_return Status(); }
  // Queues the record behind earlier ones. If a task has several, only the last counts.
  virtual void SaveTaskState(const std::string& task_name, TaskSnapshot state) = 0;
  // Deletes the records of the allocation and of all its tasks; the last call.
  virtual Co<Status> Delete(Context context) = 0;
};

}  // namespace drover
