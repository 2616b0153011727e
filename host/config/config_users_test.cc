// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/config/agent_config.h"
#include "host/config/load_config.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

AgentConfig ParseUsers(const std::string& text) {
  const Result<AgentConfig> config = ParseAgentConfig(text, "/etc/drover");
  EXPECT_TRUE(config.ok()) << config.error().message();
  return config.ok() ? *config : AgentConfig();
}

std::string UsersMistake(const std::string& text) {
  const Result<AgentConfig> config = ParseAgentConfig(text, "/etc/drover");
  return config.ok() ? "" : config.error().message();
}

TEST(ConfigUsersTest, RootIsDeniedWhereNothingIsSaid) {
  const AgentConfig config = ParseUsers(R"({"plugin": {"exec": {}}})");
  EXPECT_THAT(config.client.users.denied, ElementsAre("root", "Administrator"));
  EXPECT_THAT(config.client.users.checked_drivers, ElementsAre("exec", "qemu", "java"));
  EXPECT_EQ(config.plugins[0].config_json, "{}");
  EXPECT_THAT(config.client.users.dynamic_drivers, IsEmpty());
  EXPECT_EQ(config.client.users.dynamic_min, 80000);
  EXPECT_EQ(config.client.users.dynamic_max, 89999);
}

TEST(ConfigUsersTest, ListsHaveCommas) {
  const AgentConfig config = ParseUsers(R"({"client": {"options": {
      "user.denylist": " root, postgres,,0 ", "user.checked_drivers": "exec,raw_exec"}}})");
  EXPECT_THAT(config.client.users.denied, ElementsAre("root", "postgres", "0"));
  EXPECT_THAT(config.client.users.checked_drivers, ElementsAre("exec", "raw_exec"));
  const AgentConfig nobody = ParseUsers(R"({"client": {"options": {"user.denylist": ""}}})");
  EXPECT_THAT(nobody.client.users.denied, IsEmpty());
}

TEST(ConfigUsersTest, AllowRootOfExecIsEnough) {
  const AgentConfig config =
      ParseUsers(R"({"plugin": {"exec": {"config": {"allow_root": true}}}})");
  EXPECT_THAT(config.client.users.checked_drivers, ElementsAre("qemu", "java"));
  const AgentConfig both = ParseUsers(R"({"plugin": {"exec": {"config": {"allow_root": true}}},
      "client": {"options": {"user.denylist": "root"}}})");
  EXPECT_THAT(both.client.users.checked_drivers, ElementsAre("exec", "qemu", "java"));
}

TEST(ConfigUsersTest, ADenylistWithoutRootIsEnough) {
  const auto of_exec = [](const std::string& options, const std::string& block) {
    const AgentConfig config = ParseUsers(R"({"plugin": {"exec": {"config": )" + block +
                                          R"(}}, "client": {"options": )" + options + "}}");
    return config.plugins.at(0).config_json;
  };
  EXPECT_EQ(of_exec(R"({"user.denylist": "postgres"})", "{}"), R"({"allow_root":true})");
  EXPECT_EQ(of_exec(R"({"user.checked_drivers": "java"})", "{}"), R"({"allow_root":true})");
  EXPECT_EQ(of_exec(R"({"user.denylist": "postgres"})", R"({"allow_root": false})"),
            R"({"allow_root":false})");
  EXPECT_EQ(of_exec(R"({"user.denylist": "root"})", "{}"), "{}");
  EXPECT_EQ(of_exec(R"({"user.denylist": "0"})", "{}"), "{}");
  EXPECT_EQ(of_exec(R"({"user.checked_drivers": "exec"})", "{}"), "{}");
}

TEST(ConfigUsersTest, DriversOfDynamicUsersKnowTheirRange) {
  const AgentConfig config = ParseUsers(R"({"client": {"users": {"dynamic_user_min": 70000,
      "dynamic_user_max": 70009, "dynamic_user_drivers": ["exec", "mine"]}},
      "plugin": {"exec": {}, "mine": {}, "raw_exec": {}}})");
  EXPECT_THAT(config.client.users.dynamic_drivers, ElementsAre("exec", "mine"));
  ASSERT_EQ(config.plugins.size(), 3u);
  EXPECT_EQ(config.plugins[0].config_json, R"({"dynamic_users":"70000-70009"})");
  EXPECT_EQ(config.plugins[1].config_json, "{}") << "others need not know it";
  EXPECT_EQ(config.plugins[2].config_json, "{}");
}

TEST(ConfigUsersTest, MistakesAreNamed) {
  EXPECT_THAT(UsersMistake(R"({"client": {"users": {"dynamic_user_max": 79999}}})"),
              HasSubstr("/client/users/dynamic_user_max: the users 80000 to 79999 are no range"));
  EXPECT_THAT(UsersMistake(R"({"client": {"users": {"dynamic_user_min": 0}}})"),
              HasSubstr("/client/users/dynamic_user_min"));
  EXPECT_THAT(UsersMistake(R"({"client": {"users": {"dynamic_user_drivers": ["exce"]}}})"),
              HasSubstr("/client/users/dynamic_user_drivers/0: there is no plugin \"exce\""));
  EXPECT_THAT(UsersMistake(R"({"client": {"options": {"user.blacklist": "root"}}})"),
              HasSubstr("write user.denylist instead"));
}

TEST(ConfigUsersTest, AChangeOfUsersNeedsARestart) {
  AgentConfig running, wanted;
  wanted.client.users.denied.clear();
  EXPECT_THAT(KeysThatNeedRestart(running, wanted), ElementsAre("client/users"));
}

TEST(ConfigUsersTest, DriversThatFollowTheUsersAreNotReloadedWithOthers) {
  AgentConfig running, wanted;
  for (const char* name : {"exec", "mock_driver", "raw_exec"}) {
    wanted.plugins.emplace_back().name = name;
  }
  EXPECT_EQ(PluginsToReload(running, wanted).size(), 3u);
  wanted.client.users.dynamic_max = 90000;
  ASSERT_EQ(PluginsToReload(running, wanted).size(), 1u);
  EXPECT_EQ(PluginsToReload(running, wanted)[0].name, "mock_driver");
}

}  // namespace
}  // namespace drover
