// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/service_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace drover {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::shared_ptr<const ServiceRegistration>> Instances(int count) {
  std::vector<std::shared_ptr<const ServiceRegistration>> all;
  for (int i = 0; i < count; ++i) {
    auto service = std::make_shared<ServiceRegistration>();
    service->id = "_nomad-task-" + std::to_string(i);
    all.push_back(std::move(service));
  }
  return all;
}

std::string OneOf(const std::vector<std::shared_ptr<const ServiceRegistration>>& all, int client) {
  return ChooseServices(all, {1, "client-" + std::to_string(client)}).at(0)->id;
}

TEST(ServiceChoiceTest, IsANumberAndAKey) {
  const auto choice = ParseServiceChoice("2|10.0.0.1");
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice->count, 2u);
  EXPECT_EQ(choice->key, "10.0.0.1");
  for (const char* text : {"", "2", "|", "2|", "|k", "0|k", "-1|k", "+1|k", "x|k", "1 |k", "1|k|l",
                           "99999999999|k", "1.5|k"}) {
    const auto refused = ParseServiceChoice(text);
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_EQ(refused.code(), Code::kInvalidArgument) << text;
    EXPECT_NE(refused.error().message().find(text), std::string::npos) << text;
  }
}

TEST(ServiceChoiceTest, ReturnsNoMoreThanThereAre) {
  EXPECT_THAT(ChooseServices({}, {3, "k"}), IsEmpty());
  EXPECT_THAT(ChooseServices(Instances(2), {3, "k"}), SizeIs(2));
  const auto three = ChooseServices(Instances(5), {3, "k"});
  ASSERT_THAT(three, SizeIs(3));
  const std::set<std::string> ids = {three[0]->id, three[1]->id, three[2]->id};
  EXPECT_THAT(ids, SizeIs(3)) << "one of them twice";
}

TEST(ServiceChoiceTest, DoesNotDependOnTheOrder) {
  auto all = Instances(20);
  const auto before = ChooseServices(all, {5, "k"});
  std::reverse(all.begin(), all.end());
  EXPECT_EQ(ChooseServices(all, {5, "k"}), before);
  // Who wants more gets the same ones first.
  const auto more = ChooseServices(all, {6, "k"});
  EXPECT_TRUE(std::equal(before.begin(), before.end(), more.begin()));
}

TEST(ServiceChoiceTest, ClientsSpreadOverAllInstances) {
  const auto all = Instances(10);
  std::map<std::string, int> clients;
  for (int client = 0; client < 2000; ++client) ++clients[OneOf(all, client)];
  EXPECT_THAT(clients, SizeIs(10));
  for (const auto& [id, count] : clients) {
    EXPECT_GT(count, 120) << id;
    EXPECT_LT(count, 280) << id;
  }
}

TEST(ServiceChoiceTest, AnInstanceThatGoesMovesOnlyItsOwnClients) {
  const auto all = Instances(10);
  auto rest = all;
  const std::string gone = rest[3]->id;
  rest.erase(rest.begin() + 3);
  for (int client = 0; client < 500; ++client) {
    const std::string before = OneOf(all, client);
    if (before != gone) {
      EXPECT_EQ(OneOf(rest, client), before);
    }
  }
}

}  // namespace
}  // namespace drover
