// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "host/api/api_fixture.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class ServiceRouteTest : public ApiFixture {
 protected:
  // The allocations of the job "web", two in the namespace "default", and one in "other".
  ServiceRouteTest() {
    RegisterNode();
    Must("PUT", "/v1/jobs", JobBody("web", 2));
    const auto live = Live();
    first_ = live.at(0);
    second_ = live.at(1);
    Must("PUT", "/v1/jobs?namespace=other", JobBody("web"));
    for (const auto& record : Live()) {
      if (record->alloc->job->job_namespace == "other") third_ = record;
    }
  }

  static ServiceRegistration Tagged(const AllocRecord& record, const std::string& name,
                                    std::vector<std::string> tags) {
    ServiceRegistration service = ServiceOf(record, name);
    service.tags = std::move(tags);
    return service;
  }
  // Registers "api" of all three allocations, and "admin" of the first.
  void RegisterAll() {
    UpdateServices({Tagged(*first_, "api", {"blue", "v1"}), Tagged(*second_, "api", {"v2", "blue"}),
                    Tagged(*first_, "admin", {}), Tagged(*third_, "api", {"green"})});
  }
  std::vector<std::string> AllocsIn(const std::string& target) {
    std::vector<std::string> ids;
    for (const json& service : Get(target)) ids.push_back(service.at("AllocID").get<std::string>());
    return ids;
  }

  // A request that waits for its answer.
  class Waiting : public FakeExchange {
   public:
    using FakeExchange::FakeExchange;
    Co<Status> Reply(HttpReply sent) override {
      reply = std::move(sent);
      co_return Status();
    }
    std::optional<HttpReply> reply;
  };

  std::shared_ptr<const AllocRecord> first_, second_, third_;
};

TEST_F(ServiceRouteTest, NamesHaveTheTagsOfAllInstances) {
  EXPECT_EQ(Get("/v1/services"), json::array());
  RegisterAll();
  const auto named = [](const char* name, const json& tags) {
    return json{{"ServiceName", name}, {"Tags", tags}};
  };
  const json blue = json::array({"blue", "v1", "v2"}), green = json::array({"green"});
  const json own = {{"Namespace", "default"},
                    {"Services", json::array({named("admin", json::array()), named("api", blue)})}};
  const json others = {{"Namespace", "other"}, {"Services", json::array({named("api", green)})}};
  EXPECT_EQ(Get("/v1/services"), json::array({own}));
  EXPECT_EQ(Get("/v1/services?namespace=other"), json::array({others}));
  EXPECT_EQ(Get("/v1/services?namespace=*"), json::array({own, others}));
  EXPECT_EQ(Get("/v1/services?namespace=none"), json::array());
  EXPECT_EQ(Get("/v1/services?namespace=*&filter=Namespace+==+%22other%22"), json::array({others}));
  const HttpReply page = Ask("GET", "/v1/services?namespace=*&per_page=1");
  EXPECT_EQ(json::parse(page.body), json::array({own}));
  EXPECT_EQ(HeaderOf(page, "X-Nomad-NextToken"), "other");
  EXPECT_EQ(Get("/v1/services?namespace=*&per_page=1&next_token=other"), json::array({others}));
  EXPECT_EQ(Refusal("PUT", "/v1/services"), "405 Invalid method");
}

TEST_F(ServiceRouteTest, AServiceHasItsInstances) {
  EXPECT_EQ(Get("/v1/service/api"), json::array());
  RegisterAll();
  const json list = Get("/v1/service/api");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["ID"], ServiceOf(*first_, "api").id);
  EXPECT_EQ(list[0]["ServiceName"], "api");
  EXPECT_EQ(list[0]["Namespace"], "default");
  EXPECT_EQ(list[0]["NodeID"], "node");
  EXPECT_EQ(list[0]["JobID"], "web");
  EXPECT_EQ(list[0]["Tags"], json::array({"blue", "v1"}));
  EXPECT_EQ(list[0]["Address"], "192.0.2.7");
  EXPECT_EQ(list[0]["Port"], 8080);
  EXPECT_EQ(list[1]["AllocID"], second_->id());
  EXPECT_THAT(AllocsIn("/v1/service/api?namespace=other"), ElementsAre(third_->id()));
  EXPECT_EQ(Get("/v1/service/api?namespace=*").size(), 3u);
  EXPECT_THAT(AllocsIn("/v1/service/none"), IsEmpty());
  EXPECT_EQ(Refusal("GET", "/v1/service/"), "400 missing service name");
}

TEST_F(ServiceRouteTest, AListIsFilteredAndComesInPages) {
  RegisterAll();
  EXPECT_THAT(AllocsIn("/v1/service/api?filter=Tags+contains+%22v2%22"),
              ElementsAre(second_->id()));
  EXPECT_THAT(AllocsIn("/v1/service/api?reverse=true"), ElementsAre(second_->id(), first_->id()));
  EXPECT_THAT(Refusal("GET", "/v1/service/api?filter=Nothing+==+1"), StartsWith("400 "));
  EXPECT_THAT(Refusal("GET", "/v1/service/api?filter=%28"), StartsWith("400 "));
  EXPECT_THAT(Refusal("GET", "/v1/service/api?per_page=x"), StartsWith("400 "));
  const HttpReply page = Ask("GET", "/v1/service/api?per_page=1");
  EXPECT_EQ(json::parse(page.body).size(), 1u);
  const std::string next = HeaderOf(page, "X-Nomad-NextToken");
  EXPECT_EQ(next, ServiceOf(*second_, "api").id);
  EXPECT_THAT(AllocsIn("/v1/service/api?per_page=1&next_token=" + next),
              ElementsAre(second_->id()));
}

TEST_F(ServiceRouteTest, AClientChoosesByAKey) {
  RegisterAll();
  const auto once = AllocsIn("/v1/service/api?choose=1%7Cme");
  ASSERT_THAT(once, SizeIs(1));
  EXPECT_EQ(AllocsIn("/v1/service/api?choose=1%7Cme"), once);
  EXPECT_EQ(AllocsIn("/v1/service/api?choose=2%7Cme").at(0), once[0]);
  EXPECT_THAT(AllocsIn("/v1/service/api?choose=9%7Cme"), SizeIs(2));
  EXPECT_THAT(AllocsIn("/v1/service/none?choose=1%7Cme"), IsEmpty());
  // A filter comes before the choice.
  EXPECT_THAT(AllocsIn("/v1/service/api?choose=1%7Cme&filter=Tags+contains+%22v2%22"),
              ElementsAre(second_->id()));
  EXPECT_THAT(Refusal("GET", "/v1/service/api?choose=1%7Cme&filter=%28"), StartsWith("400 "));
  for (const char* bad : {"x", "%7Ck", "1%7C", "0%7Ck", "-1%7Ck", "1%7Ca%7Cb"}) {
    EXPECT_THAT(Refusal("GET", std::string("/v1/service/api?choose=") + bad),
                HasSubstr("400 choose must be a number, | and a key, not "))
        << bad;
  }
}

TEST_F(ServiceRouteTest, TheServicesOfAnAllocationAndOfAJob) {
  EXPECT_EQ(Get("/v1/allocation/" + first_->id() + "/services"), json::array());
  RegisterAll();
  EXPECT_EQ(Get("/v1/allocation/" + first_->id() + "/services").size(), 2u);
  EXPECT_THAT(AllocsIn("/v1/allocation/" + second_->id() + "/services"),
              ElementsAre(second_->id()));
  EXPECT_EQ(Refusal("GET", "/v1/allocation/none/services"), "404 allocation not found");
  EXPECT_EQ(Get("/v1/job/web/services").size(), 3u);
  EXPECT_THAT(AllocsIn("/v1/job/web/services?namespace=other"), ElementsAre(third_->id()));
  EXPECT_EQ(Get("/v1/job/none/services"), json::array());
  Report(first_->id(), ClientStatus::kComplete);
  EXPECT_THAT(AllocsIn("/v1/job/web/services"), ElementsAre(second_->id()));
  EXPECT_EQ(Get("/v1/allocation/" + first_->id() + "/services"), json::array());
}

TEST_F(ServiceRouteTest, EveryListWaitsForAChangeOfServices) {
  RegisterAll();
  const std::string index = HeaderOf(Ask("GET", "/v1/services"), "X-Nomad-Index");
  const HttpHandler handler = MakeApiHandler(&agent_);
  const std::string alloc = "/v1/allocation/" + second_->id() + "/services";
  std::vector<std::unique_ptr<Waiting>> all;
  for (const std::string& path :
       {std::string("/v1/services"), std::string("/v1/service/api"),
        std::string("/v1/job/web/services"), alloc, std::string("/v1/agent/prometheus-sd")}) {
    EXPECT_EQ(HeaderOf(Ask("GET", path), "X-Nomad-Index"), index) << path;
    all.push_back(std::make_unique<Waiting>(&loop, path, "wait=60s&index=" + index));
    loop.Spawn(handler(all.back().get()));
  }
  loop.Advance(1s);
  Must("PUT", "/v1/jobs", JobBody("unrelated"));
  loop.Advance(1s);
  for (const auto& waiting : all) EXPECT_FALSE(waiting->reply.has_value());
  UpdateServices({}, {ServiceOf(*first_, "api").id});
  loop.RunReady();
  for (const auto& waiting : all) {
    ASSERT_TRUE(waiting->reply.has_value()) << waiting->request().path;
    EXPECT_EQ(waiting->reply->status, 200);
    EXPECT_NE(HeaderOf(*waiting->reply, "X-Nomad-Index"), index);
  }
}

TEST_F(ServiceRouteTest, OneRegistrationIsDeleted) {
  RegisterAll();
  const std::string path = "/v1/service/api/" + ServiceOf(*first_, "api").id;
  EXPECT_EQ(Refusal("DELETE", path + "?namespace=other"), "404 service registration not found");
  EXPECT_EQ(Refusal("DELETE", "/v1/service/admin/" + ServiceOf(*first_, "api").id),
            "404 service registration not found");
  const HttpReply reply = Ask("DELETE", path);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "");
  EXPECT_EQ(HeaderOf(reply, "X-Nomad-Index"),
            HeaderOf(Ask("GET", "/v1/services"), "X-Nomad-Index"));
  EXPECT_THAT(AllocsIn("/v1/service/api"), ElementsAre(second_->id()));
  EXPECT_EQ(Refusal("DELETE", path), "404 service registration not found");
  EXPECT_EQ(Refusal("DELETE", "/v1/service/api"), "400 missing service id");
  EXPECT_EQ(Refusal("DELETE", path + "/more"), "400 invalid URI");
  EXPECT_EQ(Refusal("DELETE", "/v1/service/api/a/b/c"), "400 invalid URI");
  EXPECT_EQ(Refusal("GET", path), "405 Invalid method");
}

TEST_F(ServiceRouteTest, PrometheusGetsTargets) {
  EXPECT_EQ(Ask("GET", "/v1/agent/prometheus-sd").body, "[]");
  RegisterAll();
  ServiceRegistration no_port = ServiceOf(*second_, "no-port");
  no_port.port = 0;
  ServiceRegistration no_address = ServiceOf(*second_, "no-address");
  no_address.address.clear();
  UpdateServices({no_port, no_address});
  const HttpReply reply = Ask("GET", "/v1/agent/prometheus-sd");
  EXPECT_EQ(reply.content_type, "application/json");
  const json targets = json::parse(reply.body);
  ASSERT_EQ(targets.size(), 3u);
  for (const json& target : targets) {
    EXPECT_EQ(target["targets"], json::array({"192.0.2.7:8080"}));
    EXPECT_EQ(target["labels"]["__meta_nomad_namespace"], "default");
    for (const auto& [name, value] : target["labels"].items()) {
      EXPECT_THAT(name, StartsWith("__meta_nomad_"));
      EXPECT_TRUE(value.is_string()) << name << ": Prometheus takes only texts";
    }
  }
  EXPECT_EQ(Get("/v1/agent/prometheus-sd?namespace=*").size(), 4u);
  const json filtered = Get("/v1/agent/prometheus-sd?filter=Tags+contains+%22v2%22");
  ASSERT_EQ(filtered.size(), 1u);
  EXPECT_EQ(filtered[0]["labels"]["__meta_nomad_tags"], ",v2,blue,");
  EXPECT_EQ(filtered[0]["labels"]["__meta_nomad_service_alloc_id"], second_->id());
}

TEST_F(ServiceRouteTest, TheResultsOfChecksAreThoseOfTheAgent) {
  const std::string path = "/v1/client/allocation/" + first_->id() + "/checks";
  EXPECT_EQ(Ask("GET", path).body, "{}") << "this agent runs no checks";
  agent_.checks = [](const std::string& id) {
    json all = json::object();
    all["c1"] = {{"ID", "c1"}, {"Status", "success"}, {"Output", "of " + id}};
    return all;
  };
  const json checks = Get(path);
  EXPECT_EQ(checks["c1"]["Status"], "success");
  EXPECT_EQ(checks["c1"]["Output"], "of " + first_->id());
  EXPECT_EQ(Refusal("GET", "/v1/client/allocation/none/checks"), "404 Unknown allocation \"none\"");
}

}  // namespace
}  // namespace drover
