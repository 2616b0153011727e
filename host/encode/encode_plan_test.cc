// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "host/encode/encode.h"

namespace drover {
namespace {

using nlohmann::json;

TEST(EncodeEvalTest, OneThatWaitsSaysForHowLong) {
  Evaluation eval;
  eval.create_time = 1'700'000'000'000'000'000;
  EXPECT_EQ(EncodeEval(eval)["Wait"], 0);
  EXPECT_FALSE(EncodeEval(eval).contains("WaitUntil"));
  eval.wait_until = eval.create_time + Duration(30s).count();
  EXPECT_EQ(EncodeEval(eval)["Wait"], 30'000'000'000);
  EXPECT_EQ(EncodeEval(eval)["WaitUntil"], "2023-11-14T22:13:50.000000000Z");
  eval.status = "complete";
  EXPECT_EQ(EncodeEval(eval)["Wait"], 0);
  EXPECT_EQ(EncodeEval(eval)["WaitUntil"], "2023-11-14T22:13:50.000000000Z");
}

// Returns the counts of a group in the answer to a request for a plan.
json CountsOf(const GroupPlan& group) {
  PlanReply reply;
  reply.plan.groups["g"] = group;
  const Job job;
  const json none = json::object();
  const json plan = EncodePlan(reply, PlannedJob{job, none, false, 1, 1});
  return plan["Annotations"]["DesiredTGUpdates"]["g"];
}

TEST(EncodePlanTest, EachKindOfChangeIsCounted) {
  const auto record = std::make_shared<const AllocRecord>();
  GroupPlan group;
  group.ignore = 7;
  // A migration, an update that replaces, a reschedule, a canary and a new one.
  group.migrate = group.destructive = group.canaries = 1;
  group.stop = {{record, "migrate"}, {record, "update", true}, {record, "reschedule"}};
  group.place.resize(5);
  group.place[1].stops = true;
  group.place[2].rescheduled = true;
  group.place[3].canary = true;
  group.update = {record, record};
  group.disconnect = {record};
  group.reconnect = {record, record, record};
  group.follow_ups = {{record, 1, "alloc-failure"},
                      {record, 1, "alloc-failure"},
                      {record, 1, "max-disconnect-timeout"}};
  EXPECT_EQ(CountsOf(group), json({{"Ignore", 7},
                                   {"Place", 2},
                                   {"Migrate", 1},
                                   {"Stop", 1},
                                   {"InPlaceUpdate", 2},
                                   {"DestructiveUpdate", 1},
                                   {"Canary", 1},
                                   {"Preemptions", 0},
                                   {"Disconnect", 1},
                                   {"Reconnect", 3},
                                   {"RescheduleNow", 1},
                                   {"RescheduleLater", 2}}));
}

TEST(EncodePlanTest, WhatMakesRoomIsCountedAndNamedIfItIsOfTheSameNamespace) {
  const auto of = [](const std::string& id, const std::string& job_namespace) {
    auto job = std::make_shared<Job>();
    job->id = "victim";
    job->job_namespace = job_namespace;
    auto alloc = std::make_shared<Allocation>();
    alloc->id = id;
    alloc->job = std::move(job);
    auto record = std::make_shared<AllocRecord>();
    auto version = std::make_shared<JobRecord>();
    version->job = alloc->job;
    record->job = std::move(version);
    record->alloc = std::move(alloc);
    return record;
  };
  PlanReply reply;
  reply.plan.groups["g"];
  const Job job;
  const json none = json::object();
  const PlannedJob planned{job, none, false, 1, 1};
  EXPECT_EQ(EncodePlan(reply, planned)["Annotations"]["PreemptedAllocs"], nullptr);
  reply.preempted["g"] = {of("a", job.job_namespace), of("b", "other")};
  const json annotations = EncodePlan(reply, planned)["Annotations"];
  EXPECT_EQ(annotations["DesiredTGUpdates"]["g"]["Preemptions"], 2);
  ASSERT_EQ(annotations["PreemptedAllocs"].size(), 1u);
  EXPECT_EQ(annotations["PreemptedAllocs"][0]["ID"], "a");
}

}  // namespace
}  // namespace drover
