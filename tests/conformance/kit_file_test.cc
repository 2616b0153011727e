// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/kit_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "host/base/directory_for_test.h"
#include "host/conformance/kit_fault.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

std::string Refusal(const std::string& text) {
  const Result<KitFile> kit = ParseKitFile(text);
  return kit.ok() ? std::string() : kit.error().message();
}

TEST(KitFileTest, HasTasksAndConfigurations) {
  const Result<KitFile> kit = ParseKitFile(R"({
    "plugin_config": {"enabled": true}, "user": "nobody",
    "limits": {"case": "1m0s", "start": "30s"},
    "tasks": {"lasting": {"config": {"image": "a"}}, "ending": {"config": {"image": "b"}},
              "failing": {"config": {"image": "c"}, "exit_code": 3},
              "writing": {"config": {"image": "d"}}, "exec": {"config": {"image": "e"}}}})");
  ASSERT_TRUE(kit.ok()) << kit.error().message();
  EXPECT_EQ(kit->plugin_config, R"({"enabled":true})");
  EXPECT_EQ(kit->user, "nobody");
  EXPECT_EQ(kit->case_limit, Duration(1min));
  EXPECT_EQ(kit->start_limit, Duration(30s));
  EXPECT_EQ(kit->lasting, R"({"image":"a"})");
  EXPECT_EQ(kit->ending_code, 0);
  EXPECT_EQ(kit->failing_code, 3);
  EXPECT_EQ(kit->exec, R"({"image":"e"})");
}

TEST(KitFileTest, AnUnknownKeyIsRefusedByItsPlace) {
  EXPECT_THAT(Refusal(R"({"task": {}})"), HasSubstr("/task is not known here"));
  EXPECT_THAT(Refusal(R"({"tasks": {"lastng": {}}})"), HasSubstr("/tasks/lastng is not known"));
  EXPECT_THAT(Refusal(R"({"tasks": {"lasting": {"config": {}, "exit_code": 1}}})"),
              HasSubstr("/tasks/lasting/exit_code is not known"));
  EXPECT_THAT(Refusal(R"({"limits": {"stop": "1s"}})"), HasSubstr("/limits/stop is not known"));
}

TEST(KitFileTest, WrongValuesAreRefused) {
  EXPECT_THAT(Refusal("{\n\n]"), HasSubstr("this is not JSON at line 3"));
  EXPECT_THAT(Refusal(std::string(100'000, '[')), HasSubstr("objects and lists are nested"));
  EXPECT_THAT(Refusal(R"({"user": "a", "user": "b"})"), HasSubstr("\"user\" occurs twice"));
  EXPECT_THAT(Refusal("[]"), HasSubstr("must be an object"));
  EXPECT_THAT(Refusal(R"({"user": 1})"), HasSubstr("/user must be a text"));
  EXPECT_THAT(Refusal(R"({"limits": {"case": 5}})"), HasSubstr("/limits/case must be a duration"));
  EXPECT_THAT(Refusal(R"({"tasks": {"lasting": {}}})"), HasSubstr("/tasks/lasting/config"));
  EXPECT_THAT(Refusal(R"({"tasks": {"failing": {"config": {}}}})"),
              HasSubstr("needs an exit_code"));
  EXPECT_THAT(Refusal(R"({"tasks": {"failing": {"config": {}, "exit_code": 0}}})"),
              HasSubstr("must be a number from 1 to 255"));
  EXPECT_THAT(
      Refusal(R"({"tasks": {"failing": {"config": {"a": "${exit_code}"}, "exit_code": 1}}})"),
      HasSubstr("has no key exit_code"));
}

TEST(KitFileTest, AFailingTaskMayTakeAnyCode) {
  const Result<KitFile> kit = ParseKitFile(
      R"({"tasks": {"failing": {"config": {"n": "${exit_code}", "a": ["exit ${exit_code}"]}}}})");
  ASSERT_TRUE(kit.ok()) << kit.error().message();
  EXPECT_EQ(kit->failing_code, std::nullopt);
  EXPECT_EQ(FailingConfig(*kit, 42), R"({"a":["exit 42"],"n":42})");
}

TEST(KitFileTest, TheFileOfADriverComesBeforeThatOfItsDirectory) {
  const DirectoryForTest directory;
  const std::string driver = directory.path() + "/a.so";
  EXPECT_EQ(FindKitFile(driver), "");
  std::ofstream(directory.path() + "/kit.json") << "{}";
  EXPECT_EQ(FindKitFile(driver), directory.path() + "/kit.json");
  std::ofstream(directory.path() + "/a.kit.json") << "{";
  EXPECT_EQ(FindKitFile(driver), directory.path() + "/a.kit.json");
  EXPECT_EQ(FindKitFile(directory.path() + "/b.so"), directory.path() + "/kit.json");
  const Result<std::string> text = ReadKitFile(FindKitFile(driver));
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(text.error().message(),
              HasSubstr("a.kit.json: the kit file is refused: this is not JSON"));
}

TEST(KitFileTest, WhatIsNoRegularFileIsRefused) {
  const DirectoryForTest directory;
  const std::string kit = directory.path() + "/kit.json";
  const auto refusal = [&] {
    EXPECT_EQ(FindKitFile(directory.path() + "/a.so"), kit);
    const Result<std::string> text = ReadKitFile(kit);
    return text.ok() ? std::string() : text.error().message();
  };
  ASSERT_EQ(mkfifo(kit.c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr(kit + " is no regular file"));
  std::filesystem::remove(kit);
  std::filesystem::create_directory(kit);
  EXPECT_THAT(refusal(), HasSubstr(kit + " is no regular file"));
  std::filesystem::remove(kit);
  std::filesystem::create_symlink("nowhere", kit);
  EXPECT_THAT(refusal(), HasSubstr(kit + ": No such file"));
  std::ofstream(directory.path() + "/nowhere") << "{}";
  EXPECT_EQ(refusal(), "");
}

TEST(KitFileTest, ALongFileIsRefused) {
  const DirectoryForTest directory;
  const std::string kit = directory.path() + "/kit.json";
  std::ofstream(kit) << "{}" << std::string((1 << 20) - 2, ' ');
  EXPECT_TRUE(ReadKitFile(kit).ok());
  std::ofstream(kit, std::ios::app) << ' ';
  EXPECT_THAT(ReadKitFile(kit).error().message(), HasSubstr("longer than 1 MiB"));
}

TEST(KitFaultTest, HasAKindAndAValue) {
  EXPECT_EQ(ParseKitFault("slow-start").value_or(KitFault()).delay, Duration(5s));
  EXPECT_EQ(ParseKitFault("slow-start=2s").value_or(KitFault()).delay, Duration(2s));
  EXPECT_EQ(ParseKitFault("kill-at=stop").value_or(KitFault()).step, "stop");
  EXPECT_TRUE(ParseKitFault("kill-at").ok());
  EXPECT_EQ(ParseKitFault("").value_or(KitFault()).kind, "");
  for (const char* wrong : {"nothing", "slow-start=", "slow-start=2", "slow-start=2h",
                            "process-refuses=1s", "kill-at=lunch"}) {
    const Result<KitFault> fault = ParseKitFault(wrong);
    EXPECT_EQ(fault.code(), Code::kInvalidArgument) << wrong;
  }
}

}  // namespace
}  // namespace drover
