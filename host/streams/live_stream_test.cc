// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/live_stream.h"

#include <gtest/gtest.h>

#include <deque>

namespace drover {
namespace {

// A client whose writes end when the test lets them.
class SlowExchange : public HttpExchange {
 public:
  explicit SlowExchange(Loop* loop) : loop_(loop), context_(loop), go_(loop) { go_.Set(); }

  const HttpRequest& request() const override { return request_; }
  Loop* loop() override { return loop_; }
  const Context& context() const override { return context_; }
  Co<Status> Reply(HttpReply) override { std::abort(); }
  Co<Status> StartStream(HttpReply head) override {
    status = head.status;
    co_return Status();
  }
  Co<Status> Write(std::string bytes) override {
    EXPECT_FALSE(writing_) << "a second write before the first has ended";
    writing_ = true;
    co_await go_.Wait();
    writing_ = false;
    if (refuses) co_return Error(Code::kCancelled, "this answer takes no more");
    sent += bytes;
    co_return context_.status();
  }
  Co<Result<WebSocketChannel*>> AcceptWebSocket() override { std::abort(); }

  void Stop() { go_.Reset(); }
  void Go() { go_.Set(); }
  void Leave() { context_.Cancel("the client has gone"); }

  int status = 0;
  std::string sent;
  bool refuses = false;  // all bytes, though the client is there

 private:
  Loop* const loop_;
  HttpRequest request_;
  Context context_;
  Event go_;
  bool writing_ = false;
};

class LiveStreamTest : public ::testing::Test {
 protected:
  LiveStreamTest() : exchange_(&loop_), stream_(&exchange_, [this] { return may_; }) {}

  void Start(std::string heartbeat) {
    loop_.Spawn(Run(this, std::move(heartbeat)));
    loop_.RunReady();
  }
  // A handler that writes nothing itself, and returns when the client has gone.
  static Co<void> Run(LiveStreamTest* test, std::string heartbeat) {
    HttpReply head;
    const Status started = co_await test->stream_.Start(std::move(head), std::move(heartbeat), 1s);
    EXPECT_TRUE(started.ok());
    co_await test->stream_.context().Cancelled();
    co_await test->stream_.End();
    test->ended_ = true;
  }
  void Write(std::string bytes) {
    loop_.Spawn(WriteOne(this, std::move(bytes)));
    loop_.RunReady();
  }
  static Co<void> WriteOne(LiveStreamTest* test, std::string bytes) {
    test->written_.push_back(co_await test->stream_.Write(std::move(bytes)));
  }
  void Leave() {
    exchange_.Leave();
    exchange_.Go();
    loop_.RunReady();
    EXPECT_TRUE(ended_);
    EXPECT_EQ(loop_.live_timers(), 0u);
  }

  SimLoop loop_;
  SlowExchange exchange_;
  Status may_;  // whether the client may still have the answer
  LiveStream stream_;
  std::deque<Status> written_;
  bool ended_ = false;
};

TEST_F(LiveStreamTest, BeatsWhileNothingIsWritten) {
  Start("{}");
  EXPECT_EQ(exchange_.status, 200);
  loop_.Advance(2500ms);
  EXPECT_EQ(exchange_.sent, "{}{}");
  Write("data");
  loop_.Advance(900ms);
  EXPECT_EQ(exchange_.sent, "{}{}data") << "the data was a sign of life";
  loop_.Advance(100ms);
  EXPECT_EQ(exchange_.sent, "{}{}data{}");
  Leave();
}

TEST_F(LiveStreamTest, WithoutAHeartbeatItKeepsSilent) {
  Start("");
  loop_.Advance(60s);
  EXPECT_EQ(exchange_.sent, "");
  Leave();
}

TEST_F(LiveStreamTest, WritersTakeTurnsWhileTheClientIsSlow) {
  Start("{}");
  exchange_.Stop();
  Write("one ");
  Write("two ");
  loop_.Advance(10s);
  EXPECT_EQ(exchange_.sent, "");
  exchange_.Go();
  loop_.RunReady();
  EXPECT_EQ(exchange_.sent, "one two ") << "no beat stood in the queue";
  Leave();
}

// Nobody would get what a later write sends.
TEST_F(LiveStreamTest, AWriteThatIsRefusedEndsIt) {
  Start("{}");
  exchange_.refuses = true;
  loop_.Advance(1s);
  EXPECT_TRUE(ended_) << "the refused beat was the last";
  EXPECT_EQ(exchange_.sent, "");
  Leave();
}

TEST_F(LiveStreamTest, AClientThatMayNotHaveItAnyMoreGetsNothing) {
  Start("{}");
  loop_.Advance(1s);
  may_ = Error(Code::kPermissionDenied, "Permission denied");
  Write("data");
  ASSERT_EQ(written_.size(), 1u);
  EXPECT_EQ(written_[0].code(), Code::kPermissionDenied);
  EXPECT_TRUE(ended_);
  EXPECT_EQ(exchange_.sent, "{}");
  Leave();
}

TEST_F(LiveStreamTest, ABeatFindsOutThatTheClientMayNotHaveItAnyMore) {
  Start("{}");
  may_ = Error(Code::kPermissionDenied, "Permission denied");
  loop_.Advance(1s);
  EXPECT_TRUE(ended_);
  EXPECT_EQ(exchange_.sent, "");
  Leave();
}

TEST_F(LiveStreamTest, WhoWaitsForATurnHearsThatTheClientHasGone) {
  Start("{}");
  exchange_.Stop();
  Write("one");
  Write("two");
  exchange_.Leave();
  loop_.RunReady();
  ASSERT_EQ(written_.size(), 1u) << "the one whose turn it was not";
  EXPECT_EQ(written_[0].code(), Code::kCancelled);
  Leave();
  EXPECT_EQ(exchange_.sent, "one");
}

}  // namespace
}  // namespace drover
