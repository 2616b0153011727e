// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <shared_mutex>
#include <utility>

#include "host/acl/acl_tables.h"
#include "host/base/listener_list.h"
#include "host/base/result.h"

namespace drover {

// Holds the tables for one writer, on the control thread, and many readers, the threads of the
// API. Records are shared, so a reader copies pointers under the lock.
class AclState {
 public:
  // Called after each write, in the order of the writes. [control]
  using Journal = std::function<void(const AclWrite& write, const AclTables& tables)>;
  // Returns the index of the next write. It should be that of all other state, so that clients see
  // one count. [control]
  using NextIndex = std::function<std::uint64_t()>;

  AclState() = default;
  AclState(const AclState&) = delete;
  AclState& operator=(const AclState&) = delete;

  // These functions must be called before any other code uses this object. Without them, the state
  // is empty, is stored nowhere, and counts by itself.
  void Begin(AclTables tables) { tables_ = std::move(tables); }
  void SetJournal(Journal journal) { journal_ = std::move(journal); }
  void SetNextIndex(NextIndex next_index) { next_index_ = std::move(next_index); }

  // Calls LOOK with the tables, which do not change during the call. LOOK must be short. [any
  // thread]
  void Read(const std::function<void(const AclTables&)>& look) const;

  // Makes the write that PLAN returns, and returns its index. PLAN receives the tables and the
  // index. If PLAN returns an error, nothing changes. The write is durable when the Store says so
  // (see Store::Synced), and only then a client may have its answer. [control]
  Result<std::uint64_t> Write(
      const std::function<Result<AclWrite>(const AclTables&, std::uint64_t index)>& plan);

  // Calls CHANGED after each write of a policy. [control]
  [[nodiscard]] Subscription OnPolicies(std::function<void()> changed) {
    return on_policies_.Add(std::move(changed));
  }

  // A number that changes with each write. [any thread]
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

 private:
  Journal journal_;
  NextIndex next_index_;
  ListenerList<> on_policies_;
  mutable std::shared_mutex mutex_;
  AclTables tables_;
  std::atomic<std::uint64_t> generation_{0};
};

}  // namespace drover
