// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <spdlog/logger.h>

#include "host/request/fake_exchange.h"
#include "host/streams/log_monitor.h"
#include "host/streams/stream_routes.h"

namespace drover {
namespace {

using ::testing::EndsWith;

class MonitorRouteTest : public ::testing::Test {
 protected:
  MonitorRouteTest() {
    agent_.log_monitor = &monitor_;
    agent_.node_id = "abcd-1234";
    agent_.name = "n1";
  }
  FakeExchange* Open(const std::string& query, const std::string& method = "GET") {
    request_ = std::make_unique<FakeRequest>(&loop_, &agent_, MonitorRoutes().at(0), query, method);
    loop_.RunReady();
    return &request_->exchange;
  }
  void Close() {
    request_->exchange.Leave();
    request_->exchange.Read();
    loop_.RunReady();
    ASSERT_TRUE(request_->answer.has_value()) << "it goes on without its client";
    EXPECT_EQ(logger_->level(), spdlog::level::warn) << "it is still watched";
    EXPECT_EQ(loop_.live_timers(), 0u);
  }
  int Refused(const std::string& query) {
    Open(query);
    return request_->answer ? request_->answer->reply.status : 200;
  }

  SimLoop loop_;
  std::shared_ptr<spdlog::logger> logger_ = [] {
    auto logger = std::make_shared<spdlog::logger>("test");
    logger->set_level(spdlog::level::warn);
    return logger;
  }();
  LogMonitor monitor_{logger_};
  ApiAgent agent_;
  std::unique_ptr<FakeRequest> request_;
};

TEST_F(MonitorRouteTest, PlainIsText) {
  FakeExchange* const client = Open("plain=true&log_level=DEBUG");
  EXPECT_EQ(client->content_type, "text/plain");
  logger_->trace("one");
  logger_->debug("two");
  loop_.RunReady();
  EXPECT_THAT(client->got, EndsWith("[debug] two\n"));
  EXPECT_EQ(std::count(client->got.begin(), client->got.end(), '\n'), 1);
  client->Take();
  loop_.Advance(60s);
  EXPECT_EQ(client->Take(), "") << "text has no sign of life";
  Close();
}

TEST_F(MonitorRouteTest, FramesCarryBase64) {
  FakeExchange* const client = Open("log_json=1");
  EXPECT_EQ(client->content_type, "application/json");
  logger_->debug("not asked for");
  logger_->info("told");
  loop_.RunReady();
  // {"@level":"inf...
  EXPECT_EQ(client->got.substr(0, 26), R"({"Data":"eyJAbGV2ZWwiOiJpb)");
  EXPECT_THAT(client->Take(), EndsWith("\"}"));
  loop_.Advance(10s);
  EXPECT_EQ(client->Take(), "{}");
  Close();
}

// Nothing is logged meanwhile, so no write could end the stream.
TEST_F(MonitorRouteTest, TheHeadIsTheWholeAnswer) {
  for (const char* query : {"plain=true", "log_json=1"}) {
    const FakeExchange* const client = Open(query, "HEAD");
    EXPECT_TRUE(request_->answer.has_value()) << query << ": it goes on after its head";
    EXPECT_NE(client->content_type, "") << query;
    EXPECT_EQ(client->writes, 0) << query;
    Close();
  }
}

TEST_F(MonitorRouteTest, OnlyThisNodeAndThisServerCanBeMonitored) {
  EXPECT_EQ(Refused("log_level=loud"), 400);
  EXPECT_EQ(request_->answer->reply.body, "Unknown log level: loud");
  EXPECT_EQ(Refused("node_id=abcd&server_id=n1"), 400);
  EXPECT_EQ(Refused("node_id=ffff"), 404);
  EXPECT_EQ(Refused("server_id=n2"), 404);
  for (const char* right :
       {"node_id=abcd-1234", "node_id=ab", "server_id=n1.global", "server_id=leader"}) {
    EXPECT_EQ(Refused(right), 200) << right;
    Close();
  }
}

}  // namespace
}  // namespace drover
