// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/consul_clusters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "host/base/loop.h"
#include "host/consul/consul_for_test.h"
#include "host/consul/consul_server_for_test.h"

namespace drover {
namespace {

constexpr char kSpread[] = "0a1b2c3d-0000-4000-8000-0000000000cc";

Co<void> UntilDone(Loop* loop, std::function<bool()> done) {
  while (!done()) {
    [[maybe_unused]] const Status slept = co_await Sleep(Context(loop), 10ms);
  }
}

TEST(ConsulClustersTest, AnAllocationPassesWhenAllClustersSaySo) {
  ConsulServerForTest first, second;
  WorkerPool pool(1);
  RealLoop loop;
  std::map<std::string, ConsulOptions> options;
  options["default"].url = first.url();
  options["east"].url = second.url();
  const std::unique_ptr<ConsulClusters> clusters =
      *ConsulClusters::Create(&loop, &pool, options, "node-1", nullptr);
  clusters->Start();
  clusters->Restored({});
  EXPECT_TRUE(clusters->Passing(kSpread));
  const ConsulService here = ServiceForConsul(kSpread, "web", "here", "a");
  const ConsulService there = ServiceForConsul(kSpread, "web", "there", "b");
  clusters->syncs().at("default")->Set(kSpread, "web", {here});
  clusters->syncs().at("east")->Set(kSpread, "web", {there});
  int changes = 0;
  {
    const Subscription subscription = clusters->OnChange(kSpread, [&changes] { ++changes; });
    clusters->Report(here.id, "a", ConsulStatus::kPassing, "");
    EXPECT_TRUE(loop.RunToEnd(UntilDone(&loop, [&changes] { return changes > 0; }), 10s));
    EXPECT_FALSE(clusters->Passing(kSpread)) << "the other cluster has heard nothing";
    clusters->Report(there.id, "b", ConsulStatus::kPassing, "");
    EXPECT_TRUE(loop.RunToEnd(UntilDone(&loop, [&] { return clusters->Passing(kSpread); }), 10s));
  }
  EXPECT_TRUE(loop.RunToEnd(clusters->Stop()));
  EXPECT_TRUE(first.services().contains(here.id)) << "tasks go on, and so do their services";
}

TEST(ConsulClustersTest, ABadClusterIsNamed) {
  WorkerPool pool(1);
  RealLoop loop;
  std::map<std::string, ConsulOptions> options;
  options["east"].url = "https://127.0.0.1:1";
  options["east"].ca_file = "/no/such/file.pem";
  const auto made = ConsulClusters::Create(&loop, &pool, options, "node-1", nullptr);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message(), ::testing::StartsWith("cluster east of Consul: TLS: "));
}

}  // namespace
}  // namespace drover
