// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/acl_state.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <variant>

namespace drover {

void AclState::Read(const std::function<void(const AclTables&)>& look) const {
  const std::shared_lock lock(mutex_);
  look(tables_);
}

Result<std::uint64_t> AclState::Write(
    const std::function<Result<AclWrite>(const AclTables&, std::uint64_t index)>& plan) {
  // No other thread writes, so the tables may be read here without the lock.
  std::uint64_t index = tables_.last_index() + 1;
  if (next_index_) index = std::max(index, next_index_());
  DROVER_ASSIGN(const AclWrite write, plan(tables_, index));
  {
    const std::unique_lock lock(mutex_);
    tables_.Apply(write, index);
    // Within the lock: whoever reads these tables after the write also sees the new number.
    generation_.fetch_add(1, std::memory_order_release);
  }
  if (journal_) journal_(write, tables_);
  const auto is_policy = [](const AclChange& change) {
    return std::holds_alternative<std::shared_ptr<const PolicyRecord>>(change.record);
  };
  if (std::ranges::any_of(write.changes, is_policy)) on_policies_.Call();
  return index;
}

}  // namespace drover
