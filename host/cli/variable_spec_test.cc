// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/variable_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

// The tests of the whole program read specifications in HCL.
Result<VariableSpec> ReadJsonSpec(const json& spec) {
  return ReadVariableSpec("spec.json", spec.dump(), "");
}

TEST(VariableSpecTest, WhatTheApiAnswersIsASpecification) {
  const VariableSpec spec = ReadJsonSpec({{"Namespace", "team"},
                                          {"Path", "a/b"},
                                          {"CreateIndex", 7},
                                          {"ModifyIndex", 9},
                                          {"CreateTime", 1},
                                          {"ModifyTime", 2},
                                          {"Items", {{"k", "v"}}}})
                                .value();
  EXPECT_EQ(spec, (VariableSpec{"team", "a/b", 9, {{"k", "v"}}}));
  const VariableSpec in_words =
      ReadJsonSpec({{"path", "a"}, {"modify_index", 9}, {"items", {{"k", "v"}}}}).value();
  EXPECT_EQ(in_words, (VariableSpec{"", "a", 9, {{"k", "v"}}}));
  EXPECT_EQ(ReadVariableSpec("-", "{}", "json").value(), VariableSpec());
}

TEST(VariableSpecTest, FaultsAreToldWithoutValues) {
  const auto fault = [](const json& spec) {
    const Result<VariableSpec> read = ReadJsonSpec(spec);
    return read.ok() ? std::string() : read.error().message();
  };
  EXPECT_EQ(fault({{"paht", "a"}}),
            "spec.json: \"paht\" is no key of a variable; there are path, namespace and items");
  EXPECT_EQ(fault({{"path", 1}}), "spec.json: \"path\" must be a text");
  EXPECT_EQ(fault({{"items", "hunter2"}}), "spec.json: items: must be a block or an object");
  EXPECT_EQ(fault({{"items", {{"k", json::array({"hunter2"})}}}}),
            "spec.json: items: \"k\" must be a text");
  EXPECT_EQ(fault({{"ModifyIndex", -1}}), "spec.json: the modify index must be a whole number");
  EXPECT_THAT(fault({{"Lock", {{"TTL", "15s"}}}}), HasSubstr("locks of variables are not"));
  EXPECT_EQ(fault({{"Lock", nullptr}}), "");
  EXPECT_THAT(ReadVariableSpec("f", "{", "json").error().message(),
              HasSubstr("f: this is not JSON"));
}

TEST(VariableSpecTest, ACopyLosesTheModifyIndexOfItsOriginal) {
  const VariableSpec original{"team", "a/b", 9, {}};
  const auto placed = [&](const std::optional<std::string>& path, const std::string& name_space) {
    VariableSpec spec = original;
    PlaceSpec(path, name_space, &spec);
    return spec;
  };
  EXPECT_EQ(placed(std::nullopt, ""), original);
  EXPECT_EQ(placed("/a/b/", "team"), original);
  EXPECT_EQ(placed("c", ""), (VariableSpec{"team", "c", std::nullopt, {}}));
  EXPECT_EQ(placed(std::nullopt, "other"), (VariableSpec{"other", "a/b", std::nullopt, {}}));
  EXPECT_EQ(placed("", "").path, "") << "a script's variable that is not set names no variable";
  VariableSpec bare{"", "", 9, {}};
  PlaceSpec("c", "team", &bare);
  EXPECT_EQ(bare, (VariableSpec{"team", "c", 9, {}})) << "it was of no other variable";
}

TEST(VariableSpecTest, ArgumentsChangeItems) {
  const DirectoryForTest directory;
  const std::string file = directory.path() + "/secret";
  std::ofstream(file) << "from a file\n";
  VariableSpec spec;
  spec.items = {{"a", "1"}, {"b", "2"}};
  const Status changed = ApplyItemArguments({"a=", "c=x=y", "d=@" + file, "e=\\@home", "none="},
                                            /*input_used=*/true, &spec);
  ASSERT_TRUE(changed.ok()) << changed.error().message();
  EXPECT_EQ(spec.items, (std::map<std::string, std::string>{
                            {"b", "2"}, {"c", "x=y"}, {"d", "from a file\n"}, {"e", "@home"}}));
}

TEST(VariableSpecTest, WrongArgumentsAreNotRepeated) {
  VariableSpec spec;
  for (const char* argument : {"hunter2", "=hunter2"}) {
    const Status changed = ApplyItemArguments({argument}, false, &spec);
    ASSERT_FALSE(changed.ok());
    EXPECT_THAT(changed.error().message(), Not(HasSubstr("hunter2")));
  }
  EXPECT_THAT(ApplyItemArguments({"k=@/no/such"}, false, &spec).error().message(),
              HasSubstr("k: file of an item /no/such: no such file"));
  EXPECT_THAT(ApplyItemArguments({"k=-"}, /*input_used=*/true, &spec).error().message(),
              HasSubstr("standard input can be used only once"));
  EXPECT_TRUE(spec.items.empty());
}

TEST(VariableSpecTest, HclHasAllItems) {
  const json variable = {{"Namespace", "default"},
                         {"Path", "a/b"},
                         {"ModifyIndex", 9},
                         {"Items", {{"a.b", "line\nother \"x\""}, {"c", "${v} $ {"}}}};
  EXPECT_EQ(VariableHcl(variable), R"(namespace = "default"
path = "a/b"
modify_index = 9

items = {
  "a.b" = "line\nother \"x\""
  "c" = "\u0024{v} $ {"
}
)");
}

}  // namespace
}  // namespace drover
