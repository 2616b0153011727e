// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "host/base/directory_for_test.h"
#include "host/config/agent_config.h"
#include "host/config/config_show.h"
#include "host/config/load_config.h"

namespace drover {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

AgentConfig ConsulConfigOf(const std::string& text) {
  const Result<AgentConfig> config = ParseAgentConfig(text, "/etc/drover");
  EXPECT_TRUE(config.ok()) << (config.ok() ? "" : config.error().message());
  return config.value_or(AgentConfig());
}

std::string ConsulMistake(const std::string& text) {
  const Result<AgentConfig> config = ParseAgentConfig(text, "/etc/drover");
  return config.ok() ? "" : config.error().message();
}

TEST(ConfigConsulTest, OneBlockIsTheDefaultCluster) {
  const AgentConfig config = ConsulConfigOf(R"({"consul": {"address": "consul.example:8501",
      "ssl": true, "auth": "u:p", "token": "t", "namespace": "n", "ca_file": "ca.pem",
      "cert_file": "c.pem", "key_file": "/k.pem", "verify_ssl": false, "timeout": "2s"}})");
  ASSERT_EQ(config.consul.size(), 1u);
  EXPECT_EQ(config.consul.at("default"),
            (AgentConfig::Consul{"https://consul.example:8501", "u:p", "t", "n",
                                 "/etc/drover/ca.pem", "/etc/drover/c.pem", "/k.pem", false, 2s}));
  const ServicePolicy policy = ServicePolicyOf(config, true);
  EXPECT_TRUE(policy.consul_configured);
  EXPECT_FALSE(policy.consul_is_builtin) << "a Consul that is configured is used";
  EXPECT_EQ(policy.clusters, (std::set<std::string>{"default"}));
}

TEST(ConfigConsulTest, AnEmptyBlockIsTheAgentOfThisMachine) {
  EXPECT_EQ(ConsulConfigOf(R"({"consul": {}})").consul.at("default"), AgentConfig::Consul());
  EXPECT_EQ(ConsulConfigOf(R"({"consul": {"address": ""}})").consul.at("default"),
            AgentConfig::Consul());
  EXPECT_THAT(ConsulConfigOf("{}").consul, IsEmpty());
  EXPECT_THAT(ConsulConfigOf(R"({"consul": {"enabled": false}})").consul, IsEmpty());
  EXPECT_FALSE(ServicePolicyOf(AgentConfig(), false).consul_configured);
}

TEST(ConfigConsulTest, SeveralClustersHaveNamesAndFilesAreMergedByThem) {
  const DirectoryForTest made(::testing::TempDir());
  std::ofstream(made.path() + "/1.json")
      << R"({"consul": [{"address": "http://a:1/"}, {"name": "east", "token": "t"}]})";
  std::ofstream(made.path() + "/2.json")
      << R"({"consul": {"name": "east", "address": "unix:///run/consul.sock"}})";
  const LoadedConfig loaded = LoadConfig({made.path()}, nullptr);
  ASSERT_THAT(loaded.mistakes, IsEmpty()) << FindingText(loaded.mistakes[0]);
  ASSERT_EQ(loaded.config.consul.size(), 2u);
  EXPECT_EQ(loaded.config.consul.at("default").url, "http://a:1");
  EXPECT_EQ(loaded.config.consul.at("east").url, "unix:///run/consul.sock");
  EXPECT_EQ(loaded.config.consul.at("east").token, "t");
  std::map<std::string, std::string> shown;
  for (const ShownConfigKey& key : ShowConfig(loaded)) shown[key.pointer] = key.value.dump();
  EXPECT_EQ(shown["/consul/east/token"], "\"<hidden>\"");
  EXPECT_EQ(shown["/consul/east/address"], "\"unix:///run/consul.sock\"");
}

TEST(ConfigConsulTest, AChangeNeedsARestart) {
  EXPECT_THAT(KeysThatNeedRestart(ConsulConfigOf("{}"), ConsulConfigOf(R"({"consul": {}})")),
              ::testing::ElementsAre("consul"));
}

TEST(ConfigConsulTest, MistakesHaveTheirPlace) {
  const std::map<std::string, std::string> cases = {
      {R"({"address": "127.0.0.1"})", "/consul/default/address: must be like \"127.0.0.1:8500\""},
      {R"({"address": "ftp://a:1"})", "/consul/default/address: must be like"},
      {R"({"address": "a:1/prefix"})", "/consul/default/address: must be like"},
      {R"({"address": "unix://run/x"})", "/consul/default/address: must have an absolute path"},
      {R"({"address": "http://a:1", "ssl": true})", "/consul/default/address: begins with http"},
      {R"({"address": "unix:///x", "ssl": true})", "/consul/default/address: is a socket"},
      {R"({"token": "a\nb"})", "/consul/default/token: has a line break"},
      {R"({"auth": "user"})", "/consul/default/auth: must be USER:PASSWORD"},
      {R"({"cert_file": "/c"})", "/consul/default/cert_file: needs cert_file and key_file"},
      {R"({"key_file": "/k"})", "/consul/default/key_file: needs cert_file and key_file"},
      {R"({"name": "a b"})", "/consul/a b/name: must have at most 64 letters"},
      {R"({"name": "a\u0001"})", "/consul/name: is too long, or has control characters"},
      {R"({"timeout": "0s"})", "/consul/default/timeout: must be longer than 0s"},
      {R"({"nam": "x"})",
       "/consul/default/nam: is not supported by this version; known here: name"},
      {R"([{}, {}])", "/consul/default: is there twice"},
      {"[]", "/consul: must be an object, or a list of objects"},
      {"1", "/consul: must be an object, or a list of objects"},
  };
  for (const auto& [block, message] : cases) {
    EXPECT_THAT(ConsulMistake("{\"consul\": " + block + "}"), HasSubstr(message)) << block;
  }
}

TEST(ConfigConsulTest, WhatOnlyTheOtherAgentUsesIsWarnedOf) {
  const DirectoryForTest made(::testing::TempDir());
  std::ofstream(made.path() + "/1.json")
      << R"({"consul": {"auto_advertise": true, "allow_unauthenticated": true, "tags": []}})";
  const LoadedConfig loaded = LoadConfig({made.path()}, nullptr);
  EXPECT_THAT(loaded.mistakes, IsEmpty());
  ASSERT_EQ(loaded.warnings.size(), 1u);
  EXPECT_EQ(loaded.warnings[0].pointer, "/consul/default/auto_advertise");
}

}  // namespace
}  // namespace drover
