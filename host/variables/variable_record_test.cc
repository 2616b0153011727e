// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/variables/variable_record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace drover {
namespace {

VariableRecord Example() {
  VariableRecord record;
  record.name_space = "default";
  record.path = "nomad/jobs/web";
  record.sealed_items = std::string("\0\xff\x01 sealed", 10);
  record.create_index = 7;
  record.modify_index = 9;
  record.create_time = 1'700'000'000'000'000'000;
  record.modify_time = 1'700'000'000'000'000'001;
  return record;
}

TEST(VariableRecordTest, IsReadAsItWasWritten) {
  EXPECT_EQ(ReadVariable(VariableText(Example())).value(), Example());
}

TEST(VariableRecordTest, DamageIsAnError) {
  const nlohmann::json whole = nlohmann::json::parse(VariableText(Example()));
  for (const auto& [name, value] : whole.items()) {
    nlohmann::json damaged = whole;
    damaged.erase(name);
    EXPECT_FALSE(ReadVariable(damaged.dump()).ok()) << name;
    damaged[name] = nlohmann::json::array();
    EXPECT_FALSE(ReadVariable(damaged.dump()).ok()) << name;
  }
  nlohmann::json damaged = whole;
  damaged["SealedItems"] = "?";
  EXPECT_FALSE(ReadVariable(damaged.dump()).ok());
  damaged["SealedItems"] = "";
  EXPECT_FALSE(ReadVariable(damaged.dump()).ok());
  for (const char* text : {"", "{", "[]", "7"}) EXPECT_FALSE(ReadVariable(text).ok()) << text;
}

TEST(VariableRecordTest, NoTwoHaveTheSameId) {
  EXPECT_EQ(VariableId("default", "a/b"), "default/a/b");
  EXPECT_NE(VariableId("a", "b/c"), VariableId("a-b", "c"));
}

}  // namespace
}  // namespace drover
