// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/alloc/alloc_hook.h"
#include "host/base/worker_pool.h"
#include "host/network/alloc_networks.h"

namespace drover {

struct NetworkHookOptions {
  WorkerPool* pool = nullptr;  // calls plugins, which may be slow; must outlive the hook
  std::shared_ptr<const AllocNetworks> networks;
  Status ready;  // an error: why no network can be made
  // Replaces the variables in texts of the job. May be null.
  std::function<Result<std::vector<std::string>>(const Allocation&, std::vector<std::string>)>
      interpolate;
};

// Gives an allocation the network of its group: one that plugins make (bridge, cni/NAME), or only
// files for another way to look names up. The network belongs to the allocation, and stays while
// the agent is restarted.
class NetworkHook : public AllocHook {
 public:
  NetworkHook(AllocHookEnv env, NetworkHookOptions options)
      : env_(std::move(env)), options_(std::move(options)) {}

  // Returns whether an allocation of GROUP needs this hook.
  static bool IsFor(const TaskGroup& group);

  std::string_view name() const override { return "network"; }
  Duration deadline(AllocHookStage stage, const AllocHookRequest& request) const override;
  void Restore(const AllocHookRequest& request) override;
  Co<Status> Prerun(Context context, AllocHookRequest request) override;
  Co<Status> Postrun(Context context, AllocHookRequest request) override;
  // Tries to remove the network again, in case Postrun has failed.
  Co<Status> Destroy(Context context, AllocHookRequest request) override {
    return Postrun(context, std::move(request));
  }

 private:
  Result<NetworkWish> WishOf(const Allocation& alloc) const;
  void Use(const MadeNetwork& made);

  const AllocHookEnv env_;
  const NetworkHookOptions options_;
  // Set when the network must not be made any more. Shared with calls that are abandoned.
  const std::shared_ptr<std::atomic<bool>> gone_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace drover
