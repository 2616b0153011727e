// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/record_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> LinesOf(const TextTable& table) {
  return table.Lines(0, [](Terminal::Colour, std::string_view text) { return std::string(text); });
}

// The words of a line, so that a test need not count spaces.
std::vector<std::string> WordsOf(const std::string& line) {
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (c != ' ') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

TEST(ServiceTableTest, HasALineForEachName) {
  const json list = json::parse(R"([
      {"Namespace": "default", "Services": [{"ServiceName": "api", "Tags": ["a", "b\u001b"]},
                                            {"ServiceName": "db", "Tags": []}]},
      {"Namespace": "other", "Services": [{"ServiceName": "api", "Tags": null}]}])");
  const auto lines = LinesOf(ServiceTable(list));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(WordsOf(lines[0]), ElementsAre("Service", "Namespace", "Tags"));
  EXPECT_THAT(lines[1], Not(HasSubstr("\x1b"))) << "a tag must not control a terminal";
  EXPECT_THAT(WordsOf(lines[2]), ElementsAre("db", "default", "-"));
  EXPECT_THAT(WordsOf(lines[3]), ElementsAre("api", "other", "-"));
  EXPECT_TRUE(ServiceTable(json::parse("7")).empty());
  EXPECT_TRUE(ServiceTable(json::parse("[7, null]")).empty());
}

TEST(RegistrationTableTest, ShowsWhereAnInstanceIs) {
  const json list = json::parse(R"([
      {"ID": "_nomad-task-1", "JobID": "web", "Address": "192.0.2.7", "Port": 80,
       "NodeID": "11111111-2222", "AllocID": "33333333-4444", "Tags": ["a", "b"]},
      {"ID": "_nomad-task-2", "JobID": "web", "Address": "2001:db8::1", "Port": 80},
      {"ID": "_nomad-task-3", "JobID": "web", "Address": "192.0.2.7", "Port": 0},
      {"ID": "_nomad-task-4", "JobID": "web"}])");
  auto lines = LinesOf(RegistrationTable(list, false));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_THAT(WordsOf(lines[0]), ElementsAre("Job", "Address", "Tags", "Node", "Allocation"));
  EXPECT_THAT(WordsOf(lines[1]), ElementsAre("web", "192.0.2.7:80", "a,b", "11111111", "33333333"));
  EXPECT_THAT(WordsOf(lines[2]), ElementsAre("web", "[2001:db8::1]:80", "-"));
  EXPECT_THAT(WordsOf(lines[3]), ElementsAre("web", "192.0.2.7", "-"));
  EXPECT_THAT(WordsOf(lines[4]), ElementsAre("web", "-", "-"));
  lines = LinesOf(RegistrationTable(list, true));
  EXPECT_THAT(WordsOf(lines[1]), ElementsAre("web", "192.0.2.7:80", "a,b", "11111111-2222",
                                             "33333333-4444", "_nomad-task-1"));
}

TEST(SigningKeyTableTest, ShowsWhichKeySigns) {
  const json keys = json::parse(R"([
      {"KeyID": "11111111-2222", "State": "active", "CreateTime": 1},
      {"KeyID": "33333333-4444", "State": "inactive", "CreateTime": 1}])");
  auto lines = LinesOf(SigningKeyTable(keys, false));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(WordsOf(lines[1])[0], "11111111");
  EXPECT_THAT(WordsOf(lines[2])[1], "inactive");
  lines = LinesOf(SigningKeyTable(keys, true));
  EXPECT_THAT(WordsOf(lines[1])[0], "11111111-2222");
  EXPECT_TRUE(SigningKeyTable(json::parse("{}"), true).empty());
}

TEST(CheckTableTest, ShowsTheNewestResults) {
  const json checks = json::parse(R"({
      "c1": {"ID": "c1", "Check": "alive", "Service": "api", "Group": "web.g[0]",
             "Mode": "healthiness", "Status": "failure", "StatusCode": 503, "Timestamp": 1,
             "Output": "busy"}})");
  auto lines = LinesOf(CheckTable(checks, false));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(WordsOf(lines[1]),
              ElementsAre("alive", "api", "(group)", "healthiness", "failure", "busy"));
  lines = LinesOf(CheckTable(checks, true));
  EXPECT_THAT(lines[1], HasSubstr("503"));
  EXPECT_THAT(lines[1], HasSubstr("ago"));
  EXPECT_THAT(lines[1], HasSubstr("c1"));
  EXPECT_TRUE(CheckTable(json::object(), true).empty());
}

}  // namespace
}  // namespace drover
