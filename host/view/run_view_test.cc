// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/run_view.h"

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

TaskEvent Pulled(std::uint64_t done, WallTime time, const std::string& phase = "Pulling image") {
  TaskEvent event = ProgressEventOf({phase, done, 100, "layers", ""});
  event.time = time;
  return event;
}

// A report takes the place of the last one, so the events before it are still the known ones.
TEST(NewEventsTest, AReplacedReportOfProgressHidesNothing) {
  TaskStateRecord record = Record({1, 2});
  AppendTaskEvent(&record, Pulled(1, 3), 3);
  const TaskStateRecord before = record;
  AppendTaskEvent(&record, Pulled(2, 4), 4);
  EXPECT_EQ(Times(NewEvents(&before, record)), (std::vector<WallTime>{4}));
  TaskEvent started(event_type::kStarted);
  AppendTaskEvent(&record, started, 5);
  EXPECT_EQ(Times(NewEvents(&before, record)), (std::vector<WallTime>{4, 5}));
}

// A file keeps each line, so it gets the first and the last report of a phase only.
TEST(TextRunViewTest, ReportsOfProgressDoNotScroll) {
  Allocation alloc;
  alloc.id = "a";
  alloc.name = "job.group[0]";
  const std::unique_ptr<RunView> view = NewTextRunView();
  testing::internal::CaptureStdout();
  for (std::uint64_t i = 1; i <= 50; ++i) view->Event(alloc, "web", Pulled(i, 1));
  for (std::uint64_t i = 1; i <= 50; ++i) view->Event(alloc, "web", Pulled(i, 1, "Unpacking"));
  view->Event(alloc, "web", TaskEvent(event_type::kStarted));
  const std::string all = testing::internal::GetCapturedStdout();
  std::vector<std::string> messages;
  for (std::size_t at = 0; (at = all.find("Driver: ", at)) != std::string::npos; ++at) {
    messages.push_back(all.substr(at + 8, all.find('\n', at) - at - 8));
  }
  EXPECT_EQ(messages,
            (std::vector<std::string>{
                "Pulling image: 1 % (1 of 100 layers)", "Pulling image: 50 % (50 of 100 layers)",
                "Unpacking: 1 % (1 of 100 layers)", "Unpacking: 50 % (50 of 100 layers)"}));
  EXPECT_NE(all.find("Started: Task started by client"), std::string::npos);
}

}  // namespace
}  // namespace drover
