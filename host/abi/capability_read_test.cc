// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/capability_read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/abi/abi_write.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

drover_capabilities Saying(std::uint64_t says) {
  auto raw = NewStruct<drover_capabilities>();
  raw.says = says;
  return raw;
}

std::string MistakeOf(const drover_capabilities& raw) {
  const Result<DriverCapabilities> read = ReadCapabilities(&raw);
  return read.ok() ? "none" : read.error().message();
}

TEST(CapabilityReadTest, OnlyWhatItSaysIsRead) {
  const std::vector<drover_str> modes = {ToStr("host"), ToStr("cni/mesh")};
  auto raw =
      Saying(DROVER_SAYS_NETWORK_MODES | DROVER_SAYS_SIGNALS | DROVER_SAYS_USERS | DROVER_SAYS_DNS);
  raw.network_modes = ToArray(modes);
  raw.propagations = ToArray(modes);  // not said
  raw.can = DROVER_SAYS_DNS | DROVER_SAYS_REMOTE;
  raw.parallel_starts = 3;
  const Result<DriverCapabilities> read = ReadCapabilities(&raw);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_THAT(*read->network_modes, ElementsAre("host", "cni/mesh"));
  EXPECT_TRUE(read->signals && read->signals->empty());
  EXPECT_EQ(read->propagations, std::nullopt);
  EXPECT_EQ(read->users, false);
  EXPECT_EQ(read->dns, true);
  EXPECT_EQ(read->remote, std::nullopt);
  EXPECT_EQ(read->parallel_starts, 3u);
}

TEST(CapabilityReadTest, ADriverThatSaysNothingIsRight) {
  const auto raw = Saying(0);
  EXPECT_EQ(ReadCapabilities(&raw).value(), DriverCapabilities());
  auto old = Saying(~0ull);
  old.struct_size = offsetof(drover_capabilities, says);
  EXPECT_EQ(ReadCapabilities(&old).value(), DriverCapabilities());
}

TEST(CapabilityReadTest, MistakesAreNamed) {
  const std::vector<drover_str> odd = {ToStr("warp")};
  auto raw = Saying(DROVER_SAYS_NETWORK_MODES);
  raw.network_modes = ToArray(odd);
  EXPECT_THAT(MistakeOf(raw), HasSubstr("network modes: \"warp\" is not known"));
  raw = Saying(0);
  raw.sensitive = ToArray(odd);
  EXPECT_THAT(MistakeOf(raw), HasSubstr("sensitive places: \"warp\" is not known"));
  const std::vector<drover_str> many(DROVER_CAPABILITIES_MOST + 1, ToStr("SIGHUP"));
  raw = Saying(DROVER_SAYS_SIGNALS);
  raw.signals = ToArray(many);
  EXPECT_THAT(MistakeOf(raw), HasSubstr("129 signals: at most 128 are allowed"));
  const std::string long_name(DROVER_CAPABILITIES_TEXT + 1, 'x');
  const std::vector<drover_str> too_long = {ToStr(long_name)};
  raw.signals = ToArray(too_long);
  EXPECT_THAT(MistakeOf(raw), HasSubstr("signals: a text of 257 bytes is longer than"));
  const std::vector<drover_str> turned = {ToStr("SIG\u202eHUP\n")};
  raw.signals = ToArray(turned);
  EXPECT_THAT(MistakeOf(raw), HasSubstr("signals: \"SIG?HUP \" is no name"));
  raw.signals = {nullptr, 1, sizeof(drover_str)};
  EXPECT_NE(MistakeOf(raw), "none");
  EXPECT_FALSE(ReadCapabilities(nullptr).ok());
}

}  // namespace
}  // namespace drover
