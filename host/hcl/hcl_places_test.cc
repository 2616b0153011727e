// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/hcl/hcl_places.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace drover {
namespace {

using nlohmann::json;

int LineAt(const HclPlaces& places, const std::string& pointer) {
  const HclPlace* const place = places.Find(pointer);
  return place == nullptr ? 0 : place->line;
}

TEST(HclPlacesTest, TheNearestPlaceAroundAPointerIsFound) {
  HclPlaces places;
  EXPECT_TRUE(places.empty());
  EXPECT_EQ(places.Find(""), nullptr);
  EXPECT_EQ(places.Find("/TaskGroups/0"), nullptr);
  places.Add("", {1, 2, 3, 4, 5, 6});
  places.Add("/TaskGroups/0", {7, 1, 7, 2, 8, 9});
  places.Add("/TaskGroups/0", {8, 1, 8, 2, 8, 9});
  EXPECT_FALSE(places.empty());
  EXPECT_EQ(*places.Find(""), (HclPlace{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(LineAt(places, "/TaskGroups/0"), 7);
  EXPECT_EQ(LineAt(places, "/TaskGroups/0/Tasks/3/Name"), 7);
  EXPECT_EQ(LineAt(places, "/TaskGroups/01"), 1);
  EXPECT_EQ(LineAt(places, "no pointer"), 1);
}

TEST(HclPlacesTest, TheMemoryIsLimited) {
  HclPlaces places;
  const std::string huge(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 100; ++i) places.Add("/" + std::to_string(i) + huge, {i + 1, 1, 1, 1, 0, 0});
  EXPECT_EQ(LineAt(places, "/0" + huge), 1);
  EXPECT_EQ(LineAt(places, "/99" + huge), 0);
}

TEST(HclPlacesTest, PlacesAreTakenFromAJob) {
  json job = json::parse(R"({
    "": {"": [1, 1, 1, 10, 0, 9], "Meta": [2, 3, 2, 9, 12, 18]},
    "ID": "web",
    "Meta": {"": "kept"},
    "TaskGroups": [
      {"": {"": [3, 3, 3, 12, 20, 29]},
       "Volumes": {"": {"": {"": [4, 1, 4, 2, 30, 31], "Type": [5, 1, 5, 2, 32, 33]}, "Type": "host"},
                   "a/b": {"": {"": [6, 1, 6, 2, 34, 35]}}},
       "Tasks": [{"": {"": [7, 1, 7, 2, 36, 37], "Config": [8, 1, 8, 2, 38, 39]},
                  "Config": {"": {"": [1, 1, 1, 1, 1, 1]}},
                  "Resources": {"": {"": [9, 1, 9, 2, 40, 41], "CPU": [10, 1, 10, 2, 42, 43]},
                                "CPU": 5}}]}]
  })");
  const HclPlaces places = TakePlaces(&job);
  EXPECT_EQ(job, json::parse(R"({
    "ID": "web",
    "Meta": {"": "kept"},
    "TaskGroups": [
      {"Volumes": {"": {"Type": "host"}, "a/b": {}},
       "Tasks": [{"Config": {"": {"": [1, 1, 1, 1, 1, 1]}}, "Resources": {"CPU": 5}}]}]
  })"));
  ASSERT_NE(places.Find("/Meta/x"), nullptr);
  EXPECT_EQ(*places.Find("/Meta/x"), (HclPlace{2, 3, 2, 9, 12, 18}));
  EXPECT_EQ(LineAt(places, "/ID"), 1);
  EXPECT_EQ(LineAt(places, "/TaskGroups/0/Count"), 3);
  EXPECT_EQ(LineAt(places, "/TaskGroups/0/Volumes/"), 4);
  EXPECT_EQ(LineAt(places, "/TaskGroups/0/Volumes//Type"), 5);
  EXPECT_EQ(LineAt(places, "/TaskGroups/0/Volumes/a~1b/Type"), 6);
  EXPECT_EQ(LineAt(places, "/TaskGroups/0/Tasks/0"), 7);
  EXPECT_EQ(LineAt(places, "/TaskGroups/0/Tasks/0/Config/image"), 8);
  EXPECT_EQ(LineAt(places, "/TaskGroups/0/Tasks/0/Resources"), 9);
  EXPECT_EQ(LineAt(places, "/TaskGroups/0/Tasks/0/Resources/CPU"), 10);
}

TEST(HclPlacesTest, WhatIsNoPlaceIsRemovedToo) {
  for (const char* wrong :
       {"1", "[]", R"({"": [1, 2, 3, 4, 5]})", R"({"": [1, 2, 3, 4, 5, -6]})",
        R"({"": [1, 2, 3, 4, 5, 1e3]})", R"({"": [1, 2, 3, 4, 5, 4294967297]})"}) {
    json job = {{"ID", "web"}};
    job[kHclPlaces] = json::parse(wrong);
    EXPECT_TRUE(TakePlaces(&job).empty()) << wrong;
    EXPECT_EQ(job, json({{"ID", "web"}})) << wrong;
  }
  json none = nullptr;
  EXPECT_TRUE(TakePlaces(&none).empty());
}

TEST(HclPlacesTest, ADiagnosticHasThePlace) {
  HclDiagnostic diagnostic;
  diagnostic.SetPlace({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(diagnostic.line, 1);
  EXPECT_EQ(diagnostic.column, 2);
  EXPECT_EQ(diagnostic.end_line, 3);
  EXPECT_EQ(diagnostic.end_column, 4);
  EXPECT_EQ(diagnostic.byte, 5u);
  EXPECT_EQ(diagnostic.end_byte, 6u);
}

}  // namespace
}  // namespace drover
