// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/config_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "host/config/load_config.h"
#include "host/plugin/plugin_config.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

// Calls EACH with every key and its pointer. NAME stands for the name of a plugin.
void ForEachKey(std::span<const ConfigKey> keys, const std::string& pointer,
                const std::function<void(const ConfigKey&, const std::string&)>& each) {
  for (const ConfigKey& key : keys) {
    const std::string here = JsonPointer(pointer, key.name);
    each(key, here);
    ForEachKey(
        key.members,
        key.kind == ConfigKind::kNamed || key.kind == ConfigKind::kKeyed ? here + "/NAME" : here,
        each);
  }
}

TEST(ConfigKeysTest, EachKeyIsThereOnceAndSaysWhatItNeeds) {
  std::set<std::string> seen;
  ForEachKey(ConfigKeys(), "", [&seen](const ConfigKey& key, const std::string& pointer) {
    EXPECT_TRUE(seen.insert(pointer).second) << pointer;
    if (key.state != ConfigState::kDone) {
      EXPECT_STRNE(key.note, "") << pointer;
      EXPECT_TRUE(key.members.empty()) << pointer;
      EXPECT_STREQ(key.by_default, "") << pointer;
    } else {
      EXPECT_STREQ(key.no_effect, "") << pointer;
    }
    if (*key.by_default != '\0') EXPECT_NO_THROW((void)json::parse(key.by_default)) << pointer;
    if (*key.no_effect != '\0') EXPECT_TRUE(json::parse(key.no_effect).is_array()) << pointer;
  });
  EXPECT_GT(seen.size(), 200u);
}

TEST(ConfigKeysTest, TheDefaultsOfTheTableAreThoseOfTheReader) {
  int count = 0;
  ForEachKey(ConfigKeys(), "", [&count](const ConfigKey& key, const std::string& pointer) {
    if (*key.by_default == '\0' || pointer.starts_with("/plugin")) return;
    if (pointer.starts_with("/client/host_volume/")) return;  // a volume is no default
    json config = json::object();
    config[json::json_pointer(pointer)] = json::parse(key.by_default);
    const Result<AgentConfig> read = ParseAgentConfig(config.dump(), "/");
    ASSERT_TRUE(read.ok()) << read.error().message();
    EXPECT_EQ(*read, AgentConfig()) << pointer;
    ++count;
  });
  EXPECT_GT(count, 25);
}

TEST(ConfigKeysTest, ThePluginsLimitsAreThoseOfTheHost) {
  const ConfigKey* const plugin = FindConfigKey(ConfigKeys(), "plugins");
  ASSERT_NE(plugin, nullptr);
  const ConfigKey* const limits = FindConfigKey(plugin->members, "limits");
  ASSERT_NE(limits, nullptr);
  ASSERT_EQ(limits->members.size(), std::size(kPluginLimits) + 1);
  EXPECT_STREQ(limits->members.back().name, "threads");
  const DriverLimits defaults;
  EXPECT_EQ(limits->members.back().by_default, std::to_string(defaults.threads));
  for (std::size_t i = 0; i < std::size(kPluginLimits); ++i) {
    EXPECT_STREQ(limits->members[i].name, kPluginLimits[i].name);
    EXPECT_EQ(ParseDuration(json::parse(limits->members[i].by_default).get<std::string>()).value(),
              defaults.*kPluginLimits[i].limit)
        << kPluginLimits[i].name;
  }
}

TEST(ConfigKeysTest, ThePageIsCurrent) {
  const std::string path = std::string(DROVER_DOCS) + "/agent-config.md";
  if (std::getenv("DROVER_UPDATE_DOCS") != nullptr) std::ofstream(path) << ConfigKeysMarkdown();
  std::stringstream page;
  page << std::ifstream(path).rdbuf();
  EXPECT_EQ(page.str(), ConfigKeysMarkdown())
      << "run config_test with DROVER_UPDATE_DOCS=1 to write the page";
}

}  // namespace
}  // namespace drover
