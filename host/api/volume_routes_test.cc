// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "host/api/api_fixture.h"
#include "host/base/ids.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Put = Result<std::shared_ptr<const VolumeRecord>>;

class VolumeRouteTest : public ApiFixture {
 protected:
  VolumeRouteTest() {
    agent_.put_volume = [this](Context, VolumeRecord draft, VolumeRequestKind kind) {
      return Make(&scheduler, failure_, std::move(draft), kind);
    };
    agent_.delete_volume = [this](Context, std::string id) {
      return Remove(&scheduler, failure_, std::move(id));
    };
  }

  static Co<Put> Make(Scheduler* scheduler, Status failure, VolumeRecord draft,
                      VolumeRequestKind kind) {
    if (!failure.ok()) co_return failure.error();
    if (draft.id.empty()) draft.id = RandomUuid();
    draft.node_id = "node";
    draft.state = volume_state::kReady;
    if (kind == VolumeRequestKind::kCreate) draft.host_path = "/made/" + draft.name;
    co_return scheduler->PutVolume(std::move(draft));
  }
  static Co<Status> Remove(Scheduler* scheduler, Status failure, std::string id) {
    if (!failure.ok()) co_return failure;
    scheduler->EraseVolume(id);
    co_return Status();
  }

  static json Body(const std::string& name, const json& more = json::object()) {
    json volume = {{"Name", name}};
    volume["RequestedCapabilities"] = json::array(
        {{{"AccessMode", "single-node-multi-writer"}, {"AttachmentMode", "file-system"}}});
    volume.update(more);
    json body = json::object();
    body["Volume"] = std::move(volume);
    return body;
  }
  json Create(const std::string& name, const json& more = json::object()) {
    return Must("PUT", "/v1/volume/host/create", Body(name, more))["Volume"];
  }
  std::vector<std::string> Names(const std::string& query) {
    std::vector<std::string> names;
    for (const json& one : Get("/v1/volumes" + query)) names.push_back(one["Name"]);
    std::sort(names.begin(), names.end());
    return names;
  }

  Status failure_;
};

TEST_F(VolumeRouteTest, AVolumeIsMadeShownAndDeleted) {
  RegisterNode();
  const json made = Create("data", {{"Parameters", {{"mode", "0750"}}}});
  EXPECT_EQ(made["State"], "ready");
  EXPECT_EQ(made["HostPath"], "/made/data");
  EXPECT_EQ(made["PluginID"], "mkdir");
  EXPECT_EQ(made["Parameters"], json({{"mode", "0750"}}));
  const std::string path = "/v1/volume/host/" + made["ID"].get<std::string>();
  json shown = Get(path);
  EXPECT_EQ(shown["Allocations"], json::array());
  shown.erase("Allocations");
  EXPECT_EQ(shown, made);
  const json stub = Get("/v1/volumes?type=host")[0];
  EXPECT_EQ(stub["ID"], made["ID"]);
  EXPECT_FALSE(stub.contains("HostPath")) << "a list tells less";
  EXPECT_EQ(Must("DELETE", path + "/delete"), json::object());
  EXPECT_EQ(Refusal("GET", path), "404 volume not found");
  EXPECT_EQ(Refusal("DELETE", path + "/delete"), "404 volume not found");
}

TEST_F(VolumeRouteTest, ListsAreOfOneNamespaceAndType) {
  Create("a");
  Create("b", {{"Namespace", "team"}});
  const std::string id = Create("c")["ID"];
  EXPECT_THAT(Names("?type=host"), ElementsAre("a", "c"));
  EXPECT_THAT(Names("?type=host&namespace=team"), ElementsAre("b"));
  EXPECT_THAT(Names("?type=host&namespace=*"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(Names("?type=host&prefix=" + id), ElementsAre("c"));
  EXPECT_THAT(Names("?type=host&node_id=node"), ElementsAre("a", "c"));
  EXPECT_THAT(Names("?type=host&node_id=other"), IsEmpty());
  EXPECT_THAT(Names("?type=csi"), IsEmpty());
  EXPECT_THAT(Names(""), IsEmpty());
}

TEST_F(VolumeRouteTest, TheNamespaceOfTheQueryCountsIfTheBodyHasNone) {
  Must("PUT", "/v1/volume/host/create?namespace=team", Body("a"));
  Must("PUT", "/v1/volume/host/create?namespace=team", Body("b", {{"Namespace", "default"}}));
  EXPECT_THAT(Names("?type=host&namespace=team"), ElementsAre("a"));
  EXPECT_THAT(Names("?type=host"), ElementsAre("b"));
  EXPECT_THAT(Refusal("PUT", "/v1/volume/host/create?namespace=*", Body("c")),
              StartsWith("400 /Volume/Namespace"));
}

TEST_F(VolumeRouteTest, MistakesAndFailuresAreSaid) {
  EXPECT_THAT(Refusal("PUT", "/v1/volume/host/create", json::object()),
              StartsWith("400 /Volume: is missing"));
  EXPECT_THAT(Refusal("PUT", "/v1/volume/host/create", Body("../x")),
              StartsWith("400 /Volume/Name: "));
  EXPECT_THAT(Refusal("PUT", "/v1/volume/host/register", Body("x")),
              StartsWith("400 /Volume/HostPath: is missing"));
  failure_ = Error(Code::kInternal, "the plugin failed");
  EXPECT_THAT(Refusal("PUT", "/v1/volume/host/create", Body("x")), HasSubstr("the plugin failed"));
  failure_ = Status();
  const std::string id = Create("x")["ID"];
  failure_ = Error(Code::kInternal, "it is in use");
  EXPECT_THAT(Refusal("DELETE", "/v1/volume/host/" + id + "/delete"), HasSubstr("it is in use"));
}

TEST_F(VolumeRouteTest, ARegisteredVolumeHasNoPlugin) {
  const json made = Must("POST", "/v1/volume/host/register", Body("x", {{"HostPath", "/srv/x"}}));
  EXPECT_EQ(made["Volume"]["HostPath"], "/srv/x");
  EXPECT_EQ(made["Volume"]["PluginID"], "");
  EXPECT_EQ(made["Warnings"], "");
}

TEST_F(VolumeRouteTest, UsersAndClaimsAreShown) {
  RegisterNode();
  const json made = Create("data");
  JobRegistration registration = Registration("j", 1);
  auto job = std::make_shared<Job>(*registration.job);
  VolumeRequest& request = job->groups[0].volumes["v"];
  request = {"host", "data"};
  request.sticky = true;
  registration.json = std::make_shared<const json>(CanonicalJob(*job, json::object()));
  registration.job = std::move(job);
  MustRegister(registration);
  const json shown = Get("/v1/volume/host/" + made["ID"].get<std::string>());
  ASSERT_EQ(shown["Allocations"].size(), 1u);
  EXPECT_EQ(shown["Allocations"][0]["JobID"], "j");
  const json claims = Get("/v1/volumes/claims");
  ASSERT_EQ(claims.size(), 1u);
  EXPECT_EQ(claims[0]["VolumeName"], "data");
  EXPECT_EQ(claims[0]["TaskGroupName"], "g");
  EXPECT_EQ(Get("/v1/volumes/claims?job_id=j"), claims);
  EXPECT_EQ(Get("/v1/volumes/claims?job_id=k"), json::array());
  const std::string claim = "/v1/volumes/claim/" + claims[0]["ID"].get<std::string>();
  Must("DELETE", claim);
  EXPECT_EQ(Refusal("DELETE", claim), "404 claim not found");
  EXPECT_EQ(Get("/v1/volumes/claims"), json::array());
}

TEST_F(VolumeRouteTest, ItsNodeHasAVolumeThatIsReady) {
  RegisterNode();
  EXPECT_EQ(Get("/v1/node/node")["HostVolumes"], nullptr);
  const json made = Create("data");
  const json shown = {
      {"data",
       {{"Name", "data"}, {"Path", "/made/data"}, {"ReadOnly", false}, {"ID", made["ID"]}}}};
  EXPECT_EQ(Get("/v1/node/node")["HostVolumes"], shown);
  EXPECT_EQ(Get("/v1/nodes")[0]["HostVolumes"], shown);
  VolumeRecord record;
  store.Read([&](const Tables& tables) { record = *tables.volumes.begin()->second; });
  record.state = volume_state::kUnavailable;
  ASSERT_TRUE(scheduler.PutVolume(record).ok());
  EXPECT_EQ(Get("/v1/node/node")["HostVolumes"], nullptr);
}

TEST_F(VolumeRouteTest, ASearchFindsAVolumeByItsId) {
  const std::string id = Create("a")["ID"];
  Create("b", {{"Namespace", "team"}});
  const auto found = [this](const std::string& prefix) {
    return Must("PUT", "/v1/search", {{"Prefix", prefix}, {"Context", "host_volumes"}})["Matches"];
  };
  EXPECT_EQ(found(id.substr(0, 8)), json({{"host_volumes", {id}}}));
  EXPECT_EQ(found("")["host_volumes"].size(), 1u) << "the other one is in another namespace";
}

TEST_F(VolumeRouteTest, AListWaitsForAChange) {
  RegisterNode();
  Create("a");
  const HttpReply list = Ask("GET", "/v1/volumes?type=host");
  EXPECT_NE(HeaderOf(list, "X-Nomad-Index"), "1");
  std::vector<Route> routes = VolumeRoutes();
  ASSERT_EQ(routes[0].pattern, "/v1/volumes");
  FakeRequest waiting(&loop, &agent_, routes[0],
                      "type=host&wait=10s&index=" + HeaderOf(list, "X-Nomad-Index"));
  loop.Advance(1s);
  EXPECT_FALSE(waiting.answer.has_value());
  Create("b");
  loop.RunReady();
  ASSERT_TRUE(waiting.answer.has_value());
  EXPECT_EQ(json::parse(waiting.answer->reply.body).size(), 2u);
}

}  // namespace
}  // namespace drover
