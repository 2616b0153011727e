// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "host/alloc/local_alloc_runner.h"

namespace drover {
namespace {

using nlohmann::json;

// An allocation as far as its hooks need it.
class HookedAlloc : public AllocControl {
 public:
  HookedAlloc(Loop* loop, NodeChecks* checks, std::shared_ptr<const Allocation> alloc)
      : loop_(loop) {
    AllocState state;
    state.alloc = std::move(alloc);
    snapshot_ = std::make_shared<const AllocState>(state);
    LocalAllocEnv env;
    checks->AddHealthHook(&env);
    checks->AddChecksHook(&env);
    for (const AllocHookMaker& make : env.extra_hooks)
      chain_.Add(make(AllocHookEnv{loop, nullptr, this, nullptr}));
  }
  void RequestEnd(std::string) override {}
  AllocSnapshot snapshot() const override { return snapshot_; }

  void Run(AllocHookStage stage) {
    AllocHookRequest request;
    request.alloc = snapshot_->alloc;
    auto run = [](AllocHookChain* chain, AllocHookStage which, Context context,
                  AllocHookRequest of) -> Co<void> {
      const Status status = co_await chain->Run(which, context, of);
      EXPECT_TRUE(status.ok());
    };
    ASSERT_TRUE(
        static_cast<RealLoop*>(loop_)->RunToEnd(run(&chain_, stage, Context(loop_), request)));
  }

 private:
  Loop* const loop_;
  AllocSnapshot snapshot_;
  AllocHookChain chain_;
};

Co<void> Pause(Loop* loop) {
  const Context context(loop);
  (void)co_await Sleep(context, 20ms);
}

std::shared_ptr<const Allocation> MakeAlloc() {
  auto job = std::make_shared<Job>();
  job->id = job->name = "job";
  job->groups.resize(1);
  TaskGroup& group = job->groups[0];
  group.name = "group";
  group.tasks.resize(1);
  group.tasks[0].name = "web";
  group.tasks[0].env["COLOUR"] = "green";
  Service service;
  service.name = "here";
  service.provider = ServiceProvider::kBuiltin;
  service.port_label = "http";
  ServiceCheck check;
  check.name = "on ${NOMAD_JOB_NAME}";
  check.type = CheckType::kTcp;
  check.interval = 1s;
  check.timeout = 1s;
  service.checks = {check};
  group.services = {service};
  service.name = "there";
  service.provider = ServiceProvider::kConsul;
  group.services.push_back(service);
  service.name = "of-task";
  service.provider = ServiceProvider::kBuiltin;
  service.checks[0].name = "in ${COLOUR}";
  group.tasks[0].services = {service};
  auto alloc = std::make_shared<Allocation>();
  alloc->id = "5a1b8c2e-0000-4000-8000-000000000001";
  alloc->name = "job.group[0]";
  alloc->job = std::move(job);
  alloc->group_name = "group";
  AllocatedPort port;
  port.label = "http";
  port.value = 1;  // nobody listens on it
  port.host_ip = "127.0.0.1";
  alloc->ports = {port};
  return alloc;
}

std::set<std::string> NamesOf(const json& checks) {
  std::set<std::string> names;
  for (const json& check : checks) names.insert(check.at("Check").get<std::string>());
  return names;
}

TEST(NodeChecksTest, AReloadDecidesAnewWhoseChecksItRuns) {
  RealLoop loop;
  NodeInfo node;
  NodeChecks checks(&loop, &node, ServicePolicy());
  HookedAlloc alloc(&loop, &checks, MakeAlloc());
  const std::string id = alloc.snapshot()->alloc->id;
  alloc.Run(AllocHookStage::kPrerun);
  EXPECT_EQ(checks.Encode(id).size(), 2u);
  ServicePolicy all;
  all.consul_is_builtin = true;
  checks.SetPolicy(all);
  EXPECT_EQ(checks.Encode(id).size(), 2u) << "nothing happens before an update";
  alloc.Run(AllocHookStage::kUpdate);
  EXPECT_EQ(checks.Encode(id).size(), 3u);
  checks.SetPolicy(ServicePolicy());
  alloc.Run(AllocHookStage::kUpdate);
  EXPECT_EQ(NamesOf(checks.Encode(id)), (std::set<std::string>{"on job", "in green"}));
  alloc.Run(AllocHookStage::kPostrun);
}

TEST(NodeChecksTest, RunsTheChecksOfItsServicesUntilTheEnd) {
  RealLoop loop;
  NodeInfo node;
  NodeChecks checks(&loop, &node, ServicePolicy());
  HookedAlloc alloc(&loop, &checks, MakeAlloc());
  const std::string id = alloc.snapshot()->alloc->id;
  EXPECT_EQ(checks.Encode(id), json::object());
  alloc.Run(AllocHookStage::kPrerun);
  const json begun = checks.Encode(id);
  ASSERT_EQ(begun.size(), 2u) << begun << "\nthose of Consul are not ours";
  for (const auto& [key, check] : begun.items()) {
    EXPECT_EQ(check.at("ID"), key);
    EXPECT_EQ(check.at("Status"), "pending");
  }
  EXPECT_EQ(NamesOf(begun), (std::set<std::string>{"on job", "in green"}));
  const TimePoint end = loop.Now() + 20s;
  const auto all_failed = [&] {
    const json now = checks.Encode(id);
    return std::all_of(now.begin(), now.end(),
                       [](const json& check) { return check.at("Status") == "failure"; });
  };
  while (!all_failed() && loop.Now() < end) loop.RunToEnd(Pause(&loop));
  EXPECT_TRUE(all_failed()) << checks.Encode(id);
  for (const json& check : checks.Encode(id))
    EXPECT_EQ(check.at("Output"), "dial tcp 127.0.0.1:1: connect: connection refused");
  alloc.Run(AllocHookStage::kPrekill);
  EXPECT_EQ(checks.Encode(id), json::object());
  alloc.Run(AllocHookStage::kPostrun);
}

}  // namespace
}  // namespace drover
