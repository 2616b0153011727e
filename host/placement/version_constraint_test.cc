// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/placement/version_constraint.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

using Form = Version::Form;

struct VersionRow {
  const char* constraint;
  const char* version;
  bool met;
};

void ExpectRows(Form form, const std::vector<VersionRow>& rows) {
  for (const VersionRow& row : rows) {
    const auto constraint = VersionConstraint::Parse(row.constraint, form);
    ASSERT_TRUE(constraint.ok()) << row.constraint;
    EXPECT_EQ(constraint->IsMetBy(row.version), row.met) << row.version << " " << row.constraint;
  }
}

TEST(VersionConstraintTest, PartsAreMetAtOnce) {
  ExpectRows(Form::kLoose, {
                               {">= 1.0, < 1.2", "1.1.5", true},
                               {"< 1.0, < 1.2", "1.1.5", false},
                               {"=1.0", "1.1.5", false},
                               {"= 1.0", "1.0.0", true},
                               {"1.0", "v1.0", true},
                               {"!= 1.0", "1.1", true},
                               {"> 1.9", "1.10", true},
                               {"<= 2", "2.0.0.1", false},
                               {">= 6.1", "6.1.0", true},
                               {"= 1.0.0", "1.0.0+build.7", true},
                               {"> 1.0", "no version", false},
                               {"> 1.0", "", false},
                               {"> 1.0", "1.", false},
                           });
}

TEST(VersionConstraintTest, AtLeastAndOnlyTheLastNumberHigher) {
  ExpectRows(Form::kLoose, {
                               {"~> 1.0", "2.0", false},
                               {"~> 1.0", "1.1", true},
                               {"~> 1.0", "1.2.3", true},
                               {"~> 1.0.0", "1.2.3", false},
                               {"~> 1.0.0", "1.0.7", true},
                               {"~> 1.0.7", "1.0.4", false},
                               {"~> 1", "7.1", true},
                               {"~> 2", "1.9", false},
                               {"~> 1.0.9.5", "1.0.9.6", true},
                               {"~> 1.0.9.5", "1.0.10", false},
                               {"~> 2.0, 2.1.0-beta", "2.1.0-beta", false},
                               {"~> 2.1.0-a", "2.1.0-beta", true},
                               {"~> 2.1.0-a", "2.1.0", false},
                           });
}

TEST(VersionConstraintTest, APreReleaseIsOnlyTakenWhereOneOfTheSameNumbersIsNamed) {
  ExpectRows(Form::kLoose, {
                               {"> 1.0", "1.1-beta", false},
                               {"> 2.0", "2.1.0-beta", false},
                               {">= 2.1.0-a", "2.1.0-beta", true},
                               {">= 2.1.0-a", "2.1.1-beta", false},
                               {">= 2.1.0-a", "2.2.0", true},
                               {"<= 2.1.0-a", "2.0.0", true},
                               {"= 1.0-beta", "1.0-beta", true},
                               {"!= 1.0", "1.0-beta", true},
                               {"> 1.2rc1", "1.2rc2", true},
                           });
  ExpectRows(Form::kSemver, {
                                {"> 1.0", "1.1.0-beta", true},
                                {">= 0.6.1", "1.3.0-beta1", true},
                                {"< 1.0.0", "1.0.0-alpha", true},
                                {">= 1.0.0", "1.0.0-alpha", false},
                                {"> 1.0", "1.2rc2", false},
                                {"> 1.0", "1.2.3.4", false},
                            });
}

TEST(VersionTest, PreReleasesAreOrderedAsSemverDoes) {
  const char* const order[] = {"1.0.0-alpha",      "1.0.0-alpha.1",
                               "1.0.0-alpha.beta", "1.0.0-beta",
                               "1.0.0-beta.2",     "1.0.0-beta.11",
                               "1.0.0-rc.1",       "1.0.0",
                               "1.0.1-0",          "1.0.1-99999999999999999999999"};
  for (std::size_t i = 0; i < std::size(order); ++i) {
    for (std::size_t j = 0; j < std::size(order); ++j) {
      const Version left = Version::Parse(order[i], Form::kSemver).value();
      const int got = left.Compare(Version::Parse(order[j], Form::kSemver).value());
      EXPECT_EQ(got < 0, i < j) << order[i] << " " << order[j];
      EXPECT_EQ(got == 0, i == j) << order[i] << " " << order[j];
    }
  }
}

TEST(VersionConstraintTest, WhatIsNoneIsReportedOnce) {
  for (const char* text : {"", "> ", ">> 1", "=> 1", ">= 1,", "1 2", "> 1..2", "> 1-", "> 1.x",
                           "> 99999999999999999999999"}) {
    EXPECT_FALSE(VersionConstraint::Parse(text, Form::kLoose).ok()) << text;
  }
  EXPECT_FALSE(VersionConstraint::Parse("~> 1.0", Form::kSemver).ok());
  EXPECT_FALSE(VersionConstraint::Parse("> " + std::string(300, '1'), Form::kLoose).ok());
}

}  // namespace
}  // namespace drover
