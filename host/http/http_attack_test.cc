// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Hostile clients of a whole server: they get a 4xx and nothing else, and other clients notice
// nothing.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "host/http/http_test_client.h"

namespace drover {
namespace {

constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

// A server that counts the requests that reach its handler.
class HttpAttack : public ::testing::Test {
 protected:
  void Start(const HttpServerOptions& options) {
    server_ = StartTestServer(options, [this](HttpExchange* exchange) {
      ++handled_;
      return Answer(exchange);
    });
  }
  static Co<void> Answer(HttpExchange* exchange) {
    if (exchange->request().path != "/stranger") exchange->Trust();
    HttpReply reply;
    (void)co_await exchange->Reply(std::move(reply));
  }
  void ExpectServed() {
    HttpTestClient client(server_->port());
    client.Send(kGet);
    EXPECT_EQ(client.ReadAnswer().status, 200);
  }

  std::atomic<int> handled_{0};
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpAttack, ASmuggledRequestIsNeverServed) {
  Start(HttpServerOptions());
  const std::string post = "POST / HTTP/1.1\r\nHost: localhost\r\n";
  const std::string hidden = "GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::vector<std::string> attacks = {
      post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
      post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + hidden,
      post + "Content-Length: 0\r\nContent-Length: 40\r\n\r\n" + hidden,
      post + "Transfer-Encoding: chunked\r\nTransfer-encoding: x\r\n\r\n0\r\n\r\n" + hidden,
      post + "Transfer-Encoding: x\r\n\r\n0\r\n\r\n" + hidden,
      post + "X: a\r\n Content-Length: 40\r\n\r\n" + hidden,
      post + "X: a\nContent-Length: 40\r\n\r\n" + hidden,
      post + "Content-Length : 40\r\n\r\n" + hidden,
      post + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n" + hidden,
  };
  for (const std::string& attack : attacks) {
    HttpTestClient client(server_->port());
    client.Send(attack);
    const auto answer = client.ReadAnswer();
    EXPECT_TRUE(answer.status == 400 || answer.status == 501) << attack << answer.head;
    EXPECT_TRUE(answer.Has("Connection: close\r\n")) << attack;
    EXPECT_EQ(client.ReadAll(), "") << attack;
  }
  EXPECT_EQ(handled_, 0);
  ExpectServed();
}

TEST_F(HttpAttack, AHugeHeadOrBodyIsRefusedWhileItIsSent) {
  HttpServerOptions options;
  options.max_body_bytes = 1 << 20;
  options.linger_time = 10s;  // for a client that reads its answer late
  Start(options);
  const std::string line = "X-Filler: " + std::string(1000, 'a') + "\r\n";
  HttpTestClient head(server_->port());
  head.Send("GET / HTTP/1.1\r\nHost: localhost\r\n");
  for (int i = 0; i < 1000 && head.Send(line); ++i) {
  }
  EXPECT_EQ(head.ReadAnswer().status, 431);

  HttpTestClient body(server_->port());
  body.Send("PUT / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "10000\r\n" + std::string(0x10000, 'a') + "\r\n";
  for (int i = 0; i < 64 && body.Send(chunk); ++i) {
  }
  EXPECT_EQ(body.ReadAnswer().status, 413);

  // A length that is too large is refused before any body.
  HttpTestClient announced(server_->port());
  announced.Send(
      "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(announced.ReadAnswer().status, 413);
  // The head of a chunk has no declared length.
  HttpTestClient endless(server_->port());
  endless.Send("PUT / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1;");
  for (int i = 0; i < 1000 && endless.Send(std::string(1000, 'a')); ++i) {
  }
  EXPECT_EQ(endless.ReadAnswer().status, 400);
  EXPECT_EQ(handled_, 0);
  ExpectServed();
}

std::string LargeHead(std::size_t bytes) {
  return "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(bytes) +
         "\r\n\r\n";
}

TEST_F(HttpAttack, LargeBodiesWaitForTheirTurn) {
  HttpServerOptions options;
  options.max_total_body_bytes = 3 << 20;
  Start(options);
  std::deque<HttpTestClient> clients;
  for (int i = 0; i < 5; ++i) clients.emplace_back(server_->port()).Send(LargeHead(2'000'000));
  std::vector<std::thread> senders;
  for (HttpTestClient& client : clients) {
    senders.emplace_back([&client] { client.Send(std::string(2'000'000, 'x')); });
  }
  for (HttpTestClient& client : clients) EXPECT_EQ(client.ReadAnswer().status, 200);
  for (std::thread& sender : senders) sender.join();
  EXPECT_EQ(handled_, 5);
}

TEST_F(HttpAttack, WhoDoesNotGetItsTurnInTimeIs503AndSmallRequestsDoNotWait) {
  HttpServerOptions options;
  options.max_total_body_bytes = 3 << 20;
  options.body_wait = 200ms;
  options.linger_time = 10s;  // for a client that reads its answer late
  Start(options);
  HttpTestClient slow(server_->port());
  slow.Send(LargeHead(2'000'000) + "x");
  HttpTestClient small(server_->port());
  small.Send(LargeHead(5) + "hello");
  EXPECT_EQ(small.ReadAnswer().status, 200);
  // The first of these clients may have come before the slow one.
  int refused = 0;
  for (int i = 0; i < 2; ++i) {
    HttpTestClient client(server_->port());
    client.Send(LargeHead(2'000'000) + "x");
    const auto answer = client.ReadAnswer();
    refused += answer.status == 503 ? 1 : 0;
    EXPECT_EQ(answer.body, "too many large requests at once; try again later");
  }
  EXPECT_EQ(refused, 2);
  slow.Send(std::string(1'999'999, 'x'));
  EXPECT_EQ(slow.ReadAnswer().status, 200);
  ExpectServed();
}

TEST_F(HttpAttack, WhoSaysNothingKeepsNobodyOut) {
  HttpServerOptions options;
  options.max_connections_per_client = 10;
  Start(options);
  std::deque<HttpTestClient> known, silent;
  for (int i = 0; i < 3; ++i) {
    known.emplace_back(server_->port()).Send(kGet);
    ASSERT_EQ(known.back().ReadAnswer().status, 200);
  }
  for (int i = 0; i < 100; ++i) {
    silent.emplace_back(server_->port()).Send(i % 2 ? "GET / HTTP/1.1\r\nX: " : "");
  }
  // A request that does not show a right to use the server does not make its connection stay.
  HttpTestClient stranger(server_->port());
  stranger.Send("GET /stranger HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(stranger.ReadAnswer().status, 200);
  for (int i = 0; i < 20; ++i) silent.emplace_back(server_->port());
  EXPECT_EQ(stranger.ReadAll(), "");
  ExpectServed();
  for (HttpTestClient& client : known) {
    client.Send(kGet);
    EXPECT_EQ(client.ReadAnswer().status, 200) << "its connection stays";
  }
  EXPECT_EQ(silent.front().ReadAll(), "") << "the oldest had to go";
  EXPECT_LE(server_->connections(), 10);
}

TEST_F(HttpAttack, SlowClientsLoseAndOthersAreServed) {
  HttpServerOptions options;
  options.threads = 1;
  options.header_time = 300ms;
  options.linger_time = 50ms;
  Start(options);
  std::deque<HttpTestClient> slow;
  for (int i = 0; i < 50; ++i) slow.emplace_back(server_->port()).Send("GET / HTTP/1.1\r\n");
  // Each byte comes in time; the head as a whole does not.
  HttpTestClient other(server_->port());
  const auto limit = std::chrono::steady_clock::now() + 20s;
  int rounds = 0;
  for (bool open = true; open; ++rounds) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit) << "slow clients are still connected";
    open = false;
    for (HttpTestClient& client : slow) open |= client.Send("a");
    other.Send(kGet);
    ASSERT_EQ(other.ReadAnswer().status, 200);
  }
  for (HttpTestClient& client : slow) {
    const std::string answer = client.ReadAll();
    // Bytes that were sent after the end reset the connection, which may destroy the answer.
    EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 408 ")) << answer;
  }
  EXPECT_EQ(handled_, rounds);
}

TEST_F(HttpAttack, AThousandIdleConnectionsAreBounded) {
  constexpr int kMost = 400;
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  rlimit wanted = files;
  wanted.rlim_cur = std::max<rlim_t>(files.rlim_cur, 3000);
  if (files.rlim_max < 3000 || setrlimit(RLIMIT_NOFILE, &wanted) != 0) {
    GTEST_SKIP() << "needs 3000 descriptors, the limit is " << files.rlim_max;
  }
  HttpServerOptions options;
  options.max_connections = kMost;
  options.threads = 1;  // two would take them in another order
  options.max_connections_per_client = 0;
  Start(options);
  std::deque<HttpTestClient> clients;
  for (int i = 0; i < 1000; ++i) clients.emplace_back(server_->port());
  // The oldest ones must go.
  for (int i = 0; i < 1000 - kMost - 2; ++i) EXPECT_EQ(clients.at(i).ReadAll(), "") << i;
  ExpectServed();
  EXPECT_LE(server_->connections(), kMost);
  clients.clear();
  server_->Stop();
  EXPECT_EQ(server_->connections(), 0);
  setrlimit(RLIMIT_NOFILE, &files);
}

TEST_F(HttpAttack, OneClientCannotTakeAllConnections) {
  HttpServerOptions options;
  options.max_connections_per_client = 3;
  Start(options);
  std::deque<HttpTestClient> mine;
  for (int i = 0; i < 3; ++i) {
    mine.emplace_back(server_->port()).Send(kGet);
    EXPECT_EQ(mine.back().ReadAnswer().status, 200);
  }
  HttpTestClient fourth(server_->port());
  const auto answer = fourth.ReadAnswer();
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.body, "too many connections; close some or try again later");
  EXPECT_EQ(fourth.ReadAll(), "");
  mine.clear();
  // Served again as soon as the server has noticed.
  int status = 429;
  const auto limit = std::chrono::steady_clock::now() + 20s;
  while (status == 429 && std::chrono::steady_clock::now() < limit) {
    HttpTestClient again(server_->port());
    again.Send(kGet);
    status = again.ReadAnswer().status;
  }
  EXPECT_EQ(status, 200);
}

}  // namespace
}  // namespace drover
