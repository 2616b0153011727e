// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/routes/list_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

namespace drover {
namespace {

using ::testing::HasSubstr;

const nlohmann::json& Element() {
  static const nlohmann::json element = nlohmann::json::parse(R"({
    "ID": "web/a b", "Status": "running", "Priority": 50, "Share": 0.5, "Stop": false,
    "Datacenters": ["dc1", "dc2"], "Meta": {"owner": "me", "odd.key": "1"}, "Periodic": null,
    "Quote": "say \"hi\"", "None": [], "Text": ""})");
  return element;
}

struct Case {
  const char* filter;
  bool chosen;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.filter; }

class ListFilterTest : public ::testing::TestWithParam<Case> {};

TEST_P(ListFilterTest, Chooses) {
  const Result<ListFilter> filter = ListFilter::Parse(GetParam().filter);
  ASSERT_TRUE(filter.ok()) << filter.error().message();
  const Result<bool> chosen = filter->Chooses(Element());
  ASSERT_TRUE(chosen.ok()) << chosen.error().message();
  EXPECT_EQ(*chosen, GetParam().chosen);
}

INSTANTIATE_TEST_SUITE_P(
    All, ListFilterTest,
    ::testing::Values(Case{R"(Status == "running")", true}, Case{"Status == running", true},
                      Case{"Status != running", false}, Case{"Status==`running`", true},
                      Case{R"(ID == "web/a b")", true}, Case{R"(Quote == "say \"hi\"")", true},
                      Case{"Priority == 50", true}, Case{"Priority == 50.0", true},
                      Case{"Priority != 51", true}, Case{"Share == 0.5", true},
                      Case{"Stop == false", true}, Case{"Stop == true", false},
                      Case{R"(ID contains "a b")", true}, Case{R"(ID not contains "c")", true},
                      Case{R"("dc2" in Datacenters)", true}, Case{"dc3 in Datacenters", false},
                      Case{"dc3 not in Datacenters", true}, Case{"Datacenters contains dc1", true},
                      Case{"owner in Meta", true}, Case{"Meta contains nobody", false},
                      Case{"Meta.owner == me", true}, Case{R"(Meta["odd.key"] == 1)", true},
                      Case{"Meta.nobody == me", false}, Case{R"(ID matches "^web/[a-z] b$")", true},
                      Case{R"(ID matches "^eb")", false}, Case{"ID not matches `^x`", true},
                      Case{"Meta.owner matches M", false}, Case{"Meta.owner matches `(?i)M`", true},
                      Case{"Meta.nobody matches `.`", false},
                      Case{"Status matches `(a*)*(a*)*(a*)*(a*)*b`", false},
                      Case{"Meta.nobody is empty", true}, Case{"Meta is not empty", true},
                      Case{"None is empty", true}, Case{"Text is empty", true},
                      Case{"Periodic is empty", true}, Case{"Periodic.Spec == x", false},
                      // "and" before "or", "not" before both.
                      Case{"Stop == true and Stop == true or Status == running", true},
                      Case{"Status == running or Stop == true and Stop == true", true},
                      Case{"(Status == running or Stop == true) and Stop == true", false},
                      Case{"not Stop == true and Status == running", true},
                      Case{"not (Stop == false or Status == running)", false},
                      Case{"not not Stop == false", true},
                      // What decides early spares the rest.
                      Case{"Status == running or Nothing == x", true}));

struct Mistake {
  const char* filter;
  const char* told;
};
// In quotes: CTest takes an empty name, or one that ends with a backslash, for something else.
void PrintTo(const Mistake& one, std::ostream* out) { *out << std::quoted(one.filter); }

class ListFilterMistakeTest : public ::testing::TestWithParam<Mistake> {};

TEST_P(ListFilterMistakeTest, IsTold) {
  const Result<ListFilter> filter = ListFilter::Parse(GetParam().filter);
  const Result<bool> chosen = filter.ok() ? filter->Chooses(Element()) : filter.error();
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.code(), Code::kInvalidArgument);
  EXPECT_THAT(chosen.error().message(), HasSubstr(GetParam().told));
}

INSTANTIATE_TEST_SUITE_P(
    All, ListFilterMistakeTest,
    ::testing::Values(
        Mistake{"", "expected a field or a value, not the end, at character 1"},
        Mistake{"Status", "expected ==, !=, contains, matches, in, or is empty, not the end"},
        Mistake{"Status = running", "not \"=\", at character 8"},
        Mistake{"Status == ", "expected a value"}, Mistake{"Status == (", "expected a value"},
        Mistake{R"(Status == "run)", "without its closing quote at character 11"},
        Mistake{R"(Status == "a\n")", "an escape"}, Mistake{R"(Status == "a\)", "closing quote"},
        Mistake{R"("a" == Status)", "a value comes before \"in\" only"},
        Mistake{"(Status == a", "expected \")\""}, Mistake{"Status == a)", "or the end"},
        Mistake{"Status == a Stop == b", "or the end"}, Mistake{"Meta[owner] == me", "in quotes"},
        Mistake{"Meta. == me", "the name of a field"}, Mistake{"a in", "expected a field"},
        Mistake{"not", "expected a field"}, Mistake{"Status is full", "expected \"empty\""},
        Mistake{"Status matches `(r`", "not a regular expression (missing ): (r)"},
        Mistake{"Status matches `(a{1000}){1000}`", "not a regular expression"},
        Mistake{"Status matches `((a{30}){30}\\pL{300}){300}`", "not a regular expression"},
        Mistake{"Priority matches 5", "Priority cannot be matched"},
        Mistake{"Nothing == x", "there is no field Nothing"},
        Mistake{"Priority == high", "Priority cannot be compared with \"high\""},
        Mistake{"Meta == x", "Meta cannot be compared"},
        Mistake{"Priority contains 5", "Priority cannot be searched"},
        Mistake{"Stop is empty", "Stop cannot be empty"}));

TEST(ListFilterLimitTest, LongAndDeepOnesAreRefused) {
  const auto refused = [](const std::string& filter) { return !ListFilter::Parse(filter).ok(); };
  EXPECT_TRUE(refused(std::string(ListFilter::kMaxBytes + 1, ' ')));
  const auto nested = [](int depth, const std::string& open, const std::string& close) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open;
    text += "Stop == false";
    for (int i = 0; i < depth; ++i) text += close;
    return text;
  };
  EXPECT_FALSE(refused(nested(ListFilter::kMaxDepth, "(", ")")));
  EXPECT_TRUE(refused(nested(ListFilter::kMaxDepth + 1, "(", ")")));
  EXPECT_TRUE(refused(nested(ListFilter::kMaxDepth + 1, "not ", "")));
  std::string patterns = "ID matches a";
  for (int i = 1; i < ListFilter::kMaxPatterns; ++i) patterns += " or ID matches a";
  EXPECT_FALSE(refused(patterns));
  EXPECT_TRUE(refused(patterns + " or ID matches a"));
}

TEST(ListFilterLimitTest, NoBytesMakeItFail) {
  // Every text of up to three of these pieces is read to its end, whatever it says.
  const std::string pieces[] = {"a",
                                "\"",
                                "`",
                                "\\",
                                "(",
                                ")",
                                "[",
                                "]",
                                ".",
                                "==",
                                "!",
                                "=",
                                " matches ",
                                " not ",
                                " in ",
                                " is ",
                                " and ",
                                "\xff",
                                std::string(1, '\0')};
  int read = 0;
  for (const std::string& first : pieces) {
    for (const std::string& second : pieces) {
      for (const std::string& third : pieces) {
        const Result<ListFilter> filter = ListFilter::Parse(first + second + third);
        read += filter.ok() ? 1 : 0;
        if (!filter.ok()) EXPECT_FALSE(filter.error().message().empty());
      }
    }
  }
  EXPECT_GT(read, 0) << "a==a is one of them";
}

}  // namespace
}  // namespace drover
