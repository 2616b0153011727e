// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

namespace drover {
namespace {

Result<std::unique_ptr<int>> Make(bool good) {
  if (!good) return Error(Code::kNotFound, "no number");
  return std::make_unique<int>(7);
}

Result<int> Use(bool good) {
  DROVER_ASSIGN(const std::unique_ptr<int> number, Make(good));
  return *number;
}

Status Check(bool good) {
  DROVER_TRY(Make(good));
  return {};
}

TEST(ResultTest, CarriesMoveOnlyValuesAndErrors) {
  EXPECT_EQ(Use(true).value(), 7);
  EXPECT_EQ(Use(false).error(), Error(Code::kNotFound, "no number"));
  EXPECT_TRUE(Check(true).ok());
  EXPECT_EQ(Check(false).code(), Code::kNotFound);
}

TEST(ResultTest, ContextStandsBeforeTheMessageAndKeepsTheRest) {
  const Error error = Error(Code::kTimeout, "too slow").AsRecoverable().WithContext("task \"a\"");
  EXPECT_EQ(error.message(), "task \"a\": too slow");
  EXPECT_EQ(error.code(), Code::kTimeout);
  EXPECT_TRUE(error.recoverable());
}

TEST(ResultTest, ErrnoGetsItsCodeAndText) {
  const Error error = ErrnoError(ENOENT, "open /x");
  EXPECT_EQ(error.code(), Code::kNotFound);
  EXPECT_EQ(error.message(), "open /x: No such file or directory");
  EXPECT_FALSE(error.recoverable());
  EXPECT_TRUE(ErrnoError(EMFILE, "open /x").recoverable()) << "there may be descriptors later";
}

TEST(ResultDeathTest, ValueOfAnErrorAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH((void)Use(false).value(), "no number");
}

}  // namespace
}  // namespace drover
