// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "host/alloc/alloc_hook.h"
#include "host/base/unique_fd.h"
#include "host/base/worker_pool.h"

namespace drover {

// Gives an allocation a network namespace of its own if its group has the network mode "none". The
// tasks of the allocation share the namespace, which has a loopback interface and nothing else.
class NoNetworkHook : public AllocHook {
 public:
  // If KEPT_IN names a directory, the namespace is mounted there under the allocation's id. The
  // next agent then gives this namespace to new tasks of the allocation while older tasks still
  // run in it. If KEPT_IN is empty, only a file descriptor holds the namespace, so no mount is
  // left after the agent is killed. POOL must outlive this object.
  NoNetworkHook(AllocHookEnv env, WorkerPool* pool, std::string kept_in)
      : env_(std::move(env)), pool_(pool), kept_in_(std::move(kept_in)) {}

  std::string_view name() const override { return "network"; }
  void Restore(const AllocHookRequest& request) override;
  Co<Status> Prerun(Context context, AllocHookRequest request) override;
  Co<Status> Postrun(Context context, AllocHookRequest request) override;
  // Tries to drop the namespace again, in case Postrun has failed to drop it.
  Co<Status> Destroy(Context context, AllocHookRequest request) override {
    return Postrun(context, std::move(request));
  }

 private:
  std::string KeptFile(const Allocation& alloc) const { return kept_in_ + "/" + alloc.id; }

  const AllocHookEnv env_;
  WorkerPool* const pool_;
  const std::string kept_in_;
  UniqueFd network_;
};

}  // namespace drover
