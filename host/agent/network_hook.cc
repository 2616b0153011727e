// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/network_hook.h"

#include <unistd.h>

#include "host/process/network_namespace.h"

namespace drover {
namespace {

bool WantsNoNetwork(const Allocation& alloc) {
  const TaskGroup* group = alloc.group();
  return group != nullptr && !group->networks.empty() && group->networks[0].mode == "none";
}

}  // namespace

Co<Status> NetworkHook::Prerun(Context context, AllocHookRequest request) {
  if (!WantsNoNetwork(*request.alloc)) co_return Status();
  if (geteuid() != 0) {
    co_return Error(Code::kPermissionDenied,
                    "the network mode \"none\" needs an agent that is root: start it as root, or "
                    "use \"host\"");
  }
  std::function<Result<UniqueFd>()> make = MakeNetworkNamespace;
  Result<UniqueFd> made = co_await pool_->Run(std::move(make));
  DROVER_CO_TRY(context.status());
  if (!made.ok()) co_return made.error();
  network_ = std::move(*made);
  env_.resources->SetNetworkNamespace("/proc/" + std::to_string(getpid()) + "/fd/" +
                                      std::to_string(network_.get()));
  co_return Status();
}

Co<Status> NetworkHook::Postrun(Context, AllocHookRequest) {
  network_.Reset();
  co_return Status();
}

}  // namespace drover
