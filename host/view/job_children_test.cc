// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/job_children.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace drover {
namespace {

using nlohmann::json;

json ListedJob(const std::string& id, const std::string& parent, int submitted) {
  return {{"ID", id}, {"Namespace", "default"}, {"ParentID", parent}, {"SubmitTime", submitted}};
}

TEST(JobChildrenTest, TheNewestIsTheFirst) {
  const json list = {ListedJob("p", "", 1), ListedJob("p/1", "p", 2), ListedJob("p/2", "p", 4),
                     ListedJob("p/3", "p", 3), ListedJob("p/2/1", "p/2", 5)};
  std::string order;
  for (const json& child : ChildrenOf("p", list)) order += child.at("ID").get<std::string>() + " ";
  EXPECT_EQ(order, "p/2 p/3 p/1 ");
}

TEST(JobChildrenTest, OlderOnesAreLeftOutOfALongList) {
  json list = json::array({ListedJob("a", "", 1), ListedJob("p", "", 1)});
  for (int i = 0; i < 50; ++i) {
    // They are in the order of their ids, which is not that of their times.
    list.push_back(ListedJob("p/" + std::to_string(i), "p", 100 + i * 7 % 50));
    if (i < 20) list.push_back(ListedJob("a/" + std::to_string(i), "a", i));
  }
  json elsewhere = ListedJob("p/x", "p", 1);
  elsewhere["Namespace"] = "other";
  list.push_back(elsewhere);
  const ShownJobs shown = JobsToShow(list, false);
  EXPECT_EQ(shown.jobs.size(), 2 + 20 + kMostChildren + 1);
  EXPECT_EQ(shown.left_out.size(), 1u);
  EXPECT_EQ(shown.left_out.at({"default", "p"}), 50 - kMostChildren);
  const json* before = nullptr;
  for (const json* job : shown.jobs) {
    EXPECT_LT(before, job) << "the order is that of the list";
    before = job;
    const bool newest = job->at("SubmitTime") >= 100 + 50 - static_cast<int>(kMostChildren);
    const bool of_p = job->at("ParentID") == "p" && job->at("Namespace") == "default";
    EXPECT_TRUE(newest || !of_p) << *job;
  }
  EXPECT_EQ(JobsToShow(list, true).jobs.size(), list.size());
  EXPECT_TRUE(JobsToShow(list, true).left_out.empty());
}

TEST(JobChildrenTest, WhatIsNoListOfJobsIsShownAsItIs) {
  EXPECT_TRUE(JobsToShow(json::object(), false).jobs.empty());
  const json list = {1, "x", {{"ParentID", 5}}};
  EXPECT_EQ(JobsToShow(list, false).jobs.size(), 3u);
  EXPECT_TRUE(ChildrenOf("p", list).empty());
}

}  // namespace
}  // namespace drover
