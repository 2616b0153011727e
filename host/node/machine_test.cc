// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/machine.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(MachineTest, ReadsWhatEveryLinuxHas) {
  const Machine machine = ReadMachine();
  EXPECT_FALSE(machine.hostname.empty());
  EXPECT_GE(machine.cores, 1);
  EXPECT_FALSE(machine.core_ids.empty());
  EXPECT_GT(machine.memory_bytes, 1u << 20);
  EXPECT_EQ(machine.attributes.at("kernel.name"), "linux");
  EXPECT_EQ(machine.attributes.at("cpu.numcores"), std::to_string(machine.cores));
  EXPECT_EQ(machine.attributes.at("nomad.version"), kNomadVersion);
  EXPECT_TRUE(machine.attributes.at("os.signals").starts_with("SIGABRT,SIGALRM,"));
  EXPECT_NE(machine.attributes.at("os.signals").find(",SIGTERM,"), std::string::npos);
  EXPECT_EQ(machine.attributes.at("cpu.totalcompute"),
            std::to_string(static_cast<long>(machine.core_mhz * machine.cores)));
  EXPECT_NE(machine.attributes.at("unique.network.ip-address").find('.'), std::string::npos);
  // Only on a machine with cgroups.
  const auto version = machine.attributes.find("unique.cgroup.version");
  if (version != machine.attributes.end()) {
    EXPECT_TRUE(version->second == "v1" || version->second == "v2");
    EXPECT_TRUE(machine.attributes.at("unique.cgroup.mountpoint").starts_with("/"));
  }
}

}  // namespace
}  // namespace drover
