// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/job_diff_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace drover {
namespace {

std::vector<std::string> TextsOf(const std::vector<DiffLine>& lines) {
  std::vector<std::string> texts;
  for (const DiffLine& line : lines) texts.push_back(line.text);
  return texts;
}

TEST(JobDiffLinesTest, EachChangeHasALineBelowWhatItIsAPartOf) {
  const auto diff = nlohmann::json::parse(R"({"Type": "Edited", "ID": "web",
    "Fields": [{"Type": "Edited", "Name": "Priority", "Old": "50", "New": "60"}], "Objects": null,
    "TaskGroups": [{"Type": "Edited", "Name": "g", "Updates": {"create/destroy update": 1},
      "Fields": [{"Type": "Edited", "Name": "Count", "Old": "1", "New": "2",
                  "Annotations": ["forces create"]}],
      "Tasks": [{"Type": "Edited", "Name": "t", "Annotations": ["forces create/destroy update"],
        "Fields": [{"Type": "Added", "Name": "Env[A]", "Old": "", "New": "1"},
                   {"Type": "Deleted", "Name": "User", "Old": "me", "New": ""}],
        "Objects": [{"Type": "Edited", "Name": "Config",
          "Fields": [{"Type": "None", "Name": "command", "Old": "sh", "New": "sh"}]}]}]}]})");
  const auto lines = JobDiffLines(diff);
  EXPECT_THAT(TextsOf(lines),
              ::testing::ElementsAre("~ job \"web\"", "  ~ Priority: \"50\" -> \"60\"",
                                     "  ~ task group \"g\" (1 create/destroy update)",
                                     "    ~ Count: \"1\" -> \"2\" (forces create)",
                                     "    ~ task \"t\" (forces create/destroy update)",
                                     "      + Env[A]: \"1\"", "      - User: \"me\"",
                                     "      ~ Config", "          command: \"sh\""));
  EXPECT_EQ(lines[5].colour, Terminal::Colour::kGreen);
  EXPECT_EQ(lines[6].colour, Terminal::Colour::kRed);
}

TEST(JobDiffLinesTest, WhatAnAgentSaysCannotSteerTheTerminal) {
  nlohmann::json deep = {{"Type", "Edited"}, {"Name", "\x1b[2J"}};
  for (int i = 0; i < 1000; ++i) {
    deep = {{"Type", "Edited"}, {"Name", "x"}, {"Objects", {std::move(deep)}}};
  }
  deep["ID"] = "\x1b[2J";
  deep["Fields"] = 7;
  const auto lines = JobDiffLines(deep);
  EXPECT_LT(lines.size(), 30u);
  for (const DiffLine& line : lines) EXPECT_EQ(line.text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace drover
