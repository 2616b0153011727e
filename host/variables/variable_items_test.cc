// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/variables/variable_items.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/base/ids.h"
#include "host/identity/aes_gcm.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

SealKey RandomKey() {
  SecretBytes bytes(kAesKeyBytes);
  RandomBytes(bytes.data(), bytes.size());
  return SealKey(std::move(bytes));
}

std::string FaultOf(const json& items) {
  const Status checked = CheckItems(items);
  return checked.ok() ? "" : checked.error().message();
}

TEST(VariableItemsTest, ItemsAreTexts) {
  EXPECT_EQ(FaultOf({{"a", "1"}, {"b.c", ""}}), "");
  EXPECT_THAT(FaultOf(nullptr), HasSubstr("has no Items"));
  EXPECT_THAT(FaultOf(json::object()), HasSubstr("has no Items"));
  EXPECT_THAT(FaultOf(json::array({"a"})), HasSubstr("must be an object of texts"));
  EXPECT_THAT(FaultOf({{"", "x"}}), HasSubstr("an empty name"));
  EXPECT_EQ(FaultOf({{"a", 1}}), "Items: \"a\" must be a text");
  EXPECT_EQ(FaultOf({{"a", json::array({"hunter2"})}}), "Items: \"a\" must be a text")
      << "an error contains no value";
}

TEST(VariableItemsTest, NamesAndValuesCountForTheLimit) {
  EXPECT_EQ(FaultOf({{"abc", std::string(kMostItemBytes - 3, 'x')}}), "");
  EXPECT_THAT(FaultOf({{"abc", std::string(kMostItemBytes - 2, 'x')}}),
              HasSubstr("the items have 65537 bytes"));
  json many = json::object();
  for (int i = 0; i < 10'000; ++i) many["name" + std::to_string(i)] = "v";
  EXPECT_THAT(FaultOf(many), HasSubstr("use several variables"));
}

TEST(VariableItemsTest, OnlyTheirOwnRecordOpensThem) {
  const SealKey key = RandomKey();
  const std::string items = R"({"password":"hunter2"})";
  VariableRecord record;
  record.name_space = "default";
  record.path = "a/b";
  record.sealed_items = SealItems(key, "default", "a/b", items).value();
  EXPECT_THAT(record.sealed_items, Not(HasSubstr("hunter2")));
  EXPECT_EQ(OpenItems(key, record).value().view(), items);
  EXPECT_NE(record.sealed_items, SealItems(key, "default", "a/b", items).value())
      << "equal items do not look equal";
  VariableRecord moved = record;
  moved.path = "a/c";
  EXPECT_EQ(OpenItems(key, moved).code(), Code::kFailedPrecondition);
  moved = record;
  moved.name_space = "other";
  EXPECT_EQ(OpenItems(key, moved).code(), Code::kFailedPrecondition);
  moved = record;
  moved.sealed_items.back() ^= 1;
  EXPECT_EQ(OpenItems(key, moved).code(), Code::kFailedPrecondition);
  const Result<SecretBytes> foreign = OpenItems(RandomKey(), record);
  ASSERT_FALSE(foreign.ok());
  EXPECT_THAT(foreign.error().message(), HasSubstr("the variable \"a/b\" cannot be opened"));
}

TEST(VariableItemsTest, AWipedTreeHasNoTexts) {
  json value = {{"Items", {{"password", "hunter2"}}}, {"list", {"a", 1, nullptr}}};
  WipeJson(&value);
  const json wiped = {{"Items", {{"password", ""}}}, {"list", {"", 1, nullptr}}};
  EXPECT_EQ(value, wiped);
}

}  // namespace
}  // namespace drover
