// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/request/route_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/api/router.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const Acl> AclWith(const std::string& policy) {
  return Acl::Of({std::make_shared<const Policy>(ReadPolicy(policy).value())});
}

// Returns the patterns of the entries that ACL permits in the namespace "default".
std::set<std::string> PermittedTo(const Acl& acl) {
  std::set<std::string> all;
  for (const RouteAccess& one : RouteAccesses()) {
    const bool is_plain =
        one.need == Need::kNothing || one.need == Need::kClient || one.need == Need::kEachPart;
    if (!is_plain && Permits(acl, one, "default", "other")) {
      all.insert(std::string(one.methods) + " " + std::string(one.pattern));
    }
  }
  return all;
}

TEST(RouteAccessTest, EveryRouteIsInTheTableAndNothingElse) {
  std::set<std::pair<std::string, std::string>> routes, entries;
  for (const Route& route : AllRoutes()) {
    routes.emplace(route.methods, route.pattern);
    EXPECT_NE(FindRouteAccess(route.methods, route.pattern), nullptr)
        << route.methods << " " << route.pattern << ": say in route_access.cc what it needs";
  }
  for (const RouteAccess& one : RouteAccesses()) {
    EXPECT_TRUE(entries.emplace(one.methods, one.pattern).second)
        << one.methods << " " << one.pattern << " stands in the table twice";
    EXPECT_TRUE(routes.contains({std::string(one.methods), std::string(one.pattern)}))
        << one.methods << " " << one.pattern << " is no route any more";
  }
  EXPECT_EQ(FindRouteAccess("GET", "/v1/no/such"), nullptr);
}

TEST(RouteAccessTest, EntriesAreWhole) {
  for (const RouteAccess& one : RouteAccesses()) {
    const bool has_rights = one.need == Need::kCapability;
    const bool has_where = has_rights || one.need == Need::kServices;
    EXPECT_EQ(!one.any_of.empty(), has_rights) << one.pattern;
    EXPECT_FALSE(one.any_of.denies()) << one.pattern;
    EXPECT_EQ(one.where != Where::kNowhere, has_where) << one.pattern;
    EXPECT_EQ(one.level != AclLevel::kUnset, one.need == Need::kLevel) << one.pattern;
    if (one.where == Where::kAlloc) {
      EXPECT_THAT(std::string(one.pattern), HasSubstr("*"));
    }
  }
}

TEST(RouteAccessTest, OpenRoutesAreTheSameInBothTables) {
  for (const Route& route : AllRoutes()) {
    const RouteAccess* const access = FindRouteAccess(route.methods, route.pattern);
    ASSERT_NE(access, nullptr) << route.pattern;
    EXPECT_EQ(route.access == Access::kOpen,
              access->need == Need::kNothing || access->after_websocket)
        << route.pattern;
  }
}

// What changes something needs more than a right to read.
TEST(RouteAccessTest, NoRightToReadChangesAnything) {
  const auto reader = AclWith(R"({"namespace": {"*": {"policy": "read"}},
      "agent": {"policy": "read"}, "node": {"policy": "read"}, "operator": {"policy": "read"},
      "quota": {"policy": "read"}, "plugin": {"policy": "read"}})");
  std::vector<std::string> not_reading;
  for (const std::string& route : PermittedTo(*reader)) {
    if (!route.starts_with("GET /")) not_reading.push_back(route);
  }
  // These only look.
  EXPECT_THAT(not_reading, ElementsAre("GET POST /v1/jobs/statuses", "PUT POST /v1/job/**/evaluate",
                                       "PUT POST /v1/jobs/parse", "PUT POST /v1/validate/job"));
  const auto allowed = PermittedTo(*reader);
  for (const char* route : {"GET /v1/client/fs/cat/*", "GET /v1/client/fs/logs/*",
                            "GET /v1/client/allocation/*/exec", "GET /v1/job/**/action"}) {
    EXPECT_FALSE(allowed.contains(route)) << route;
  }
}

TEST(RouteAccessTest, WithoutPoliciesNothingIsPermitted) {
  EXPECT_THAT(PermittedTo(*Acl::Of({})), ElementsAre());
}

TEST(RouteAccessTest, ManagementIsPermittedEverything) {
  for (const RouteAccess& one : RouteAccesses()) {
    EXPECT_TRUE(Permits(*Acl::Management(), one, "default", "")) << one.pattern;
  }
}

TEST(RouteAccessTest, ManagementOnly) {
  const auto writer = AclWith(R"({"namespace": {"*": {"policy": "write"}},
      "agent": {"policy": "write"}, "node": {"policy": "write"},
      "operator": {"policy": "write"}})");
  const auto allowed = PermittedTo(*writer);
  for (const char* route :
       {"DELETE /v1/evaluations", "PUT POST /v1/system/gc",
        "PUT POST /v1/system/reconcile/summaries", "GET /v1/operator/keyring/keys",
        "PUT POST /v1/operator/keyring/rotate"}) {
    EXPECT_FALSE(allowed.contains(route)) << route;
  }
}

TEST(RouteAccessTest, ATaskReadsItsOwn) {
  const auto task = Acl::OfTask({"default", "web", "front", "nginx", "mine"}, {});
  EXPECT_THAT(PermittedTo(*task),
              ElementsAre("GET /v1/agent/prometheus-sd", "GET /v1/job/**/services",
                          "GET /v1/namespace/*", "GET /v1/service/*", "GET /v1/services"));
  std::set<std::string> own;
  for (const RouteAccess& one : RouteAccesses()) {
    if (one.where == Where::kAlloc && Permits(*task, one, "default", "mine")) {
      own.emplace(one.pattern);
    }
    if (one.where == Where::kAlloc) {
      EXPECT_FALSE(Permits(*task, one, "other", "mine")) << one.pattern;
      EXPECT_FALSE(Permits(*task, one, "*", "")) << one.pattern;
    }
  }
  EXPECT_THAT(own, ElementsAre("/v1/allocation/*", "/v1/allocation/*/services",
                               "/v1/client/allocation/*/checks", "/v1/client/allocation/*/pause",
                               "/v1/client/allocation/*/stats"));
}

TEST(RouteAccessTest, EachCapabilityOpensItsRoutes) {
  const auto with = [](const std::string& capability) {
    return PermittedTo(
        *AclWith(R"({"namespace": {"default": {"capabilities": [")" + capability + R"("]}}})"));
  };
  EXPECT_TRUE(with("list-jobs").contains("GET /v1/jobs"));
  EXPECT_FALSE(with("list-jobs").contains("GET /v1/job/**"));
  EXPECT_TRUE(with("read-job").contains("GET /v1/job/**"));
  EXPECT_FALSE(with("read-job").contains("GET /v1/jobs"));
  EXPECT_TRUE(with("submit-job").contains("DELETE /v1/job/**"));
  EXPECT_TRUE(with("scale-job").contains("PUT POST /v1/job/**/scale"));
  EXPECT_TRUE(with("dispatch-job").contains("PUT POST /v1/job/**/dispatch"));
  EXPECT_TRUE(with("read-logs").contains("GET /v1/client/fs/logs/*"));
  EXPECT_FALSE(with("read-logs").contains("GET /v1/client/fs/cat/*"));
  EXPECT_TRUE(with("read-fs").contains("GET /v1/client/fs/cat/*"));
  EXPECT_TRUE(with("alloc-exec").contains("GET /v1/client/allocation/*/exec"));
  EXPECT_TRUE(with("alloc-lifecycle").contains("PUT POST /v1/allocation/*/stop"));
  EXPECT_TRUE(with("alloc-lifecycle").contains("PUT POST /v1/job/**/restart"));
  EXPECT_FALSE(with("submit-job").contains("PUT POST /v1/job/**/restart"));
  EXPECT_TRUE(with("read-job").contains("GET /v1/job/**/restart"));
  EXPECT_THAT(with("alloc-node-exec"), ElementsAre("GET /v1/namespace/*"));
}

}  // namespace
}  // namespace drover
