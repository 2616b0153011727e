// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "host/api/acl_api_fixture.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Returns a job whose group "g" may have 1 to 5 allocations, and whose task has limits of its own.
json ScalableBody(const std::string& id, const std::string& name_space = "default") {
  json body = {{"Job", {{"ID", id}, {"Namespace", name_space}}}};
  json task = {{"Name", "t"}, {"Driver", "mock_driver"}};
  task["ScalingPolicies"] =
      json::array({{{"Type", "vertical_cpu"}, {"Min", 10}, {"Max", 500}, {"Enabled", false}}});
  json group = {{"Name", "g"}, {"Count", 2}};
  group["Update"] = {{"MaxParallel", 0}};  // no deployment, which would forbid to scale it
  group["Scaling"] = {{"Min", 2}, {"Max", 5}, {"Policy", {{"cooldown", "1m"}}}};
  group["Tasks"] = json::array({task});
  body["Job"]["TaskGroups"] = json::array({group});
  return body;
}

class ScalingRouteTest : public AclApiFixture {
 protected:
  ScalingRouteTest() {
    Enable(false);
    RegisterNode();
  }

  std::string IdOf(const std::string& type, const std::string& name_space = "default") {
    const json list = Get("/v1/scaling/policies?type=" + type + "&namespace=" + name_space);
    EXPECT_THAT(list, SizeIs(1));
    return list.empty() ? "" : list[0]["ID"];
  }
  std::vector<std::string> Types(const std::string& query) {
    std::vector<std::string> types;
    for (const json& one : Get("/v1/scaling/policies" + query)) types.push_back(one["Type"]);
    std::sort(types.begin(), types.end());
    return types;
  }
  json Scale(const json& count) { return {{"Count", count}, {"Target", {{"Group", "g"}}}}; }
};

TEST_F(ScalingRouteTest, PoliciesAreListedAndShown) {
  EXPECT_EQ(Get("/v1/scaling/policies"), json::array());
  Must("PUT", "/v1/jobs", ScalableBody("web"));
  const std::string id = IdOf("horizontal");
  const json stub = Get("/v1/scaling/policies?type=horizontal")[0];
  const json target = {{"Namespace", "default"}, {"Job", "web"}, {"Group", "g"}};
  const json index = Get("/v1/job/web")["JobModifyIndex"];
  EXPECT_EQ(stub, (json{{"ID", id},
                        {"Enabled", true},
                        {"Type", "horizontal"},
                        {"Target", target},
                        {"CreateIndex", index},
                        {"ModifyIndex", index}}));
  json whole = stub;
  whole.update({{"Min", 2}, {"Max", 5}, {"Policy", {{"cooldown", "1m"}}}});
  EXPECT_EQ(Get("/v1/scaling/policy/" + id), whole);
  const json of_task = Get("/v1/scaling/policy/" + IdOf("vertical"));
  EXPECT_EQ(of_task["Target"]["Task"], "t");
  EXPECT_EQ(of_task["Policy"], nullptr);
  EXPECT_EQ(of_task["Enabled"], false);
  EXPECT_EQ(Refusal("GET", "/v1/scaling/policy/none"), "404 policy not found");
  EXPECT_EQ(Refusal("PUT", "/v1/scaling/policies"), "405 Invalid method");
}

TEST_F(ScalingRouteTest, AListIsOfAJobATypeAndABeginning) {
  Must("PUT", "/v1/jobs", ScalableBody("web"));
  Must("PUT", "/v1/jobs", ScalableBody("web", "team"));
  EXPECT_THAT(Types(""), ElementsAre("horizontal", "vertical_cpu"));
  EXPECT_THAT(Types("?namespace=*"), SizeIs(4));
  EXPECT_THAT(Types("?job=web&type=vertical"), ElementsAre("vertical_cpu"));
  EXPECT_THAT(Types("?type=vertical_mem"), IsEmpty());
  EXPECT_THAT(Types("?job=we"), IsEmpty());
  const std::string id = IdOf("horizontal");
  EXPECT_THAT(Types("?prefix=" + id.substr(0, 20)), ElementsAre("horizontal"));
  EXPECT_EQ(Get("/v1/scaling/policies?namespace=*&per_page=3").size(), 3u);
  const json search = {{"Prefix", id.substr(0, 10)}, {"Context", "scaling_policy"}};
  EXPECT_EQ(Must("PUT", "/v1/search", search)["Matches"],
            (json{{"scaling_policy", json::array({id})}}));
}

TEST_F(ScalingRouteTest, TheJobShowsItsPolicies) {
  Must("PUT", "/v1/jobs", ScalableBody("web"));
  const std::string id = IdOf("horizontal");
  json job = Get("/v1/job/web");
  const json& group = job["TaskGroups"][0];
  EXPECT_EQ(group["Scaling"]["ID"], id);
  EXPECT_EQ(group["Scaling"]["Target"]["Group"], "g");
  EXPECT_EQ(group["Tasks"][0]["ScalingPolicies"][0]["ID"], IdOf("vertical_cpu"));
  Must("PUT", "/v1/jobs", {{"Job", job}});
  EXPECT_EQ(Get("/v1/job/web")["Version"], 0) << "what was read is what was there";

  job["TaskGroups"][0]["Scaling"]["Policy"]["cooldown"] = "2m";
  const json plan = Must("PUT", "/v1/job/web/plan", {{"Job", job}, {"Diff", true}});
  const json& objects = plan["Diff"]["TaskGroups"][0]["Objects"];
  ASSERT_THAT(objects, SizeIs(1));
  EXPECT_EQ(objects[0]["Name"], "Scaling");
  EXPECT_EQ(objects[0]["Objects"][0]["Name"], "Policy");
  EXPECT_EQ(objects[0]["Objects"][0]["Fields"][0]["New"], "2m");
  EXPECT_EQ(plan["Annotations"]["DesiredTGUpdates"]["g"]["InPlaceUpdate"], 2);
}

TEST_F(ScalingRouteTest, ACountStaysWithinItsBounds) {
  Must("PUT", "/v1/jobs", ScalableBody("web"));
  EXPECT_EQ(Refusal("PUT", "/v1/job/web/scale", Scale(1)),
            "400 group count was less than scaling policy minimum: 1 < 2");
  EXPECT_EQ(Refusal("PUT", "/v1/job/web/scale", Scale(6)),
            "400 group count was greater than scaling policy maximum: 6 > 5");
  const std::string id = IdOf("horizontal");
  Must("PUT", "/v1/job/web/scale", Scale(5));
  EXPECT_EQ(Get("/v1/job/web/scale")["TaskGroups"]["g"]["Desired"], 5);
  EXPECT_EQ(IdOf("horizontal"), id);
  // A client that deploys anew keeps the count of the autoscaler.
  json body = ScalableBody("web");
  body["PreserveCounts"] = true;
  body["Job"]["Priority"] = 60;
  Must("PUT", "/v1/jobs", body);
  EXPECT_EQ(Get("/v1/job/web")["TaskGroups"][0]["Count"], 5);
  body["Job"]["TaskGroups"][0]["Scaling"]["Max"] = 4;
  EXPECT_THAT(Refusal("PUT", "/v1/jobs", body),
              HasSubstr("maximum count in scaling policy: 5 > 4"));
}

TEST_F(ScalingRouteTest, AStopDisablesAPolicyAndAPurgeErasesIt) {
  Must("PUT", "/v1/jobs", ScalableBody("web"));
  const std::string path = "/v1/scaling/policy/" + IdOf("horizontal");
  Must("DELETE", "/v1/job/web");
  EXPECT_EQ(Get(path)["Enabled"], false);
  Must("PUT", "/v1/jobs", ScalableBody("web"));
  EXPECT_EQ(Get(path)["Enabled"], true);
  Must("DELETE", "/v1/job/web?purge=true");
  EXPECT_EQ(Refusal("GET", path), "404 policy not found");
  EXPECT_EQ(Get("/v1/scaling/policies"), json::array());
}

TEST_F(ScalingRouteTest, SystemJobsAreRefused) {
  json body = JobBody("all", 1, "system");
  body["Job"]["TaskGroups"][0]["Scaling"] = {{"Max", 1}};
  EXPECT_EQ(Refusal("PUT", "/v1/jobs", body),
            "400 Task groups with job type system do not support scaling blocks");
  body["Job"]["TaskGroups"][0]["Scaling"] = nullptr;
  Must("PUT", "/v1/jobs", body);
}

TEST_F(ScalingRouteTest, ARightOfItsOwnOrTheRightsToTheJobsLeadToPolicies) {
  Enable(true);
  const std::string management = MakeManagement().secret;
  ASSERT_EQ(StatusAs(management, "PUT", "/v1/jobs", ScalableBody("web")), 200);
  const HttpReply all = AskAs(management, "GET", "/v1/scaling/policies", nullptr);
  const std::string id = json::parse(all.body)[0]["ID"];
  const std::string list = "/v1/scaling/policies", one = "/v1/scaling/policy/" + id;
  const auto token = [this](const std::string& rights) {
    return TokenWith(R"({"namespace": {"default": {"capabilities": [)" + rights + "]}}}");
  };
  const auto may = [&](const std::string& secret) {
    return std::pair(StatusAs(secret, "GET", list), StatusAs(secret, "GET", one));
  };
  EXPECT_EQ(may(token(R"("list-scaling-policies")")), std::pair(200, 403));
  EXPECT_EQ(may(token(R"("read-scaling-policy")")), std::pair(403, 200));
  EXPECT_EQ(may(token(R"("list-jobs", "read-job")")), std::pair(200, 200));
  EXPECT_EQ(may(token(R"("read-job")")), std::pair(403, 403));
  const std::string outsider = TokenWith(R"({"namespace": {"team": {"policy": "scale"}}})");
  EXPECT_EQ(may(outsider), std::pair(403, 403));
  EXPECT_EQ(AskAs(outsider, "GET", list + "?namespace=*", nullptr).body, "[]");
  EXPECT_EQ(StatusAs(outsider, "GET", one + "?namespace=team"), 404);
  ASSERT_EQ(StatusAs(management, "PUT", "/v1/jobs", ScalableBody("other", "team")), 200);
  const auto index = [&](const std::string& policy) {
    const std::string path = "/v1/scaling/policy/" + policy + "?namespace=team";
    return HeaderOf(AskAs(outsider, "GET", path, nullptr), "X-Nomad-Index");
  };
  EXPECT_NE(index(id), "");
  EXPECT_EQ(index(id), index("none")) << "no header says that it is there";
  const std::string scaler = TokenWith(R"({"namespace": {"default": {"policy": "scale"}}})");
  EXPECT_EQ(may(scaler), std::pair(200, 200));
  EXPECT_EQ(StatusAs(scaler, "PUT", "/v1/job/web/scale", Scale(3)), 200);
  EXPECT_EQ(StatusAs(scaler, "GET", "/v1/job/web/scale"), 200);
  EXPECT_EQ(StatusAs(scaler, "GET", "/v1/job/web"), 403);
  const json search = {{"Prefix", id.substr(0, 10)}, {"Context", "scaling_policy"}};
  EXPECT_EQ(StatusAs(scaler, "PUT", "/v1/search", search), 200);
  EXPECT_EQ(StatusAs(outsider, "PUT", "/v1/search", search), 403);
}

}  // namespace
}  // namespace drover
