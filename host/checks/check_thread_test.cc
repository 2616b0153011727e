// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_thread.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/client/scripted_server_for_test.h"

namespace drover {
namespace {

class CheckThreadTest : public testing::Test {
 protected:
  CheckPlan NewPlan(const std::string& id, int port) {
    CheckPlan plan;
    plan.id = id;
    plan.alloc_id = "alloc";
    plan.check.name = id;
    plan.check.interval = plan.check.timeout = 1s;
    plan.host = "127.0.0.1";
    plan.port = port;
    return plan;
  }
  std::shared_ptr<CheckSlot> Add(CheckPlan plan) {
    auto slot = results_.Begin(std::move(plan));
    thread_->Add(slot);
    return slot;
  }
  static int PortOfServer(const ScriptedServer& server) {
    const std::string address = server.address();
    return std::stoi(address.substr(address.rfind(':') + 1));
  }
  std::string StatusOf(const std::string& id) {
    return results_.Encode("alloc").at(id).at("Status").get<std::string>();
  }
  // Runs the control thread until DONE() is true, for at most 20 s.
  bool Until(const std::function<bool()>& done) {
    auto pause = [](Loop* loop) -> Co<void> {
      const Context context(loop);
      (void)co_await Sleep(context, 10ms);
    };
    const TimePoint end = loop_.Now() + 20s;
    while (!done() && loop_.Now() < end) EXPECT_TRUE(loop_.RunToEnd(pause(&loop_)));
    return done();
  }

  RealLoop loop_;
  CheckResults results_{&loop_};
  const std::shared_ptr<ScriptChecks> scripts_ = std::make_shared<ScriptChecks>(&loop_);
  std::unique_ptr<CheckThread> thread_ = std::make_unique<CheckThread>(&loop_, &results_, scripts_);
};

TEST_F(CheckThreadTest, AsksOverTheNetworkAndTellsTheControlThread) {
  int heard = 0;
  const Subscription subscription = results_.OnChange("alloc", [&] { ++heard; });
  ScriptedServer server([](ScriptedPeer* peer, int) { peer->ReadToEnd(); });
  Add(NewPlan("good", PortOfServer(server)));
  Add(NewPlan("bad", 1));
  EXPECT_TRUE(Until([&] { return StatusOf("good") == "success" && StatusOf("bad") == "failure"; }));
  EXPECT_GE(heard, 1);
  thread_.reset();
}

TEST_F(CheckThreadTest, TheEndWaitsForNoCheck) {
  ScriptedServer server([](ScriptedPeer* peer, int) { peer->ReadToEnd(); });
  for (int i = 0; i < 50; ++i) {
    CheckPlan plan = NewPlan("hangs" + std::to_string(i), PortOfServer(server));
    plan.check.type = CheckType::kHttp;
    plan.check.timeout = 60s;
    Add(std::move(plan));
  }
  EXPECT_TRUE(Until([&] { return server.connections() > 0; }));
  const TimePoint begin = loop_.Now();
  thread_.reset();
  EXPECT_LT(loop_.Now() - begin, 10s);
}

TEST_F(CheckThreadTest, ScriptsRunOnTheControlThread) {
  std::vector<std::string> tasks;
  scripts_->Open("alloc", [&tasks](Context, std::string task, ExecRequest) {
    tasks.push_back(std::move(task));
    auto refuse = []() -> Co<Result<std::unique_ptr<TaskExecSession>>> {
      co_return Error(Code::kUnavailable, "not now");
    };
    return refuse();
  });
  CheckPlan plan = NewPlan("script", 0);
  plan.check.type = CheckType::kScript;
  plan.check.command = "/bin/true";
  plan.check.task = "web";
  const auto slot = Add(std::move(plan));
  EXPECT_TRUE(Until([&] { return StatusOf("script") == "failure"; }));
  EXPECT_EQ(results_.Encode("alloc").at("script").at("Output"), "not now");
  EXPECT_EQ(tasks.at(0), "web");
  EXPECT_TRUE(loop_.RunToEnd(scripts_->Close("alloc")));
  thread_->Remove(slot);
  results_.End(slot);
}

TEST_F(CheckThreadTest, AScriptOfAnAllocationWithoutATaskEndsAtItsTimeout) {
  CheckPlan plan = NewPlan("script", 0);
  plan.check.type = CheckType::kScript;
  Add(std::move(plan));
  EXPECT_TRUE(Until([&] { return StatusOf("script") == "failure"; }));
  EXPECT_EQ(results_.Encode("alloc").at("script").at("Output"), "no answer within 1s");
}

TEST_F(CheckThreadTest, WithoutChecksThereIsNoThread) {
  thread_->Remove(results_.Begin(NewPlan("a", 1)));
  thread_.reset();
}

}  // namespace
}  // namespace drover
