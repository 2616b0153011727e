// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/connection_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "host/http/http_server.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ConnectionTableTest : public ::testing::Test {
 protected:
  using Place = std::unique_ptr<ConnectionTable::Place>;
  // Adds a connection; its number is in closed_ once it had to go.
  Place Add(const std::string& client, bool is_short = false, const std::string& group = "") {
    return table_.Add({client, group}, is_short,
                      [this, number = ++count_] { closed_.push_back(number); });
  }
  Place AddTrusted(const std::string& client) {
    Place place = Add(client);
    place->Trust();
    return place;
  }
  Place AddOf(const std::string& group, const std::string& client) {
    return Add(client, false, group);
  }

  ConnectionTable table_{5, 3};
  int count_ = 0;
  std::vector<int> closed_;
};

TEST_F(ConnectionTableTest, AClientsOldestStrangerMakesRoomForItsNext) {
  const Place first = AddTrusted("a"), second = Add("a"), third = Add("a");
  const Place other = Add("b");
  EXPECT_THAT(closed_, IsEmpty());
  const Place fourth = AddTrusted("a");
  EXPECT_THAT(closed_, ElementsAre(2));
  const Place fifth = AddTrusted("a");
  EXPECT_THAT(closed_, ElementsAre(2, 3));
  EXPECT_EQ(Add("a"), nullptr) << "who has shown that it may be here stays";
  EXPECT_EQ(table_.total(), 4);
  second->Trust();  // too late, and harmless
  EXPECT_NE(Add("b"), nullptr);
}

TEST_F(ConnectionTableTest, OfAllTheOldestOfWhoHasTheMostStrangersGoes) {
  const Place one = Add("a"), two = Add("b"), three = Add("b"), four = AddTrusted("c"),
              five = AddTrusted("c");
  const Place six = AddTrusted("d");
  EXPECT_THAT(closed_, ElementsAre(2));
  const Place seven = AddTrusted("d"), eight = AddTrusted("e");
  EXPECT_EQ(closed_.size(), 3u);
  EXPECT_EQ(Add("f"), nullptr);
  EXPECT_EQ(table_.total(), 5);
}

TEST_F(ConnectionTableTest, WithoutRoomForOneMoreAStrangerGoesToo) {
  EXPECT_EQ(Add("a", true), nullptr);
  const Place one = Add("a");
  const Place two = Add("b", true);
  EXPECT_NE(two, nullptr);
  EXPECT_THAT(closed_, ElementsAre(2));
  EXPECT_EQ(table_.total(), 1);
}

TEST_F(ConnectionTableTest, ForgetsWhoHasLeft) {
  for (int i = 0; i < 100; ++i) {
    std::vector<Place> places;
    for (int k = 0; k < 4; ++k) places.push_back(Add("a"));
    EXPECT_EQ(table_.total(), 3);
  }
  EXPECT_EQ(table_.total(), 0);
}

TEST_F(ConnectionTableTest, TheGroupWithTheMostMakesRoomForOneWithFewer) {
  const Place one = AddOf("a", "a1"), two = AddOf("a", "a1"), three = AddOf("a", "a1"),
              four = AddOf("a", "a2"), five = AddOf("a", "a2");
  for (const Place* place : {&one, &two, &three, &four, &five}) {
    (*place)->Trust();
    (*place)->SetIdle(place == &one || place == &two || place == &four);
  }
  one->SetIdle(false);
  const Place b1 = AddOf("b", "b");
  EXPECT_THAT(closed_, ElementsAre(2)) << "its oldest idle one";
  const Place b2 = AddOf("b", "b");
  EXPECT_THAT(closed_, ElementsAre(2, 4)) << "not the stranger of the group that asks";
  b1->Trust();
  b2->Trust();
  EXPECT_EQ(AddOf("b", "b"), nullptr) << "they would only exchange a connection";
  EXPECT_EQ(AddOf("a", "a2"), nullptr) << "it has the most itself";
  EXPECT_THAT(closed_, ElementsAre(2, 4));
  const Place c = AddOf("c", "c");
  EXPECT_THAT(closed_, ElementsAre(2, 4, 1)) << "its oldest one, since none is idle";
  EXPECT_EQ(table_.total(), 5);
}

TEST_F(ConnectionTableTest, AGroupClosesNoConnectionOfOneWithFewer) {
  const Place stranger = AddOf("b", "b");
  std::vector<Place> many;
  for (int i = 0; i < 10; ++i) many.push_back(AddOf("a", "a" + std::to_string(i)));
  EXPECT_THAT(closed_, ElementsAre(2, 3, 4, 5, 6, 7));
  for (const Place& place : many) place->Trust();
  EXPECT_EQ(AddOf("a", "other"), nullptr);
  const Place next = AddOf("b", "b");
  EXPECT_NE(next, nullptr);
  EXPECT_THAT(closed_, ElementsAre(2, 3, 4, 5, 6, 7, 8));
}

TEST_F(ConnectionTableTest, OfEqualGroupsTheOneWithStrangersMakesRoom) {
  const Place one = AddOf("a", "a"), two = AddOf("a", "a"), three = AddOf("b", "b"),
              four = AddOf("b", "b"), five = AddOf("c", "c");
  for (const Place* place : {&one, &two, &five}) (*place)->Trust();
  const Place again = AddOf("a", "a");
  EXPECT_NE(again, nullptr);
  EXPECT_THAT(closed_, ElementsAre(3));
}

// As many as an agent accepts by default.
TEST(DefaultLimitsTest, AThousandFollowersOfOneUserKeepNobodyOut) {
  const HttpServerOptions defaults;
  ConnectionTable table(defaults.max_connections, defaults.max_connections_per_client);
  int closed = 0;
  std::vector<std::unique_ptr<ConnectionTable::Place>> places;
  for (int i = 0; i < 1000; ++i) {
    places.push_back(table.Add({"user", ""}, false, [&closed] { ++closed; }));
    ASSERT_NE(places.back(), nullptr) << i;
    places.back()->Trust();
  }
  for (const char* client : {"user", "other"}) {
    places.push_back(table.Add({client, ""}, false, [&closed] { ++closed; }));
    EXPECT_NE(places.back(), nullptr) << client;
  }
  EXPECT_EQ(closed, 0);
  places.clear();
}

}  // namespace
}  // namespace drover
