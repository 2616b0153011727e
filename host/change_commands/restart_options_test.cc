// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/change_commands/restart_options.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace drover {
namespace {

RestartOptions Options() { return {}; }

// Returns the message that refuses OPTIONS; empty if they are right.
std::string RefusalOf(RestartOptions options, bool interactive = true) {
  const Status read = options.Read(interactive);
  return read.ok() ? "" : read.error().message();
}

TEST(RestartOptionsTest, ABatchHasANumberOrAShareOfTheAllocations) {
  RestartOptions options = Options();
  ASSERT_TRUE(options.Read(true).ok());
  EXPECT_EQ(options.SizeOfBatch(10), 1u);
  options.batch_size_text = "3";
  ASSERT_TRUE(options.Read(true).ok());
  EXPECT_EQ(options.SizeOfBatch(10), 3u);
  options.batch_size_text = "34%";
  ASSERT_TRUE(options.Read(true).ok());
  EXPECT_EQ(options.SizeOfBatch(3), 2u) << "it is rounded up";
  EXPECT_EQ(options.SizeOfBatch(1), 1u);
  options.batch_size_text = "100%";
  ASSERT_TRUE(options.Read(true).ok());
  EXPECT_EQ(options.SizeOfBatch(7), 7u);
  for (const char* wrong : {"", "0", "-1", "1.5", "x", "0%", "101%", "%", "99999999999", "5 %"}) {
    options.batch_size_text = wrong;
    EXPECT_TRUE(RefusalOf(options).starts_with(std::string("Invalid -batch-size value \"") + wrong +
                                               "\": "))
        << wrong;
  }
}

TEST(RestartOptionsTest, NobodyIsAskedWithoutATerminal) {
  RestartOptions options = Options();
  EXPECT_EQ(RefusalOf(options, false),
            "Invalid -on-error value \"ask\": \"ask\" cannot be used when terminal is not "
            "interactive");
  options.on_error_text = "fail";
  EXPECT_EQ(RefusalOf(options, false), "");
  options.batch_wait_text = "ask";
  EXPECT_EQ(RefusalOf(options, false),
            "Invalid -batch-wait value \"ask\": \"ask\" cannot be used when terminal is not "
            "interactive");
  EXPECT_EQ(RefusalOf(options, true), "");
  options.yes = true;
  EXPECT_EQ(RefusalOf(options, false), "");
  options.batch_wait_text = "soon";
  EXPECT_EQ(RefusalOf(options),
            "Invalid -batch-wait value \"soon\": write a duration such as 30s, or ask");
  options.batch_wait_text = "-1s";
  EXPECT_NE(RefusalOf(options), "");
  options = Options();
  options.on_error_text = "never";
  EXPECT_EQ(RefusalOf(options), "Invalid -on-error value \"never\": write ask or fail");
}

TEST(RestartOptionsTest, AnAgentAsksNobody) {
  RestartOptions options = Options();
  options.detach = true;
  options.batch_size_text = "50%";
  options.batch_wait_text = "1m";
  options.groups = {"g"};
  ASSERT_TRUE(options.Read(false).ok());
  EXPECT_EQ(options.Body(), nlohmann::json::parse(R"({
      "BatchSize": "50%", "BatchWait": 60000000000, "OnError": "fail", "AllTasks": false,
      "Reschedule": false, "NoShutdownDelay": false, "Groups": ["g"], "Tasks": []})"));
  options.yes = true;
  options.batch_size_text = "2";
  ASSERT_TRUE(options.Read(false).ok());
  EXPECT_EQ(options.Body()["OnError"], "ignore");
  EXPECT_EQ(options.Body()["BatchSize"], 2);
  options.on_error_text = "fail";
  ASSERT_TRUE(options.Read(false).ok());
  EXPECT_EQ(options.Body()["OnError"], "fail") << "it means what it says";
  EXPECT_FALSE(options.asks_on_error || options.ignores_errors);
  options.batch_wait_text = "ask";
  EXPECT_NE(RefusalOf(options), "");
  options = Options();
  options.detach = true;
  options.on_error_text = "ask";
  EXPECT_NE(RefusalOf(options), "");
}

TEST(RestartOptionsTest, WholeAllocationsAreRescheduled) {
  RestartOptions options = Options();
  options.reschedule = true;
  EXPECT_EQ(RefusalOf(options), "");
  options.tasks = {"t"};
  EXPECT_NE(RefusalOf(options), "");
}

}  // namespace
}  // namespace drover
