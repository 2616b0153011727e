// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/yamux_session.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/base/await_for_test.h"
#include "host/cluster/socket_pair_for_test.h"

namespace drover {
namespace {

// Two sessions that talk with each other.
class YamuxSessionTest : public testing::Test {
 protected:
  YamuxSessionTest() {
    auto pair = StreamPairForTest(&loop_);
    node_ = std::make_unique<YamuxSession>(
        &loop_, std::move(pair.first), YamuxSession::Side::kDialer, YamuxLimits(),
        [this](std::unique_ptr<YamuxStream> stream) { node_got_.push_back(std::move(stream)); });
    server_ = std::make_unique<YamuxSession>(
        &loop_, std::move(pair.second), YamuxSession::Side::kAcceptor, YamuxLimits(),
        [this](std::unique_ptr<YamuxStream> stream) { server_got_.push_back(std::move(stream)); });
    loop_.Spawn(RunSession(node_.get(), context_));
    loop_.Spawn(RunSession(server_.get(), context_));
    loop_.RunReady();
  }
  ~YamuxSessionTest() override {
    context_.Cancel();
    loop_.RunReady();
  }
  static Co<void> RunSession(YamuxSession* session, Context context) {
    (void)co_await session->Run(context);
  }
  static Co<void> WriteAll(YamuxStream* stream, Context context, std::string bytes, bool* done) {
    const Status written = co_await stream->Write(context, std::move(bytes));
    *done = written.ok();
  }
  std::string Read(YamuxStream* stream, std::size_t most = 1 << 20) {
    const auto read = AwaitForTest(&loop_, stream->Read(context_, most));
    return read.ok() ? *read : "error: " + read.error().message();
  }

  SimLoop loop_;
  Context context_{&loop_};
  std::unique_ptr<YamuxSession> node_;
  std::unique_ptr<YamuxSession> server_;
  std::vector<std::unique_ptr<YamuxStream>> node_got_;
  std::vector<std::unique_ptr<YamuxStream>> server_got_;
};

TEST_F(YamuxSessionTest, StreamsGoInBothDirections) {
  auto mine = node_->Open("\x01");
  auto theirs = server_->Open("hello");
  loop_.RunReady();
  ASSERT_EQ(server_got_.size(), 1u);
  ASSERT_EQ(node_got_.size(), 1u);
  EXPECT_EQ((*mine)->id(), 1u);
  EXPECT_EQ(node_got_[0]->id(), 2u);
  EXPECT_EQ(Read(server_got_[0].get()), "\x01");
  EXPECT_EQ(Read(node_got_[0].get(), 2), "he");
  EXPECT_EQ(Read(node_got_[0].get()), "llo");
  (*theirs)->CloseSend();
  (*theirs)->CloseSend();
  EXPECT_EQ(Read(node_got_[0].get()), "");
  node_got_[0]->CloseSend();
  loop_.RunReady();
  EXPECT_EQ(node_->streams(), 1u);
  EXPECT_EQ(server_->streams(), 1u);
}

TEST_F(YamuxSessionTest, AWriterWaitsForTheReader) {
  auto mine = node_->Open("");
  loop_.RunReady();
  const std::string sent(3 * kYamuxWindow + 5, 'x');
  bool done = false;
  loop_.Spawn(WriteAll(mine->get(), context_, sent, &done));
  loop_.RunReady();
  EXPECT_FALSE(done);
  EXPECT_EQ(server_->unread(), kYamuxWindow);
  std::size_t got = 0;
  while (got < sent.size()) {
    const std::string piece = Read(server_got_[0].get(), 100'000);
    ASSERT_FALSE(piece.empty());
    ASSERT_EQ(piece.find_first_not_of('x'), std::string::npos);
    got += piece.size();
    loop_.RunReady();
  }
  EXPECT_TRUE(done);
  EXPECT_EQ(got, sent.size());
  EXPECT_EQ(server_->unread(), 0u);
}

TEST_F(YamuxSessionTest, AResetEndsOneStreamOnly) {
  auto first = node_->Open("a");
  auto second = node_->Open("b");
  loop_.RunReady();
  server_got_[0]->Reset();
  loop_.RunReady();
  EXPECT_NE(Read(first->get()).find("was reset"), std::string::npos);
  bool done = false;
  loop_.Spawn(WriteAll(second->get(), context_, "more", &done));
  loop_.RunReady();
  EXPECT_TRUE(done);
  EXPECT_EQ(Read(server_got_[1].get()), "bmore");
  EXPECT_FALSE(node_->ended().has_value());
}

TEST_F(YamuxSessionTest, PingsKeepItAlive) {
  loop_.Advance(10min);
  EXPECT_TRUE(node_->usable());
  EXPECT_TRUE(server_->usable());
}

TEST_F(YamuxSessionTest, TheEndOfTheSessionEndsItsStreams) {
  auto mine = node_->Open("a");
  loop_.RunReady();
  server_->Close(Error(Code::kUnavailable, "over"));
  loop_.RunReady();
  EXPECT_TRUE(node_->ended().has_value());
  EXPECT_NE(Read(mine->get()).find("error: "), std::string::npos);
  EXPECT_FALSE(node_->Open("b").ok());
}

}  // namespace
}  // namespace drover
