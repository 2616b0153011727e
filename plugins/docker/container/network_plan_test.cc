// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "container/network_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover_docker {
namespace {

using testing::HasSubstr;

drover::TaskConfig WithPorts() {
  drover::TaskConfig task;
  drover::Port web;
  web.label = "web";
  web.value = 23001;
  web.to = 80;
  web.host_ip = "10.0.0.1";
  drover::Port admin;
  admin.label = "admin";
  admin.value = 23002;
  task.ports = {web, admin};
  return task;
}

std::string Fault(const drover::TaskConfig& task, const TaskOptions& options) {
  try {
    PlanNetwork(task, options, false);
  } catch (const drover::Error& error) {
    return error.message();
  }
  return "";
}

TEST(DockerNetworkTest, PortsOfTheGroupArePublished) {
  TaskOptions options;
  options.ports = {"web", "admin"};
  const NetworkPlan plan = PlanNetwork(WithPorts(), options, false);
  EXPECT_EQ(plan.mode, "bridge");
  ASSERT_EQ(plan.ports.size(), 2u);
  EXPECT_EQ(plan.ports[0].host_ip, "10.0.0.1");
  EXPECT_EQ(plan.ports[0].host_port, 23001);
  EXPECT_EQ(plan.ports[0].container_port, 80);
  EXPECT_EQ(plan.ports[1].container_port, 23002);
}

TEST(DockerNetworkTest, APortMapChoosesThePortInside) {
  TaskOptions options;
  options.port_map["web"] = 8080;
  EXPECT_EQ(PlanNetwork(WithPorts(), options, false).ports.at(0).container_port, 8080);
}

TEST(DockerNetworkTest, APortThatIsThereTwiceIsPublishedOnce) {
  TaskOptions options;
  options.ports = {"web", "web"};
  options.port_map["web"] = 80;
  options.port_map["admin"] = 8080;
  const NetworkPlan plan = PlanNetwork(WithPorts(), options, false);
  ASSERT_EQ(plan.ports.size(), 2u);
  EXPECT_EQ(plan.ports[1].label, "admin");
}

TEST(DockerNetworkTest, AnUnknownPortIsNamed) {
  TaskOptions options;
  options.ports = {"http"};
  EXPECT_THAT(Fault(WithPorts(), options), HasSubstr("it has web, admin"));
  EXPECT_THAT(Fault(drover::TaskConfig(), options), HasSubstr("it has none"));
}

TEST(DockerNetworkTest, TheNetworkOfTheAllocationIsJoined) {
  drover::TaskConfig task = WithPorts();
  task.network_mode = "bridge";
  task.network_namespace = "/run/drover/netns/x";
  const NetworkPlan by_path = PlanNetwork(task, TaskOptions(), true);
  EXPECT_EQ(by_path.mode, "ns:/run/drover/netns/x");
  EXPECT_FALSE(by_path.needs_pause);
  const NetworkPlan by_pause = PlanNetwork(task, TaskOptions(), false);
  EXPECT_EQ(by_pause.mode, "");
  EXPECT_TRUE(by_pause.needs_pause);
  TaskOptions options;
  options.ports = {"web"};
  EXPECT_TRUE(PlanNetwork(task, options, false).ports.empty()) << "the host has mapped them";
}

TEST(DockerNetworkTest, AModeOfTheTaskWins) {
  drover::TaskConfig task = WithPorts();
  task.network_namespace = "/run/drover/netns/x";
  TaskOptions options;
  options.network_mode = "host";
  EXPECT_EQ(PlanNetwork(task, options, false).mode, "host");
  options.network_mode = "default";
  EXPECT_EQ(PlanNetwork(task, options, false).mode, "bridge");
}

TEST(DockerNetworkTest, NoneIsNone) {
  drover::TaskConfig task;
  task.network_mode = "none";
  EXPECT_EQ(PlanNetwork(task, TaskOptions(), false).mode, "none");
}

TEST(DockerNetworkTest, AddressesNeedANetworkOfTheOperator) {
  TaskOptions options;
  options.ipv4_address = "10.1.0.5";
  EXPECT_THAT(Fault(WithPorts(), options), HasSubstr("network_mode"));
  TaskOptions named;
  named.network_aliases = {"db"};
  EXPECT_THAT(Fault(WithPorts(), named), HasSubstr("network_mode"));
  options.network_mode = "host";
  EXPECT_THAT(Fault(WithPorts(), options), HasSubstr("cannot choose"));
  options.network_mode = "backend";
  EXPECT_EQ(Fault(WithPorts(), options), "");
}

}  // namespace
}  // namespace drover_docker
