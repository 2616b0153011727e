// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/run_view.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace drover {
namespace {

TaskStateRecord Record(std::initializer_list<int> times) {
  TaskStateRecord record;
  for (const int time : times) {
    TaskEvent event(event_type::kStarted);
    event.time = time;
    record.events.push_back(event);
  }
  return record;
}

std::vector<WallTime> Times(const std::vector<TaskEvent>& events) {
  std::vector<WallTime> times;
  for (const TaskEvent& event : events) times.push_back(event.time);
  return times;
}

TEST(NewEventsTest, AreThoseBehindTheLastOneSeen) {
  const TaskStateRecord before = Record({1, 2, 3});
  EXPECT_EQ(Times(NewEvents(nullptr, before)), (std::vector<WallTime>{1, 2, 3}));
  EXPECT_EQ(Times(NewEvents(&before, Record({2, 3, 4, 5}))), (std::vector<WallTime>{4, 5}));
  EXPECT_EQ(Times(NewEvents(&before, before)), (std::vector<WallTime>{}));
  EXPECT_EQ(Times(NewEvents(&before, Record({7, 8}))), (std::vector<WallTime>{7, 8}));
}

}  // namespace
}  // namespace drover
