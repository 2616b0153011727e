// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/stream_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/abi/abi_write.h"

namespace drover {
namespace {

class StreamTableTest : public testing::Test {
 protected:
  StreamTableTest() : port_(std::make_shared<LoopPort>(&loop_)) {
    table_ = std::make_shared<StreamTable>(
        port_, [this](const std::string& what) { complaints_.push_back(what); });
  }
  ~StreamTableTest() override { port_->Close(); }

  std::int32_t Send(std::uint64_t id, const std::string& description) {
    auto message = NewStruct<drover_fingerprint>();
    message.type = DROVER_MESSAGE_FINGERPRINT;
    message.health = DROVER_HEALTHY;
    message.description = ToStr(description);
    const void* whole = &message;
    return table_->Send(id, static_cast<const drover_message*>(whole));
  }

  SimLoop loop_;
  const std::shared_ptr<LoopPort> port_;
  std::shared_ptr<StreamTable> table_;
  std::vector<std::string> complaints_;
};

TEST_F(StreamTableTest, MessagesComeInOrderAndTheEndBehindThem) {
  std::vector<std::string> heard;
  std::uint64_t id = 0;
  id = table_->Open(
      DROVER_MESSAGE_FINGERPRINT,
      [&](const StreamMessage& message) {
        heard.push_back(std::get<Fingerprint>(message).description);
        if (heard.size() == 2) EXPECT_EQ(Send(id, "c"), 0);  // while the first two are handed out
      },
      [&](const std::optional<Error>& error) { heard.push_back(error ? "error" : "end"); });
  EXPECT_EQ(Send(id, "a"), 0);
  EXPECT_EQ(Send(id, "b"), 0);
  loop_.RunReady();
  EXPECT_EQ(Send(id, "d"), 0);
  table_->End(id, nullptr);
  EXPECT_EQ(Send(id, "late"), 1);
  loop_.RunReady();
  EXPECT_EQ(heard, (std::vector<std::string>{"a", "b", "c", "d", "end"}));
  EXPECT_EQ(table_->size(), 0u);
  EXPECT_TRUE(complaints_.empty());
}

// A stream that sends faster than it is heard does not keep the loop from everything else.
TEST_F(StreamTableTest, AFloodLeavesTheLoopItsTurns) {
  constexpr int kTooMany = 100'000;
  int heard = 0;
  int heard_before_the_loop = 0;
  std::uint64_t id = 0;
  id = table_->Open(
      DROVER_MESSAGE_FINGERPRINT,
      [&](const StreamMessage&) {
        if (++heard < kTooMany) EXPECT_EQ(Send(id, "more"), 0);
      },
      [](const std::optional<Error>&) {});
  ASSERT_EQ(Send(id, "first"), 0);
  loop_.Post([&] {
    heard_before_the_loop = heard;
    table_->Close(id);
  });
  loop_.RunReady();
  EXPECT_GE(heard_before_the_loop, 1);
  EXPECT_LE(heard_before_the_loop, 256);
  EXPECT_EQ(heard, heard_before_the_loop) << "it was closed";
}

// A full queue keeps the last health, since only the newest counts, and the first events.
TEST_F(StreamTableTest, AFullQueueKeepsTheNewestHealthAndTheOldestEvents) {
  constexpr int kSent = 300;
  std::vector<std::string> health;
  const std::uint64_t told = table_->Open(
      DROVER_MESSAGE_FINGERPRINT,
      [&](const StreamMessage& message) {
        health.push_back(std::get<Fingerprint>(message).description);
      },
      [](const std::optional<Error>&) {});
  std::vector<std::string> heard;
  const std::uint64_t events = table_->Open(
      DROVER_MESSAGE_EVENT,
      [&](const StreamMessage& message) {
        heard.push_back(std::get<DriverEvent>(message).message);
      },
      [](const std::optional<Error>&) {});
  for (int i = 0; i < kSent; ++i) {
    const std::string text = std::to_string(i);
    EXPECT_EQ(Send(told, text), 0);
    auto event = NewStruct<drover_event>();
    event.type = DROVER_MESSAGE_EVENT;
    event.message = ToStr(text);
    const void* whole = &event;
    EXPECT_EQ(table_->Send(events, static_cast<const drover_message*>(whole)), 0);
  }
  loop_.RunReady();
  ASSERT_EQ(health.size(), 256u);
  EXPECT_EQ(health[254], "254");
  EXPECT_EQ(health[255], "299");
  ASSERT_EQ(heard.size(), 256u);
  EXPECT_EQ(heard[255], "255");
  EXPECT_EQ(table_->lost(), kSent - 256);
}

}  // namespace
}  // namespace drover
