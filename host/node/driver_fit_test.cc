// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/driver_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DriverFitTest : public ::testing::Test {
 protected:
  DriverFitTest() {
    driver_.name = "box";
    driver_.fs_isolation = FsIsolation::kImage;
    task_.name = "web";
    group_.networks.emplace_back();
  }
  std::vector<std::string> Mistakes() const {
    return DriverMistakes(driver_, group_, task_, "/G", "/G/Tasks/0");
  }

  DriverInfo driver_;
  TaskGroup group_;
  Task task_;
};

TEST_F(DriverFitTest, AHostnameNeedsADriverThatTakesIt) {
  EXPECT_THAT(Mistakes(), IsEmpty());
  group_.networks[0].hostname = "front";
  EXPECT_THAT(Mistakes(),
              ElementsAre("/G/Networks/0/Hostname: driver \"box\" of the task \"web\" gives its "
                          "tasks no hostname: remove it, or use another driver"));
  driver_.takes_hostname = true;
  EXPECT_THAT(Mistakes(), IsEmpty());
}

TEST_F(DriverFitTest, TheHostItselfNamesTasksWithARootOfTheHost) {
  group_.networks[0].hostname = "front";
  driver_.fs_isolation = FsIsolation::kChroot;
  EXPECT_THAT(Mistakes(), IsEmpty());
  driver_.fs_isolation = FsIsolation::kNone;  // JobWarnings warns of it
  EXPECT_THAT(Mistakes(), IsEmpty());
}

TEST_F(DriverFitTest, WhatTheDriverSaysNothingAboutIsNotChecked) {
  driver_.capabilities = std::make_shared<const DriverCapabilities>();
  driver_.takes_hostname = true;
  group_.networks[0].mode = "cni/mesh";
  group_.networks[0].hostname = "front";
  group_.networks[0].dns.servers = {"192.0.2.1"};
  task_.user = "anna";
  task_.kill_signal = "SIGUSR1";
  EXPECT_THAT(Mistakes(), IsEmpty());
}

TEST_F(DriverFitTest, EachFieldThatTheDriverCannotIsNamed) {
  DriverCapabilities can;
  can.network_modes = {"host"};
  can.hostname = can.dns = can.users = false;
  can.signals = {"SIGTERM", "SIGINT"};
  driver_.capabilities = std::make_shared<const DriverCapabilities>(can);
  group_.networks[0].mode = "bridge";
  group_.networks[0].hostname = "front";
  group_.networks[0].dns.servers = {"192.0.2.1"};
  task_.user = "anna";
  task_.kill_signal = "SIGHUP";
  const std::string whose = ": driver \"box\" of the task \"web\" ";
  EXPECT_THAT(
      Mistakes(),
      ElementsAre(
          "/G/Networks/0/Hostname" + whose +
              "gives its tasks no hostname: remove it, or use another driver",
          "/G/Networks/0/Mode" + whose + "has no network mode \"bridge\", only: host",
          "/G/Networks/0/DNS" + whose +
              "gives its tasks no name servers: remove it, or use another driver",
          "/G/Tasks/0/User" + whose + "runs no task as a user that its job names: remove it",
          "/G/Tasks/0/KillSignal" + whose + "has no signal \"SIGHUP\", only: SIGTERM, SIGINT"));
}

TEST_F(DriverFitTest, CniStandsForEachNetworkOfPlugins) {
  DriverCapabilities can;
  can.network_modes = {"cni"};
  driver_.capabilities = std::make_shared<const DriverCapabilities>(can);
  group_.networks[0].mode = "cni/mesh";
  EXPECT_THAT(Mistakes(), IsEmpty());
  group_.networks[0].mode = "bridge";
  EXPECT_EQ(Mistakes().size(), 1u);
  can.must_create_network = true;
  driver_.capabilities = std::make_shared<const DriverCapabilities>(can);
  group_.networks[0].mode = "cni/mesh";
  EXPECT_EQ(Mistakes().size(), 1u);
}

}  // namespace
}  // namespace drover
