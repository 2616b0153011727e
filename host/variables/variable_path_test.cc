// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/variables/variable_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

using ::testing::HasSubstr;

TEST(VariablePathTest, PathsThatVariablesMayHave) {
  for (const char* path :
       {"a", "A-b_c~1", "a/b/c", "nomads", "nomad-x/y", "x/nomad", "nomad/jobs", "nomad/jobs/web",
        "nomad/jobs/web/front/nginx", "nomad/jobs/a/b/c/d", "nomad/job-templates/one"}) {
    EXPECT_TRUE(CheckVariablePath(path).ok()) << path;
  }
  EXPECT_TRUE(CheckVariablePath(std::string(128, 'a')).ok());
}

TEST(VariablePathTest, OthersAreRefused) {
  for (const char* path : {"", "a b", "a.b", "a@b", "a:b", "a%2fb", "\xc3\xa4", "a\n", "..", "*"}) {
    const Status checked = CheckVariablePath(path);
    ASSERT_FALSE(checked.ok()) << path;
    EXPECT_EQ(checked.code(), Code::kInvalidArgument);
    EXPECT_THAT(checked.error().message(), HasSubstr("a path has 1 to 128 letters")) << path;
  }
  EXPECT_FALSE(CheckVariablePath(std::string(129, 'a')).ok());
  EXPECT_FALSE(CheckVariablePath(std::string("a\0b", 3)).ok());
  for (const char* path : {"/a", "a/", "a//b", "/", "nomad/jobs/"}) {
    EXPECT_THAT(CheckVariablePath(path).error().message(), HasSubstr("an empty part")) << path;
  }
}

TEST(VariablePathTest, BelowNomadMostPathsAreReserved) {
  for (const char* path : {"nomad", "nomad/x", "nomad/job", "nomad/jobsx", "nomad/job-templatesx",
                           "nomad/job-templates", "nomad/job-templates/a/b"}) {
    EXPECT_THAT(CheckVariablePath(path).error().message(), HasSubstr("is reserved")) << path;
  }
}

TEST(VariablePathTest, Namespaces) {
  for (const char* name : {"default", "A-1"}) EXPECT_TRUE(CheckVariableNamespace(name).ok());
  for (const char* name : {"", "*", "a/b", "a b", "a_b"}) {
    EXPECT_EQ(CheckVariableNamespace(name).code(), Code::kInvalidArgument) << name;
  }
  EXPECT_FALSE(CheckVariableNamespace(std::string(129, 'n')).ok());
}

}  // namespace
}  // namespace drover
