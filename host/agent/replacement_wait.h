// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/state/state_store.h"

namespace drover {

// Waits until a stopped allocation has a replacement that runs. Control thread only.
class ReplacementWait {
 public:
  // ALLOC was stopped by Scheduler::StopAlloc. STORE must outlive this object.
  ReplacementWait(StateStore* store, std::string alloc) : store_(store), alloc_(std::move(alloc)) {}

  // Returns when a replacement runs or has run, or when there will be none: because nothing can be
  // placed, the replacement has failed for good, or GONE returns true. GONE is asked after each
  // change of the tables of restarts.
  Co<Status> Wait(Context context, std::function<bool()> gone);
  // Returns the result as far as TABLES have it; nothing if the wait goes on.
  std::optional<Status> Look(const Tables& tables) const;

 private:
  StateStore* const store_;
  const std::string alloc_;
};

}  // namespace drover
