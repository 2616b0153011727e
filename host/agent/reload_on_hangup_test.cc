// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/reload_on_hangup.h"

#include <gtest/gtest.h>

#include <csignal>

#include "host/base/event.h"

namespace drover {
namespace {

class ReloadOnHangupTest : public ::testing::Test {
 protected:
  ReloadOnHangupTest() { Count(); }
  ~ReloadOnHangupTest() override {
    delivered_.cancel();
    EXPECT_TRUE(loop_.RunToEnd(reload_.End()));
  }

  void SendHangups(int count) {
    const int before = hangups_;
    for (int i = 0; i < count; ++i) raise(SIGHUP);
    while (hangups_ < before + count) loop_.RunReady();
    loop_.RunReady();
  }
  void LetEnd() {
    may_end_.Set();
    loop_.RunReady();
    may_end_.Reset();
  }

  SimLoop loop_;
  int hangups_ = 0;  // that the loop has delivered
  int begun_ = 0;
  Event may_end_{&loop_};
  ReloadOnHangup reload_{&loop_, [this] { return Reload(); }};

 private:
  void Count() {
    delivered_.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      ++hangups_;
      Count();
    });
  }
  Co<Status> Reload() {
    ++begun_;
    co_await may_end_.Wait();
    co_return Error(Code::kInvalidArgument, "the file is wrong");
  }

  boost::asio::signal_set delivered_{loop_.io(), SIGHUP};
};

TEST_F(ReloadOnHangupTest, ManyDuringAReloadLeadToOneMore) {
  reload_.Listen();
  SendHangups(1);
  EXPECT_EQ(begun_, 1);
  SendHangups(5);
  EXPECT_EQ(begun_, 1) << "two reloads at the same time";
  LetEnd();
  EXPECT_EQ(begun_, 2);
  LetEnd();
  EXPECT_EQ(begun_, 2);
  SendHangups(1);
  EXPECT_EQ(begun_, 3);
  LetEnd();
}

TEST_F(ReloadOnHangupTest, OneThatCameBeforeItListensCounts) {
  SendHangups(1);
  EXPECT_EQ(begun_, 0);
  reload_.Listen();
  loop_.RunReady();
  EXPECT_EQ(begun_, 1);
  LetEnd();
}

}  // namespace
}  // namespace drover
