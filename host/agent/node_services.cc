// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/node_services.h"

#include <spdlog/spdlog.h>

#include <memory>
#include <utility>

#include "host/agent/node_consul.h"
#include "host/services/group_services_hook.h"
#include "host/services/task_services_hook.h"

namespace drover {

std::vector<ServiceSync::EarlierOwner> EarlierOwnersOf(const AllocRunnerRequest& request) {
  const Allocation& alloc = *request.alloc;
  const TaskGroup* const group = alloc.group();
  if (group == nullptr || !request.restored) return {};
  std::vector<ServiceSync::EarlierOwner> owners;
  owners.push_back({"", RegistrationIdPrefix(alloc, ""), true});
  for (const Task& task : group->tasks) {
    const auto left = request.restored->find(task.name);
    const bool may_run = left != request.restored->end() &&
                         left->second.state.state != RunnerState::kDead &&
                         left->second.local.run_id && !left->second.local.exit;
    owners.push_back({task.name, RegistrationIdPrefix(alloc, task.name), may_run});
  }
  return owners;
}

NodeServices::NodeServices(Loop* loop, const NodeInfo* info, ServicePolicy policy, std::string ip)
    : sync_(loop, [](const Error& error) {
        spdlog::warn("the services of the node cannot be registered yet: {}", error.message());
      }) {
  options_.registrar = &sync_;
  options_.node.info = info;
  options_.node.policy = policy;
  options_.node.ip = std::move(ip);
  options_.report = [](const std::string& alloc_id, const Error& error) {
    spdlog::warn("allocation {}: {}", alloc_id, error.message());
  };
}

void NodeServices::UseConsul(NodeConsul* consul) {
  consul_ = consul;
  options_.registrar = consul->SwitchFrom(&sync_);
  options_.for_consul = [consul](std::vector<ForConsul> services) {
    consul->Expect(std::move(services));
  };
}

void NodeServices::AddHooks(LocalAllocEnv* env) {
  env->waits_shutdown_delay = false;  // the hook below does
  env->extra_hooks.push_back([this](const AllocHookEnv& hook_env) {
    return std::make_unique<GroupServicesHook>(hook_env, &options_);
  });
  env->make_task_hooks = [this, others = std::move(env->make_task_hooks)](const Allocation& alloc,
                                                                          const Task& task) {
    TaskHooks hooks = others ? others(alloc, task) : TaskHooks();
    hooks.after_stats.push_back(std::make_shared<TaskServicesHook>(&options_, task));
    return hooks;
  };
}

void NodeServices::Restored(const AllocRunnerRequest& request) {
  sync_.Restored(request.alloc->id, EarlierOwnersOf(request));
  earlier_.insert(request.alloc->id);
}

void NodeServices::RestoreDone() {
  sync_.RestoreDone();
  const std::set<std::string> earlier = std::exchange(earlier_, {});
  if (consul_ != nullptr) consul_->Restored(earlier);
}

Co<void> NodeServices::Run(Context context, ClusterLink* link) {
  if (consul_ != nullptr) consul_->Start();
  ServiceLink to;
  to.update = [link, node = options_.node.info->id](Context within,
                                                    std::vector<ServiceRegistration> put,
                                                    std::vector<std::string> gone) {
    return link->UpdateServices(within, node, std::move(put), std::move(gone));
  };
  to.fetch = [link, node = options_.node.info->id](Context within) {
    return link->FetchServices(within, node);
  };
  return sync_.Run(context, std::move(to));
}

}  // namespace drover
