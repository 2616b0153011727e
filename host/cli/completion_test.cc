// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CompletionTest : public ::testing::Test {
 protected:
  CompletionTest() {
    app_.add_subcommand("agent", "")->add_option("--port", port_);
    CLI::App* alloc = app_.add_subcommand("alloc", "");
    alloc->add_option("--address", text_);
    CLI::App* logs = alloc->add_subcommand("logs", "");
    logs->fallthrough();
    logs->add_option("ID", text_);
    logs->add_option("TASK,--task", text_);
    logs->add_flag("-f,--follow", flag_);
    logs->add_flag("--job", flag_);
    logs->add_option_group("One of")->add_flag("--stderr", flag_);
    CLI::App* stop = alloc->add_subcommand("stop", "");
    stop->add_option("--job", text_);
    CLI::App* tag = alloc->add_subcommand("tag", "");
    tag->fallthrough();
    CLI::App* apply = tag->add_subcommand("apply", "");
    apply->fallthrough();
    apply->add_option("ID", text_);
    apply->add_option("--node-id", text_);
    stop->add_option_group("Two of")->add_option("--alloc", text_);
    app_.add_subcommand("status", "")->add_option("ID", text_);
    CLI::App* group = app_.add_subcommand("namespace", "");
    group->add_subcommand("inspect", "")->add_option("NAME", text_);
  }
  std::vector<std::string> Words(const std::vector<std::string>& words) const {
    return Complete(app_, words).words;
  }
  std::string IdsOf(const std::vector<std::string>& words) const {
    return Complete(app_, words).ids_of;
  }

  CLI::App app_{"", "drover"};
  int port_ = 0;
  std::string text_;
  bool flag_ = false;
};

TEST_F(CompletionTest, Commands) {
  EXPECT_THAT(Words({""}), ElementsAre("agent", "alloc", "namespace", "status"));
  EXPECT_THAT(Words({"al"}), ElementsAre("alloc"));
  EXPECT_THAT(Words({"alloc", ""}), ElementsAre("logs", "stop", "tag"));
  EXPECT_THAT(Words({"alloc", "--address", "x", "s"}), ElementsAre("stop"));
  EXPECT_THAT(Words({}), ElementsAre("agent", "alloc", "namespace", "status"));
  EXPECT_THAT(Words({"alloc", "x"}), IsEmpty());
}

TEST_F(CompletionTest, OptionsAlsoThoseOfTheGroup) {
  EXPECT_THAT(Words({"alloc", "logs", "--"}),
              ElementsAre("--address", "--follow", "--help", "--job", "--stderr", "--task"));
  EXPECT_THAT(Words({"alloc", "logs", "--st"}), ElementsAre("--stderr"));
  EXPECT_THAT(Words({"alloc", "tag", "apply", "--a"}), ElementsAre("--address"));
  EXPECT_THAT(Words({"alloc", "logs", "--task", ""}), IsEmpty()) << "a value nobody knows";
}

TEST_F(CompletionTest, IdsWhereOneIsWanted) {
  EXPECT_EQ(IdsOf({"alloc", "logs", ""}), "alloc");
  EXPECT_EQ(IdsOf({"alloc", "logs", "-f", "ab"}), "alloc");
  EXPECT_EQ(IdsOf({"alloc", "logs", "--task", "t", "ab"}), "alloc");
  EXPECT_EQ(IdsOf({"alloc", "logs", "--task=t", "ab"}), "alloc");
  EXPECT_EQ(IdsOf({"alloc", "logs", "-job", "we"}), "job");
  EXPECT_EQ(IdsOf({"alloc", "logs", "abcd", ""}), "") << "then comes a task";
  EXPECT_EQ(IdsOf({"alloc", "stop", ""}), "") << "it takes none here";
  EXPECT_EQ(IdsOf({"alloc", "stop", "--job", "we"}), "job");
  EXPECT_EQ(IdsOf({"alloc", "stop", "-alloc", ""}), "alloc");
  EXPECT_EQ(IdsOf({"alloc", "stop", "--job", "web", ""}), "");
  EXPECT_EQ(IdsOf({"alloc", ""}), "");
  EXPECT_EQ(IdsOf({"alloc", "tag", "apply", ""}), "alloc");
  EXPECT_EQ(IdsOf({"alloc", "tag", "apply", "--node-id", ""}), "node");
  EXPECT_EQ(IdsOf({"alloc", "tag", ""}), "");
  EXPECT_EQ(IdsOf({"status", "ab"}), "any") << "it takes ids of all kinds";
  EXPECT_EQ(IdsOf({"status", "ab", ""}), "");
  EXPECT_EQ(IdsOf({"namespace", "inspect", "d"}), "namespace");
  EXPECT_EQ(IdsOf({"namespace", ""}), "");
}

}  // namespace
}  // namespace drover
