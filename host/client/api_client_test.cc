// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/api_client.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/client/api_streams.h"
#include "host/client/scripted_server_for_test.h"
#include "host/client/websocket_client.h"

namespace drover {
namespace {

using nlohmann::json;

ApiClient ClientOf(const ScriptedServer& server) {
  ClientOptions options;
  options.address = server.address();
  return std::move(*ApiClient::Create(options));
}

TEST(ApiClientTest, SendsAndReadsJson) {
  std::vector<std::string> requests;
  ScriptedServer server([&requests](ScriptedPeer* peer, int) {
    for (std::size_t body : {9, 0, 0, 9}) {
      const std::string head = peer->ReadHead();
      requests.push_back(head.substr(0, head.find(" HTTP/")) + " " + peer->ReadExactly(body));
      peer->Reply(R"({"answer":42})");
    }
  });
  ApiClient client = ClientOf(server);
  EXPECT_EQ((*client.Put("/a", {{"ask", 1}}))["answer"], 42);
  EXPECT_TRUE(client.Put("/b", nullptr).ok());
  EXPECT_TRUE(client.Delete("/c", {{"purge", "true"}}).ok());
  EXPECT_TRUE(client.DeleteThose("/d", {{"ask", 2}}).ok());
  EXPECT_EQ(requests,
            (std::vector<std::string>{R"(PUT /a {"ask":1})", "PUT /b ", "DELETE /c?purge=true ",
                                      R"(DELETE /d {"ask":2})"}));
  EXPECT_EQ(server.connections(), 1);
}

TEST(ApiClientTest, AsksOnceForTheRegionAndSendsNothingToAnotherOne) {
  std::vector<std::string> requests;
  const char* regions = R"(["eu"])";
  ScriptedServer server([&](ScriptedPeer* peer, int) {
    for (std::string head = peer->ReadHead(); !head.empty(); head = peer->ReadHead()) {
      requests.push_back(head.substr(0, head.find(" HTTP/")));
      peer->Reply(requests.back() == "GET /v1/regions" ? regions : "{}");
    }
  });
  ClientOptions options;
  options.address = server.address();
  options.region = "eu";
  {
    ApiClient client = std::move(*ApiClient::Create(options));
    EXPECT_TRUE(client.OpenStreams().ok());
    EXPECT_TRUE(client.Get("/a").ok());
    EXPECT_TRUE(client.Delete("/b").ok());
  }
  EXPECT_EQ(requests, (std::vector<std::string>{"GET /v1/regions", "GET /a", "DELETE /b"}));
  requests.clear();
  options.region = "us";
  {
    ApiClient client = std::move(*ApiClient::Create(options));
    const auto answer = client.Delete("/b");
    EXPECT_EQ(answer.code(), Code::kInvalidArgument);
    EXPECT_EQ(answer.error().message(), "the agent at " + server.address() +
                                            " is in the region \"eu\", not in \"us\": see --region "
                                            "and NOMAD_REGION");
    EXPECT_FALSE(client.OpenStreams().ok());
    EXPECT_FALSE(client.OpenWebSocket("/c", {}).ok());
    for (const char* odd : {"[]", "7", R"(["us", "eu"])", "[1]", ""}) {
      regions = odd;
      EXPECT_EQ(client.Get("/a").code(), Code::kInternal) << odd;
    }
  }
  EXPECT_EQ(requests, std::vector<std::string>(8, "GET /v1/regions"));
}

TEST(ApiClientTest, WaitsForSomethingNewer) {
  std::vector<std::string> requests;
  ScriptedServer server([&requests](ScriptedPeer* peer, int) {
    for (const char* index : {"7", "8", ""}) {
      const std::string head = peer->ReadHead();
      requests.push_back(head.substr(0, head.find(" HTTP/")));
      peer->Reply("[]", *index != '\0' ? "x-nomad-index: " + std::string(index) + "\r\n" : "");
    }
  });
  ApiClient client = ClientOf(server);
  std::uint64_t index = 0;
  EXPECT_TRUE(client.Get("/v1/jobs", {}, &index).ok());
  EXPECT_EQ(index, 7U);
  EXPECT_TRUE(client.Get("/v1/jobs", {}, &index, 2min).ok());
  EXPECT_EQ(index, 8U);
  const auto without = client.Get("/v1/jobs", {}, &index);
  EXPECT_EQ(without.code(), Code::kInternal);
  EXPECT_EQ(without.error().message(), "the answer of " + server.address() +
                                           " to /v1/jobs has no X-Nomad-Index: is it an agent?");
  EXPECT_EQ(requests, (std::vector<std::string>{"GET /v1/jobs", "GET /v1/jobs?index=7&wait=2m0s",
                                                "GET /v1/jobs?index=8&wait=10s"}));
}

TEST(ApiClientTest, APageNamesTheNext) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Reply("[1]", "X-Nomad-NextToken: _nomad-task-2\r\n");
    peer->ReadHead();
    peer->Reply("[2]");
  });
  ApiClient client = ClientOf(server);
  std::string next = "old";
  const auto first = client.GetPage("/v1/service/api", {{"per_page", "1"}}, &next);
  ASSERT_TRUE(first.ok()) << first.error().message();
  EXPECT_EQ((*first)[0], 1);
  EXPECT_EQ(next, "_nomad-task-2");
  ASSERT_TRUE(client.GetPage("/v1/service/api", {{"next_token", next}}, &next).ok());
  EXPECT_EQ(next, "");
}

TEST(ApiClientTest, AnswersThatAreNoJson) {
  const std::string deep(100'000, '[');
  for (const std::string& body : {std::string("<html>"), std::string("{"), deep}) {
    ScriptedServer server([&body](ScriptedPeer* peer, int) {
      peer->ReadHead();
      peer->Reply(body);
    });
    ApiClient client = ClientOf(server);
    const auto answer = client.Get("/");
    EXPECT_EQ(answer.code(), Code::kInternal);
    EXPECT_TRUE(answer.error().message().ends_with("is no JSON: is it an agent?"));
  }
}

TEST(ApiClientTest, StreamsHaveNoBound) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Send("HTTP/1.1 200 OK\r\n\r\n");
    for (int i = 0; i < 64; ++i) peer->Send(std::string(64 << 10, 'x'));
  });
  ApiClient client = ClientOf(server);
  std::size_t size = 0;
  const Status ended =
      client.Stream("/", {}, [&size](std::string_view some) { size += some.size(); });
  EXPECT_TRUE(ended.ok()) << ended.error().message();
  EXPECT_EQ(size, 4U << 20);
}

// A client that watches a pipe, and a server that answers nothing.
class WatchingClientTest : public testing::Test {
 protected:
  WatchingClientTest() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    read_.Reset(ends[0]);
    write_.Reset(ends[1]);
  }
  // Returns whether the pipe had something, and takes it.
  bool Take() {
    char block[16];
    return read(read_.get(), block, sizeof block) > 0;
  }
  void Wake() { EXPECT_EQ(write(write_.get(), "x", 1), 1); }

  UniqueFd read_, write_;
};

TEST_F(WatchingClientTest, ARequestEndsWhenSomebodyStopsIt) {
  ScriptedServer server([this](ScriptedPeer* peer, int) {
    peer->ReadHead();
    Wake();
    peer->ReadToEnd();
  });
  ApiClient client = ClientOf(server);
  client.Watch(read_.get(), [this] { return Take(); });
  EXPECT_EQ(client.Get("/a").code(), Code::kCancelled);
  EXPECT_EQ(client.Put("/b", nullptr).code(), Code::kCancelled);
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(WatchingClientTest, ARequestGoesOnIfNobodyStopsIt) {
  std::atomic<int> asked = 0;
  ScriptedServer server([&](ScriptedPeer* peer, int) {
    for (int number = 1; !peer->ReadHead().empty(); ++number) {
      if (number < 3) Wake();
      while (number < 3 && asked < number) usleep(1'000);
      peer->Reply("7");
    }
  });
  ApiClient client = ClientOf(server);
  // The answer may take longer than a request may.
  const auto answer_no = [&] {
    EXPECT_TRUE(Take());
    usleep(600'000);
    ++asked;
    return false;
  };
  client.Watch(read_.get(), answer_no, 500ms);
  EXPECT_EQ(client.Get("/a").value_or(0), 7);
  EXPECT_EQ(client.Put("/b", nullptr).value_or(0), 7);
  EXPECT_EQ(asked, 2);
  Wake();
  client.Watch(-1, nullptr);
  EXPECT_EQ(client.Get("/c").value_or(0), 7);
  EXPECT_EQ(asked, 2) << "nobody watches any more";
}

TEST_F(WatchingClientTest, AnAgentThatHangsIsNotWaitedForWithoutEnd) {
  ScriptedServer server([](ScriptedPeer* peer, int) { peer->ReadToEnd(); });
  ApiClient client = ClientOf(server);
  client.Watch(read_.get(), [] { return true; }, 50ms);
  const auto read = client.Get("/a");
  EXPECT_EQ(read.code(), Code::kTimeout);
  EXPECT_EQ(read.error().message(),
            "cannot reach " + server.address() + ": it has not answered in time");
  const auto changed = client.Put("/b", nullptr);
  EXPECT_EQ(changed.code(), Code::kTimeout);
  EXPECT_TRUE(changed.error().message().ends_with(
      "it has not answered in time, and it is unknown whether the request was carried out"));
}

TEST(ApiClientTest, AProxyIsRefusedByName) {
  setenv("http_proxy", "http://proxy:3128", 1);
  ClientOptions options;
  options.address = "http://agent.example:4646";
  const auto client = ApiClient::Create(options);
  unsetenv("http_proxy");
  EXPECT_EQ(client.code(), Code::kFailedPrecondition);
  EXPECT_NE(client.error().message().find("http_proxy"), std::string::npos);
}

}  // namespace
}  // namespace drover
