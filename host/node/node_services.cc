// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node_services.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "host/node/node_consul.h"
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

std::set<ConsulSync::Owner> EarlierInConsul(const ServicePolicy& policy,
                                            const AllocRunnerRequest& request) {
  const auto keeps_any = [&policy](const std::vector<Service>& services) {
    return std::ranges::any_of(services, [&policy](const Service& service) {
      return RegistryOf(policy, service) == ServiceProvider::kConsul;
    });
  };
  std::set<ConsulSync::Owner> found;
  for (const ServiceSync::EarlierOwner& owner : EarlierOwnersOf(request)) {
    const TaskGroup& group = *request.alloc->group();
    const Task* const task = owner.owner.empty() ? nullptr : FindTask(group, owner.owner);
    if (!owner.may_run || !keeps_any(task == nullptr ? group.services : task->services)) continue;
    found.emplace(request.alloc->id, owner.owner);
  }
  return found;
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
  if (consul_ != nullptr) in_consul_.merge(EarlierInConsul(options_.node.policy, request));
}

void NodeServices::RestoreDone() {
  sync_.RestoreDone();
  if (consul_ != nullptr) consul_->Restored(std::exchange(in_consul_, {}));
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
