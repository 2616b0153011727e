// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hooks/no_network_hook.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "host/base/durable_step.h"
#include "host/process/network_namespace.h"

namespace drover {
namespace {

bool WantsNoNetwork(const Allocation& alloc) {
  const TaskGroup* group = alloc.group();
  return group != nullptr && !group->networks.empty() && group->networks[0].mode == "none";
}

}  // namespace

Co<Status> NoNetworkHook::Prerun(Context context, AllocHookRequest request) {
  if (!WantsNoNetwork(*request.alloc)) co_return Status();
  if (geteuid() != 0) {
    co_return Error(Code::kPermissionDenied,
                    "the network mode \"none\" needs an agent that is root: start it as root, or "
                    "use \"host\"");
  }
  const bool keep = !kept_in_.empty();
  const std::string file = KeptFile(*request.alloc);
  std::function<Result<UniqueFd>()> make = MakeNetworkNamespace;
  if (keep) {
    make = [file] {
      return DurableStep(Step::kKeepNetwork, [&] { return KeepNetworkNamespace(file); });
    };
  }
  Result<UniqueFd> made = co_await pool_->Run(std::move(make));
  DROVER_CO_TRY(context.status());
  if (!made.ok()) co_return made.error();
  network_ = std::move(*made);
  env_.resources->SetNetworkNamespace(
      keep ? file : "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(network_.get()));
  co_return Status();
}

void NoNetworkHook::Restore(const AllocHookRequest& request) {
  if (!WantsNoNetwork(*request.alloc) || kept_in_.empty()) return;
  const std::string file = KeptFile(*request.alloc);
  // A reboot removes the namespace and all processes in it. Tasks that must still run get a new
  // namespace, which takes a millisecond. If the new namespace cannot be made, the tasks fail to
  // start. That is better than a start in the host's network.
  if (access(file.c_str(), F_OK) != 0 && errno == ENOENT) {
    const Result<UniqueFd> made =
        DurableStep(Step::kKeepNetwork, [&] { return KeepNetworkNamespace(file); });
    if (!made.ok()) spdlog::warn("allocation {}: {}", request.alloc->id, made.error().message());
  }
  env_.resources->SetNetworkNamespace(file);
}

Co<Status> NoNetworkHook::Postrun(Context, AllocHookRequest request) {
  network_.Reset();
  if (!WantsNoNetwork(*request.alloc) || kept_in_.empty()) co_return Status();
  std::function<Status()> drop = [file = KeptFile(*request.alloc)] {
    return DurableStep(Step::kDropNetwork, [&] { return DropNetworkNamespace(file); });
  };
  co_return co_await pool_->Run(std::move(drop));
}

}  // namespace drover
