// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/taskenv/interpolation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace drover {
namespace {

using testing::HasSubstr;

const std::string* Lookup(std::string_view name) {
  static const std::map<std::string, std::string, std::less<>> kKnown{
      {"A", "1"}, {"LOOP", "${LOOP}${A}"}, {"BIG", std::string(100'000, 'x')}, {"EMPTY", ""}};
  const auto found = kKnown.find(name);
  return found == kKnown.end() ? nullptr : &found->second;
}

std::string Lenient(std::string_view text) { return InterpolateText(text, Lookup); }

std::string Strict(std::string_view text) {
  const auto result = InterpolateTextStrict(text, Lookup);
  return result.ok() ? *result : "error: " + result.error().message();
}

TEST(InterpolationTest, ReplacesWhatIsKnown) {
  for (const auto& f : {Lenient, Strict}) {
    EXPECT_EQ(f(""), "");
    EXPECT_EQ(f("plain $A {A} $ }"), "plain $A {A} $ }");
    EXPECT_EQ(f("${A}"), "1");
    EXPECT_EQ(f("a${A}b${ A }c${EMPTY}d"), "a1b1cd");
    EXPECT_EQ(f("${LOOP}"), "${LOOP}${A}");  // replaced only once
  }
}

TEST(InterpolationTest, UnknownNamesStay) {
  EXPECT_EQ(Lenient("${B} ${A} ${} ${A"), "${B} 1 ${} ${A");
  EXPECT_EQ(Lenient("${x${A}}"), "${x1}");
  EXPECT_EQ(Lenient("$${A}"), "$1");
  EXPECT_EQ(Lenient("${"), "${");
}

TEST(InterpolationTest, StrictErrorsNameTheUnknown) {
  EXPECT_THAT(Strict("x ${B} y"), HasSubstr("error: \"${B}\" is not known"));
  EXPECT_THAT(Strict("${}"), HasSubstr("error: \"${}\" is not known"));
  EXPECT_THAT(Strict("x ${A"), HasSubstr("is not closed"));
  EXPECT_THAT(Strict("${x${A}}"), HasSubstr("error: \"${x${A}\" is not known"));
}

TEST(InterpolationTest, StrictKnowsAnEscape) {
  EXPECT_EQ(Strict("$${A} ${A} $${B"), "${A} 1 ${B");
  EXPECT_EQ(Strict("$$${A}"), "$${A}");
}

TEST(InterpolationTest, TheResultIsBounded) {
  std::string bomb;
  for (int i = 0; i < 200'000; ++i) bomb += "${BIG}";  // 20 GB
  EXPECT_EQ(Lenient(bomb), bomb);
  EXPECT_THAT(Strict(bomb), HasSubstr("error: the text becomes longer"));
  EXPECT_EQ(Lenient("${BIG}${BIG}").size(), 200'000u);
  // Many "${" that are never closed do not take quadratic time.
  std::string open;
  for (int i = 0; i < 400'000; ++i) open += "${";
  EXPECT_EQ(Lenient(open), open);
  EXPECT_EQ(Lenient(open + "${A}"), open + "1");
}

}  // namespace
}  // namespace drover
