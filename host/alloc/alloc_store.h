// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/alloc/alloc_state.h"
#include "host/task/local_state.h"

namespace drover {

// Stores the records with which an allocation continues after a restart of the agent. The code
// that places the allocation stores the allocation itself, before its runner is made. Control
// thread only.
class AllocStore : public LocalStateStore {
 public:
  // Returns when the record of the allocation itself is stored, so that the next agent finds the
  // allocation. Nothing may be made for the allocation before Known has returned.
  virtual Co<Status> Known(Context) { co_return Status(); }
  // Queues the record STATE after earlier records. If several records of one task are queued, a
  // store may skip all but the last of them.
  virtual void SaveTaskState(const std::string& task_name, TaskSnapshot state) = 0;
  // Deletes the records of the allocation and of all its tasks. No other method may be called
  // after Delete.
  virtual Co<Status> Delete(Context context) = 0;
};

}  // namespace drover
