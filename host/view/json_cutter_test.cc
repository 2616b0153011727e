// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/json_cutter.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace drover {
namespace {

TEST(JsonCutterTest, CutsObjectsAcrossPieces) {
  JsonCutter cutter;
  std::vector<std::string> objects;
  const auto take = [&](const std::string& object) { objects.push_back(object); };
  const std::string all = R"({}{"a":{"b":"}\"{"}})"
                          "\n\n"
                          R"({"c":"\\"})";
  for (const char c : all) cutter.Add(std::string_view(&c, 1), take);
  cutter.Add("{\"cut", take);
  EXPECT_EQ(objects, (std::vector<std::string>{"{}", R"({"a":{"b":"}\"{"}})", R"({"c":"\\"})"}));
}

}  // namespace
}  // namespace drover
