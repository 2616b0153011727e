// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "host/encode/encode.h"

namespace drover {
namespace {

TEST(EncodeVariableTest, OnlyTheWholeVariableHasItems) {
  VariableRecord variable;
  variable.name_space = "default";
  variable.path = "a/b";
  variable.sealed_items = "sealed";
  variable.create_index = 3;
  variable.modify_index = 5;
  variable.create_time = 7;
  variable.modify_time = 9;
  const nlohmann::json metadata = {{"Namespace", "default"}, {"Path", "a/b"},   {"CreateIndex", 3},
                                   {"ModifyIndex", 5},       {"CreateTime", 7}, {"ModifyTime", 9}};
  EXPECT_EQ(EncodeVariableMetadata(variable), metadata);
  nlohmann::json whole = metadata;
  whole["Items"] = {{"user", "me"}, {"password", "\"}"}};
  EXPECT_EQ(nlohmann::json::parse(VariableWithItems(variable, R"({"user":"me","password":"\"}"})")),
            whole);
  whole["Items"] = nullptr;
  EXPECT_EQ(nlohmann::json::parse(VariableWithItems(variable, "null")), whole);
}

}  // namespace
}  // namespace drover
