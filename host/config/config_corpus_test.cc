// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "host/base/directory_for_test.h"
#include "host/config/load_config.h"
#include "host/hcl/hcl_program.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

// Configurations as people write them, in testdata. A comment at the end of a line, such as
// "# error /consul" or "// warning /ui", names what is found in that line. "# error" alone means a
// text that cannot be read.
std::vector<std::string> Corpus() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(DROVER_CONFIGS)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Expected(const std::string& text) {
  static const std::regex kMark(R"((?:#|//) (error|warning)(?: (/\S+))?$)");
  std::vector<std::string> expected;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch mark;
    if (!std::regex_search(line, mark, kMark)) continue;
    const std::string at = mark[2].matched ? std::to_string(number) : "0";
    expected.push_back(at + " " + mark[1].str() + " " + mark[2].str());
  }
  std::sort(expected.begin(), expected.end());
  return expected;
}

std::vector<std::string> Found(const LoadedConfig& loaded) {
  std::vector<std::string> found;
  const auto add = [&found](const ConfigFindings& findings, const char* kind) {
    for (const ConfigFinding& one : findings) {
      found.push_back(std::to_string(one.at.line) + " " + kind + " " + one.pointer);
    }
  };
  add(loaded.mistakes, "error");
  add(loaded.warnings, "warning");
  std::sort(found.begin(), found.end());
  return found;
}

std::string ReadText(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool CanReadHcl() {
  const Result<HclReply> reply = ReadHclTree("a", "a = 1");
  return reply.ok() || reply.code() != Code::kUnimplemented;
}

class ConfigCorpusTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ConfigCorpusTest, FindsWhatIsMarked) {
  if (GetParam().ends_with(".hcl") && !CanReadHcl()) GTEST_SKIP() << "this build reads no HCL";
  // Others may be able to write to the sources, but not to a copy.
  const DirectoryForTest made(::testing::TempDir());
  const fs::path path = fs::path(made.path()) / GetParam();
  const std::string text = ReadText(fs::path(DROVER_CONFIGS) / GetParam());
  std::ofstream(path) << text;
  const LoadedConfig loaded = LoadConfig(
      {path.string()}, [] { return std::vector<InterfaceAddress>{{"lo", "127.0.0.1"}}; });
  EXPECT_EQ(Found(loaded), Expected(text));
  for (const ConfigFinding& mistake : loaded.mistakes) {
    SCOPED_TRACE(FindingText(mistake));
    EXPECT_FALSE(mistake.message.ends_with(": ")) << "says what to do";
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConfigCorpusTest, ::testing::ValuesIn(Corpus()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

class HclConfigTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!CanReadHcl()) GTEST_SKIP() << "this build reads no HCL";
  }

  LoadedConfig Load(const std::string& name, const std::string& text) {
    std::ofstream(made_.path() + "/" + name) << text;
    LoadedConfig loaded = LoadConfig({made_.path()}, nullptr);
    for (const ConfigFinding& mistake : loaded.mistakes) ADD_FAILURE() << FindingText(mistake);
    return loaded;
  }

  const DirectoryForTest made_{::testing::TempDir()};
};

TEST_F(HclConfigTest, ABlockOfADriverBecomesItsConfiguration) {
  const AgentConfig config =
      Load("docker.hcl", ReadText(fs::path(DROVER_CONFIGS) / "docker.hcl")).config;
  ASSERT_EQ(config.plugins.size(), 2u);
  EXPECT_EQ(config.plugins[0].name, "docker");
  EXPECT_EQ(nlohmann::json::parse(config.plugins[0].config_json), nlohmann::json::parse(R"({
      "endpoint": "unix:///var/run/docker.sock",
      "auth": {"config": "/etc/docker-auth.json", "helper": "ecr-login"},
      "extra_labels": ["job_name", "task_name"],
      "gc": {"image": true, "image_delay": "3m", "dangling_containers": {"enabled": true}},
      "volumes": {"enabled": true, "selinuxlabel": "z"},
      "allow_privileged": false, "allow_caps": ["CHOWN", "NET_RAW"]})"));
}

TEST_F(HclConfigTest, FilesOfADirectoryAreMergedInOrder) {
  Load("10-base.hcl", "name = \"a\"\nclient {\n  meta {\n    rack = 1\n    row = 1\n  }\n}\n");
  const LoadedConfig loaded =
      Load("20-site.json", R"({"name": "b", "client": {"meta": {"row": "2"}}})");
  EXPECT_EQ(loaded.config.name, "b");
  EXPECT_EQ(loaded.config.client.meta, (StringMap{{"rack", "1"}, {"row", "2"}}));
  EXPECT_EQ(loaded.document.Place("/client/meta/rack"),
            (ConfigPlace{made_.path() + "/10-base.hcl", 4}));
}

TEST_F(HclConfigTest, AFaultOfTheTextHasItsLine) {
  const Result<ConfigNode> fault = ReadHclConfig("a.hcl", "a = 1\nb = [\n");
  ASSERT_FALSE(fault.ok());
  EXPECT_THAT(fault.error().message(), ::testing::StartsWith("line 3: not HCL: "));
  EXPECT_THAT(ReadHclConfig("a.hcl", "\xff").error().message(), ::testing::HasSubstr("UTF-8"));
}

}  // namespace
}  // namespace drover
