// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/api_streams.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/http/http_test_client.h"

namespace drover {
namespace {

// "/hold" begins an answer that ends with its client, "/flood" one that never pauses; any other
// path is answered with itself.
class ApiStreamsTest : public testing::Test {
 protected:
  ApiStreamsTest() {
    server_ = StartTestServer({}, [this](HttpExchange* exchange) { return Answer(exchange); });
    ClientOptions options;
    options.address = "http://127.0.0.1:" + std::to_string(server_->port());
    endpoint_ = *Endpoint::Create(std::move(options));
    streams_ = std::make_unique<ApiStreams>(endpoint_);
  }
  Co<void> Answer(HttpExchange* exchange) {
    if (exchange->request().path == "/flood") {
      Status sent = co_await exchange->StartStream(TextReply(200, ""));
      while (sent.ok()) sent = co_await exchange->Write(std::string(10'000, 'x'));
      co_return;
    }
    if (exchange->request().path != "/hold") {
      HttpReply reply = TextReply(200, exchange->request().path);
      [[maybe_unused]] const Status sent = co_await exchange->Reply(std::move(reply));
      co_return;
    }
    ++held_;
    HttpReply head = TextReply(200, "");
    Status sent = co_await exchange->StartStream(std::move(head));
    if (sent.ok()) sent = co_await exchange->Write("held");
    co_await exchange->context().Cancelled();
    --held_;
  }
  void WaitUntil(const std::function<bool()>& done) {
    for (int i = 0; i < 1000 && !done(); ++i) ASSERT_TRUE(streams_->Wait(-1, 20ms).ok());
    ASSERT_TRUE(done());
  }

  std::atomic<int> held_{0};
  std::shared_ptr<const Endpoint> endpoint_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<ApiStreams> streams_;
};

TEST_F(ApiStreamsTest, HandsOutAnswersAndTheirEnds) {
  std::string body;
  int ended = 0;
  streams_->Ask(
      "GET", "/a", {}, [&](std::string_view some) { body += some; },
      [&](const Status& status) {
        EXPECT_TRUE(status.ok());
        ++ended;
      });
  EXPECT_EQ(ended, 0);
  WaitUntil([&] { return ended == 1; });
  EXPECT_EQ(body, "/a");
  // An end may ask for more. Nobody need take an answer.
  streams_->Ask("GET", "/b", {}, nullptr, [&](const Status&) {
    streams_->Ask("GET", "/c", {}, nullptr, [&](const Status&) { ++ended; });
  });
  WaitUntil([&] { return ended == 2; });
}

TEST_F(ApiStreamsTest, ErrorsComeToTheEnd) {
  server_.reset();
  Status end;
  streams_->Ask("GET", "/a", {}, nullptr, [&](const Status& status) { end = status; });
  EXPECT_TRUE(end.ok()) << "nothing happens but in Wait";
  WaitUntil([&] { return !end.ok(); });
  EXPECT_EQ(end.code(), Code::kUnavailable);
}

TEST_F(ApiStreamsTest, MoreThanThereMayBeWaitForTheirTurn) {
  constexpr int kAll = ApiStreams::kMostConnections + 15;
  int taken = 0;
  std::vector<std::uint64_t> ids;
  for (int i = 0; i < kAll; ++i) {
    ids.push_back(streams_->Ask("GET", "/hold", {}, [&](std::string_view) { ++taken; }, nullptr));
  }
  WaitUntil([&] { return taken == ApiStreams::kMostConnections; });
  EXPECT_EQ(held_, ApiStreams::kMostConnections);
  // Some of those that wait are dropped, and then some of those that have begun.
  for (int i = 50; i < 55; ++i) streams_->Drop(ids[i]);
  for (int i = 0; i < 20; ++i) streams_->Drop(ids[i]);
  WaitUntil([&] { return taken == kAll - 5; });
  WaitUntil([&] { return held_ == kAll - 25; });
  streams_.reset();
}

TEST_F(ApiStreamsTest, ADroppedAnswerHasNoEnd) {
  bool ended = false;
  int taken = 0;
  std::uint64_t id = 0;
  id = streams_->Ask(
      "GET", "/hold", {},
      [&](std::string_view) {
        ++taken;
        streams_->Drop(id);
      },
      [&](const Status&) { ended = true; });
  WaitUntil([&] { return taken == 1; });
  WaitUntil([&] { return held_ == 0; });
  streams_->Drop(id);
  const std::uint64_t never = streams_->Ask(
      "GET", "/a", {}, [&](std::string_view) { ++taken; }, [&](const Status&) { ended = true; });
  streams_->Drop(never);
  ASSERT_TRUE(streams_->Wait(-1, 50ms).ok());
  EXPECT_EQ(taken, 1);
  EXPECT_FALSE(ended);
}

// Bytes that have been read are not handed out either.
TEST_F(ApiStreamsTest, NothingIsTakenAfterTheEnd) {
  for (int round = 0; round < 20; ++round) {
    bool gone = false;
    int taken = 0;
    ApiStreams streams(endpoint_);
    for (int i = 0; i < 3; ++i) {
      streams.Ask(
          "GET", "/flood", {},
          [&](std::string_view) {
            EXPECT_FALSE(gone);
            ++taken;
          },
          nullptr);
    }
    while (taken == 0) ASSERT_TRUE(streams.Wait(-1, 20ms).ok());
    gone = true;
  }
}

TEST_F(ApiStreamsTest, ADescriptorEndsTheWait) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  const TimePoint begin = BootClock::now();
  ASSERT_TRUE(streams_->Wait(ends[0], 1h).ok());
  EXPECT_LT(BootClock::now() - begin, 10s);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace drover
