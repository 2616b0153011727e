// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "host/base/context.h"
#include "host/base/ids.h"

namespace drover {

class ExecBridge;

// The operations of drover.process/2 of one plugin instance that have not ended. Control thread.
class NamedCalls {
 public:
  // Adds an operation, which ends with CONTEXT. Returns false if another operation has the same
  // pointer.
  bool Add(void* operation, Context context) { return open_.emplace(operation, context).second; }
  void Remove(void* operation) { open_.erase(operation); }
  // Cancels an operation. Does nothing if the operation is unknown.
  void Cancel(void* operation);

  // The open sessions by run and by the driver's number.
  std::map<std::pair<RunId, std::uint64_t>, std::shared_ptr<ExecBridge>>& sessions() {
    return sessions_;
  }
  std::size_t CountSessions(const RunId& run) const;

 private:
  std::map<void*, Context> open_;
  std::map<std::pair<RunId, std::uint64_t>, std::shared_ptr<ExecBridge>> sessions_;
};

}  // namespace drover
