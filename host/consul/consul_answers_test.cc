// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/consul_answers.h"

#include <gtest/gtest.h>

#include <string>

namespace drover {
namespace {

TEST(ConsulAnswersTest, ServicesAreRead) {
  const Result<ConsulServices> read = ReadConsulServices(R"({
      "redis": {"ID": "redis", "Service": "redis"},
      "_nomad-task-1": {"ID": "_nomad-task-1", "Service": "web", "Tags": ["a"], "Port": 80,
          "Meta": {"k": "v"}, "Address": "192.0.2.1", "EnableTagOverride": true,
          "TaggedAddresses": {"lan": {"Address": "192.0.2.2", "Port": 81}},
          "Weights": {"Passing": 2, "Warning": 1}, "Datacenter": "dc1"}})");
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_EQ(read->size(), 1u) << "that of others is left out";
  ConsulService expected;
  expected.id = "_nomad-task-1";
  expected.name = "web";
  expected.tags = {"a"};
  expected.port = 80;
  expected.meta = {{"k", "v"}};
  expected.address = "192.0.2.1";
  expected.enable_tag_override = true;
  expected.tagged_addresses = {{"lan", {"192.0.2.2", 81}}};
  expected.weights = {2, 1};
  EXPECT_EQ(read->at("_nomad-task-1"), expected);
}

TEST(ConsulAnswersTest, AnEmptyListMayBeNull) {
  EXPECT_TRUE(ReadConsulServices("null")->empty());
  EXPECT_TRUE(ReadConsulChecks("{}")->empty());
}

TEST(ConsulAnswersTest, OddEntriesAreLeftOutOrRead) {
  const Result<ConsulServices> read = ReadConsulServices(R"({
      "_nomad-task-1": 7, "_nomad-task-2": {"ID": "_nomad-task-3"},
      "_nomad-task-4": {"ID": "_nomad-task-4", "Tags": [1, {}, "x"], "Meta": [], "Port": "80",
          "Weights": null, "TaggedAddresses": {"lan": 1}, "EnableTagOverride": "yes"},
      "_nomad-task-5": {"ID": "_nomad-task-5", "Port": 99999999999999}})");
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->at("_nomad-task-4").tags, (std::vector<std::string>{"x"}));
  EXPECT_EQ(read->at("_nomad-task-4").port, 0);
  EXPECT_EQ(read->at("_nomad-task-5").port, -1) << "no port that anybody wants";
}

TEST(ConsulAnswersTest, ChecksAreRead) {
  const Result<ConsulCheckStateMap> read = ReadConsulChecks(R"({
      "serfHealth": {"CheckID": "serfHealth", "Status": "passing", "ServiceID": ""},
      "_nomad-check-1": {"Status": "passing", "ServiceID": "_nomad-task-1", "Output": "a\u0000b"},
      "_nomad-check-2": {"Status": "warning", "ServiceID": "_nomad-task-1"},
      "_nomad-check-3": {"Status": "maintenance", "ServiceID": "_nomad-task-1"}})");
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(*read,
            (ConsulCheckStateMap{{"_nomad-check-1", {"_nomad-task-1", ConsulStatus::kPassing}},
                                 {"_nomad-check-2", {"_nomad-task-1", ConsulStatus::kWarning}},
                                 {"_nomad-check-3", {"_nomad-task-1", ConsulStatus::kCritical}}}));
}

TEST(ConsulAnswersTest, WhatIsNoListIsAnError) {
  const std::string deep(100, '[');
  for (const std::string& text : {std::string(), std::string("[]"), std::string("{\"a\": "),
                                  std::string("\"x\""), std::string("{\"a\": \xff}"), deep}) {
    EXPECT_EQ(ReadConsulServices(text).code(), Code::kUnavailable) << text;
    EXPECT_EQ(ReadConsulChecks(text).code(), Code::kUnavailable) << text;
  }
}

}  // namespace
}  // namespace drover
