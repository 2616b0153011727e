// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/job_places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

namespace drover {
namespace {

constexpr char kJobText[] =
    "job \"web\" {\n"
    "  type = \"x\"\n"
    "  group \"g\" {\n"
    "    task \"t\" {}\n"
    "  }\n"
    "}\n";

// Returns the place of MARKED in the text.
HclPlace PlaceOf(const std::string& marked) {
  const std::string text = kJobText;
  HclPlace place;
  place.byte = text.find(marked);
  place.end_byte = place.byte + marked.size();
  const std::string before = text.substr(0, place.byte);
  place.line = place.end_line = 1 + static_cast<int>(std::ranges::count(before, '\n'));
  place.column = static_cast<int>(before.size() - before.rfind('\n'));
  return place;
}

JobPlaces Places() {
  HclPlaces places;
  places.Add("", {1, 1, 1, 10, 0, 9});
  places.Add("/Type", PlaceOf("type = \"x\""));
  places.Add("/TaskGroups/0/Tasks/0", PlaceOf("task \"t\""));
  return {{"web.hcl", kJobText}, std::move(places)};
}

constexpr char kShownType[] =
    "  2 |   type = \"x\"\n"
    "    |   ^^^^^^^^^^\n";
constexpr char kShownTask[] =
    "  4 |     task \"t\" {}\n"
    "    |     ^^^^^^^^\n";

TEST(JobPlacesTest, FaultsOfFieldsAreShownInTheText) {
  EXPECT_EQ(
      Places().WithPlaces("the job has 3 faults:\n"
                          "  * /Type: must be another\n"
                          "  * /TaskGroups/0/Tasks/0/Vault: is not supported by this version\n"
                          "  * and 1 more"),
      std::string("the job has 3 faults:\n"
                  "web.hcl:2,3: Error: /Type: must be another\n") +
          kShownType +
          "\n"
          "web.hcl:4,5: Error: /TaskGroups/0/Tasks/0/Vault: is not supported by this version\n" +
          kShownTask + "  * and 1 more");
}

TEST(JobPlacesTest, AFaultMayStandAlone) {
  EXPECT_EQ(Places().WithPlaces("/Type: must be another"),
            std::string("the job has 1 fault:\n"
                        "web.hcl:2,3: Error: /Type: must be another\n") +
                "  2 |   type = \"x\"\n"
                "    |   ^^^^^^^^^^");
}

TEST(JobPlacesTest, SeveralFaultsMayStandInOneLine) {
  EXPECT_EQ(Places().WithPlaces("/Type: a; b; /etc/c: d; /TaskGroups/0/Tasks/0/Config/e: f\n"),
            std::string("the job has 2 faults:\n"
                        "web.hcl:2,3: Error: /Type: a; b; /etc/c: d\n") +
                kShownType +
                "\n"
                "web.hcl:4,5: Error: /TaskGroups/0/Tasks/0/Config/e: f\n" +
                kShownTask);
}

TEST(JobPlacesTest, TheFaultsOfAnAgentBeginWithJob) {
  EXPECT_EQ(Places().WithPlaces("1 error occurred:\n\t* /Job/Type: must be another\n\n"),
            std::string("1 error occurred:\n"
                        "web.hcl:2,3: Error: /Job/Type: must be another\n") +
                kShownType + "\n");
}

TEST(JobPlacesTest, OtherTextsStayAsTheyAre) {
  for (const char* text : {"", "\n", "the job: is no JSON", "/etc/passwd: no such file", "/Type",
                           "Type: x", "/: x", "connection refused: see /Type: x",
                           "a\n\n  * /Nothing/0: b\n", "/Job: must be an object"}) {
    EXPECT_EQ(Places().WithPlaces(text), text);
  }
  const std::string of_json = "/Type: must be another";
  EXPECT_EQ(JobPlaces().WithPlaces(of_json), of_json);
}

TEST(JobPlacesTest, AnAgentMaySendAnyText) {
  std::string many, in_one_line;
  for (int i = 0; i < 100'000; ++i) {
    many += "* /Type: x\n";
    in_one_line += "/Type: x; ";
  }
  const std::string shown = Places().WithPlaces(many);
  EXPECT_LT(shown.size(), many.size() + 20'000);
  EXPECT_TRUE(shown.ends_with("\n* /Type: x\n* /Type: x\n"));
  EXPECT_LT(Places().WithPlaces(in_one_line).size(), in_one_line.size() + 20'000);
  EXPECT_LT(Places().WithPlaces("/Type: x" + std::string(1'000'000, '/')).size(), 1'010'000u);
}

TEST(JobPlacesTest, AnErrorKeepsItsKind) {
  const Error error =
      Places().WithPlaces(Error(Code::kUnavailable, "/Type: is still being loaded", true));
  EXPECT_EQ(error.code(), Code::kUnavailable);
  EXPECT_TRUE(error.recoverable());
  EXPECT_NE(error.message().find("web.hcl:2,3: Error: /Type: is still"), std::string::npos);
}

TEST(JobPlacesTest, TheLineOfAField) {
  EXPECT_EQ(Places().LineOf("/Type"), ":2,3");
  EXPECT_EQ(Places().LineOf("/Job/TaskGroups/0/Tasks/0/Identity"), ":4,5");
  EXPECT_EQ(JobPlaces().LineOf("/Type"), "");
}

}  // namespace
}  // namespace drover
