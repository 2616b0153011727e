// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/event_feed.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <vector>

namespace drover {
namespace {

std::shared_ptr<const EventBatch> Batch(std::uint64_t index, std::size_t nodes,
                                        std::size_t name_size = 4) {
  auto batch = std::make_shared<EventBatch>();
  batch->index = index;
  batch->cause = cause::kNodeStatus;
  for (std::size_t i = 0; i < nodes; ++i) {
    auto node = std::make_shared<NodeRecord>();
    node->id = "node " + std::to_string(i);
    node->name = std::string(name_size, 'n');
    batch->events.push_back({std::shared_ptr<const NodeRecord>(node)});
  }
  return batch;
}

TEST(EventFeedTest, AnEventIsEncodedOnceHoweverManyFollow) {
  EventFeed feed;
  const EventFeed::Follower one(&feed), other(&feed);
  const auto batch = Batch(7, 3);
  const std::string& text = feed.Encoded(batch)->Text(1);
  EXPECT_EQ(nlohmann::json::parse(text)["Key"], "node 1");
  EXPECT_EQ(nlohmann::json::parse(text)["Index"], 7);
  const std::size_t bytes = feed.bytes();
  EXPECT_GE(bytes, text.size());
  std::vector<std::thread> threads;
  std::vector<const std::string*> seen(4);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    threads.emplace_back([&, i] { seen[i] = &feed.Encoded(batch)->Text(1); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string* same : seen) EXPECT_EQ(same, &text) << "it was encoded again";
  EXPECT_EQ(feed.bytes(), bytes) << "what nobody wants is not encoded";
}

TEST(EventFeedTest, KeepsTheNewestWithinItsBoundAndNothingWithoutFollowers) {
  constexpr std::size_t kMost = 64 << 10;
  EventFeed feed(kMost);
  {
    const EventFeed::Follower follower(&feed);
    const auto newest = Batch(1000, 1, 8 << 10);
    const std::string* const text = &feed.Encoded(newest)->Text(0);
    for (std::uint64_t index = 1; index < 100; ++index) {  // somebody reads what is long past
      feed.Encoded(Batch(index, 1, 8 << 10))->Text(0);
    }
    EXPECT_LE(feed.bytes(), kMost + (16 << 10));
    EXPECT_EQ(&feed.Encoded(newest)->Text(0), text) << "all others are at the newest";
  }
  EXPECT_EQ(feed.bytes(), 0u);
}

TEST(EventFeedTest, AllFollowersTogetherWriteAtABoundedRate) {
  EventFeed feed;
  std::vector<std::unique_ptr<EventFeed::Follower>> followers;
  followers.push_back(std::make_unique<EventFeed::Follower>(&feed));
  EXPECT_EQ(feed.Pause(), Duration(0)) << "one follower hears of each write at once";
  while (followers.size() < 1000) {
    followers.push_back(std::make_unique<EventFeed::Follower>(&feed));
    const double writes = static_cast<double>(followers.size()) / (feed.Pause() / 1.0s);
    if (followers.size() >= 10) EXPECT_LE(writes, 5001) << followers.size();
  }
  EXPECT_LE(feed.Pause(), 1s) << "nobody waits long";
}

TEST(EventFeedTest, FollowersAtOnePlaceShareWhatTheyReadNext) {
  EventFeed feed(64 << 10);
  std::optional<EventFeed::Follower> follower(&feed);
  const auto text = std::make_shared<const SharedPiece>(std::string(1000, 'x'));
  feed.Keep("a", {5, 0}, {text, {9, 0}});
  ASSERT_TRUE(feed.Find("a", {5, 0}).has_value());
  EXPECT_EQ(feed.Find("a", {5, 0})->text, text);
  EXPECT_EQ(feed.Find("a", {5, 0})->end, (EventFeed::Position{9, 0}));
  EXPECT_FALSE(feed.Find("b", {5, 0}).has_value()) << "another filter";
  EXPECT_FALSE(feed.Find("a", {5, 1}).has_value()) << "another place";
  for (std::uint64_t next = 10; next < 1000; ++next)
    feed.Keep("a", {next, 0}, {text, {next + 1, 0}});
  EXPECT_FALSE(feed.Find("a", {5, 0}).has_value()) << "the oldest go";
  EXPECT_TRUE(feed.Find("a", {999, 0}).has_value());
  follower.reset();
  EXPECT_FALSE(feed.Find("a", {999, 0}).has_value()) << "nobody follows";
}

TEST(EventFeedTest, ALongFilterCountsToo) {
  EventFeed feed(64 << 10);
  const EventFeed::Follower follower(&feed);
  const std::string filter(16 << 10, 'f');
  for (std::uint64_t next = 1; next <= 10; ++next) feed.Keep(filter, {next, 0}, {});
  int kept = 0;
  for (std::uint64_t next = 1; next <= 10; ++next) kept += feed.Find(filter, {next, 0}) ? 1 : 0;
  EXPECT_LE(kept, 4);
  EXPECT_GE(kept, 3);
}

TEST(SharedPieceTest, IsOneChunk) {
  const SharedPiece piece("0123456789abcdefX");
  EXPECT_EQ(piece.chunk(), "11\r\n0123456789abcdefX\r\n");
  EXPECT_EQ(piece.plain(), "0123456789abcdefX");
}

}  // namespace
}  // namespace drover
