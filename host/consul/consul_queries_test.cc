// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/consul_queries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace drover {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string Asked(const ValueRequest& request) {
  const auto query = ConsulQueryOf(request);
  if (!query.ok()) return "error: " + query.error().message();
  return WithQuery(query->path, query->query);
}

TEST(ConsulQueriesTest, EachFunctionHasItsQuestion) {
  const std::pair<ValueRequest, std::string> cases[] = {
      {{"key", {"app/port"}}, "/v1/kv/app%2Fport?raw=true&stale=true"},
      {{"keyExists", {"a@dc2"}}, "/v1/kv/a?dc=dc2&raw=true&stale=true"},
      {{"ls", {"app/"}}, "/v1/kv/app%2F?recurse=true&stale=true"},
      {{"tree", {}}, "/v1/kv/?recurse=true&stale=true"},
      {{"service", {"web"}}, "/v1/health/service/web?stale=true"},
      {{"service", {"v1.web@dc2~_agent|any"}},
       "/v1/health/service/web?dc=dc2&near=_agent&tag=v1&stale=true"},
      {{"services", {"@dc2"}}, "/v1/catalog/services?dc=dc2&stale=true"},
      {{"nodes", {}}, "/v1/catalog/nodes?stale=true"},
      {{"node", {"n1@dc2"}}, "/v1/catalog/node/n1?dc=dc2&stale=true"},
      {{"datacenters", {}}, "/v1/catalog/datacenters"},
      {{"key", {}}, "error: key: the name is missing"},
      {{"service", {"@dc1"}}, "error: service: the name is missing"}};
  for (const auto& [request, asked] : cases) EXPECT_EQ(Asked(request), asked);
  EXPECT_FALSE(ConsulQueryOf({"datacenters", {}})->blocks);
  EXPECT_TRUE(IsConsulFunction("safeTree"));
  EXPECT_FALSE(IsConsulFunction("secret"));
}

TEST(ConsulQueriesTest, KeysAreTexts) {
  EXPECT_EQ(*ConsulValueOf({"key", {"a"}}, "{\"x\": 1}"), "{\"x\": 1}");
  EXPECT_EQ(*ConsulValueOf({"keyExists", {"a"}}, ""), true);
  EXPECT_TRUE(ConsulNothing({"key", {"a"}}).is_discarded());
  EXPECT_EQ(ConsulNothing({"keyExists", {"a"}}), false);
  EXPECT_TRUE(ConsulNothing({"keyOrDefault", {"a"}}).is_null());
  EXPECT_EQ(ConsulNothing({"ls", {"a"}}), json::array());
}

TEST(ConsulQueriesTest, ListsOfKeysAreRelativeToTheirPrefix) {
  const std::string answer = R"([{"Key": "app/a", "Value": "MQ==", "Flags": 0},
      {"Key": "app/b/c", "Value": null}, {"Key": "app/d/", "Value": "MQ=="},
      {"Key": "apple", "Value": "MQ=="}, {"Key": "app", "Value": "MQ=="}, 7])";
  const auto keys = [&answer](const char* function, const char* prefix) {
    std::vector<std::string> found;
    const auto list = ConsulValueOf({function, {prefix}}, answer);
    for (const json& pair : *list) {
      found.push_back(pair.at("Key").get<std::string>() + "=" +
                      pair.at("Value").get<std::string>());
    }
    return found;
  };
  using testing::ElementsAre;
  EXPECT_THAT(keys("ls", "app"), ElementsAre("a=1"));
  EXPECT_THAT(keys("ls", "app/"), ElementsAre("a=1"));
  EXPECT_THAT(keys("tree", "app"), ElementsAre("a=1", "b/c="));
  EXPECT_THAT(keys("ls", ""), ElementsAre("apple=1", "app=1"));
}

TEST(ConsulQueriesTest, ServicesHaveTheirStatus) {
  const std::string answer = R"([
      {"Node": {"Node": "n1", "Address": "10.0.0.1", "Datacenter": "dc1"},
       "Service": {"ID": "a", "Service": "web", "Port": 80, "Tags": ["x"], "Address": ""},
       "Checks": [{"CheckID": "c", "Status": "passing"}]},
      {"Node": {"Node": "n2", "Address": "10.0.0.2"},
       "Service": {"ID": "b", "Service": "web", "Port": 81, "Address": "10.0.0.9"},
       "Checks": [{"CheckID": "c", "Status": "passing"}, {"CheckID": "d", "Status": "critical"}]},
      {"Node": {"Node": "n3"}, "Service": {"ID": "c"},
       "Checks": [{"CheckID": "_node_maintenance", "Status": "critical"}]}, {}, null])";
  const auto ids = [&answer](std::vector<std::string> arguments) {
    std::string found;
    const auto list = ConsulValueOf({"service", std::move(arguments)}, answer);
    for (const json& of : *list) {
      found += of.at("ID").get<std::string>() + ":" + of.at("Status").get<std::string>() + " ";
    }
    return found;
  };
  EXPECT_EQ(ids({"web"}), "a:passing ");
  EXPECT_EQ(ids({"web|passing,critical"}), "a:passing b:critical ");
  EXPECT_EQ(ids({"web", "critical"}), "b:critical ");
  EXPECT_THAT(ids({"web|any"}), HasSubstr("c:maintenance"));
  const auto list = ConsulValueOf({"service", {"web|any"}}, answer);
  EXPECT_EQ(list->at(0).at("Address"), "10.0.0.1");
  EXPECT_EQ(list->at(1).at("Address"), "10.0.0.9");
  EXPECT_EQ(list->at(0).at("Tags"), json({"x"}));
}

TEST(ConsulQueriesTest, CatalogsAreLists) {
  EXPECT_EQ(*ConsulValueOf({"services", {}}, R"({"web": ["a"], "db": null})"),
            json::parse(R"([{"Name": "db", "Tags": []}, {"Name": "web", "Tags": ["a"]}])"));
  EXPECT_EQ(*ConsulValueOf({"datacenters", {}}, R"(["dc1"])"), json({"dc1"}));
  const auto node =
      ConsulValueOf({"node", {"n"}}, R"({"Node": {"Node": "n"}, "Services": {"a": {"ID": "a"}}})");
  EXPECT_EQ(node->at("Services"), json::parse(R"([{"ID": "a"}])"));
  EXPECT_TRUE(ConsulValueOf({"node", {"n"}}, "null")->is_discarded());
}

TEST(ConsulQueriesTest, WhatMakesNoSenseIsAnError) {
  for (const char* body : {"", "<html>", "{", "7", "\"text\""}) {
    EXPECT_FALSE(ConsulValueOf({"service", {"web"}}, body).ok()) << body;
  }
}

}  // namespace
}  // namespace drover
