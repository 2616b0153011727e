// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/consul_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/base/loop.h"
#include "host/consul/consul_answers.h"
#include "host/consul/consul_for_test.h"
#include "host/consul/consul_server_for_test.h"
#include "host/consul/consul_sync.h"

namespace drover {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Mode = ConsulServerForTest::Mode;

constexpr char kAsked[] = "0a1b2c3d-0000-4000-8000-00000000000e";

template <typename T>
Co<void> KeepResult(Co<T> work, std::optional<T>* out) {
  *out = co_await std::move(work);
}

class ConsulAgentTest : public ::testing::Test {
 protected:
  void Use(ConsulOptions options) {
    if (options.url == ConsulOptions().url) options.url = server_.url();
    agent_ = *ConsulAgent::Create(std::move(options), &pool_);
  }
  template <typename T>
  T Wait(Co<T> work) {
    std::optional<T> out;
    EXPECT_TRUE(loop_.RunToEnd(KeepResult(std::move(work), &out), 30s));
    return *std::move(out);
  }
  Status Register(const ConsulService& service) {
    return Wait(agent_->Register(Context(&loop_), std::make_shared<const ConsulService>(service)));
  }
  // Runs the loop until DONE or for LIMIT. Returns whether it is done.
  bool RunUntil(const std::function<bool()>& done, Duration limit) {
    const TimePoint end = loop_.Now() + limit;
    while (!done() && loop_.Now() < end) Wait(Sleep(Context(&loop_), 10ms)).ok();
    return done();
  }

  ConsulServerForTest server_;
  WorkerPool pool_{1};
  RealLoop loop_;
  std::unique_ptr<ConsulAgent> agent_;
};

TEST_F(ConsulAgentTest, RegistersListsUpdatesAndRemoves) {
  ConsulOptions options;
  options.token = "t0k3n";
  options.auth = "user:pass";
  options.consul_namespace = "team";
  Use(options);
  ConsulService service = ServiceForConsul(kAsked, "web", "www", "c");
  service.tags = {"a", "b"};
  service.tagged_addresses["wan"] = {"198.51.100.1", 8080};
  service.weights = {3, 2};
  ASSERT_TRUE(Register(service).ok());
  EXPECT_THAT(server_.last_head(), HasSubstr("PUT /v1/agent/service/register?"
                                             "replace-existing-checks=true&ns=team HTTP/1.1"));
  EXPECT_THAT(server_.last_head(), HasSubstr("X-Consul-Token: t0k3n\r\n"));
  EXPECT_THAT(server_.last_head(), HasSubstr("Authorization: Basic dXNlcjpwYXNz\r\n"));
  EXPECT_THAT(server_.last_head(), Not(HasSubstr("X-Nomad-Token")));
  const Result<ConsulServices> services = Wait(agent_->ListServices(Context(&loop_)));
  ASSERT_TRUE(services.ok()) << services.error().message();
  ASSERT_EQ(services->count(service.id), 1u);
  EXPECT_TRUE(SameConsulService(service, services->at(service.id)));
  const Status told = Wait(agent_->UpdateCheck(Context(&loop_), service.checks[0].id,
                                               ConsulStatus::kPassing, std::string(9000, 'x')));
  EXPECT_TRUE(told.ok());
  const Result<ConsulCheckStateMap> checks = Wait(agent_->ListChecks(Context(&loop_)));
  ASSERT_TRUE(checks.ok());
  EXPECT_EQ(checks->at(service.checks[0].id),
            (ConsulCheckState{service.id, ConsulStatus::kPassing}));
  const std::string output = server_.checks()[service.checks[0].id]["Output"];
  EXPECT_EQ(output.size(), 4096u);
  server_.SetOutput(service.checks[0].id, std::string("a\0b", 3));
  EXPECT_TRUE(Wait(agent_->ListChecks(Context(&loop_))).ok()) << "a task cannot spoil the list";
  EXPECT_TRUE(*Wait(agent_->HasService(Context(&loop_), service.id)));
  EXPECT_TRUE(Wait(agent_->Deregister(Context(&loop_), service.id)).ok());
  EXPECT_FALSE(*Wait(agent_->HasService(Context(&loop_), service.id)));
  EXPECT_EQ(Wait(agent_->Deregister(Context(&loop_), service.id)).code(), Code::kNotFound);
  EXPECT_EQ(server_.checks().size(), 0u);
}

TEST_F(ConsulAgentTest, ErrorsSayWhatConsulSays) {
  Use({});
  server_.SetMode(Mode::kRefuse);
  const Status refused = Register(ServiceForConsul(kAsked, "web", "www"));
  EXPECT_EQ(refused.code(), Code::kPermissionDenied);
  EXPECT_EQ(refused.error().message(),
            "Consul answers PUT /v1/agent/service/register with status 403: Permission denied: "
            "token with AccessorID 'x': see token in the block consul of the configuration");
  server_.SetMode(Mode::kTrouble);
  EXPECT_EQ(Wait(agent_->ListServices(Context(&loop_))).code(), Code::kInternal);
  server_.SetMode(Mode::kNonsense);
  const Result<ConsulServices> nonsense = Wait(agent_->ListServices(Context(&loop_)));
  EXPECT_EQ(nonsense.code(), Code::kUnavailable);
  EXPECT_THAT(nonsense.error().message(),
              HasSubstr("Consul's answer to /v1/agent/services makes no sense: "));
  server_.SetMode(Mode::kHangUp);
  EXPECT_EQ(Register(ServiceForConsul(kAsked, "web", "www")).code(), Code::kUnavailable);
  server_.Stop();
  const Result<bool> gone = Wait(agent_->HasService(Context(&loop_), "x"));
  EXPECT_EQ(gone.code(), Code::kUnavailable);
  EXPECT_THAT(gone.error().message(),
              AnyOf(HasSubstr("is Consul's agent running?"), HasSubstr("closed the connection")));
  server_.Start();
}

TEST_F(ConsulAgentTest, NoAnswerIsWaitedForOrKeptWithoutLimit) {
  ConsulOptions options;
  options.timeout = 300ms;
  Use(options);
  for (const Mode mode : {Mode::kMute, Mode::kLongHead}) {
    server_.SetMode(mode);
    const TimePoint begin = loop_.Now();
    const Result<ConsulServices> read = Wait(agent_->ListServices(Context(&loop_)));
    EXPECT_THAT(read.code(), AnyOf(Code::kTimeout, Code::kUnavailable));
    EXPECT_LT(loop_.Now() - begin, 5s);
  }
  options.timeout = 20s;
  Use(options);
  server_.SetMode(Mode::kEndless);
  const Result<bool> endless = Wait(agent_->HasService(Context(&loop_), "x"));
  EXPECT_EQ(endless.code(), Code::kResourceExhausted);
  EXPECT_THAT(endless.error().message(), HasSubstr("is longer than 65536 bytes"));
}

TEST_F(ConsulAgentTest, BadOptionsAreRefused) {
  ConsulOptions options;
  options.url = "https://127.0.0.1:1";
  options.ca_file = "/no/such/file.pem";
  const auto made = ConsulAgent::Create(options, &pool_);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message(), HasSubstr("/no/such/file.pem"));
}

// What a Consul on real sockets must be like some time after something has happened to it.
TEST_F(ConsulAgentTest, WhateverHappensItIsRightAgainFiveSecondsAfterItIsBack) {
  ConsulOptions options;
  options.timeout = 500ms;
  Use(options);
  ConsulSync::Options of_sync;
  of_sync.node_id = "node-1";
  ConsulSync sync(&loop_, agent_.get(), std::move(of_sync));
  sync.Start();
  sync.Restored({});
  const ConsulService web = ServiceForConsul(kAsked, "web", "www", "c");
  const ConsulService api = ServiceForConsul(kAsked, "api", "api");
  sync.Set(kAsked, "web", {web});
  const auto has = [this](const ConsulService& service) {
    return server_.services().contains(service.id);
  };
  ASSERT_TRUE(RunUntil([&] { return has(web); }, 5s));
  // Each fault lasts for a second, in which a service comes and another one goes.
  bool api_is_there = false;
  const auto change = [&] {
    api_is_there = !api_is_there;
    sync.Set(kAsked, "api", api_is_there ? std::vector{api} : std::vector<ConsulService>());
    RunUntil([] { return false; }, 1s);
  };
  const auto is_right = [&] {
    return RunUntil([&] { return has(web) && has(api) == api_is_there; }, 5s);
  };
  for (const Mode mode : {Mode::kMute, Mode::kNonsense, Mode::kTrouble, Mode::kHangUp}) {
    server_.SetMode(mode);
    change();
    server_.SetMode(Mode::kFine);
    EXPECT_TRUE(is_right()) << static_cast<int>(mode);
  }
  server_.Stop();
  change();
  server_.Start();
  EXPECT_TRUE(is_right()) << "after it was away";
  server_.Stop();
  server_.Wipe();
  server_.Start();
  EXPECT_TRUE(is_right()) << "after a quick restart that lost everything";
  server_.Wipe();
  EXPECT_TRUE(is_right()) << "after it was wiped";
  EXPECT_EQ(server_.checks().size(), 1u);
  EXPECT_TRUE(loop_.RunToEnd(sync.Stop()));
}

}  // namespace
}  // namespace drover
