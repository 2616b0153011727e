// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What clients may do with services and checks where policies count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/api/acl_api_fixture.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class ServiceAccessTest : public AclApiFixture {
 protected:
  // The jobs "web" and "db" in the namespace "default", and "web" in "team". Each allocation has
  // the service "api".
  ServiceAccessTest() : management_(MakeManagement().secret) {
    RegisterNode();
    web_ = MakeService("web", "default");
    db_ = MakeService("db", "default");
    team_ = MakeService("web", "team");
    agent_.checks = [](const std::string& id) {
      json all = json::object();
      all["c1"] = {{"ID", "c1"}, {"Output", "of " + id}};
      return all;
    };
    tasks_["task.web.x"] = {"default", "web", "g", "t", web_};
  }

  // Returns the id of the allocation.
  std::string MakeService(const std::string& job, const std::string& name_space) {
    EXPECT_EQ(StatusAs(management_, "PUT", "/v1/jobs?namespace=" + name_space, JobBody(job)), 200);
    std::shared_ptr<const AllocRecord> found;
    store.Read([&](const Tables& tables) {
      for (const auto& record : tables.AllocsOf(JobKey(name_space, job))) found = record;
    });
    if (found == nullptr) {
      ADD_FAILURE() << job << " has no allocation";
      return "";
    }
    UpdateServices({ServiceOf(*found, "api")});
    return found->id();
  }
  // Returns the ids of the allocations of the services in the list at TARGET.
  std::vector<std::string> AllocsAs(const std::string& secret, const std::string& target) {
    std::vector<std::string> ids;
    for (const json& service : GetAs(secret, target)) ids.push_back(service.value("AllocID", ""));
    return ids;
  }
  std::vector<std::string> NamespacesAs(const std::string& secret, const std::string& target) {
    std::vector<std::string> names;
    for (const json& stub : GetAs(secret, target)) names.push_back(stub.value("Namespace", ""));
    return names;
  }
  static std::string IdOf(const std::string& alloc) {
    return "_nomad-task-" + alloc + "-group-g-api-http";
  }
  // The routes that list services in the namespace of the query.
  static std::vector<std::string> Lists() {
    return {"/v1/services", "/v1/service/api", "/v1/service/api?choose=1%7Cme",
            "/v1/job/web/services", "/v1/agent/prometheus-sd"};
  }
  static std::string In(const std::string& path, const std::string& name_space) {
    return path + (path.find('?') == std::string::npos ? "?" : "&") + "namespace=" + name_space;
  }

  const std::string management_;
  std::string web_, db_, team_;
};

TEST_F(ServiceAccessTest, ListsNeedTheRightToReadJobsInTheirNamespace) {
  const std::string reader = TokenWith(CapabilityRules("read-job"));
  const std::string writer = TokenWith(CapabilityRules("submit-job"));
  const std::string nobody = MakeToken({}).secret;
  for (const std::string& list : Lists()) {
    EXPECT_EQ(StatusAs(reader, "GET", list), 200) << list;
    EXPECT_EQ(StatusAs(reader, "GET", In(list, "team")), 403) << list;
    EXPECT_EQ(StatusAs(writer, "GET", list), 403) << list;
    EXPECT_EQ(StatusAs(nobody, "GET", list), 403) << list;
    EXPECT_EQ(StatusAs("", "GET", list), 403) << list;
    EXPECT_EQ(StatusAs("wrong", "GET", list), 403) << list;
    EXPECT_EQ(StatusAs(management_, "GET", In(list, "team")), 200) << list;
  }
}

TEST_F(ServiceAccessTest, AListOfAllNamespacesHasThoseOfTheClient) {
  const std::string reader = TokenWith(CapabilityRules("read-job"));
  const std::string team = TokenWith(CapabilityRules("read-job", "team"));
  EXPECT_THAT(NamespacesAs(reader, "/v1/services?namespace=*"), ElementsAre("default"));
  EXPECT_THAT(NamespacesAs(team, "/v1/services?namespace=*"), ElementsAre("team"));
  EXPECT_THAT(NamespacesAs(management_, "/v1/services?namespace=*"),
              ElementsAre("default", "team"));
  EXPECT_THAT(AllocsAs(team, "/v1/service/api?namespace=*"), ElementsAre(team_));
  EXPECT_THAT(AllocsAs(team, "/v1/service/api?namespace=*&choose=9%7Cme"), ElementsAre(team_));
  EXPECT_THAT(AllocsAs(reader, "/v1/service/api?namespace=*"), UnorderedElementsAre(web_, db_));
  EXPECT_EQ(GetAs(team, "/v1/agent/prometheus-sd?namespace=*").size(), 1u);
  EXPECT_EQ(GetAs(management_, "/v1/agent/prometheus-sd?namespace=*").size(), 3u);
  // Neither a filter nor the place of a page shows more.
  EXPECT_THAT(AllocsAs(team, "/v1/service/api?namespace=*&filter=JobID+==+%22db%22"), IsEmpty());
  EXPECT_THAT(AllocsAs(team, "/v1/service/api?namespace=*&per_page=1&next_token=" + IdOf(web_)),
              ::testing::Not(::testing::Contains(web_)));
}

TEST_F(ServiceAccessTest, ARuleThatDeniesWins) {
  const std::string token =
      TokenWith(R"({"namespace": {"*": {"policy": "read"}, "team": {"policy": "deny"}}})");
  EXPECT_THAT(NamespacesAs(token, "/v1/services?namespace=*"), ElementsAre("default"));
  EXPECT_THAT(AllocsAs(token, "/v1/service/api?namespace=*"), UnorderedElementsAre(web_, db_));
  for (const std::string& list : Lists()) {
    EXPECT_EQ(StatusAs(token, "GET", In(list, "team")), 403) << list;
  }
  EXPECT_EQ(StatusAs(token, "GET", "/v1/allocation/" + team_ + "/services"), 403);
  EXPECT_EQ(StatusAs(token, "GET", "/v1/client/allocation/" + team_ + "/checks"), 403);
}

TEST_F(ServiceAccessTest, AnAllocationShowsItsOwnToThoseWhoMayReadIt) {
  const std::string reader = TokenWith(CapabilityRules("read-job"));
  const std::string lister = TokenWith(CapabilityRules("list-jobs"));
  for (const char* form : {"/v1/allocation/*/services", "/v1/client/allocation/*/checks"}) {
    const auto of = [form](const std::string& alloc) {
      const std::string text = form;
      const std::size_t star = text.find('*');
      return text.substr(0, star) + alloc + text.substr(star + 1);
    };
    EXPECT_EQ(StatusAs(reader, "GET", of(web_)), 200) << form;
    EXPECT_EQ(StatusAs(reader, "GET", of(team_)), 403) << form;
    // The namespace of the allocation counts, and not that of the query.
    EXPECT_EQ(StatusAs(reader, "GET", of(team_) + "?namespace=default"), 403) << form;
    EXPECT_EQ(StatusAs(reader, "GET", of(web_) + "?namespace=team"), 200) << form;
    EXPECT_EQ(StatusAs(lister, "GET", of(web_)), 403) << form;
    EXPECT_EQ(StatusAs("", "GET", of(web_)), 403) << form;
    EXPECT_EQ(StatusAs(reader, "GET", of("none")), 404) << form;
    EXPECT_EQ(StatusAs(MakeToken({}).secret, "GET", of("none")), 403) << form;
  }
  EXPECT_THAT(AllocsAs(reader, "/v1/allocation/" + web_ + "/services"), ElementsAre(web_));
}

TEST_F(ServiceAccessTest, ATaskFindsTheServicesOfItsNamespace) {
  for (const std::string& list : Lists()) {
    EXPECT_EQ(StatusAs("task.web.x", "GET", list), 200) << list;
    EXPECT_EQ(StatusAs("task.web.x", "GET", In(list, "team")), 403) << list;
  }
  EXPECT_THAT(NamespacesAs("task.web.x", "/v1/services?namespace=*"), ElementsAre("default"));
  EXPECT_THAT(AllocsAs("task.web.x", "/v1/service/api?namespace=*"),
              UnorderedElementsAre(web_, db_));
  EXPECT_THAT(AllocsAs("task.web.x", "/v1/allocation/" + web_ + "/services"), ElementsAre(web_));
  EXPECT_EQ(StatusAs("task.web.x", "GET", "/v1/allocation/" + db_ + "/services"), 403);
  EXPECT_EQ(StatusAs("task.web.x", "GET", "/v1/client/allocation/" + web_ + "/checks"), 200);
  EXPECT_EQ(StatusAs("task.web.x", "GET", "/v1/client/allocation/" + db_ + "/checks"), 403);
  EXPECT_EQ(StatusAs("task.web.x", "DELETE", "/v1/service/api/" + IdOf(web_)), 403);
  ended_.insert(web_);
  for (const std::string& list : Lists()) {
    EXPECT_EQ(StatusAs("task.web.x", "GET", list), 403) << list;
  }
}

TEST_F(ServiceAccessTest, OneRegistrationIsDeletedByWhoMaySubmitJobsInItsNamespace) {
  const std::string path = "/v1/service/api/" + IdOf(web_);
  const std::string reader = TokenWith(R"({"namespace": {"*": {"policy": "read"}}})");
  const std::string team = TokenWith(CapabilityRules("submit-job", "team"));
  EXPECT_EQ(StatusAs(reader, "DELETE", path), 403);
  EXPECT_EQ(StatusAs("", "DELETE", path), 403);
  EXPECT_EQ(StatusAs(team, "DELETE", path), 403);
  // In the client's own namespace there is no such registration.
  EXPECT_EQ(StatusAs(team, "DELETE", path + "?namespace=team"), 404);
  EXPECT_EQ(StatusAs(team, "DELETE", path + "?namespace=*"), 404);
  EXPECT_EQ(Services().size(), 3u);
  EXPECT_EQ(StatusAs(TokenWith(CapabilityRules("submit-job")), "DELETE", path), 200);
  EXPECT_EQ(Services().size(), 2u);
}

}  // namespace
}  // namespace drover
