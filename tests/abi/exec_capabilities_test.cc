// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "capabilities.h"
#include "drover/error.hpp"

namespace exec_driver {
namespace {

using Names = std::vector<std::string>;

TEST(ExecCapabilitiesTest, RootHasTheDefaultAndOthersNothing) {
  const Capabilities chosen = ChooseCapabilities(DefaultCapabilities(), {}, {}, "");
  EXPECT_EQ(chosen.bounding, DefaultCapabilities());
  EXPECT_EQ(chosen.ambient, Names());
}

TEST(ExecCapabilitiesTest, WhatIsAddedStaysForOthersToo) {
  Names allowed = DefaultCapabilities();
  allowed.push_back("CAP_NET_RAW");
  const Capabilities chosen =
      ChooseCapabilities(allowed, {"net_raw", "Cap_Net_Bind_Service"}, {"all"}, "");
  EXPECT_EQ(chosen.bounding, (Names{"net_bind_service", "net_raw"}));
  EXPECT_EQ(chosen.ambient, (Names{"net_bind_service", "net_raw"}));
}

TEST(ExecCapabilitiesTest, WhatIsDroppedIsGone) {
  const Capabilities chosen = ChooseCapabilities({"chown", "kill"}, {}, {"CAP_KILL"}, "");
  EXPECT_EQ(chosen.bounding, Names{"chown"});
}

TEST(ExecCapabilitiesTest, AllowingAllGivesNothingUnasked) {
  EXPECT_EQ(ChooseCapabilities({"all"}, {}, {}, "").bounding, DefaultCapabilities());
  EXPECT_EQ(ChooseCapabilities({"all"}, {"sys_admin"}, {"all"}, "").bounding, Names{"sys_admin"});
}

TEST(ExecCapabilitiesTest, AddingAllMeansAllThatIsAllowed) {
  EXPECT_EQ(ChooseCapabilities({"chown", "net_raw"}, {"all"}, {}, "").ambient,
            (Names{"chown", "net_raw"}));
}

TEST(ExecCapabilitiesTest, WhatIsWithheldNobodyGets) {
  const Names allowed = {"chown", "sys_chroot"};
  EXPECT_EQ(ChooseCapabilities(allowed, {}, {}, "sys_chroot").bounding, Names{"chown"});
  EXPECT_EQ(ChooseCapabilities(allowed, {"all"}, {}, "sys_chroot").ambient, Names{"chown"});
  EXPECT_THROW(ChooseCapabilities(allowed, {"sys_chroot"}, {}, "sys_chroot"), drover::Error);
}

TEST(ExecCapabilitiesTest, WhatIsNotAllowedIsNamed) {
  try {
    ChooseCapabilities(DefaultCapabilities(), {"sys_admin", "chown", "net_raw"}, {}, "");
    FAIL() << "it was given";
  } catch (const drover::Error& error) {
    EXPECT_EQ(error.code(), drover::Code::kPermissionDenied);
    EXPECT_STREQ(error.message().c_str(),
                 "failed driver config validation: cap_add: not allowed by the operator's "
                 "allow_caps: net_raw, sys_admin");
  }
}

}  // namespace
}  // namespace exec_driver
