// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/http_message.h"

#include <gtest/gtest.h>

#include <string>

namespace drover {
namespace {

TEST(PercentDecode, Decodes) {
  EXPECT_EQ(*PercentDecode("/v1/job/a%2Fb%c3%A9"), "/v1/job/a/b\xc3\xa9");
  EXPECT_EQ(*PercentDecode("a+b"), "a+b");
  EXPECT_EQ(*PercentDecode(""), "");
}

TEST(PercentDecode, RefusesWhatIsNoEscape) {
  for (const char* bad : {"%", "a%4", "%zz", "%4g", "%%41", "%-1"}) {
    EXPECT_EQ(PercentDecode(bad).code(), Code::kInvalidArgument) << bad;
  }
  EXPECT_EQ(PercentDecode("a%00b").code(), Code::kInvalidArgument);
  EXPECT_EQ(PercentDecode(std::string("a\0b", 3)).code(), Code::kInvalidArgument);
}

TEST(ParseQuery, KeepsTheOrder) {
  const auto query = ParseQuery("b=1&a=x+y%3D&&flag&b=2&=v");
  ASSERT_TRUE(query.ok());
  const HttpFields expected = {{"b", "1"}, {"a", "x y="}, {"flag", ""}, {"b", "2"}, {"", "v"}};
  EXPECT_EQ(*query, expected);
}

TEST(ParseQuery, RefusesBadEscapes) {
  EXPECT_FALSE(ParseQuery("a=%").ok());
  EXPECT_FALSE(ParseQuery("%0=1").ok());
}

TEST(HttpRequest, FindsTheFirstOfAName) {
  HttpRequest request;
  request.headers = {{"X-Nomad-Token", "a"}, {"x-nomad-token", "b"}};
  request.query = {{"index", "1"}, {"index", "2"}};
  ASSERT_NE(request.Header("x-NOMAD-token"), nullptr);
  EXPECT_EQ(*request.Header("x-NOMAD-token"), "a");
  EXPECT_EQ(*request.Query("index"), "1");
  EXPECT_EQ(request.Header("X-Nomad"), nullptr);
  EXPECT_EQ(request.Query("Index"), nullptr);
}

}  // namespace
}  // namespace drover
