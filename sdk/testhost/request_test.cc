// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "sdk/testhost/request.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

Request Parsed(const std::string& text) { return Request::Parse(text).value(); }

TEST(RequestTest, AMemberIsReadByItsType) {
  Request request = Parsed(
      R"({"a": "x", "n": 7, "f": true, "l": ["p", "q"], "e": {"K": "V"}, "v": [1], "z": null})");
  EXPECT_EQ(request.Text("a"), "x");
  EXPECT_EQ(request.Number("n", 1), 7);
  EXPECT_TRUE(request.Flag("f", false));
  EXPECT_EQ(request.Texts("l"), (std::vector<std::string>{"p", "q"}));
  EXPECT_EQ(request.Pairs("e").at("K"), "V");
  EXPECT_EQ(request.Value("v").size(), 1u);
  EXPECT_EQ(request.Text("z", "none"), "none");
  EXPECT_TRUE(request.status().ok());
}

TEST(RequestTest, WhatNobodyAskedForIsRefusedByName) {
  Request request = Parsed(R"({"task": "a", "tsak": "b"})");
  request.Text("task");
  EXPECT_EQ(request.status().error().message(), "/tsak: is no member of this request");
}

TEST(RequestTest, AWrongTypeIsRefusedByName) {
  const auto said = [](const char* text, void (*ask)(Request*)) {
    Request request = Parsed(text);
    ask(&request);
    return request.status().ok() ? std::string("OK") : request.status().error().message();
  };
  EXPECT_EQ(said("{}", [](Request* r) { r->Text("a"); }), "/a: must be given");
  EXPECT_EQ(said(R"({"a": 1})", [](Request* r) { r->Text("a"); }), "/a: must be a text");
  EXPECT_EQ(said(R"({"a": 1.5})", [](Request* r) { r->Number("a", 0); }), "/a: must be an integer");
  EXPECT_EQ(said(R"({"a": 1})", [](Request* r) { r->Flag("a", true); }),
            "/a: must be true or false");
  EXPECT_EQ(said(R"({"a": []})", [](Request* r) { r->Texts("a"); }), "/a: must be a list of texts");
  EXPECT_EQ(said(R"({"a": ["x", 1]})", [](Request* r) { r->Texts("a"); }),
            "/a: must be a list of texts");
  EXPECT_EQ(said(R"({"a": [1]})", [](Request* r) { r->Pairs("a"); }),
            "/a: must be an object of texts");
  EXPECT_EQ(said(R"({"a": {"b": 1}})", [](Request* r) { r->Pairs("a"); }),
            "/a: must be an object of texts");
}

TEST(RequestTest, OnlyAnObjectIsARequest) {
  for (const char* text : {"", "[]", "7", "{", "{} {}"}) {
    EXPECT_EQ(Request::Parse(text).code(), Code::kInvalidArgument) << text;
  }
}

TEST(RequestTest, TooDeepARequestIsRefused) {
  const std::string deep = R"({"config": )" + std::string(100'000, '[');
  EXPECT_NE(Request::Parse(deep).error().message().find("are nested"), std::string::npos);
}

TEST(RequestTest, ATextMayHoldEachCharacter) {
  EXPECT_EQ(Parsed(R"({"stdin": "a\u0000b"})").Text("stdin"), std::string("a\0b", 3));
}

}  // namespace
}  // namespace drover
