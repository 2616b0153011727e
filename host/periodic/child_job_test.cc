// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/periodic/child_job.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/base/base64.h"
#include "host/spec/blocks/periodic_checks.h"
#include "host/spec/canonical_job.h"
#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr WallTime kTime = 1'700'000'000'999'999'999;

// Returns the record of a job with BLOCKS, as a registration makes it.
JobRecord ParentWith(const json& blocks) {
  json job = json::parse(R"({"ID": "web", "Type": "batch", "Meta": {"a": "of the job", "b": "b"},
      "TaskGroups": [{"Name": "g", "Tasks": [{"Name": "t", "Driver": "mock_driver"}]}]})");
  job.update(blocks);
  const Result<Job> parsed = ParseJob(job.dump());
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().message());
  JobRecord record;
  record.job = std::make_shared<const Job>(*parsed);
  record.json = std::make_shared<const json>(CanonicalJob(*parsed, job));
  return record;
}

JobRecord Parameterized(const json& block = json::object()) {
  return ParentWith({{"ParameterizedJob", block}});
}

// A child is stored and read again, so its two forms must agree.
void ExpectWhole(const ChildJob& child) {
  const Result<Job> read = ParseJob(JobToJson(*child.job));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(*read, *child.job);
  EXPECT_EQ(CanonicalJob(*read, child.json.Copy()), child.json.Copy());
}

std::string RefusalOf(const JobRecord& parent, const DispatchDraft& draft) {
  const Result<ChildJob> child = DispatchedChild(parent, draft, kTime, "0123abcd");
  return child.ok() ? "" : child.error().message();
}

TEST(ChildJobTest, APeriodicChildIsItsParentWithoutTheBlock) {
  const JobRecord parent = ParentWith({{"Periodic", {{"Spec", "@daily"}}}});
  const ChildJob child = PeriodicChild(parent, kTime);
  EXPECT_EQ(child.job->id, "web/periodic-1700000000");
  EXPECT_EQ(child.job->name, child.job->id);
  EXPECT_EQ(child.job->parent_id, "web");
  EXPECT_FALSE(child.job->periodic || child.job->dispatched);
  EXPECT_EQ(child.job->meta, parent.job->meta);
  EXPECT_EQ(child.json.Whole()->at("ParentID"), "web");
  EXPECT_EQ(child.json.Whole()->at("ID"), child.job->id);
  EXPECT_EQ(child.json.Whole()->at("Name"), child.job->id);
  EXPECT_TRUE(child.json.Whole()->at("Periodic").is_null());
  EXPECT_EQ(child.json.Whole()->at("TaskGroups"), parent.json.Whole()->at("TaskGroups"));
  EXPECT_EQ(child.json.base(), parent.json.base()) << "thousands of children share it";
  ExpectWhole(child);
}

TEST(ChildJobTest, ADispatchedChildHasPayloadMetaTokenAndPriority) {
  const JobRecord parent =
      Parameterized({{"MetaRequired", {"a"}}, {"MetaOptional", {"c", "unset"}}});
  DispatchDraft draft;
  draft.payload = Base64("hello");
  draft.meta = {{"a", "given"}, {"c", "more"}};
  draft.id_prefix = "night";
  draft.priority = 70;
  draft.idempotency_token = "once";
  const Result<ChildJob> child = DispatchedChild(parent, draft, kTime, "0123abcd");
  ASSERT_TRUE(child.ok());
  const Job& job = *child->job;
  EXPECT_EQ(job.id, "web/dispatch-night-1700000000-0123abcd");
  EXPECT_EQ(job.parent_id, "web");
  EXPECT_TRUE(job.dispatched);
  EXPECT_FALSE(job.starts_children());
  EXPECT_EQ(job.priority, 70);
  EXPECT_EQ(job.meta, (StringMap{{"a", "given"}, {"b", "b"}, {"c", "more"}}));
  EXPECT_EQ(job.dispatch_token, "once");
  EXPECT_EQ(child->json.Whole()->at("Payload"), Base64("hello"));
  EXPECT_EQ(child->json.Whole()->at("Dispatched"), true);
  EXPECT_EQ(child->json.Whole()->at("DispatchIdempotencyToken"), "once");
  EXPECT_EQ(child->json.Whole()->at("Meta").at("c"), "more");
  ExpectWhole(*child);
  EXPECT_EQ(MetaOf(job, job.groups[0], job.groups[0].tasks[0]).at("unset"), "");
  const Result<ChildJob> plain = DispatchedChild(parent, {.meta = {{"a", "x"}}}, kTime, "0123abcd");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->job->id, "web/dispatch-1700000000-0123abcd");
  EXPECT_EQ(plain->job->priority, parent.job->priority);
  EXPECT_TRUE(plain->json.Whole()->at("Payload").is_null());
  ExpectWhole(*plain);
}

TEST(ChildJobTest, WhatTheRulesOfTheParentForbidIsRefused) {
  const JobRecord plain = ParentWith(json::object());
  EXPECT_EQ(RefusalOf(plain, {}), "Specified job \"web\" is not a parameterized job");
  JobRecord stopped = Parameterized();
  stopped.stop = true;
  EXPECT_EQ(RefusalOf(stopped, {}), "Specified job \"web\" is stopped");
  const JobRecord parent = Parameterized({{"MetaRequired", {"a", "z"}}, {"MetaOptional", {"o"}}});
  EXPECT_EQ(RefusalOf(parent, {.meta = {{"y", ""}, {"a", ""}, {"x", ""}}}),
            "Dispatch request included unpermitted metadata keys: [x y]");
  EXPECT_EQ(RefusalOf(parent, {.meta = {{"o", ""}}}),
            "Dispatch did not provide required meta keys: [a z]");
  EXPECT_EQ(RefusalOf(Parameterized({{"Payload", "required"}}), {}),
            "Payload is not provided but required by parameterized job");
  EXPECT_EQ(RefusalOf(Parameterized({{"Payload", "forbidden"}}), {.payload = Base64("x")}),
            "Payload provided but forbidden by parameterized job");
  EXPECT_EQ(RefusalOf(Parameterized(), {.payload = Base64(std::string(kMostPayload, 'x'))}), "");
  EXPECT_EQ(RefusalOf(Parameterized(), {.payload = Base64(std::string(kMostPayload + 1, 'x'))}),
            "Payload exceeds maximum size; 16385 > 16384");
  EXPECT_EQ(RefusalOf(Parameterized(), {.payload = "not base64!"}), "Payload is not valid base64");
  const JobRecord with_meta = Parameterized({{"MetaOptional", {"o"}}});
  EXPECT_EQ(RefusalOf(with_meta, {.meta = {{"o", std::string(131'071, 'x')}}}), "");
  EXPECT_EQ(RefusalOf(with_meta, {.meta = {{"o", std::string(131'072, 'x')}}}),
            "Meta exceeds maximum size; 131073 > 131072");
  EXPECT_NE(RefusalOf(Parameterized(), {.priority = 101}).find("1 to 100"), std::string::npos);
  EXPECT_NE(RefusalOf(Parameterized(), {.priority = -1}).find("1 to 100"), std::string::npos);
  for (const std::string& bad : {std::string("a b"), std::string("a\n"), std::string(100, 'x')}) {
    EXPECT_NE(RefusalOf(Parameterized(), {.id_prefix = bad}).find("IdPrefixTemplate"),
              std::string::npos);
  }
  EXPECT_NE(RefusalOf(Parameterized(), {.idempotency_token = std::string(300, 'x')}), "");
  EXPECT_EQ(RefusalOf(Parameterized(), {.idempotency_token = "once\xff"}),
            "the idempotency token is not UTF-8");
}

TEST(ChildJobTest, AChildOfADispatchOfAPeriodicJobIsPeriodicItself) {
  const JobRecord parent =
      ParentWith({{"ParameterizedJob", json::object()}, {"Periodic", {{"Specs", {"@daily"}}}}});
  const Result<ChildJob> dispatched = DispatchedChild(
      parent, {.payload = Base64("x"), .idempotency_token = "t"}, kTime, "0123abcd");
  ASSERT_TRUE(dispatched.ok());
  EXPECT_TRUE(dispatched->job->starts_children());
  ExpectWhole(*dispatched);
  JobRecord record;
  record.job = dispatched->job;
  record.json = dispatched->json;
  EXPECT_EQ(RefusalOf(record, {}),
            "Specified job \"" + record.job->id + "\" is not a parameterized job");
  const ChildJob child = PeriodicChild(record, kTime);
  EXPECT_EQ(child.job->id, "web/dispatch-1700000000-0123abcd/periodic-1700000000");
  EXPECT_EQ(child.job->parent_id, record.job->id);
  EXPECT_EQ(child.job->payload, Base64("x")) << "it has the parameters of the dispatch";
  EXPECT_TRUE(child.job->dispatch_token.empty());
  EXPECT_FALSE(child.job->starts_children());
  ExpectWhole(child);
}

// A child whose id were too long could not be read after a restart.
TEST(ChildJobTest, TheIdsOfChildrenAreNeverTooLong) {
  const JobRecord longest = ParentWith({{"ID", std::string(79, 'x')},
                                        {"ParameterizedJob", json::object()},
                                        {"Periodic", {{"Specs", {"@daily"}}}}});
  const Result<ChildJob> child = DispatchedChild(longest, {}, kTime, "0123abcd");
  ASSERT_TRUE(child.ok()) << child.error().message();
  JobRecord record;
  record.job = child->job;
  record.json = child->json;
  ExpectWhole(PeriodicChild(record, kTime));
  EXPECT_NE(RefusalOf(longest, {.id_prefix = "x"}), "");
}

}  // namespace
}  // namespace drover
