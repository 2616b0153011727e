// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/api_target.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

std::string Read(const std::string& text, bool tls = false) {
  const Result<ApiTarget> target = ReadApiTarget(text, tls);
  return target.ok() ? target->address + " " + target->path : "";
}

TEST(ApiTargetTest, APathAloneOrBehindAnAgent) {
  EXPECT_EQ(Read("/v1/jobs"), " /v1/jobs");
  EXPECT_EQ(Read("/"), " /");
  EXPECT_EQ(Read("localhost:4646/v1/jobs"), "http://localhost:4646 /v1/jobs");
  EXPECT_EQ(Read("localhost:4646/v1/jobs", true), "https://localhost:4646 /v1/jobs");
  EXPECT_EQ(Read("http://[::1]:4646/v1/jobs?a=b", true), "http://[::1]:4646 /v1/jobs?a=b");
  EXPECT_EQ(Read("https://u:p@h/v1"), "https://u:p@h /v1");
}

TEST(ApiTargetTest, WhatIsNoPath) {
  for (const char* wrong : {"", "v1/jobs", "jobs", "h:1", "http://", "http:///v1", "http://h",
                            "ftp://h/v1", "unix:///run/x", "://h/v1"}) {
    EXPECT_EQ(Read(wrong), "") << wrong;
  }
}

TEST(ApiTargetTest, OddCharactersCannotEndTheLine) {
  EXPECT_EQ(Read("/v1/jobs?filter=ID == \"a\"\r\nX: y"),
            " /v1/jobs?filter=ID%20==%20%22a%22%0D%0AX:%20y");
  EXPECT_EQ(Read("/a%20b/{1,2}/[3]#\xc3\xbc"), " /a%20b/%7B1,2%7D/%5B3%5D%23%C3%BC");
}

TEST(ApiTargetTest, Parameters) {
  EXPECT_TRUE(HasParameter("/v1/jobs?a=b&filter=x", "filter"));
  EXPECT_TRUE(HasParameter("/v1/jobs?filter", "filter"));
  EXPECT_FALSE(HasParameter("/v1/jobs?a=filter", "filter"));
  EXPECT_FALSE(HasParameter("/v1/filter=", "filter"));
  EXPECT_FALSE(HasParameter("/v1/jobs?my_filter=x", "filter"));
}

TEST(ApiTargetTest, Headers) {
  EXPECT_EQ(*ReadHeader("A-b:  c: d "), std::pair(std::string("A-b"), std::string("c: d")));
  EXPECT_EQ(*ReadHeader("A:"), std::pair(std::string("A"), std::string()));
  for (const char* wrong : {"", ":", ": a", "a", "a b: c", "a: b\r\nc: d", "\xc3\xbc: a",
                            "content-length: 3", "Transfer-Encoding: chunked"}) {
    EXPECT_EQ(ReadHeader(wrong).code(), Code::kInvalidArgument) << wrong;
  }
}

}  // namespace
}  // namespace drover
