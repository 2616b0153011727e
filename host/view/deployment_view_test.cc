// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/deployment_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/view/text_width.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

json DeploymentOfTwo() {
  return json::parse(R"({
      "ID": "12345678-aaaa", "JobID": "web", "JobVersion": 3, "Status": "running",
      "StatusDescription": "Deployment is running",
      "TaskGroups": {
          "api": {"DesiredTotal": 3, "PlacedAllocs": 2, "HealthyAllocs": 1, "UnhealthyAllocs": 1,
                  "DesiredCanaries": 0, "Promoted": false, "PlacedCanaries": null},
          "web\u001b": {"DesiredTotal": 2, "PlacedAllocs": 1, "HealthyAllocs": 1,
                        "DesiredCanaries": 1, "Promoted": false, "PlacedCanaries": ["a"]}}})");
}

TEST(DeploymentLinesTest, EachGroupHasALine) {
  EXPECT_THAT(DeploymentLines(DeploymentOfTwo(), false),
              ElementsAre("deployment 12345678 of version 3: running: Deployment is running",
                          "  api: 1 of 3 healthy, 2 placed, 1 unhealthy",
                          "  web\\x1b: 1 of 2 healthy, 1 placed, canaries 1 of 1 placed, to be "
                          "promoted"));
  json promoted = DeploymentOfTwo();
  promoted["TaskGroups"].erase("api");
  for (json& group : promoted["TaskGroups"]) group["Promoted"] = true;
  EXPECT_THAT(
      DeploymentLines(promoted, true),
      ElementsAre("deployment 12345678-aaaa of version 3: running: Deployment is running",
                  "  web\\x1b: 1 of 2 healthy, 1 placed, canaries 1 of 1 placed, promoted"));
}

TEST(DeploymentLinesTest, AnAnswerOfAnotherFormIsNoMistake) {
  EXPECT_EQ(DeploymentLines(json(), false).size(), 1u);
  EXPECT_EQ(DeploymentLines({{"TaskGroups", {{"g", 7}}}}, false).size(), 2u);
  EXPECT_FALSE(DeploymentEnded(json()));
  EXPECT_FALSE(WaitsForPromotion(json()));
}

TEST(DeploymentLinesTest, OnlyCanariesThatNobodyPromotesByItselfWait) {
  json deployment = DeploymentOfTwo();
  EXPECT_TRUE(WaitsForPromotion(deployment));
  deployment["Status"] = "failed";
  EXPECT_TRUE(DeploymentEnded(deployment));
  EXPECT_FALSE(WaitsForPromotion(deployment));
  deployment = DeploymentOfTwo();
  for (json& group : deployment["TaskGroups"]) group["AutoPromote"] = true;
  EXPECT_FALSE(WaitsForPromotion(deployment));
}

TEST(TextWidthTest, CharactersAreNotCutInTheMiddle) {
  EXPECT_EQ(Characters("gr\xc3\xbc\xc3\x9f"), 4u);
  EXPECT_EQ(FirstCharacters("gr\xc3\xbc\xc3\x9f", 3), "gr\xc3\xbc");
  EXPECT_EQ(FirstCharacters("gr\xc3\xbc\xc3\x9f", 9), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(FirstCharacters("gr", 0), "");
  EXPECT_EQ(Cut("gr\xc3\xbc\xc3\x9f", 4), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(Cut("gr\xc3\xbc\xc3\x9f e", 4), "gr\xc3\xbc\xe2\x80\xa6");
}

TEST(TextWidthTest, WideCharactersTakeTwoColumns) {
  EXPECT_EQ(Columns(""), 0u);
  EXPECT_EQ(Columns("gr\xc3\xbc\xc3\x9f"), 4u);
  EXPECT_EQ(Columns("\xe2\x80\xa6"), 1u) << "an ellipsis";
  EXPECT_EQ(Columns("\xe6\x97\xa5\xe6\x9c\xac"), 4u) << "Chinese";
  EXPECT_EQ(Columns("\xed\x95\x9c"), 2u) << "Korean";
  EXPECT_EQ(Columns("\xef\xbc\xa1"), 2u) << "a wide A";
  EXPECT_EQ(Columns("\xf0\x9f\x9a\x80"), 2u) << "an emoji";
  EXPECT_EQ(FirstColumns("a\xe6\x97\xa5\xe6\x9c\xac", 4), "a\xe6\x97\xa5");
  EXPECT_EQ(FirstColumns("a\xe6\x97\xa5\xe6\x9c\xac", 5), "a\xe6\x97\xa5\xe6\x9c\xac");
  EXPECT_EQ(FirstColumns("\xe6\x97\xa5", 1), "");
  EXPECT_EQ(FirstColumns("ab", 0), "");
}

}  // namespace
}  // namespace drover
