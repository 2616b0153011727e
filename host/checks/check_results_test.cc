// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_results.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "host/base/utf8.h"
#include "host/checks/check_metrics.h"

namespace drover {
namespace {

using nlohmann::json;

CheckPlan Plan(const std::string& id, const std::string& alloc_id = "alloc") {
  CheckPlan plan;
  plan.id = id;
  plan.alloc_id = alloc_id;
  plan.alloc_name = "job.group[0]";
  plan.service = "api";
  plan.check.name = "check";
  plan.check.interval = plan.check.timeout = 1s;
  return plan;
}

CheckResult Of(CheckStatus status, std::string output = "", int code = 0) {
  CheckResult result;
  result.status = status;
  result.output = std::move(output);
  result.status_code = code;
  result.timestamp = 1'700'000'009'999'999'999;
  result.has_run = true;
  return result;
}

TEST(CheckOutputTest, IsCutAndValid) {
  EXPECT_EQ(CheckOutput("ok"), "ok");
  EXPECT_EQ(CheckOutput(std::string(5000, 'x')).size(), kMostCheckOutput);
  EXPECT_EQ(CheckOutput("a\xff"
                        "b"),
            "a\xef\xbf\xbd"
            "b");
  for (const std::string part : {"\xff", "\xc3\xa9", "\xf0\x9f\x98\x80", "\xf0\x9f"}) {
    std::string text;
    while (text.size() < 5000) text += part;
    const std::string out = CheckOutput(text);
    EXPECT_LE(out.size(), kMostCheckOutput);
    EXPECT_EQ(ValidLength(out), out.size());
  }
}

TEST(CheckResultsTest, TheJsonIsThatOfClients) {
  SimLoop loop;
  CheckResults results(&loop);
  const auto slot = results.Begin(Plan("aa"));
  EXPECT_EQ(results.Encode("alloc"), json({{"aa",
                                            {{"ID", "aa"},
                                             {"Mode", "healthiness"},
                                             {"Status", "pending"},
                                             {"Output", "nomad: waiting to run"},
                                             {"Timestamp", loop.Wall() / 1'000'000'000},
                                             {"Group", "job.group[0]"},
                                             {"Service", "api"},
                                             {"Check", "check"}}}}));
  CheckPlan plan = Plan("bb");
  plan.task = "web";
  plan.check.on_update = OnUpdate::kIgnore;
  results.Put(results.Begin(plan), Of(CheckStatus::kFailure, "no", 503));
  const json of_task = results.Encode("alloc").at("bb");
  EXPECT_EQ(of_task.at("Mode"), "readiness");
  EXPECT_EQ(of_task.at("Status"), "failure");
  EXPECT_EQ(of_task.at("StatusCode"), 503);
  EXPECT_EQ(of_task.at("Task"), "web");
  EXPECT_EQ(of_task.at("Timestamp"), 1'700'000'009);
  EXPECT_EQ(results.Encode("unknown"), json::object());
}

TEST(CheckResultsTest, WhatHasEndedIsForgotten) {
  SimLoop loop;
  CheckResults results(&loop);
  const auto old = results.Begin(Plan("aa"));
  const auto anew = results.Begin(Plan("aa"));
  results.End(old);
  results.Put(old, Of(CheckStatus::kFailure));
  EXPECT_EQ(results.Encode("alloc").at("aa").at("Status"), "pending");
  results.End(anew);
  results.End(anew);
  results.Put(anew, Of(CheckStatus::kSuccess));
  EXPECT_EQ(results.Encode("alloc"), json::object());
  EXPECT_TRUE(results.Passing("alloc"));
}

TEST(CheckResultsTest, OnlyChecksThatDecideKeepFromPassing) {
  SimLoop loop;
  CheckResults results(&loop);
  CheckPlan ready = Plan("ready");
  ready.check.on_update = OnUpdate::kIgnore;
  results.Put(results.Begin(ready), Of(CheckStatus::kFailure));
  EXPECT_TRUE(results.Passing("alloc"));
  CheckPlan tolerant = Plan("tolerant");
  tolerant.check.on_update = OnUpdate::kIgnoreWarnings;
  const auto slot = results.Begin(tolerant);
  EXPECT_FALSE(results.Passing("alloc")) << "it has not run";
  results.Put(slot, Of(CheckStatus::kWarning));
  EXPECT_TRUE(results.Passing("alloc"));
  const auto strict = results.Begin(Plan("strict"));
  results.Put(strict, Of(CheckStatus::kWarning));
  EXPECT_FALSE(results.Passing("alloc"));
  results.Put(strict, Of(CheckStatus::kSuccess));
  EXPECT_TRUE(results.Passing("alloc"));
}

TEST(CheckResultsTest, ListenersHearOfChangesAndOfFailures) {
  SimLoop loop;
  CheckResults results(&loop);
  int heard = 0;
  const Subscription subscription = results.OnChange("alloc", [&] { ++heard; });
  const auto slot = results.Begin(Plan("aa"));
  const auto other = results.Begin(Plan("bb", "other"));
  loop.RunReady();
  EXPECT_EQ(heard, 1);
  results.Put(slot, Of(CheckStatus::kSuccess));
  results.Put(slot, Of(CheckStatus::kFailure));
  loop.RunReady();
  EXPECT_EQ(heard, 2) << "reported together";
  results.Put(slot, Of(CheckStatus::kFailure));
  loop.RunReady();
  EXPECT_EQ(heard, 3);
  results.Put(slot, Of(CheckStatus::kSuccess));
  loop.RunReady();
  for (int i = 0; i < 100; ++i) results.Put(slot, Of(CheckStatus::kSuccess));
  results.Put(other, Of(CheckStatus::kFailure));
  loop.RunReady();
  EXPECT_EQ(heard, 4) << "a check that goes on to succeed wakes nobody";
}

TEST(CheckResultsTest, OtherThreadsPutAndRead) {
  SimLoop loop;
  CheckResults results(&loop);
  const auto slot = results.Begin(Plan("aa"));
  std::thread putting([&] {
    for (int i = 0; i < 1000; ++i)
      results.Put(slot, Of(i % 2 == 0 ? CheckStatus::kFailure : CheckStatus::kSuccess));
  });
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(results.Encode("alloc").size(), 1u);
    (void)results.Look(*slot);
  }
  putting.join();
  EXPECT_TRUE(results.Passing("alloc"));
}

TEST(CheckResultsTest, WhoSeesAllChecksHoldsUpNobody) {
  SimLoop loop;
  CheckResults results(&loop);
  const auto slot = results.Begin(Plan("aa"));
  int seen = 0;
  results.ForEach([&](const CheckPlan& plan, CheckStatus status) {
    ++seen;
    EXPECT_EQ(plan.id, "aa");
    EXPECT_EQ(status, CheckStatus::kPending);
    std::thread([&] { results.Put(slot, Of(CheckStatus::kSuccess)); }).join();
  });
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(results.Look(*slot).status, CheckStatus::kSuccess);
}

TEST(CheckMetricsTest, CountStatusesAndName) {
  SimLoop loop;
  CheckResults results(&loop);
  results.Put(results.Begin(Plan("aa")), Of(CheckStatus::kSuccess));
  (void)results.Begin(Plan("bb"));
  std::vector<Metric> metrics;
  AppendCheckMetrics(results, &metrics);
  std::map<std::string, double> values;
  double passing = 0;
  for (const Metric& metric : metrics) {
    values[metric.name] = metric.value;
    if (metric.name == "nomad.client.allocs.check_passing") passing += metric.value;
  }
  EXPECT_EQ(passing, 1);
  EXPECT_EQ(values["nomad.client.checks.success"], 1);
  EXPECT_EQ(values["nomad.client.checks.pending"], 1);
  EXPECT_EQ(values["nomad.client.checks.failure"], 0);
}

}  // namespace
}  // namespace drover
