// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node_checks.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/alloc/health/alloc_health_hook.h"
#include "host/alloc/local_alloc_runner.h"
#include "host/node/node_consul.h"

namespace drover {
namespace {

// Replaces the variables in the checks of one allocation.
class CheckTexts {
 public:
  CheckTexts(const NodeInfo& node, const Allocation& alloc) : node_(node), alloc_(alloc) {}

  std::string Replace(const Task* task, const std::string& text) {
    auto found = envs_.find(task);
    if (found == envs_.end()) {
      TaskEnvInput input;
      input.node = &node_;
      input.alloc = &alloc_;
      input.task = task;
      found = envs_.emplace(task, TaskEnv::Build(input)).first;
    }
    return found->second.ok() ? found->second->Interpolate(text) : text;
  }

 private:
  const NodeInfo& node_;
  const Allocation& alloc_;
  std::map<const Task*, Result<TaskEnv>> envs_;
};

}  // namespace

NodeChecks::NodeChecks(Loop* loop, const NodeInfo* node, ServicePolicy policy)
    : node_(node),
      policy_(std::move(policy)),
      results_(loop),
      scripts_(std::make_shared<ScriptChecks>(loop)),
      thread_(loop, &results_, scripts_),
      env_(std::make_shared<ChecksEnv>()) {
  env_->results = &results_;
  env_->ask = [this](const std::shared_ptr<CheckSlot>& slot) { thread_.Add(slot); };
  env_->forget = [this](const std::shared_ptr<CheckSlot>& slot) { thread_.Remove(slot); };
  env_->scripts = scripts_.get();
  env_->plans = [this](const Allocation& alloc) { return PlansOf(alloc); };
}

void NodeChecks::UseConsul(NodeConsul* consul) {
  has_consul_ = true;
  states_ = consul->JoinTo(&results_);
  scripts_->SetObserver(
      [consul](const CheckPlan& plan, const CheckAnswer& answer) { consul->Report(plan, answer); });
}

void NodeChecks::AddHealthHook(LocalAllocEnv* env) {
  env->extra_hooks.push_back([this](const AllocHookEnv& hook_env) {
    return std::make_unique<AllocHealthHook>(hook_env, states_);
  });
}

void NodeChecks::AddChecksHook(LocalAllocEnv* env) {
  env->extra_hooks.push_back([shared = env_](const AllocHookEnv& hook_env) {
    return std::make_unique<ChecksHook>(hook_env, shared);
  });
}

nlohmann::json NodeChecks::Encode(const std::string& alloc_id) const {
  return results_.Encode(alloc_id);
}

std::vector<CheckPlan> NodeChecks::PlansOf(const Allocation& alloc) const {
  CheckTexts texts(*node_, alloc);
  const auto ours = [this](const Service& service) {
    return RegistryOf(policy_, service) == ServiceProvider::kBuiltin;
  };
  const auto replace = [&texts](const Task* task, const std::string& text) {
    return texts.Replace(task, text);
  };
  std::vector<CheckPlan> plans = MakeCheckPlans(alloc, ours, replace);
  if (!has_consul_) return plans;
  // Consul asks the checks of its services itself, but for scripts.
  const auto of_consul = [&ours](const Service& service) { return !ours(service); };
  for (CheckPlan& plan : MakeCheckPlans(alloc, of_consul, replace)) {
    const bool is_new = std::ranges::none_of(
        plans, [&plan](const CheckPlan& other) { return other.id == plan.id; });
    if (is_new && plan.check.type == CheckType::kScript) plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace drover
