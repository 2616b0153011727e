// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/device_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace drover {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::ElementsAre;

std::vector<std::string> DeviceLines(const TextTable& table) {
  return table.Lines(0, [](Terminal::Colour, std::string_view text) { return std::string(text); });
}

TEST(DeviceTablesTest, StatisticsHaveOneLineEach) {
  const json stats = json::parse(R"({"Tasks": {"t": {"ResourceUsage": {"DeviceStats": [
      {"Vendor": "linux", "Type": "loop", "Name": "loop", "InstanceStats": {
        "loop0": {"Stats": {"Attributes": {
          "size": {"IntNumeratorVal": 5, "Unit": "MiB", "Desc": "in use"},
          "state": {"StringVal": "idle", "Unit": "", "Desc": ""}}}},
        "loop1": {"Summary": {"FloatNumeratorVal": 1.5, "Unit": "W", "Desc": ""},
                  "Stats": {"Attributes": {}}},
        "loop2": {"Summary": null}}}]}}}})");
  EXPECT_THAT(DeviceLines(DeviceStatsTable(stats)),
              ElementsAre(ContainsRegex("^Task"),
                          ContainsRegex("^t +linux/loop/loop +loop0 +size +5 MiB +in use"),
                          ContainsRegex("^t +linux/loop/loop +loop0 +state +idle"),
                          ContainsRegex("^t +linux/loop/loop +loop1 +1[.]5 W")));
}

TEST(DeviceTablesTest, AnAnswerThatMakesNoSenseHasNoLines) {
  for (const char* text : {"{}", "[]", R"({"Tasks": []})", R"({"Tasks": {"t": 1}})",
                           R"({"Tasks": {"t": {"ResourceUsage": {"DeviceStats": null}}}})",
                           R"({"Tasks": {"t": {"ResourceUsage": {"DeviceStats": [[], 3]}}}})"}) {
    EXPECT_TRUE(DeviceStatsTable(json::parse(text)).empty()) << text;
  }
}

}  // namespace
}  // namespace drover
