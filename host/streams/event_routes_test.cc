// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "host/request/fake_exchange.h"
#include "host/scheduler/scheduler_fixture.h"
#include "host/streams/stream_routes.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class EventStreamTest : public SchedulerFixture {
 protected:
  EventStreamTest() { agent_.store = &store; }

  FakeExchange* Open(const std::string& query, const std::string& method = "GET") {
    request_ = std::make_unique<FakeRequest>(&loop, &agent_, EventRoutes().at(0), query, method);
    loop.RunReady();
    return &request_->exchange;
  }
  void Close() {
    request_->exchange.Leave();
    request_->exchange.Read();
    loop.RunReady();
    ASSERT_TRUE(request_->answer.has_value()) << "it goes on without its client";
    EXPECT_TRUE(request_->answer->streamed);
    EXPECT_EQ(store.waiting(), 0u);
    EXPECT_EQ(loop.live_timers(), 0u);
  }
  std::string Refused(const std::string& query) {
    Open(query);
    EXPECT_EQ(request_->answer->reply.status, 400);
    return request_->answer->reply.body;
  }
  // Makes one write with COUNT changes.
  void WriteNodes(int count) {
    store.Write(cause::kNodeStatus, [&](Tables* tables, std::uint64_t) {
      for (int i = 0; i < count; ++i) {
        auto node = std::make_shared<NodeRecord>();
        node->id = "node " + std::to_string(i);
        tables->Put(std::move(node));
      }
      return MaskOf(Table::kNodes);
    });
  }
  static std::vector<json> Lines(const std::string& text) {
    std::istringstream in(text);
    std::vector<json> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
    return lines;
  }

  ApiAgent agent_;
  std::unique_ptr<FakeRequest> request_;
};

TEST_F(EventStreamTest, TellsWhatChangesAndLivesInBetween) {
  MakeNodeReady();
  FakeExchange* const client = Open("topic=Job&topic=Allocation");
  EXPECT_EQ(client->content_type, "application/json");
  EXPECT_EQ(client->Take(), "{}\n") << "a sign of life at once";
  loop.Advance(9s);
  EXPECT_EQ(client->Take(), "");
  loop.Advance(1s);
  EXPECT_EQ(client->Take(), "{}\n");
  const JobReply reply = MustRegister(Registration("web", 1));
  loop.RunReady();
  const std::vector<json> lines = Lines(client->Take());
  ASSERT_EQ(lines.size(), 2u) << "what was asked for, and what came of it";
  EXPECT_EQ(lines[0]["Index"], reply.index);
  ASSERT_EQ(lines[0]["Events"].size(), 1u);
  const json& job = lines[0]["Events"][0];
  EXPECT_EQ(lines[1]["Index"], reply.index + 1);
  const json& events = lines[1]["Events"];
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]["Topic"], "Allocation");
  EXPECT_EQ(events[0]["Type"], "PlanResult");
  EXPECT_EQ(events[0]["Key"], Live()[0]->id());
  EXPECT_EQ(events[0]["FilterKeys"], json::array({"web"}));
  EXPECT_EQ(events[0]["Payload"]["Allocation"]["JobID"], "web");
  EXPECT_FALSE(events[0]["Payload"]["Allocation"].contains("Job"));
  EXPECT_EQ(events[1]["Topic"], "Job");
  EXPECT_EQ(events[1]["Payload"]["Job"]["Status"], "running");
  EXPECT_EQ(job["Topic"], "Job");
  EXPECT_EQ(job["Type"], "JobRegistered");
  EXPECT_EQ(job["Namespace"], "default");
  EXPECT_EQ(job["Index"], reply.index);
  EXPECT_EQ(job["Payload"]["Job"]["ID"], "web");
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, true, false).ok());
  loop.RunReady();
  EXPECT_THAT(client->Take(), HasSubstr(R"("Deleted":true)"));
  Close();
}

TEST_F(EventStreamTest, BeginsAtAnIndex) {
  for (int i = 0; i < 3; ++i) WriteNodes(1);
  const auto indexes = [&](const std::string& query) {
    std::vector<int> out;
    for (const json& line : Lines(Open(query)->Take())) {
      if (!line.empty()) out.push_back(line["Index"]);
    }
    Close();
    return out;
  };
  EXPECT_THAT(indexes(""), ElementsAre(1, 2, 3));
  EXPECT_THAT(indexes("index=0"), ElementsAre(1, 2, 3));
  EXPECT_THAT(indexes("index=2"), ElementsAre(2, 3));
  EXPECT_THAT(indexes("index=4"), ElementsAre());
}

TEST_F(EventStreamTest, TheHeadIsTheWholeAnswer) {
  WriteNodes(1);
  const FakeExchange* const client = Open("", "HEAD");
  EXPECT_TRUE(request_->answer.has_value()) << "it goes on after its head";
  EXPECT_EQ(client->content_type, "application/json");
  EXPECT_EQ(client->writes, 0);
  Close();
}

TEST_F(EventStreamTest, ALargeWriteComesInSeveralLines) {
  WriteNodes(600);
  const std::vector<json> lines = Lines(Open("")->Take());
  std::size_t events = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["Index"], 1);
    events += lines[i]["Events"].size();
  }
  EXPECT_EQ(events, 600u);
  EXPECT_EQ(lines.size(), 4u) << "with the sign of life";
  Close();
}

TEST_F(EventStreamTest, ManyFollowersHearOfTheFirstEventAtOnceAndThenOfSeveralTogether) {
  const Route route = EventRoutes().at(0);  // they share it
  std::vector<std::unique_ptr<FakeRequest>> followers;
  for (int i = 0; i < 100; ++i) {
    followers.push_back(std::make_unique<FakeRequest>(&loop, &agent_, route, ""));
  }
  loop.RunReady();
  for (const auto& follower : followers) follower->exchange.Take();
  WriteNodes(1);
  loop.RunReady();
  for (const auto& follower : followers) {
    EXPECT_EQ(Lines(follower->exchange.Take()).size(), 1u) << "it has waited for nothing";
  }
  for (int i = 0; i < 50; ++i) WriteNodes(1);
  loop.RunReady();
  for (const auto& follower : followers) {
    EXPECT_EQ(follower->exchange.Take(), "") << "it is written to at each event";
  }
  loop.Advance(50ms);
  for (const auto& follower : followers) {
    const std::vector<json> lines = Lines(follower->exchange.Take());
    ASSERT_EQ(lines.size(), 50u);
    EXPECT_EQ(lines.back()["Index"], 51);
    follower->exchange.Leave();
  }
  loop.RunReady();
  EXPECT_EQ(store.waiting(), 0u);
  EXPECT_EQ(loop.live_timers(), 0u);
}

TEST_F(EventStreamTest, WhatHasGatheredGoesOutInOneWrite) {
  FakeExchange* const client = Open("");
  client->StopReading();
  WriteNodes(1);
  loop.RunReady();  // that write waits for the client
  for (int i = 0; i < 200; ++i) WriteNodes(1);
  const int before = client->writes;
  client->Read();
  loop.RunReady();
  EXPECT_EQ(client->writes - before, 2) << "that one, and all that has come since";
  const std::vector<json> lines = Lines(client->Take());
  ASSERT_EQ(lines.size(), 202u) << "with the sign of life";
  for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_EQ(lines[i]["Index"], i);
  Close();
}

TEST_F(EventStreamTest, WhoIsBehindIsWrittenToWithoutAPause) {
  for (int i = 0; i < 20; ++i) WriteNodes(50);  // much more than one piece
  const Route route = EventRoutes().at(0);
  std::vector<std::unique_ptr<FakeRequest>> followers;
  for (int i = 0; i < 6; ++i) {
    followers.push_back(std::make_unique<FakeRequest>(&loop, &agent_, route, ""));
  }
  loop.RunReady();
  for (const auto& follower : followers) {
    EXPECT_GT(follower->exchange.writes, 2);
    EXPECT_EQ(Lines(follower->exchange.Take()).back()["Index"], 20) << "it would lose events";
    follower->exchange.Leave();
  }
  loop.RunReady();
  EXPECT_EQ(loop.live_timers(), 0u);
}

TEST_F(EventStreamTest, WhoDoesNotReadStopsNobodyAndIsSentAway) {
  FakeExchange* const client = Open("");
  client->StopReading();
  for (int i = 0; i < 40; ++i) WriteNodes(1000);  // nobody waits for the client
  loop.Advance(60s);
  EXPECT_EQ(client->Take(), "{}\n");
  client->Read();
  loop.RunReady();
  const std::vector<json> lines = Lines(client->Take());
  ASSERT_FALSE(lines.empty());
  EXPECT_THAT(lines.back().value("Error", ""), HasSubstr("subscribe again"));
  ASSERT_TRUE(request_->answer.has_value()) << "the answer has ended";
  EXPECT_EQ(loop.live_timers(), 0u);
}

TEST_F(EventStreamTest, MistakesAreRefused) {
  EXPECT_THAT(Refused("index=x"), HasSubstr("Unable to parse index"));
  EXPECT_THAT(Refused("index=-1"), HasSubstr("Unable to parse index"));
  EXPECT_THAT(Refused("topic=a:b:c"), HasSubstr("Invalid key value pair for topic: a:b:c"));
}

}  // namespace
}  // namespace drover
