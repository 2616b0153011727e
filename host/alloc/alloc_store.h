// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/alloc/alloc_state.h"
#include "host/task/local_state.h"

namespace drover {

// Keeps what an allocation needs to go on after the agent was restarted. The allocation itself is
// kept by who placed it, before its runner is made. Control thread only.
class AllocStore : public LocalStateStore {
 public:
  // Returns when the next agent would know of the allocation: nothing is made for it before that.
  virtual Co<Status> Known(Context) { co_return Status(); }
  // Queues the record behind those that were given before; of several only the last counts.
  virtual void SaveTaskState(const std::string& task_name, TaskSnapshot state) = 0;
  // Forgets the allocation and all of its tasks; the last call.
  virtual Co<Status> Delete(Context context) = 0;
};

}  // namespace drover
