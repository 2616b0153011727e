// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/acl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace drover {
namespace {

using enum AclArea;
using enum AclLevel;

std::shared_ptr<const Policy> PolicyOf(const std::string& json_text) {
  return std::make_shared<const Policy>(ReadPolicy(json_text).value());
}

std::shared_ptr<const Acl> AclOf(const std::vector<std::string>& json_texts) {
  Acl::Policies policies;
  for (const std::string& text : json_texts) policies.push_back(PolicyOf(text));
  return Acl::Of(policies);
}

TaskPrincipal WebTask() { return {"default", "web", "front", "nginx", "alloc-1"}; }

constexpr RightSet<Capability> kReadJobs = {Capability::kReadJob};
constexpr RightSet<Capability> kSubmitJobs = {Capability::kSubmitJob};

TEST(AclTest, ManagementAllowsEverything) {
  const auto acl = Acl::Management();
  EXPECT_TRUE(acl->is_management());
  EXPECT_TRUE(acl->Allows("default", kSubmitJobs));
  EXPECT_TRUE(acl->Allows("*", kSubmitJobs));
  EXPECT_TRUE(acl->AllowsNamespace("any"));
  EXPECT_TRUE(acl->Allows(kOperator, kWrite));
  EXPECT_TRUE(acl->AllowsVariable("any", "a/b", VariableRight::kDestroy));
  EXPECT_TRUE(acl->AllowsAnyVariable("any"));
  EXPECT_TRUE(acl->AllowsVolume("v", VolumeRight::kMountReadWrite));
  EXPECT_TRUE(acl->AllowsPool("p", PoolRight::kDelete));
  EXPECT_TRUE(acl->AllowsServices("any"));
  EXPECT_TRUE(acl->AllowsReadOfAlloc("any", "x"));
  EXPECT_EQ(acl, Acl::Management());
}

TEST(AclTest, WithoutPoliciesNothingIsAllowed) {
  const auto acl = Acl::Of({});
  EXPECT_FALSE(acl->is_management());
  for (const RightName<Capability>& one : RightNames<Capability>()) {
    EXPECT_FALSE(acl->Allows("default", {one.right})) << one.name;
    EXPECT_FALSE(acl->Allows("*", {one.right})) << one.name;
  }
  EXPECT_FALSE(acl->AllowsNamespace("default"));
  for (const AclArea area : {kAgent, kNode, kOperator, kQuota, kPlugin}) {
    for (const AclLevel level : {kUnset, kList, kRead, kWrite, kDeny}) {
      EXPECT_FALSE(acl->Allows(area, level));
    }
  }
  EXPECT_FALSE(acl->AllowsVariable("default", "nomad/jobs", VariableRight::kList));
  EXPECT_FALSE(acl->AllowsAnyVariable("*"));
  EXPECT_FALSE(acl->AllowsServices("*"));
  EXPECT_FALSE(acl->AllowsReadOfAlloc("default", ""));
}

TEST(AclTest, ARuleCountsOnlyInItsNamespace) {
  const auto acl = AclOf({R"({"namespace": {"default": {"policy": "read"}}})"});
  EXPECT_TRUE(acl->Allows("default", kReadJobs));
  EXPECT_FALSE(acl->Allows("default", kSubmitJobs));
  EXPECT_TRUE(acl->Allows("default", {Capability::kSubmitJob, Capability::kReadJob}));
  EXPECT_FALSE(acl->Allows("Default", kReadJobs));
  EXPECT_FALSE(acl->Allows("default2", kReadJobs));
  EXPECT_FALSE(acl->Allows("", kReadJobs));
  EXPECT_TRUE(acl->AllowsNamespace("default"));
  EXPECT_FALSE(acl->AllowsNamespace("other"));
  EXPECT_TRUE(acl->Allows("*", kReadJobs));
  EXPECT_FALSE(acl->Allows("*", kSubmitJobs));
}

TEST(AclTest, TheClosestRuleCounts) {
  const auto acl = AclOf({R"({"namespace": {
      "*": {"policy": "write"}, "dev-*": {"policy": "read"}, "dev-web-*": {"policy": "deny"},
      "dev-web-1": {"policy": "scale"}, "*-db": {"policy": "deny"}}})"});
  EXPECT_TRUE(acl->Allows("prod", kSubmitJobs));
  EXPECT_TRUE(acl->Allows("dev-api", kReadJobs));
  EXPECT_FALSE(acl->Allows("dev-api", kSubmitJobs));
  EXPECT_FALSE(acl->Allows("dev-web-2", kReadJobs));
  EXPECT_FALSE(acl->AllowsNamespace("dev-web-2"));
  EXPECT_TRUE(acl->Allows("dev-web-1", {Capability::kScaleJob}));
  EXPECT_FALSE(acl->Allows("dev-web-1", kReadJobs));
  EXPECT_FALSE(acl->Allows("prod-db", kReadJobs));
  // "dev-*" has more characters than "*-db".
  EXPECT_TRUE(acl->Allows("dev-db", kReadJobs));
}

TEST(AclTest, DenyWinsOverEquallyCloseGlobs) {
  for (const char* text :
       {R"({"namespace": {"a-*": {"policy": "write"}, "*-b": {"policy": "deny"}}})",
        R"({"namespace": {"a-*": {"policy": "deny"}, "*-b": {"policy": "write"}}})"}) {
    const auto acl = AclOf({text});
    EXPECT_FALSE(acl->Allows("a-b", kReadJobs)) << text;
  }
}

TEST(AclTest, PoliciesAreMergedAndDenyWinsInAnyOrder) {
  std::vector<std::string> texts = {
      R"({"namespace": {"default": {"policy": "read"}}, "node": {"policy": "read"}})",
      R"({"namespace": {"default": {"capabilities": ["submit-job"]}}, "node": {"policy": "write"},
          "agent": {"policy": "write"}})",
      R"({"namespace": {"other": {"policy": "write", "variables": {"path": {"*": {
          "capabilities": ["read"]}}}}}})",
      R"({"namespace": {"other": {"policy": "deny"}}, "agent": {"policy": "deny"}})"};
  std::ranges::sort(texts);
  do {
    const auto acl = AclOf(texts);
    EXPECT_TRUE(acl->Allows("default", kReadJobs));
    EXPECT_TRUE(acl->Allows("default", kSubmitJobs));
    EXPECT_FALSE(acl->Allows("other", kReadJobs));
    EXPECT_FALSE(acl->AllowsNamespace("other"));
    EXPECT_FALSE(acl->AllowsVariable("other", "a", VariableRight::kRead));
    EXPECT_TRUE(acl->Allows(kNode, kWrite));
    EXPECT_FALSE(acl->Allows(kAgent, kRead));
  } while (std::ranges::next_permutation(texts).found);
}

TEST(AclTest, ALevelIncludesThoseBelow) {
  const auto acl = AclOf({R"({"agent": {"policy": "write"}, "node": {"policy": "read"},
                              "plugin": {"policy": "list"}, "operator": {"policy": "deny"}})"});
  EXPECT_TRUE(acl->Allows(kAgent, kWrite));
  EXPECT_TRUE(acl->Allows(kAgent, kRead));
  EXPECT_TRUE(acl->Allows(kNode, kRead));
  EXPECT_FALSE(acl->Allows(kNode, kWrite));
  EXPECT_TRUE(acl->Allows(kPlugin, kList));
  EXPECT_FALSE(acl->Allows(kPlugin, kRead));
  EXPECT_FALSE(acl->Allows(kOperator, kRead));
  EXPECT_FALSE(acl->Allows(kQuota, kRead));
  for (const AclLevel no_level : {kUnset, kDeny}) EXPECT_FALSE(acl->Allows(kAgent, no_level));
}

TEST(AclTest, TheRightToDenyIsNoRight) {
  const auto acl = AclOf({R"({"namespace": {"a": {"policy": "deny", "variables": {"path": {"x": {
      "capabilities": ["deny"]}}}}}, "host_volume": {"v": {"policy": "deny"}}})"});
  EXPECT_FALSE(acl->Allows("a", {Capability::kDeny}));
  EXPECT_FALSE(acl->Allows("*", {Capability::kDeny}));
  EXPECT_FALSE(acl->AllowsVariable("a", "x", VariableRight::kDeny));
  EXPECT_FALSE(acl->AllowsVolume("v", VolumeRight::kDeny));
  EXPECT_FALSE(acl->AllowsPool("v", PoolRight::kDeny));
}

TEST(AclTest, VariablesHaveRulesOfTheirOwn) {
  const auto acl = AclOf({R"({"namespace": {
      "default": {"policy": "read", "variables": {"path": {
          "*": {"capabilities": ["list"]},
          "web/*": {"capabilities": ["read"]},
          "web/secret": {"capabilities": ["deny"]},
          "web/own": {"capabilities": ["write", "destroy"]}}}},
      "dev-*": {"variables": {"path": {"shared": {"capabilities": ["read"]}}}}}})"});
  EXPECT_TRUE(acl->AllowsVariable("default", "other", VariableRight::kList));
  EXPECT_FALSE(acl->AllowsVariable("default", "other", VariableRight::kRead));
  EXPECT_TRUE(acl->AllowsVariable("default", "web/a", VariableRight::kRead));
  EXPECT_TRUE(acl->AllowsVariable("default", "web/a", VariableRight::kList));
  EXPECT_FALSE(acl->AllowsVariable("default", "web/a", VariableRight::kWrite));
  EXPECT_FALSE(acl->AllowsVariable("default", "web/secret", VariableRight::kList));
  EXPECT_TRUE(acl->AllowsVariable("default", "web/own", VariableRight::kDestroy));
  EXPECT_FALSE(acl->AllowsVariable("default", "web/own", VariableRight::kRead));
  EXPECT_TRUE(acl->AllowsVariable("dev-a", "shared", VariableRight::kRead));
  EXPECT_FALSE(acl->AllowsVariable("dev-a", "shared/b", VariableRight::kRead));
  EXPECT_FALSE(acl->AllowsVariable("prod", "shared", VariableRight::kRead));
  EXPECT_TRUE(acl->AllowsAnyVariable("default"));
  EXPECT_TRUE(acl->AllowsAnyVariable("dev-a"));
  EXPECT_TRUE(acl->AllowsAnyVariable("*"));
  EXPECT_FALSE(acl->AllowsAnyVariable("prod"));
}

TEST(AclTest, AStarOfANamespaceDoesNotReachIntoThePath) {
  const auto acl = AclOf({R"({"namespace": {"a*": {"variables": {"path": {"b": {
      "capabilities": ["read"]}}}}}})"});
  EXPECT_TRUE(acl->AllowsVariable("ax", "b", VariableRight::kRead));
  EXPECT_FALSE(acl->AllowsVariable("a", "x/b", VariableRight::kRead));
  EXPECT_FALSE(acl->AllowsVariable("a", std::string("x\0b", 3), VariableRight::kRead));
}

TEST(AclTest, VolumesAndPools) {
  const auto acl = AclOf({R"({"host_volume": {"*": {"policy": "read"}, "db": {"policy": "write"}},
                              "node_pool": {"gpu-*": {"capabilities": ["read"]}}})"});
  EXPECT_TRUE(acl->AllowsVolume("x", VolumeRight::kMountReadOnly));
  EXPECT_FALSE(acl->AllowsVolume("x", VolumeRight::kMountReadWrite));
  EXPECT_TRUE(acl->AllowsVolume("db", VolumeRight::kMountReadWrite));
  EXPECT_TRUE(acl->AllowsPool("gpu-1", PoolRight::kRead));
  EXPECT_FALSE(acl->AllowsPool("gpu-1", PoolRight::kWrite));
  EXPECT_FALSE(acl->AllowsPool("default", PoolRight::kRead));
}

TEST(AclTest, ATaskReadsItsOwnAndNothingMore) {
  const auto acl = Acl::OfTask(WebTask(), {});
  ASSERT_TRUE(acl->task());
  EXPECT_FALSE(acl->is_management());
  EXPECT_TRUE(acl->AllowsServices("default"));
  EXPECT_TRUE(acl->AllowsServices("*"));
  EXPECT_FALSE(acl->AllowsServices("other"));
  EXPECT_TRUE(acl->AllowsReadOfAlloc("default", "alloc-1"));
  EXPECT_FALSE(acl->AllowsReadOfAlloc("default", "alloc-2"));
  EXPECT_FALSE(acl->AllowsReadOfAlloc("other", "alloc-1"));
  EXPECT_TRUE(acl->AllowsNamespace("default"));
  EXPECT_FALSE(acl->AllowsNamespace("other"));
  EXPECT_TRUE(acl->AllowsAnyVariable("default"));
  EXPECT_FALSE(acl->AllowsAnyVariable("other"));
  for (const char* path :
       {"nomad/jobs", "nomad/jobs/web", "nomad/jobs/web/front", "nomad/jobs/web/front/nginx"}) {
    EXPECT_TRUE(acl->AllowsVariable("default", path, VariableRight::kRead)) << path;
    EXPECT_TRUE(acl->AllowsVariable("default", path, VariableRight::kList)) << path;
    EXPECT_FALSE(acl->AllowsVariable("default", path, VariableRight::kWrite)) << path;
    EXPECT_FALSE(acl->AllowsVariable("default", path, VariableRight::kDestroy)) << path;
    EXPECT_FALSE(acl->AllowsVariable("other", path, VariableRight::kRead)) << path;
  }
  for (const char* path : {"", "nomad", "nomad/jobs/", "nomad/jobs/we", "nomad/jobs/web2",
                           "nomad/jobs/web/", "nomad/jobs/web/back", "nomad/jobs/web/front/nginx/x",
                           "nomad/jobs/web/front/php", "nomad/jobs/*", "nomad/jobs/web/../db"}) {
    EXPECT_FALSE(acl->AllowsVariable("default", path, VariableRight::kRead)) << path;
  }
  for (const RightName<Capability>& one : RightNames<Capability>()) {
    EXPECT_FALSE(acl->Allows("default", {one.right})) << one.name;
  }
  EXPECT_FALSE(acl->Allows(kNode, kRead));
  EXPECT_FALSE(acl->Allows(kAgent, kRead));
}

TEST(AclTest, AnIdWithASlashIsNoWayToTheVariablesOfAnotherJob) {
  const auto acl = Acl::OfTask({"default", "web/front", "nginx", "t", "alloc-1"}, {});
  EXPECT_TRUE(acl->AllowsVariable("default", "nomad/jobs", VariableRight::kRead));
  for (const char* path : {"nomad/jobs/web", "nomad/jobs/web/front", "nomad/jobs/web/front/nginx",
                           "nomad/jobs/web/front/nginx/t", ""}) {
    EXPECT_FALSE(acl->AllowsVariable("default", path, VariableRight::kRead)) << path;
  }
}

TEST(AclTest, PoliciesOfAJobAddToWhatItsTasksMay) {
  const auto acl = Acl::OfTask(
      WebTask(), {PolicyOf(R"({"namespace": {"default": {"policy": "read", "variables": {"path": {
           "nomad/jobs/web": {"capabilities": ["write"]},
           "nomad/jobs/*": {"capabilities": ["destroy"]},
           "shared/*": {"capabilities": ["read"]}}}}}})")});
  EXPECT_TRUE(acl->Allows("default", kReadJobs));
  EXPECT_TRUE(acl->AllowsReadOfAlloc("default", "alloc-2"));
  EXPECT_TRUE(acl->AllowsVariable("default", "nomad/jobs/web", VariableRight::kRead));
  EXPECT_TRUE(acl->AllowsVariable("default", "nomad/jobs/web", VariableRight::kWrite));
  EXPECT_TRUE(acl->AllowsVariable("default", "nomad/jobs/web/front", VariableRight::kRead));
  EXPECT_TRUE(acl->AllowsVariable("default", "nomad/jobs/web/front", VariableRight::kDestroy));
  EXPECT_FALSE(acl->AllowsVariable("default", "nomad/jobs/db", VariableRight::kRead));
  EXPECT_TRUE(acl->AllowsVariable("default", "shared/a", VariableRight::kRead));
}

TEST(AclTest, PoliciesOfAJobMayTakeItsOwnAway) {
  const auto paths =
      Acl::OfTask(WebTask(), {PolicyOf(R"({"namespace": {"default": {"variables": {"path": {
                      "nomad/jobs": {"capabilities": ["deny"]},
                      "nomad/jobs/*": {"capabilities": ["deny"]}}}}}})")});
  EXPECT_FALSE(paths->AllowsVariable("default", "nomad/jobs", VariableRight::kRead));
  // Its own path is closer than a glob.
  EXPECT_TRUE(paths->AllowsVariable("default", "nomad/jobs/web", VariableRight::kRead));
  const auto all =
      Acl::OfTask(WebTask(), {PolicyOf(R"({"namespace": {"default": {"policy": "deny"}}})")});
  EXPECT_FALSE(all->AllowsVariable("default", "nomad/jobs/web", VariableRight::kRead));
  EXPECT_FALSE(all->AllowsServices("default"));
  EXPECT_FALSE(all->AllowsServices("*"));
  EXPECT_FALSE(all->AllowsReadOfAlloc("default", "alloc-1"));
  EXPECT_FALSE(all->AllowsNamespace("default"));
  EXPECT_FALSE(all->AllowsAnyVariable("default"));
}

TEST(AclTest, WithAnUnreadablePolicyNothingIsAllowed) {
  const auto broken = std::make_shared<Policy>();
  broken->is_unreadable = true;
  const auto good = PolicyOf(R"({"namespace": {"default": {"policy": "write"}}})");
  for (const auto& acl :
       {Acl::Of({good, broken}), Acl::Of({broken, good}), Acl::OfTask(WebTask(), {good, broken})}) {
    EXPECT_FALSE(acl->Allows("default", kReadJobs));
    EXPECT_FALSE(acl->AllowsServices("default"));
    EXPECT_FALSE(acl->AllowsVariable("default", "nomad/jobs/web", VariableRight::kRead));
  }
}

TEST(AclTest, ThreadsShareAnObject) {
  const auto acl = AclOf({R"({"namespace": {"*": {"policy": "read"}}})"});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([acl] {
      for (int n = 0; n < 1000; ++n) EXPECT_TRUE(acl->Allows("default", kReadJobs));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace drover
