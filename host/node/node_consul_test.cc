// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node_consul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/services/noting_registrar_for_test.h"

namespace drover {
namespace {

using ::testing::ElementsAre;

constexpr char kAlloc[] = "0a1b2c3d-0000-4000-8000-000000000001";

ServiceRegistration Registered(const std::string& name) {
  ServiceRegistration registration;
  registration.id = std::string("_nomad-task-") + kAlloc + "-group-g-" + name + "-http";
  registration.name = name;
  registration.node_id = "node";
  registration.alloc_id = kAlloc;
  return registration;
}

// Checks of this agent that all pass.
class PassingChecks : public CheckStates {
 public:
  bool Passing(const std::string&) const override { return passing; }
  Subscription OnChange(const std::string&, std::function<void()> changed) override {
    return changes.Add(std::move(changed));
  }

  bool passing = true;
  CallbackList changes;
};

class NodeConsulTest : public ::testing::Test {
 protected:
  static std::map<std::string, AgentConfig::Consul> Clusters() {
    std::map<std::string, AgentConfig::Consul> clusters;
    clusters["default"].url = "http://127.0.0.1:1";  // nobody listens there
    return clusters;
  }

  RealLoop loop_;
  WorkerPool pool_{1};
  NotingRegistrar builtin_{&loop_};
  PassingChecks ours_;
  const std::unique_ptr<NodeConsul> consul_ =
      NodeConsul::Create(&loop_, &pool_, Clusters(), "node").value();
};

TEST_F(NodeConsulTest, EachServiceGoesToWhoKeepsIt) {
  ServiceRegistrar* const registrar = consul_->SwitchFrom(&builtin_);
  CheckStates* const states = consul_->JoinTo(&ours_);
  EXPECT_TRUE(states->Passing(kAlloc)) << "there are no checks yet";
  ForConsul there;
  there.id = Registered("there").id;
  there.service.name = "there";
  ServiceCheck& check = there.service.checks.emplace_back();
  check.name = "up";
  check.interval = check.timeout = 1s;
  there.places.push_back({"127.0.0.1", 80});
  consul_->Expect({there});
  registrar->Set(kAlloc, "", {Registered("here"), Registered("there")});
  EXPECT_THAT(builtin_.calls, ElementsAre("add group here"));
  EXPECT_FALSE(states->Passing(kAlloc)) << "Consul has not told of its check";
}

TEST_F(NodeConsulTest, ChecksOfThisAgentDecideToo) {
  CheckStates* const states = consul_->JoinTo(&ours_);
  int changes = 0;
  Subscription subscription = states->OnChange(kAlloc, [&changes] { ++changes; });
  ours_.passing = false;
  EXPECT_FALSE(states->Passing(kAlloc));
  ours_.changes.Fire();
  EXPECT_EQ(changes, 1);
  subscription.Cancel();
  EXPECT_TRUE(loop_.RunToEnd(consul_->Stop()));
}

}  // namespace
}  // namespace drover
