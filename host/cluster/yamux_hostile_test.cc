// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What a peer that breaks the rules can do.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "host/base/seed_for_test.h"
#include "host/cluster/socket_pair_for_test.h"
#include "host/cluster/yamux_session.h"

namespace drover {
namespace {

class YamuxHostileTest : public testing::Test {
 protected:
  void Start(YamuxLimits limits = {}) {
    session_ = std::make_unique<YamuxSession>(
        &loop_, peer_.Connect(&loop_), YamuxSession::Side::kDialer, limits,
        [this](std::unique_ptr<YamuxStream> stream) { got_.push_back(std::move(stream)); });
    loop_.Spawn(RunHostile(session_.get(), context_));
    loop_.RunReady();
  }
  ~YamuxHostileTest() override {
    context_.Cancel();
    loop_.RunReady();
  }
  static Co<void> RunHostile(YamuxSession* session, Context context) {
    (void)co_await session->Run(context);
  }
  void Send(YamuxType type, std::uint16_t flags, std::uint32_t stream, std::uint32_t length) {
    peer_.SendHead(type, flags, stream, length);
    loop_.RunReady();
  }
  // Returns whether the session has ended with a go-away for the peer.
  bool Broken() {
    const std::string sent = peer_.Receive();
    return session_->ended() && sent.ends_with(HeadForTest(YamuxType::kGoAway, 0, 0, 1));
  }

  SimLoop loop_;
  Context context_{&loop_};
  RawPeerForTest peer_;
  std::unique_ptr<YamuxSession> session_;
  std::vector<std::unique_ptr<YamuxStream>> got_;
};

TEST_F(YamuxHostileTest, EachStreamIsAcknowledgedOnce) {
  Start();
  Send(YamuxType::kWindow, kYamuxSyn, 2, 0);
  Send(YamuxType::kWindow, 0, 2, 10);
  EXPECT_EQ(peer_.Receive(), HeadForTest(YamuxType::kWindow, kYamuxAck, 2, 0));
  EXPECT_EQ(got_.size(), 1u);
}

TEST_F(YamuxHostileTest, AnUnknownVersion) {
  Start();
  peer_.Send(std::string(12, '\x01'));
  loop_.RunReady();
  EXPECT_TRUE(Broken());
}

TEST_F(YamuxHostileTest, AnIdOfThisSide) {
  Start();
  Send(YamuxType::kWindow, kYamuxSyn, 3, 0);
  EXPECT_TRUE(Broken());
}

TEST_F(YamuxHostileTest, AStreamThatIsOpenedTwice) {
  Start();
  Send(YamuxType::kWindow, kYamuxSyn, 2, 0);
  Send(YamuxType::kWindow, kYamuxSyn, 2, 0);
  EXPECT_TRUE(Broken());
}

TEST_F(YamuxHostileTest, AStreamThatIsEndedTwice) {
  Start();
  Send(YamuxType::kWindow, kYamuxSyn | kYamuxFin, 2, 0);
  EXPECT_FALSE(session_->ended().has_value());
  Send(YamuxType::kWindow, kYamuxFin, 2, 0);
  EXPECT_TRUE(Broken());
}

TEST_F(YamuxHostileTest, MoreDataThanTheWindow) {
  Start();
  Send(YamuxType::kData, kYamuxSyn, 2, 1);
  peer_.Send("x");
  Send(YamuxType::kData, 0, 2, kYamuxWindow);
  EXPECT_TRUE(Broken());
}

TEST_F(YamuxHostileTest, AHugeFrameForAnUnknownStream) {
  Start();
  Send(YamuxType::kData, 0, 8, 0xffffffff);
  EXPECT_TRUE(Broken());
}

TEST_F(YamuxHostileTest, FramesOfUnknownStreamsAreDropped) {
  Start();
  Send(YamuxType::kData, 0, 8, 3);
  peer_.Send("abc");
  Send(YamuxType::kWindow, kYamuxRst, 8, 0);
  Send(YamuxType::kPing, kYamuxSyn, 0, 77);
  EXPECT_EQ(peer_.Receive(), HeadForTest(YamuxType::kPing, kYamuxAck, 0, 77));
  EXPECT_FALSE(session_->ended().has_value());
}

TEST_F(YamuxHostileTest, TooManyStreamsAreReset) {
  YamuxLimits limits;
  limits.peer_streams = 2;
  Start(limits);
  for (std::uint32_t id = 2; id <= 4; id += 2) Send(YamuxType::kWindow, kYamuxSyn, id, 0);
  peer_.Receive();
  // A reset stream whose handler still runs counts, too.
  Send(YamuxType::kWindow, kYamuxRst, 2, 0);
  Send(YamuxType::kWindow, kYamuxSyn, 6, 0);
  EXPECT_EQ(peer_.Receive(), HeadForTest(YamuxType::kWindow, kYamuxRst, 6, 0));
  got_.erase(got_.begin());
  Send(YamuxType::kWindow, kYamuxSyn, 8, 0);
  EXPECT_EQ(peer_.Receive(), HeadForTest(YamuxType::kWindow, kYamuxAck, 8, 0));
}

TEST_F(YamuxHostileTest, UnreadBytesOfAllStreamsAreLimited) {
  YamuxLimits limits;
  limits.unread = 1000;
  Start(limits);
  for (std::uint32_t id = 2; id <= 4; id += 2) {
    peer_.SendHead(YamuxType::kData, kYamuxSyn, id, 700);
    peer_.Send(std::string(700, 'x'));
    loop_.RunReady();
  }
  EXPECT_EQ(session_->unread(), 700u);
  EXPECT_TRUE(peer_.Receive().ends_with(HeadForTest(YamuxType::kWindow, kYamuxRst, 4, 0)));
  EXPECT_FALSE(session_->ended().has_value());
}

TEST_F(YamuxHostileTest, APeerThatDoesNotAnswerPings) {
  Start();
  loop_.Advance(39s);
  EXPECT_FALSE(session_->ended().has_value());
  loop_.Advance(2s);
  ASSERT_TRUE(session_->ended().has_value());
  EXPECT_EQ(session_->ended()->code(), Code::kTimeout);
}

TEST_F(YamuxHostileTest, APeerThatFloodsWithPingsAndReadsNothing) {
  Start();
  const std::string ping = HeadForTest(YamuxType::kPing, kYamuxSyn, 0, 1);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += ping;
  for (int i = 0; i < 200 && !session_->ended(); ++i) {
    peer_.Send(many);
    loop_.RunReady();
  }
  EXPECT_TRUE(session_->ended().has_value());
}

// A server whose accept loop has not read the first byte of a stream ends the connection when the
// stream is reset.
TEST_F(YamuxHostileTest, AStreamThatIsGivenUpIsResetAfterItsAcknowledgement) {
  Start();
  auto stream = session_->Open("\x01");
  ASSERT_TRUE(stream.ok());
  stream->reset();
  loop_.RunReady();
  EXPECT_EQ(peer_.Receive(), HeadForTest(YamuxType::kWindow, kYamuxSyn, 1, 0) +
                                 HeadForTest(YamuxType::kData, 0, 1, 1) + "\x01" +
                                 HeadForTest(YamuxType::kWindow, kYamuxFin, 1, 0));
  EXPECT_EQ(session_->streams(), 1u);
  Send(YamuxType::kWindow, kYamuxAck, 1, 0);
  EXPECT_EQ(peer_.Receive(), HeadForTest(YamuxType::kWindow, kYamuxRst, 1, 0));
  EXPECT_EQ(session_->streams(), 0u);
}

TEST_F(YamuxHostileTest, AfterAGoAwayNoStreamIsOpened) {
  Start();
  Send(YamuxType::kGoAway, 0, 0, kYamuxNormal);
  EXPECT_FALSE(session_->Open("x").ok());
  EXPECT_FALSE(session_->ended().has_value());
  Send(YamuxType::kGoAway, 0, 0, 2);
  EXPECT_TRUE(session_->ended().has_value());
}

TEST_F(YamuxHostileTest, RandomBytesCostNothing) {
  for (std::uint64_t seed = FirstSeed(), end = seed + 50; seed != end; ++seed) {
    SCOPED_TRACE(HowToRepeat(seed));
    std::mt19937_64 random(seed);
    RawPeerForTest peer;
    std::vector<std::unique_ptr<YamuxStream>> streams;
    YamuxLimits limits;
    limits.unread = 100'000;
    YamuxSession session(
        &loop_, peer.Connect(&loop_), YamuxSession::Side::kDialer, limits,
        [&](std::unique_ptr<YamuxStream> stream) { streams.push_back(std::move(stream)); });
    Context context(&loop_);
    loop_.Spawn(RunHostile(&session, context));
    for (int i = 0; i < 200 && !session.ended(); ++i) {
      const auto type = static_cast<YamuxType>(random() % 3);
      const auto length = static_cast<std::uint32_t>(random() % 3000);
      peer.SendHead(type, static_cast<std::uint16_t>(random() % 16),
                    static_cast<std::uint32_t>(2 * (random() % 20)), length);
      if (type == YamuxType::kData) peer.Send(std::string(length, 'x'));
      loop_.RunReady();
      ASSERT_LE(session.unread(), 100'000u + kYamuxWindow);
      peer.Receive();
    }
    context.Cancel();
    loop_.RunReady();
  }
}

}  // namespace
}  // namespace drover
