// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/fetch_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(FetchOrderTest, JsonIsReadAsItWasWritten) {
  FetchOrder order;
  order.artifact.source = "https://x/a?b=\"c\"";
  order.artifact.options = {{"archive", "zip"}};
  order.artifact.headers = {{"X-Key", "k"}};
  order.artifact.mode = Artifact::Mode::kDir;
  order.artifact.insecure = true;
  order.limits = {1min, 2min, 3, 4, 5, 6};
  order.file_sources = {"/srv"};
  order.without_rules = order.is_cached = order.keeps_download = true;
  const auto read = FetchOrderFromJson(FetchOrderToJson(order));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(*read, order);
  EXPECT_FALSE(FetchOrderFromJson("{}").ok());
  EXPECT_FALSE(FetchOrderFromJson("no json").ok());
}

TEST(FetchOrderTest, AnswersAreReadAsTheyWereWritten) {
  const auto fetched = FetchAnswerFromJson(FetchAnswerToJson(Fetched{"content/a", true, "b"}));
  ASSERT_TRUE(fetched.ok()) << fetched.error().message();
  EXPECT_EQ(fetched->path, "content/a");
  EXPECT_TRUE(fetched->directory);
  EXPECT_EQ(fetched->filename, "b");
  const auto failed =
      FetchAnswerFromJson(FetchAnswerToJson(Error(Code::kTimeout, "the server sleeps", true)));
  EXPECT_EQ(failed.error().message(), "the server sleeps");
  EXPECT_TRUE(failed.error().recoverable());
  const auto wrong =
      FetchAnswerFromJson(FetchAnswerToJson(Error(Code::kInvalidArgument, "no URL", true)));
  EXPECT_EQ(wrong.code(), Code::kInvalidArgument);
  EXPECT_FALSE(wrong.error().recoverable());
}

TEST(FetchOrderTest, AnAnswerIsNotTrusted) {
  for (const char* text : {"", "[]", "null", "{}", R"({"path": ""})", R"({"path": "../x"})",
                           R"({"path": 1})", R"({"path": "a/../../b", "directory": true})",
                           R"({"path": "a", "filename": "../b"})", "{\"path\": \"a"}) {
    EXPECT_FALSE(FetchAnswerFromJson(text).ok()) << text;
  }
  EXPECT_FALSE(FetchAnswerFromJson(std::string(1 << 20, '[')).ok());
}

}  // namespace
}  // namespace drover
