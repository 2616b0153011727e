// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "config/text.h"

#include <gtest/gtest.h>

#include <functional>

namespace drover_docker {
namespace {

std::string MessageOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const drover::Error& error) {
    return error.message();
  }
  return "";
}

TEST(DockerTextTest, DurationsAreThoseOfGo) {
  EXPECT_EQ(ReadDuration("a", "1m30s", Duration(0)), std::chrono::seconds(90));
  EXPECT_EQ(ReadDuration("a", "1.5h", Duration(0)), std::chrono::minutes(90));
  EXPECT_EQ(ReadDuration("a", "0", Duration(7)), Duration(0));
  EXPECT_EQ(ReadDuration("a", "", Duration(7)), Duration(7));
  for (const char* text : {"5", "m", "1x", "1m2", "-1s", "1..2s", "90000h"}) {
    EXPECT_NE(MessageOf([&] { ReadDuration("/gc/image_delay", text, Duration(0)); }), "") << text;
  }
  EXPECT_EQ(MessageOf([] { ReadDuration("/gc/image_delay", "soon", Duration(0)); }),
            "/gc/image_delay: \"soon\" is no duration: write one such as \"5m\" or \"90s\"");
}

TEST(DockerTextTest, PatternsHaveStars) {
  EXPECT_TRUE(Matches("*", "anything"));
  EXPECT_TRUE(Matches("job_*", "job_name"));
  EXPECT_TRUE(Matches("/dev/*/card*", "/dev/dri/card0"));
  EXPECT_TRUE(Matches("a*b*c", "aXbbXc"));
  EXPECT_FALSE(Matches("job_*", "task_name"));
  EXPECT_FALSE(Matches("a*b", "abc"));
  EXPECT_FALSE(Matches("", "a"));
  EXPECT_TRUE(Matches("", ""));
}

TEST(DockerTextTest, QuotesAreShortAndPlain) {
  EXPECT_EQ(Quoted("a\nb"), "\"a?b\"");
  EXPECT_LT(Quoted(std::string(100000, 'x')).size(), 200u);
}

TEST(DockerTextTest, ControlCharactersAreRefused) {
  EXPECT_EQ(Plain("/a", "fine"), "fine");
  EXPECT_NE(MessageOf([] { Plain("/a", "x\ny"); }), "");
  EXPECT_NE(MessageOf([] { Plain("/a", std::string("x\0y", 3)); }), "");
}

TEST(DockerTextTest, NumbersAndAddresses) {
  EXPECT_EQ(ReadNumber("/a", "12", 20), 12);
  for (const char* text : {"", "-1", "21", "1a", "99999999999999999999"}) {
    EXPECT_NE(MessageOf([&] { ReadNumber("/a", text, 20); }), "") << text;
  }
  EXPECT_TRUE(IsAddress("10.0.0.1"));
  EXPECT_TRUE(IsAddress("fd00::1"));
  EXPECT_FALSE(IsAddress("10.0.0.1;reboot"));
  EXPECT_FALSE(IsAddress(""));
}

}  // namespace
}  // namespace drover_docker
