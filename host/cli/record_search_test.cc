// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/record_search.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace drover {
namespace {

using nlohmann::json;

constexpr char kAlloc[] = "0a1b2c3d-0000-1111-2222-333344445555";
constexpr char kEval[] = "0a1f2c3d-0000-1111-2222-333344445555";

// Returns what PREFIX means: a kind and an id, or the message of the error.
std::string Chosen(const json& matches, const std::string& prefix, bool truncated = false) {
  const json answer = {{"Matches", matches}, {"Truncations", {{"jobs", truncated}}}};
  const Result<FoundRecord> found = ChooseRecord(answer, prefix);
  return found.ok() ? found->kind + " " + found->id : found.error().message();
}

TEST(RecordSearchTest, TheOnlyRecord) {
  EXPECT_EQ(Chosen({{"jobs", {"web"}}, {"evals", json::array()}, {"vars", nullptr}}, "we"),
            "jobs web");
  EXPECT_EQ(Chosen({{"allocs", {kAlloc}}}, "0a1b2c3d0000"), std::string("allocs ") + kAlloc);
  EXPECT_EQ(Chosen({{"jobs", {"web", "web"}}}, "we"), "jobs web") << "in two namespaces";
}

TEST(RecordSearchTest, TheAgentDoesNotCompareALastOddDigit) {
  const json matches = {{"allocs", {kAlloc}}, {"evals", {kEval}}};
  EXPECT_EQ(Chosen(matches, "0a1f"), std::string("evals ") + kEval);
  EXPECT_EQ(Chosen(matches, "0a2"), "nothing has an id that begins with \"0a2\"");
}

TEST(RecordSearchTest, AWholeIdIsMeantEvenIfOthersBeginWithIt) {
  const json matches = {{"jobs", {"web", "web-2"}}, {"namespaces", {"website"}}};
  EXPECT_EQ(Chosen(matches, "web"), "jobs web");
  EXPECT_EQ(Chosen(matches, "web", true), "jobs web");
  EXPECT_EQ(Chosen({{"jobs", {"web"}}, {"namespaces", {"web"}}}, "web"),
            "\"web\" is the beginning of several ids: write more of it\n  web  jobs\n"
            "  web  namespaces");
}

TEST(RecordSearchTest, SeveralAndNone) {
  EXPECT_EQ(Chosen({{"jobs", {"web", "wed"}}}, "we"),
            "\"we\" is the beginning of several ids: write more of it\n  web  jobs\n  wed  jobs");
  EXPECT_EQ(Chosen({{"jobs", {"web"}}}, "we", true),
            "\"we\" is the beginning of several ids: write more of it\n  web  jobs\n  ...");
  EXPECT_EQ(Chosen(json::object(), "x"), "nothing has an id that begins with \"x\"");
  EXPECT_EQ(Chosen(nullptr, "x"), "nothing has an id that begins with \"x\"");
  EXPECT_EQ(Chosen({{"jobs", {7, json::object()}}}, "x"),
            "nothing has an id that begins with \"x\"");
}

}  // namespace
}  // namespace drover
