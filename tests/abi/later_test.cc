// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A driver that needs a later minor of the host, and that answers inspect later.
#include <gtest/gtest.h>

#include "fake_host.h"

namespace drover_test {
namespace {

TEST(LaterTest, TheDescriptorSaysWhichHostTheDriverNeeds) {
  FakeHost host;
  const drover_driver* const driver = host.Load(LATER_SO);
  ASSERT_NE(driver, nullptr);
  EXPECT_EQ(driver->abi_major, static_cast<std::uint32_t>(DROVER_ABI_MAJOR));
  EXPECT_EQ(driver->min_host_minor, 99u);
}

TEST(LaterTest, CreateMayFailInTheBackground) {
  const std::pair<const char*, std::int32_t> ends[] = {{"throw", DROVER_E_INVALID_ARGUMENT},
                                                       {"fail", DROVER_E_NOT_FOUND},
                                                       {"forget", DROVER_E_INTERNAL}};
  for (const auto& [how, code] : ends) {
    FakeHost host;
    ASSERT_NE(host.Load(LATER_SO), nullptr);
    const Result made = host.Create(std::string("{\"how\": \"") + how + "\"}");
    ASSERT_TRUE(made.error.has_value()) << how;
    EXPECT_EQ(made.error->code, code) << how;
  }
}

TEST(LaterTest, InspectMayAnswerInTheBackground) {
  FakeHost host;
  ASSERT_NE(host.Load(LATER_SO), nullptr);
  ASSERT_TRUE(host.Create("{}").ok());
  const Result found = host.Finish(host.Inspect(RunOf(1)));
  ASSERT_TRUE(found.ok()) << found.text();
  EXPECT_EQ(found.state, DROVER_TASK_RUNNING);
  EXPECT_EQ(found.attributes.at("from"), "the background");
  const Result missing = host.Finish(host.Inspect({}));
  ASSERT_TRUE(missing.error.has_value());
  EXPECT_EQ(missing.error->code, DROVER_E_NOT_FOUND);
  EXPECT_TRUE(host.Shutdown().ok());
}

}  // namespace
}  // namespace drover_test
