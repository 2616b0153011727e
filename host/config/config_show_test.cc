// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/config_show.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

using nlohmann::json;

TEST(ConfigShowTest, EachKeyHasItsValueAndItsPlace) {
  const DirectoryForTest made(::testing::TempDir());
  const std::string first = made.path() + "/1.json", second = made.path() + "/2.json";
  std::ofstream(first) << "{\n\"name\": \"a\",\n\"client\": {\"meta\": {\"rack\": \"7\"}}}";
  std::ofstream(second)
      << R"({"name": "b", "http": {"port": 1}, "log_json": true, "ui": {"enabled": true},
      "plugin": {"raw_exec": {"config": {"enabled": true}}}})";
  const LoadedConfig loaded = LoadConfig({made.path()}, nullptr);
  ASSERT_TRUE(AsError(loaded.mistakes).ok()) << AsError(loaded.mistakes).error().message();
  std::map<std::string, ShownConfigKey> shown;
  for (ShownConfigKey& key : ShowConfig(loaded)) shown[key.pointer] = key;
  EXPECT_EQ(shown["/name"].value, "b");
  EXPECT_EQ(shown["/name"].from, (ConfigPlace{second, 1}));
  EXPECT_EQ(shown["/client/meta/rack"].value, "7");
  EXPECT_EQ(shown["/client/meta/rack"].from, (ConfigPlace{first, 3}));
  EXPECT_EQ(shown["/datacenter"].value, "dc1");
  EXPECT_EQ(shown["/datacenter"].from, ConfigPlace());
  EXPECT_EQ(shown["/plugin/raw_exec/config"].value, json::parse(R"({"enabled": true})"));
  EXPECT_EQ(shown["/plugin/raw_exec/enabled"].value, true);
  EXPECT_EQ(shown["/http/port"].value, 1);
  EXPECT_EQ(shown.count("/ports/http"), 0u) << "its default does not hold";
  EXPECT_EQ(shown.count("/log_format"), 0u);
  EXPECT_EQ(shown["/bind_addr"].value, "127.0.0.1");
  EXPECT_EQ(shown.count("/ui"), 0u) << "it is not carried out";
}

TEST(ConfigShowTest, AnEmptyTextDoesNotHold) {
  const DirectoryForTest made(::testing::TempDir());
  std::ofstream(made.path() + "/1.json")
      << R"({"name": "", "region": "", "bind_addr": "", "addresses": {"http": ""}})";
  const LoadedConfig loaded = LoadConfig({made.path()}, nullptr);
  ASSERT_TRUE(loaded.mistakes.empty()) << FindingText(loaded.mistakes[0]);
  std::map<std::string, ShownConfigKey> shown;
  for (ShownConfigKey& key : ShowConfig(loaded)) shown[key.pointer] = key;
  EXPECT_EQ(shown.count("/name"), 0u);
  EXPECT_EQ(shown.count("/addresses/http"), 0u);
  EXPECT_EQ(shown["/region"].value, "global");
  EXPECT_EQ(shown["/region"].from, ConfigPlace());
  EXPECT_EQ(shown["/bind_addr"].value, "127.0.0.1");
}

TEST(ConfigShowTest, SecretsOfDriversAreHidden) {
  const DirectoryForTest made(::testing::TempDir());
  std::ofstream(made.path() + "/1.json") << R"({"plugin": {"d": {"config": {"user": "u",
      "Password": "p1", "auth": [{"api_token": "p2", "token_file": "/t", "secrets": ["p3"]}],
      "use_token": true, "Tokens": {"app": "p4", "more": [["p5", 6]]}, "passwd": "p7",
      "credentials_file": "/c"}}}})";
  const LoadedConfig loaded = LoadConfig({made.path()}, nullptr);
  ASSERT_TRUE(loaded.mistakes.empty()) << FindingText(loaded.mistakes[0]);
  json config;
  for (const ShownConfigKey& key : ShowConfig(loaded)) {
    if (key.pointer == "/plugin/d/config") config = key.value;
  }
  EXPECT_EQ(config, json::parse(R"({"user": "u", "Password": "<hidden>", "auth": [{"api_token":
      "<hidden>", "token_file": "/t", "secrets": ["<hidden>"]}], "use_token": true, "Tokens":
      {"app": "<hidden>", "more": [["<hidden>", "<hidden>"]]}, "passwd": "<hidden>",
      "credentials_file": "/c"})"));
  EXPECT_THAT(loaded.config.plugins.at(0).config_json, ::testing::HasSubstr("p1"));
}

}  // namespace
}  // namespace drover
