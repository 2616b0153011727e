// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/alloc/alloc_hook.h"
#include "host/base/unique_fd.h"
#include "host/base/worker_pool.h"

namespace drover {

// Gives an allocation whose group has the network mode "none" a network namespace of its own, which
// its tasks share: it has a loopback interface and nothing else. It is held by a descriptor, so
// that nothing is left of it when the agent is killed; tasks that live on keep it alive.
class NetworkHook : public AllocHook {
 public:
  // POOL outlives this.
  NetworkHook(AllocHookEnv env, WorkerPool* pool) : env_(std::move(env)), pool_(pool) {}

  std::string_view name() const override { return "network"; }
  Co<Status> Prerun(Context context, AllocHookRequest request) override;
  Co<Status> Postrun(Context context, AllocHookRequest request) override;

 private:
  const AllocHookEnv env_;
  WorkerPool* const pool_;
  UniqueFd network_;
};

}  // namespace drover
