// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/job_restart/restart_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string RefusalOf(const json& body) {
  const auto request = ReadRestartRequest(body);
  return request.ok() ? "" : request.error().message();
}

TEST(ReadRestartRequestTest, AnEmptyBodyMeansOneAfterTheOther) {
  const RestartRequest request = ReadRestartRequest(json::object()).value();
  EXPECT_EQ(request.restart, JobRestart());
  EXPECT_EQ(request.restart.batch_size, 1);
  EXPECT_EQ(request.percent, 0);
  EXPECT_EQ(ReadRestartRequest({{"Groups", nullptr}, {"OnError", nullptr}})->restart, JobRestart());
}

TEST(ReadRestartRequestTest, AllFieldsAreRead) {
  const RestartRequest request = ReadRestartRequest(json::parse(R"({
      "BatchSize": 3, "BatchWait": "1m30s", "OnError": "ignore", "Reschedule": true,
      "NoShutdownDelay": true, "Groups": ["b", "a", "b"]})"))
                                     .value();
  EXPECT_EQ(request.restart.batch_size, 3);
  EXPECT_EQ(request.restart.batch_wait, 90s);
  EXPECT_TRUE(request.restart.ignore_errors);
  EXPECT_TRUE(request.restart.reschedule);
  EXPECT_TRUE(request.restart.no_shutdown_delay);
  EXPECT_THAT(request.restart.groups, ElementsAre("a", "b"));
  EXPECT_EQ(ReadRestartRequest({{"BatchWait", 1'000'000'000}})->restart.batch_wait, 1s);
  EXPECT_EQ(ReadRestartRequest({{"BatchSize", "20%"}})->percent, 20);
  EXPECT_EQ(ReadRestartRequest({{"BatchSize", "2"}})->restart.batch_size, 2);
  EXPECT_TRUE(ReadRestartRequest({{"AllTasks", true}})->restart.all_tasks);
}

TEST(ReadRestartRequestTest, WhatIsWrongIsNamed) {
  for (const json& size : {json(0), json(-1), json("0%"), json("101%"), json("x"), json(1.5),
                           json(true), json(99999999999), json(json::array())}) {
    EXPECT_THAT(RefusalOf({{"BatchSize", size}}), HasSubstr("/BatchSize: ")) << size;
  }
  for (const json& wait : {json(-1), json("soon"), json("200h"), json(true)}) {
    EXPECT_THAT(RefusalOf({{"BatchWait", wait}}), HasSubstr("/BatchWait: ")) << wait;
  }
  EXPECT_EQ(RefusalOf({{"OnError", "ask"}}), R"(/OnError: must be "fail" or "ignore")");
  EXPECT_EQ(RefusalOf({{"AllTasks", "yes"}}), "/AllTasks: must be true or false");
  EXPECT_THAT(RefusalOf({{"Groups", "g"}}), HasSubstr("/Groups: must be a list"));
  EXPECT_THAT(RefusalOf({{"Tasks", json::array({1})}}), HasSubstr("/Tasks: must be a list"));
  EXPECT_THAT(RefusalOf({{"batch_size", 1}}), HasSubstr("/batch_size: is not known"));
  EXPECT_THAT(RefusalOf(json::array()), HasSubstr("must be an object"));
  EXPECT_THAT(RefusalOf({{"Tasks", json::array({"t"})}, {"AllTasks", true}}),
              HasSubstr("/Tasks: "));
  EXPECT_THAT(RefusalOf({{"Tasks", json::array({"t"})}, {"Reschedule", true}}),
              HasSubstr("/Reschedule: "));
}

class RestartPlanTest : public ::testing::Test {
 protected:
  RestartPlanTest() {
    auto job = std::make_shared<Job>();
    job->id = "web";
    for (const char* name : {"g", "h"}) {
      TaskGroup group;
      group.name = name;
      for (const char* task : {"a", name}) group.tasks.emplace_back().name = task;
      job->groups.push_back(group);
    }
    record_.job = job;
    record_.create_index = 7;
  }

  void Add(const std::string& id, const std::string& group = "g",
           ClientStatus status = ClientStatus::kRunning, bool stops = false,
           const std::string& next = "") {
    auto alloc = std::make_shared<Allocation>();
    alloc->id = id;
    alloc->job = record_.job;
    alloc->group_name = group;
    alloc->create_index = ++index_;
    if (stops) alloc->desired_status = DesiredStatus::kStop;
    auto record = std::make_shared<AllocRecord>();
    record->alloc = std::move(alloc);
    record->job = std::make_shared<const JobRecord>(record_);
    record->reported.status.status = status;
    record->next = next;
    tables_.Put(std::shared_ptr<const AllocRecord>(std::move(record)));
  }

  Result<JobRestart> Make(const json& body) {
    return MakeRestart(ReadRestartRequest(body).value(), record_,
                       tables_.AllocsOf({"default", "web"}));
  }

  JobRecord record_;
  Tables tables_;
  std::uint64_t index_ = 0;
};

TEST_F(RestartPlanTest, ThoseThatShallRunAndHaveNoReplacementAreChosen) {
  Add("runs");
  Add("pends", "g", ClientStatus::kPending);
  Add("stops", "g", ClientStatus::kRunning, true);
  Add("ended", "g", ClientStatus::kComplete);
  Add("replaced", "g", ClientStatus::kFailed, false, "other");
  Add("other group", "h");
  const JobRestart restart = Make(json::object()).value();
  EXPECT_THAT(restart.allocs, ElementsAre("runs", "pends", "ended", "other group"));
  EXPECT_EQ(restart.job_create_index, 7u);
  EXPECT_EQ(restart.job_id, "web");
  EXPECT_THAT(Make({{"Groups", {"h"}}})->allocs, ElementsAre("other group"));
  EXPECT_THAT(Make({{"Tasks", {"h"}}})->allocs, ElementsAre("other group"));
  EXPECT_THAT(Make({{"Groups", {"g"}}, {"Tasks", {"h"}}})->allocs, IsEmpty());
  EXPECT_EQ(Make({{"Groups", {"x"}}}).error().message(), "/Groups: the job has no group \"x\"");
  EXPECT_EQ(Make({{"Tasks", {"x"}}}).error().message(), "/Tasks: the job has no task \"x\"");
}

TEST_F(RestartPlanTest, APercentageIsRoundedUp) {
  for (const char* id : {"a", "b", "c"}) Add(id);
  EXPECT_EQ(Make({{"BatchSize", "1%"}})->batch_size, 1);
  EXPECT_EQ(Make({{"BatchSize", "34%"}})->batch_size, 2);
  EXPECT_EQ(Make({{"BatchSize", "100%"}})->batch_size, 3);
}

TEST_F(RestartPlanTest, SysbatchJobsAreRestartedOnlyInTheirPlace) {
  auto job = std::make_shared<Job>(*record_.job);
  job->type = JobType::kSysbatch;
  record_.job = job;
  EXPECT_EQ(Make({{"Reschedule", true}}).error().message(),
            "Jobs of type \"sysbatch\" are not allowed to be rescheduled.");
  EXPECT_TRUE(Make(json::object()).ok());
}

TEST_F(RestartPlanTest, BatchesKeepTheirSize) {
  for (const char* id : {"a", "b", "c", "d", "e"}) Add(id);
  JobRestart restart = Make({{"BatchSize", 2}}).value();
  RestartBatch batch = NextBatch(restart, tables_);
  EXPECT_THAT(batch.allocs, ElementsAre("a", "b"));
  EXPECT_EQ(batch.end, 2u);
  restart.done = restart.begun = 2;
  Add("c", "g", ClientStatus::kRunning, false, "other");  // it was replaced meanwhile
  batch = NextBatch(restart, tables_);
  EXPECT_THAT(batch.allocs, ElementsAre("d", "e"));
  EXPECT_EQ(batch.end, 5u);
  restart.done = restart.begun = 5;
  batch = NextBatch(restart, tables_);
  EXPECT_THAT(batch.allocs, IsEmpty());
  EXPECT_EQ(batch.end, 5u);
}

TEST_F(RestartPlanTest, WhatIsGoneAtTheEndNeedsNoBatch) {
  for (const char* id : {"a", "b", "c"}) Add(id);
  JobRestart restart = Make({{"BatchSize", 1}}).value();
  restart.done = restart.begun = 1;
  Add("b", "g", ClientStatus::kRunning, true);
  tables_.Erase(*tables_.allocs.at("c"));
  const RestartBatch batch = NextBatch(restart, tables_);
  EXPECT_THAT(batch.allocs, IsEmpty());
  EXPECT_EQ(batch.end, 3u);
}

TEST_F(RestartPlanTest, ABatchThatIsBegunIsDoneAgain) {
  for (const char* id : {"a", "b", "c"}) Add(id);
  JobRestart restart = Make({{"BatchSize", 2}}).value();
  restart.begun = 2;
  EXPECT_THAT(NextBatch(restart, tables_).allocs, ElementsAre("a", "b"));
  Add("a", "g", ClientStatus::kRunning, true, "other");
  RestartBatch batch = NextBatch(restart, tables_);
  EXPECT_THAT(batch.allocs, ElementsAre("b"));
  EXPECT_EQ(batch.end, 2u);
  restart.reschedule = true;  // the replacement may not run yet
  EXPECT_THAT(NextBatch(restart, tables_).allocs, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace drover
