// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "host/api/api_fixture.h"
#include "host/base/cpu_timer_for_test.h"
#include "host/encode/encode.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kNoAlloc[] = "11111111-2222-3333-4444-555555555555";

std::vector<std::string> KeysOf(const json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

class AllocRouteTest : public ApiFixture {
 protected:
  AllocRouteTest() {
    RegisterNode();
    Must("PUT", "/v1/jobs", JobBody("web", 2));
    id_ = Live().at(0)->id();
  }
  json Alloc() { return Get("/v1/allocation/" + id_); }

  std::string id_;
};

TEST_F(AllocRouteTest, WhatIsNotThereAndWhatCannotBeAsked) {
  const std::string none = std::string("/v1/allocation/") + kNoAlloc;
  const std::string none_here = std::string("/v1/client/allocation/") + kNoAlloc;
  const std::string unknown = std::string("404 Unknown allocation \"") + kNoAlloc + "\"";
  EXPECT_EQ(Refusal("GET", none), "404 alloc not found");
  EXPECT_EQ(Refusal("PUT", none), "405 Invalid method");
  EXPECT_EQ(Refusal("PUT", none + "/stop"), "404 allocation not found");
  EXPECT_EQ(Refusal("GET", none + "/stop"), "405 Invalid method");
  EXPECT_EQ(Refusal("GET", none + "/services"), "404 allocation not found");
  EXPECT_EQ(Refusal("POST", none + "/services"), "405 Invalid method");
  EXPECT_EQ(Refusal("GET", none + "/checks"), "404 resource not found");
  EXPECT_EQ(Refusal("PUT", none + "/a/b"), "404 resource not found");
  for (const char* verb : {"restart", "stats", "checks", "gc"}) {
    EXPECT_EQ(Refusal("GET", none_here + "/" + verb), unknown) << verb;
  }
  EXPECT_EQ(Refusal("PUT", none_here + "/restart", json::object()), unknown);
  EXPECT_EQ(Refusal("PUT", none_here + "/signal", {{"Signal", "SIGHUP"}}), unknown);
  EXPECT_THAT(Refusal("PUT", none_here + "/signal"), HasSubstr("400 Failed to decode body: "));
  EXPECT_THAT(Refusal("PUT", none_here + "/signal", 7), HasSubstr("400 Failed to decode body: "));
  for (const char* verb : {"signal", "restart/x", "stats/x", "none", "none/x"}) {
    const bool known = std::string(verb) == "signal";
    EXPECT_EQ(Refusal("GET", none_here + "/" + verb),
              known ? "405 Invalid method" : "404 resource not found");
  }
  EXPECT_EQ(Refusal("PATCH", none_here + "/stats"), "405 Invalid method");
  EXPECT_EQ(Refusal("GET", none_here), "404 resource not found");
  EXPECT_EQ(Refusal("GET", none_here + "/pause"), unknown);
  EXPECT_EQ(Refusal("PUT", none_here + "/pause", {{"Task", "web"}, {"ScheduleState", "pause"}}),
            unknown);
  EXPECT_EQ(Refusal("GET", none_here + "/exec"), "500 websocket connection not found in context");
  EXPECT_EQ(Refusal("GET", "/v1/client/allocation/" + id_ + "/gc"),
            "500 No such allocation on client, or allocation not eligible for GC");
}

TEST_F(AllocRouteTest, TheServicesOfAnAllocationHaveAnIndexAndWait) {
  EXPECT_EQ(HeaderOf(Ask("GET", "/v1/allocation/" + id_ + "/services"), "X-Nomad-Index"), "1");
  bool answered = false;
  const auto follow = [](HttpHandler handler, FakeExchange* with, bool* done) -> Co<void> {
    co_await handler(with);
    *done = true;
  };
  class Silent : public FakeExchange {
   public:
    using FakeExchange::FakeExchange;
    Co<Status> Reply(HttpReply) override { co_return Status(); }
  };
  Silent waiting(&loop, "/v1/allocation/" + id_ + "/services", "index=1&wait=10s");
  loop.Spawn(follow(MakeApiHandler(&agent_), &waiting, &answered));
  loop.Advance(9s);
  EXPECT_FALSE(answered);
  loop.Advance(2s);
  EXPECT_TRUE(answered);
}

TEST_F(AllocRouteTest, AListHasWhatIsAskedFor) {
  EXPECT_EQ(Get("/v1/allocations").size(), 2u);
  EXPECT_EQ(Get("/v1/allocations?prefix=" + id_.substr(0, 9)).size(), 1u);
  EXPECT_EQ(Get("/v1/allocations?per_page=1").size(), 1u);
  EXPECT_EQ(Get("/v1/allocations?namespace=other"), json::array());
  Report(id_, ClientStatus::kRunning);
  const auto stub = [&](const std::string& query) {
    return Get("/v1/allocations?prefix=" + id_ + query).at(0);
  };
  EXPECT_TRUE(stub("")["TaskStates"].is_object());
  EXPECT_EQ(stub("&task_states=false")["TaskStates"], nullptr);
  EXPECT_FALSE(stub("").contains("AllocatedResources"));
  EXPECT_EQ(stub("&resources=true")["AllocatedResources"]["Tasks"]["t"]["Memory"]["MemoryMB"], 300);
  for (const char* not_in_it : {"Job", "Resources", "TaskResources", "Metrics"}) {
    EXPECT_FALSE(stub("").contains(not_in_it)) << not_in_it;
    EXPECT_TRUE(Alloc().contains(not_in_it)) << not_in_it;
  }
  EXPECT_EQ(stub("")["JobType"], "service");
  EXPECT_EQ(stub("")["JobVersion"], 0);
}

TEST_F(AllocRouteTest, AnAllocationTellsAllThatClientsRead) {
  const json alloc = Alloc();
  for (const char* field : {"ID",
                            "Namespace",
                            "EvalID",
                            "Name",
                            "NodeID",
                            "NodeName",
                            "JobID",
                            "Job",
                            "TaskGroup",
                            "Resources",
                            "SharedResources",
                            "TaskResources",
                            "AllocatedResources",
                            "Services",
                            "Metrics",
                            "DesiredStatus",
                            "DesiredDescription",
                            "DesiredTransition",
                            "ClientStatus",
                            "ClientDescription",
                            "TaskStates",
                            "AllocStates",
                            "DeploymentID",
                            "DeploymentStatus",
                            "FollowupEvalID",
                            "PreviousAllocation",
                            "NextAllocation",
                            "RescheduleTracker",
                            "NetworkStatus",
                            "PreemptedAllocations",
                            "PreemptedByAllocation",
                            "CreateIndex",
                            "ModifyIndex",
                            "AllocModifyIndex",
                            "CreateTime",
                            "ModifyTime",
                            "SigningKeyID"}) {
    EXPECT_TRUE(alloc.contains(field)) << field;
  }
  EXPECT_THAT(alloc["Name"], testing::AnyOf("web.g[0]", "web.g[1]")) << "with its suffix";
  EXPECT_THAT(KeysOf(alloc["DesiredTransition"]),
              ElementsAre("ForceReschedule", "Migrate", "MigrateDisablePlacement",
                          "NoShutdownDelay", "Reschedule"));
  for (const auto& [key, value] : alloc["DesiredTransition"].items()) EXPECT_EQ(value, nullptr);
  EXPECT_EQ(alloc["RescheduleTracker"], nullptr) << "nothing is rescheduled";
  EXPECT_EQ(alloc["CreateTime"], loop.Wall());
  EXPECT_EQ(alloc["ClientStatus"], "pending");
}

TEST_F(AllocRouteTest, AStopAsksForAnotherOne) {
  const HttpReply reply = Ask("PUT", "/v1/allocation/" + id_ + "/stop?no_shutdown_delay=true");
  const json answer = json::parse(reply.body);
  EXPECT_THAT(KeysOf(answer), ElementsAre("EvalID", "Index"));
  EXPECT_EQ(HeaderOf(reply, "X-Nomad-Index"), answer["Index"].dump());
  EXPECT_EQ(Eval(answer["EvalID"])->triggered_by, "alloc-stop");
  const json old = Alloc();
  EXPECT_EQ(old["DesiredStatus"], "stop");
  EXPECT_EQ(old["DesiredDescription"], "alloc is being migrated");
  EXPECT_EQ(old["DesiredTransition"]["Migrate"], true);
  EXPECT_EQ(old["DesiredTransition"]["NoShutdownDelay"], true);
  const json next = Get("/v1/allocation/" + old["NextAllocation"].get<std::string>());
  EXPECT_EQ(next["PreviousAllocation"], id_);
  EXPECT_EQ(next["Name"], old["Name"]);
  EXPECT_EQ(Must("POST", "/v1/allocation/" + id_ + "/stop?reschedule=true").size(), 2u)
      << "once more changes nothing";
}

TEST_F(AllocRouteTest, AStopSaysWhetherItCountsAndWhetherAnythingFollows) {
  const std::string stop = "/v1/allocation/" + id_ + "/stop";
  EXPECT_EQ(Refusal("PUT", stop + "?reschedule=true&no_reschedule=true"),
            "400 no_reschedule and reschedule exclude each other");
  Must("PUT", stop + "?reschedule=true");
  const json old = Alloc();
  EXPECT_EQ(old["DesiredDescription"], "alloc was rescheduled because it failed");
  EXPECT_EQ(old["DesiredTransition"]["Reschedule"], true);
  const std::string next = old["NextAllocation"];
  const json events = Get("/v1/allocation/" + next)["RescheduleTracker"]["Events"];
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0]["PrevAllocID"], id_);
  Must("PUT", "/v1/allocation/" + next + "/stop?no_reschedule=true");
  const json last = Get("/v1/allocation/" + next);
  EXPECT_EQ(last["NextAllocation"], "");
  EXPECT_EQ(last["DesiredStatus"], "stop");
  EXPECT_EQ(last["DesiredTransition"]["MigrateDisablePlacement"], true);
}

TEST_F(AllocRouteTest, AStoppedOneOfABatchJobIsReplacedInAnyCase) {
  Must("PUT", "/v1/jobs", JobBody("sum", 1, "batch"));
  for (const char* query : {"", "?reschedule=true", "?reschedule=false"}) {
    const std::string id = Get("/v1/job/sum/allocations").back()["ID"];
    Must("PUT", "/v1/allocation/" + id + "/stop" + query);
    EXPECT_NE(Get("/v1/allocation/" + id)["NextAllocation"], "") << query;
  }
}

TEST_F(AllocRouteTest, WhyItIsToStop) {
  json body = JobBody("web", 1);
  Must("PUT", "/v1/jobs", body);
  body["Job"]["TaskGroups"][0]["Tasks"][0]["Env"] = {{"A", "b"}};
  Must("PUT", "/v1/jobs", body);
  std::vector<std::string> reasons;
  for (const json& alloc : Get("/v1/allocations")) {
    if (alloc["DesiredStatus"] == "stop") reasons.push_back(alloc["DesiredDescription"]);
  }
  EXPECT_THAT(reasons, testing::UnorderedElementsAre("alloc not needed due to job update",
                                                     "alloc is being updated due to job update"));
}

TEST_F(AllocRouteTest, ResourcesAreToldInTheOldFormsToo) {
  json body = JobBody("big", 1);
  json& group = body["Job"]["TaskGroups"][0];
  group["EphemeralDisk"] = {{"SizeMB", 400}};
  group["Networks"] = json::array({{{"DynamicPorts", json::array({{{"Label", "http"}}})}}});
  group["Tasks"][0]["Resources"] = {{"CPU", 20}, {"MemoryMB", 30}, {"MemoryMaxMB", 40}};
  group["Tasks"].push_back(group["Tasks"][0]);
  group["Tasks"][1]["Name"] = "u";
  Must("PUT", "/v1/jobs", body);
  const json alloc = Get("/v1/allocation/" + Get("/v1/job/big/allocations")[0].value("ID", ""));
  const auto resources = [](int cpu, int memory, int most, int disk) {
    return json{{"CPU", cpu},          {"Cores", 0},         {"MemoryMB", memory},
                {"MemoryMaxMB", most}, {"DiskMB", disk},     {"IOPS", 0},
                {"Networks", nullptr}, {"Devices", nullptr}, {"NUMA", nullptr}};
  };
  EXPECT_EQ(alloc["TaskResources"],
            json({{"t", resources(20, 30, 40, 0)}, {"u", resources(20, 30, 40, 0)}}));
  const auto without_networks = [&alloc](const char* field) {
    json of = alloc[field];
    EXPECT_EQ(of["Networks"], alloc["AllocatedResources"]["Shared"]["Networks"]) << field;
    EXPECT_EQ(of["Networks"][0]["DynamicPorts"][0]["Label"], "http") << field;
    of["Networks"] = nullptr;
    return of;
  };
  EXPECT_EQ(without_networks("Resources"), resources(40, 60, 80, 400));
  EXPECT_EQ(without_networks("SharedResources"), resources(0, 0, 0, 400));
  EXPECT_EQ(alloc["Metrics"]["ScoreMetaData"][0]["NodeID"], "node");
  EXPECT_EQ(alloc["NetworkStatus"],
            json({{"InterfaceName", ""}, {"Address", ""}, {"AddressIPv6", ""}, {"DNS", nullptr}}));
}

TEST_F(AllocRouteTest, PortsOfOneTaskStandWithTheTask) {
  json body = JobBody("old", 1);
  json& tasks = body["Job"]["TaskGroups"][0]["Tasks"];
  tasks.push_back(tasks[0]);
  tasks[1]["Name"] = "u";
  tasks[0]["Resources"] = json::parse(R"({"Networks": [{"MBits": 10, "DynamicPorts":
    [{"Label": "http"}], "ReservedPorts": [{"Label": "admin", "Value": 17}]}]})");
  EXPECT_THAT(Must("PUT", "/v1/jobs", body)["Warnings"].get<std::string>(),
              testing::HasSubstr("Tasks/0/Resources/Networks: is an older place for ports"));
  const json alloc = Get("/v1/allocation/" + Get("/v1/job/old/allocations")[0].value("ID", ""));
  const json shared = alloc["AllocatedResources"]["Shared"];
  EXPECT_EQ(shared["Ports"], json::array());
  EXPECT_EQ(shared["Networks"], json::array());
  const json networks = alloc["AllocatedResources"]["Tasks"]["t"]["Networks"];
  EXPECT_EQ(networks[0]["IP"], "127.0.0.1");
  EXPECT_EQ(networks[0]["ReservedPorts"],
            json::array({{{"Label", "admin"}, {"Value", 17}, {"To", 0}}}));
  EXPECT_EQ(networks[0]["DynamicPorts"][0]["Label"], "http");
  EXPECT_EQ(alloc["TaskResources"]["t"]["Networks"], networks);
  EXPECT_EQ(alloc["TaskResources"]["u"]["Networks"], nullptr);
  EXPECT_EQ(alloc["AllocatedResources"]["Tasks"]["u"]["Networks"], nullptr);
  EXPECT_EQ(Get("/v1/job/old")["TaskGroups"][0]["Tasks"][0]["Resources"]["Networks"][0]["MBits"],
            10);
}

TEST_F(AllocRouteTest, FiltersLookAtTheWholeAllocation) {
  Must("PUT", "/v1/jobs", JobBody("sum", 1, "batch"));
  const auto chosen = [this](const std::string& filter) {
    return Get("/v1/allocations?filter=" + filter).size();
  };
  EXPECT_EQ(chosen("Job.Type == service"), 2u);
  EXPECT_EQ(chosen("Job.Type == batch and TaskResources is not empty"), 1u);
  EXPECT_EQ(chosen("TaskResources.t.MemoryMB == 300"), 3u);
  EXPECT_EQ(chosen("JobType == batch"), 1u) << "what only the list has";
  EXPECT_EQ(chosen("any Job.TaskGroups as g { g.Count == 2 }"), 2u);
  EXPECT_EQ(chosen("RescheduleTracker is not nil"), 0u);
  EXPECT_THAT(Refusal("GET", "/v1/allocations?filter=Job.Nmae == x"), HasSubstr("400 failed"));
}

TEST_F(AllocRouteTest, PagesAreTheListInParts) {
  for (const char* id : {"a", "b", "c"}) Must("PUT", "/v1/jobs", JobBody(id, 3));
  for (const std::string order : {"", "&reverse=true"}) {
    json whole = Get("/v1/allocations?" + order);
    ASSERT_EQ(whole.size(), 11u);
    json pages = json::array();
    std::string token;
    do {
      const HttpReply page = Ask("GET", "/v1/allocations?per_page=2" + order + token);
      for (const json& element : json::parse(page.body)) pages.push_back(element);
      const std::string next = HeaderOf(page, "X-Nomad-NextToken");
      token = next.empty() ? "" : "&next_token=" + next;
    } while (!token.empty() && pages.size() < 20);
    EXPECT_EQ(pages, whole) << order;
  }
  // The allocation with which the page began has gone: the page begins with the next one.
  EXPECT_EQ(Get("/v1/allocations?per_page=2&next_token=0").size(), 2u);
  EXPECT_EQ(Get("/v1/allocations?per_page=2&next_token=zzz").size(), 0u);
  EXPECT_EQ(Get("/v1/allocations?per_page=5&filter=JobID == c").size(), 3u);
}

// In processor time: a page of ten does not pay for sorting all allocations.
TEST_F(AllocRouteTest, APageOfManyCostsLittle) {
  NodeRecord node;
  node.id = "node";
  node.cpu_mhz = node.memory_mb = node.disk_mb = 1'000'000'000;
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Register(context, node)).ok());
  MustRegister(Registration("many", 3000, 1));
  const auto time_of = [this](const std::string& list) {
    const CpuTimer timer;
    EXPECT_EQ(Ask("GET", list).status, 200);
    return timer.Seconds();
  };
  const double page = LeastOf([&] { return time_of("/v1/allocations?per_page=10"); });
  EXPECT_LT(page * 20, time_of("/v1/allocations"));
}

}  // namespace
}  // namespace drover
