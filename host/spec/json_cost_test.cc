// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/json_cost.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace drover {
namespace {

std::string Many(const std::string& element, std::size_t count) {
  std::string list = "[" + element;
  for (std::size_t i = 1; i < count; ++i) list += "," + element;
  return list + "]";
}

std::string Members(std::size_t count) {
  std::string object = "{\"k\":1";
  for (std::size_t i = 0; i < count; ++i) object += ",\"key" + std::to_string(i) + "\":\"v\"";
  return object + "}";
}

TEST(JsonCostTest, IsCloseToWhatTheTreeTakes) {
  if (mallinfo2().uordblks == 0) GTEST_SKIP() << "this allocator does not say what it has given";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"empty objects", Many("{}", 100'000)},
      {"empty lists", Many("[]", 100'000)},
      {"numbers", Many("1", 300'000)},
      {"short texts", Many("\"a\"", 100'000)},
      {"a long text", Many("\"" + std::string(10'000'000, 'x') + "\"", 1)},
      {"members", Members(50'000)},
      {"small objects", Many(R"({"Name":"web","Count":1,"Tags":["a","b"]})", 30'000)},
      {"braces in a text", Many("\"{[{[,:,:\\\"{{{{\"", 50'000)},
  };
  for (const auto& [name, text] : cases) {
    const auto before = mallinfo2();
    const nlohmann::json tree = nlohmann::json::parse(text);
    const auto after = mallinfo2();
    const double real =
        static_cast<double>(after.uordblks + after.hblkhd - before.uordblks - before.hblkhd);
    const auto cost = static_cast<double>(JsonCost(text));
    EXPECT_GE(cost, 0.7 * real) << name << ": " << real;
    EXPECT_LE(cost, 3 * real) << name << ": " << real;
  }
}

TEST(JsonCostTest, TakesAnyText) {
  for (const char* text : {"", "\"", "\"\\", "{", "[[[[", "\\\"", "{\"a\":"}) {
    EXPECT_GT(JsonCost(text), 0u) << text;
  }
}

}  // namespace
}  // namespace drover
