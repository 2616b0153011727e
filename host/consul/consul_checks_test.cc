// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/consul_checks.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "host/base/loop.h"
#include "host/consul/consul_for_test.h"

namespace drover {
namespace {

constexpr char kChecked[] = "0a1b2c3d-0000-4000-8000-00000000000c";

class ConsulChecksTest : public ::testing::Test {
 protected:
  ConsulChecksTest() {
    ConsulSync::Options options;
    options.node_id = "node-1";
    sync_.emplace(&loop_, &consul_, std::move(options));
    checks_.emplace(&loop_, &consul_, &*sync_);
    sync_->Start();
  }
  ~ConsulChecksTest() override {
    EXPECT_TRUE(loop_.RunToEnd(checks_->Stop()));
    EXPECT_TRUE(loop_.RunToEnd(sync_->Stop()));
  }
  void SetService(OnUpdate on_update) {
    ConsulService service = ServiceForConsul(kChecked, "web", "www", "c");
    service.checks[0].on_update = on_update;
    sync_->Set(kChecked, "web", {service});
    loop_.RunReady();
  }
  void Become(ConsulStatus status) {
    consul_.checks.at("_nomad-check-c").status = status;
    loop_.Advance(ConsulChecks::kInterval);
  }

  SimLoop loop_;
  ConsulForTest consul_;
  std::optional<ConsulSync> sync_;
  std::optional<ConsulChecks> checks_;
};

TEST_F(ConsulChecksTest, AnAllocationWithoutChecksPasses) {
  EXPECT_TRUE(checks_->Passing(kChecked));
}

TEST_F(ConsulChecksTest, WhoWaitsHearsWithinTheInterval) {
  SetService(OnUpdate::kRequireHealthy);
  int calls = 0;
  const Subscription subscription = checks_->OnChange(kChecked, [&calls] { ++calls; });
  loop_.RunReady();
  EXPECT_FALSE(checks_->Passing(kChecked)) << "it is critical until it has run";
  Become(ConsulStatus::kWarning);
  EXPECT_FALSE(checks_->Passing(kChecked));
  EXPECT_EQ(calls, 0);
  Become(ConsulStatus::kPassing);
  EXPECT_TRUE(checks_->Passing(kChecked));
  EXPECT_EQ(calls, 1);
  consul_.away = true;
  loop_.Advance(1s);
  EXPECT_FALSE(checks_->Passing(kChecked)) << "nobody knows";
  EXPECT_EQ(calls, 2);
}

TEST_F(ConsulChecksTest, OnUpdateDecidesWhatCounts) {
  SetService(OnUpdate::kIgnoreWarnings);
  const Subscription subscription = checks_->OnChange(kChecked, [] {});
  Become(ConsulStatus::kWarning);
  EXPECT_TRUE(checks_->Passing(kChecked));
  Become(ConsulStatus::kCritical);
  EXPECT_FALSE(checks_->Passing(kChecked));
  SetService(OnUpdate::kIgnore);
  EXPECT_TRUE(checks_->Passing(kChecked));
}

TEST_F(ConsulChecksTest, ConsulIsAskedOnceForAllAndOnlyWhileSomebodyWaits) {
  SetService(OnUpdate::kRequireHealthy);
  const int before = consul_.Count("checks");
  loop_.Advance(5s);
  EXPECT_EQ(consul_.Count("checks"), before);
  {
    const Subscription first = checks_->OnChange(kChecked, [] {});
    const Subscription second = checks_->OnChange(kChecked, [] {});
    loop_.Advance(5s);
    EXPECT_LE(consul_.Count("checks"), before + 11);
    EXPECT_GE(consul_.Count("checks"), before + 10);
  }
  loop_.Advance(500ms);
  const int after = consul_.Count("checks");
  loop_.Advance(5s);
  EXPECT_EQ(consul_.Count("checks"), after);
}

}  // namespace
}  // namespace drover
