// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/api_path.h"

#include <gtest/gtest.h>

#include <string>

namespace drover {
namespace {

TEST(ApiPathTest, EscapesWhatWouldBeAnotherPath) {
  EXPECT_EQ(ApiPath("/v1/job", "a/b ?c", "/plan"), "/v1/job/a%2Fb%20%3Fc/plan");
  EXPECT_EQ(ApiPath("/v1/job", "ü-._~"), "/v1/job/%C3%BC-._~");
}

TEST(ApiPathTest, ANulIsEscapedToo) {
  EXPECT_EQ(ApiPath("/v1/job", std::string("a\0b", 3)), "/v1/job/a%00b");
}

TEST(WithQueryTest, EscapesValues) {
  EXPECT_EQ(WithQuery("/v1/jobs", {}), "/v1/jobs");
  EXPECT_EQ(WithQuery("/v1/jobs", {{"prefix", "a&b"}, {"namespace", "*"}}),
            "/v1/jobs?prefix=a%26b&namespace=%2A");
  EXPECT_EQ(WithQuery("/v1/jobs?stale", {{"prefix", "a"}}), "/v1/jobs?stale&prefix=a");
}

}  // namespace
}  // namespace drover
