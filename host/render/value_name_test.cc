// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/value_name.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(ValueNameTest, IsThatOfConsulTemplate) {
  EXPECT_EQ(ValueName({"key", {"app/port"}}), "kv.block(app/port)");
  EXPECT_EQ(ValueName({"service", {"web"}}), "health.service(web|passing)");
  EXPECT_EQ(ValueName({"service", {"web|any"}}), "health.service(web|any)");
  EXPECT_EQ(ValueName({"nomadService", {"2", "a", "web"}}), "nomad.service(2 a web)");
  EXPECT_EQ(ValueName({"services", {}}), "catalog.services");
  EXPECT_EQ(ValueName({"newer", {"x"}}), "newer(x)");
}

TEST(ValueNameTest, AnEventNamesTheFirstThree) {
  EXPECT_EQ(MissingText({{"key", {"b"}}, {"key", {"a"}}, {"key", {"b"}}}),
            "Missing: kv.block(a), kv.block(b)");
  EXPECT_EQ(
      MissingText({{"key", {"a"}}, {"key", {"b"}}, {"key", {"c"}}, {"key", {"d"}}, {"key", {"e"}}}),
      "Missing: kv.block(a), kv.block(b), kv.block(c), and 2 more");
}

TEST(ValueNameTest, OtherArgumentsHaveAnotherName) {
  EXPECT_EQ(NameOfArguments({"web", "any"}), " 3:web 3:any");
  EXPECT_NE(NameOfArguments({"web", "any"}), NameOfArguments({"web 3:any"}));
  EXPECT_NE(NameOfArguments({"web\nany"}), NameOfArguments({"web", "any"}));
  EXPECT_EQ(NameOfArguments({}), "");
}

}  // namespace
}  // namespace drover
