// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/node_calls.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>

#include "host/base/loop.h"
#include "host/cluster/wire_alloc_for_test.h"
#include "host/cluster/wire_node_for_test.h"

namespace drover {
namespace {

using nlohmann::json;

// Answers calls with prepared answers, one after the other, and keeps the calls.
class PreparedCaller : public RpcCaller {
 public:
  Co<Result<json>> Call(Context context, std::string method, json args) override {
    (void)context;
    calls.emplace_back(std::move(method), std::move(args));
    if (answers.empty()) co_return Error(Code::kUnavailable, "no answer is prepared", true);
    Result<json> answer = std::move(answers.front());
    answers.pop_front();
    co_return answer;
  }

  std::deque<Result<json>> answers;
  std::vector<std::pair<std::string, json>> calls;
};

template <typename T>
Co<void> KeepResult(Co<T> call, std::optional<T>* out) {
  out->emplace(co_await std::move(call));
}

class NodeCallsTest : public testing::Test {
 protected:
  NodeCallsTest() : calls_(&caller_, "global", {kTestNodeId, "secret", "", false}) {}

  template <typename T>
  T Run(Co<T> call) {
    std::optional<T> out;
    EXPECT_TRUE(loop_.RunToEnd(KeepResult<T>(std::move(call), &out)));
    return std::move(*out);
  }
  void Prepare(json answer) { caller_.answers.push_back(Result<json>(std::move(answer))); }
  void Refuse(Code code) { caller_.answers.push_back(Result<json>(Error(code, "refused"))); }
  const json& ArgsOf(std::size_t call) { return caller_.calls.at(call).second; }

  SimLoop loop_;
  Context context_{&loop_};
  PreparedCaller caller_;
  NodeCalls calls_;
};

TEST_F(NodeCallsTest, ANewNodeRegistersWithoutAToken) {
  Prepare({{"HeartbeatTTL", 15'000'000'000}, {"SignedIdentity", "jwt-1"}});
  const auto answer = Run(calls_.Register(context_, WireNodeForTest()));
  ASSERT_TRUE(answer.ok()) << answer.error().message();
  EXPECT_EQ(answer->heartbeat_ttl, 15s);
  ASSERT_EQ(caller_.calls.size(), 1u);
  EXPECT_EQ(caller_.calls[0].first, "Node.Register");
  EXPECT_EQ(ArgsOf(0)["AuthToken"], "") << "servers refuse the secret id of an unknown node";
  EXPECT_EQ(ArgsOf(0)["Region"], "global");
  EXPECT_EQ(ArgsOf(0)["Node"]["SecretID"], "secret");
  EXPECT_TRUE(calls_.credentials().registered);
  EXPECT_EQ(calls_.credentials().identity, "jwt-1");
}

TEST_F(NodeCallsTest, TheNewestTokenIsUsed) {
  Prepare(json::object());
  Prepare({{"SignedIdentity", "jwt-2"}});
  Prepare({{"SignedIdentity", nullptr}});
  ASSERT_TRUE(Run(calls_.Register(context_, WireNodeForTest())).ok());
  ASSERT_TRUE(Run(calls_.UpdateStatus(context_, "ready")).ok());
  ASSERT_TRUE(Run(calls_.UpdateStatus(context_, "ready")).ok());
  EXPECT_EQ(ArgsOf(1)["AuthToken"], "secret") << "servers that give no tokens";
  EXPECT_EQ(ArgsOf(2)["AuthToken"], "jwt-2");
  EXPECT_EQ(calls_.credentials().identity, "jwt-2");
}

TEST_F(NodeCallsTest, ARefusedTokenIsForgotten) {
  Prepare({{"SignedIdentity", "jwt-1"}});
  Refuse(Code::kPermissionDenied);
  Prepare(json::object());
  ASSERT_TRUE(Run(calls_.Register(context_, WireNodeForTest())).ok());
  ASSERT_TRUE(Run(calls_.Register(context_, WireNodeForTest())).ok());
  ASSERT_EQ(caller_.calls.size(), 3u);
  EXPECT_EQ(ArgsOf(1)["AuthToken"], "jwt-1");
  EXPECT_EQ(ArgsOf(2)["AuthToken"], "");
  EXPECT_EQ(calls_.credentials().identity, "");
}

TEST_F(NodeCallsTest, ANodeThatCannotRegisterAsksNobody) {
  NodeRecord node = WireNodeForTest();
  node.disk_mb = 0;
  EXPECT_EQ(Run(calls_.Register(context_, node)).code(), Code::kFailedPrecondition);
  EXPECT_TRUE(caller_.calls.empty());
}

TEST_F(NodeCallsTest, WatchesItsAllocations) {
  Prepare({{"Allocs", {{kTestAllocId, 15}}}, {"Index", 15}});
  Prepare({{"Allocs", json::object()}, {"Index", 16}});
  const auto first = Run(calls_.GetClientAllocs(context_, 0));
  ASSERT_TRUE(first.ok()) << first.error().message();
  EXPECT_EQ(first->index, 15u);
  EXPECT_EQ(first->allocs.at(kTestAllocId), 15u);
  EXPECT_EQ(ArgsOf(0)["AllowStale"], false);
  ASSERT_TRUE(Run(calls_.GetClientAllocs(context_, 15, 1s)).ok());
  EXPECT_EQ(ArgsOf(1)["AllowStale"], true);
  EXPECT_EQ(ArgsOf(1)["MinQueryIndex"], 15);
  EXPECT_EQ(ArgsOf(1)["MaxQueryTime"], 1'000'000'000);
}

TEST_F(NodeCallsTest, RefusesIdsThatAreNoUuids) {
  Prepare({{"Allocs", {{"../x", 15}}}, {"Index", 15}});
  EXPECT_EQ(Run(calls_.GetClientAllocs(context_, 0)).code(), Code::kInternal);
  Prepare({{"Allocs", {{kTestAllocId, "x"}}}, {"Index", 15}});
  EXPECT_EQ(Run(calls_.GetClientAllocs(context_, 0)).code(), Code::kInternal);
  Prepare({{"Allocs", 7}});
  EXPECT_EQ(Run(calls_.GetClientAllocs(context_, 0)).code(), Code::kInternal);
}

TEST_F(NodeCallsTest, FetchesAllocationsInParts) {
  std::vector<std::string> ids(NodeCalls::kMostFetched, std::string(kTestNodeId));
  ids.emplace_back(kTestAllocId);
  Prepare({{"Allocs", nullptr}, {"Index", 15}});  // all of them are gone
  json body;
  body["Allocs"] = json::array({WireAllocForTest()});
  Prepare(body);
  const auto read = Run(calls_.GetAllocs(context_, ids, 15, "dc1"));
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->front().alloc.id, kTestAllocId);
  EXPECT_EQ(ArgsOf(0)["AllocIDs"].size(), NodeCalls::kMostFetched);
  EXPECT_EQ(ArgsOf(0)["MinQueryIndex"], 14);
  EXPECT_EQ(ArgsOf(1)["AllocIDs"].size(), 1u);
}

TEST_F(NodeCallsTest, RefusesAllocationsForWhichNobodyAsked) {
  json body;
  body["Allocs"] = json::array({WireAllocForTest()});
  Prepare(body);
  const std::vector<std::string> other = {kTestNodeId};
  EXPECT_EQ(Run(calls_.GetAllocs(context_, other, 15, "dc1")).code(), Code::kInternal);
  body["Allocs"].push_back(WireAllocForTest());
  Prepare(body);
  const std::vector<std::string> one = {kTestAllocId};
  EXPECT_EQ(Run(calls_.GetAllocs(context_, one, 15, "dc1")).code(), Code::kInternal);
}

TEST_F(NodeCallsTest, ReportsAllocations) {
  EXPECT_TRUE(Run(calls_.UpdateAlloc(context_, {})).ok());
  EXPECT_TRUE(caller_.calls.empty()) << "servers refuse an empty report";
  Prepare({{"Index", 20}});
  Refuse(Code::kFailedPrecondition);
  std::vector<AllocUpdate> updates(1);
  updates[0].id = kTestAllocId;
  EXPECT_TRUE(Run(calls_.UpdateAlloc(context_, updates)).ok());
  EXPECT_EQ(ArgsOf(0)["Alloc"][0]["ID"], kTestAllocId);
  EXPECT_EQ(ArgsOf(0)["Alloc"][0]["NodeID"], kTestNodeId);
  EXPECT_EQ(Run(calls_.UpdateAlloc(context_, updates)).code(), Code::kFailedPrecondition);
}

TEST_F(NodeCallsTest, AsksForTokensOfTasks) {
  Prepare(json::parse(R"({"SignedIdentities": [{"AllocID": "a", "IdentityName": "aws",
      "WorkloadIdentifier": "t", "WorkloadType": 0, "JWT": "x.y.z"}],
      "Rejections": [{"AllocID": "a", "IdentityName": "no", "WorkloadIdentifier": "s",
      "WorkloadType": 1, "Reason": "unknown"}]})"));
  std::vector<IdentityRequest> requests = {{"a", "aws", "t", false}, {"a", "no", "s", true}};
  const auto read = Run(calls_.SignIdentities(context_, requests, 13));
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].token, "x.y.z");
  EXPECT_FALSE((*read)[0].request.of_service);
  EXPECT_EQ((*read)[1].reason, "unknown");
  EXPECT_TRUE((*read)[1].request.of_service);
  EXPECT_EQ(ArgsOf(0)["Identities"][1]["WorkloadType"], 1);
  EXPECT_EQ(ArgsOf(0)["MinQueryIndex"], 12);
}

TEST_F(NodeCallsTest, ReadsVariablesAsTheTask) {
  Prepare({{"Data", {{"Path", "nomad/jobs"}, {"Items", {{"k", "v"}}}}}});
  const auto items = Run(calls_.ReadVariable(context_, "default", "nomad/jobs", "of-the-task"));
  ASSERT_TRUE(items.ok()) << items.error().message();
  EXPECT_EQ(items->at("k"), "v");
  EXPECT_EQ(ArgsOf(0)["AuthToken"], "of-the-task");
  Prepare({{"Data", nullptr}});
  const auto none = Run(calls_.ReadVariable(context_, "default", "nomad/jobs", "of-the-task"));
  EXPECT_EQ(none.code(), Code::kNotFound);
}

TEST_F(NodeCallsTest, RegistersAndRemovesServices) {
  Prepare(json::object());
  std::vector<ServiceRegistration> services(1);
  services[0].id = "s1";
  services[0].port = 80;
  EXPECT_TRUE(Run(calls_.UpsertServices(context_, services)).ok());
  EXPECT_EQ(ArgsOf(0)["Services"][0]["ID"], "s1");
  Refuse(Code::kNotFound);
  EXPECT_TRUE(Run(calls_.DeleteService(context_, "default", "s1")).ok()) << "it is gone already";
  EXPECT_EQ(ArgsOf(1)["ID"], "s1");
}

}  // namespace
}  // namespace drover
