// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/config/agent_config.h"
#include "host/config/byte_size.h"
#include "host/config/load_config.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

TEST(ByteSizeTest, UnitsAreOfBothKinds) {
  EXPECT_EQ(ParseByteSize("0"), 0u);
  EXPECT_EQ(ParseByteSize("4096"), 4096u);
  EXPECT_EQ(ParseByteSize("100GB"), 100'000'000'000u);
  EXPECT_EQ(ParseByteSize("100g"), 100'000'000'000u);
  EXPECT_EQ(ParseByteSize(" 1.5 MiB "), 1'572'864u);
  EXPECT_EQ(ParseByteSize("2kB"), 2000u);
  for (const char* text : {"", "GB", "1XB", "1GBB", "-1", "1..2", "1e9", "9999999999TB"}) {
    EXPECT_EQ(ParseByteSize(text), std::nullopt) << text;
  }
}

TEST(ConfigArtifactTest, AllKeysAreRead) {
  const Result<AgentConfig> config = ParseAgentConfig(
      R"({"client": {"artifact": {"http_read_timeout": "2m", "git_timeout": "3m",
          "http_max_size": "1GB", "decompression_size_limit": "2GB",
          "decompression_file_count_limit": 7, "cache_size": "10GiB",
          "disable_filesystem_isolation": true, "file_sources": ["/srv/files", "more"]}}})",
      "/etc/drover");
  ASSERT_TRUE(config.ok()) << config.error().message();
  AgentConfig::Client::Artifacts wanted;
  wanted.http_time = 2min;
  wanted.git_time = 3min;
  wanted.most_bytes = 1'000'000'000;
  wanted.most_unpacked = 2'000'000'000;
  wanted.most_files = 7;
  wanted.cache_bytes = std::uint64_t{10} << 30;
  wanted.without_rules = true;
  wanted.file_sources = {"/srv/files", "/etc/drover/more"};
  EXPECT_EQ(config->client.artifacts, wanted);
}

TEST(ConfigArtifactTest, ASizeMustBeOne) {
  const auto mistake = [](const std::string& key, const std::string& value) {
    const Result<AgentConfig> config = ParseAgentConfig(
        R"({"client": {"artifact": {")" + key + R"(": ")" + value + R"("}}})", "/etc/drover");
    return config.ok() ? "" : config.error().message();
  };
  EXPECT_THAT(mistake("http_max_size", "much"),
              HasSubstr("/client/artifact/http_max_size: must be a size of more than 0"));
  EXPECT_THAT(mistake("decompression_size_limit", "0"), HasSubstr("must be a size of more than 0"));
  EXPECT_THAT(mistake("cache_size", "-1"), HasSubstr("must be a size, such as"));
  EXPECT_EQ(mistake("cache_size", "0"), "");
}

TEST(ConfigArtifactTest, AChangeNeedsARestart) {
  AgentConfig running, wanted;
  wanted.client.artifacts.cache_bytes = 1;
  EXPECT_EQ(KeysThatNeedRestart(running, wanted), std::vector<std::string>{"client/artifact"});
}

}  // namespace
}  // namespace drover
