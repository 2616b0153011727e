// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/filter/list_filter.h"

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
    "Quote": "say \"hi\"", "None": [], "Text": "", "Path": "/a/b", "Tab": "a\tb",
    "Index": 9007199254740993, "any": "y", "TaskGroups": [
      {"Name": "g", "Count": 1, "Tasks": [{"Driver": "exec", "Config": {"command": "/bin/a"}}]},
      {"Name": "h", "Count": 2, "Tasks": [{"Driver": "exec", "Config": null},
                                          {"Driver": "mock", "Config": {}}]}]})");
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
  ListFilter::Budget budget;
  const Result<bool> chosen = filter->Chooses(Element(), &budget);
  ASSERT_TRUE(chosen.ok()) << chosen.error().message();
  EXPECT_EQ(*chosen, GetParam().chosen);
}

INSTANTIATE_TEST_SUITE_P(
    All, ListFilterTest,
    ::testing::Values(
        Case{R"(Status == "running")", true}, Case{"Status == running", true},
        Case{"Status != running", false}, Case{"Status==`running`", true},
        Case{R"(ID == "web/a b")", true}, Case{R"(Quote == "say \"hi\"")", true},
        Case{"Priority == 50", true}, Case{"Priority == 50.0", true}, Case{"Priority != 51", true},
        Case{"Share == 0.5", true}, Case{"Stop == false", true}, Case{"Stop == true", false},
        Case{R"(ID contains "a b")", true}, Case{R"(ID not contains "c")", true},
        Case{R"("dc2" in Datacenters)", true}, Case{"dc3 in Datacenters", false},
        Case{"dc3 not in Datacenters", true}, Case{"Datacenters contains dc1", true},
        Case{"owner in Meta", true}, Case{"Meta contains nobody", false},
        Case{"Meta.owner == me", true}, Case{R"(Meta["odd.key"] == 1)", true},
        Case{"Meta.nobody == me", false}, Case{R"(ID matches "^web/[a-z] b$")", true},
        Case{R"(ID matches "^eb")", false}, Case{"ID not matches `^x`", true},
        Case{"Meta.owner matches M", false}, Case{"Meta.owner matches `(?i)M`", true},
        Case{"Meta.nobody matches `.`", false},
        Case{"Status matches `(a*)*(a*)*(a*)*(a*)*b`", false}, Case{"Meta.nobody is empty", true},
        Case{"Meta is not empty", true}, Case{"None is empty", true}, Case{"Text is empty", true},
        Case{"Periodic is empty", true}, Case{"Periodic.Spec == x", false},
        // "and" before "or", "not" before both.
        Case{"Stop == true and Stop == true or Status == running", true},
        Case{"Status == running or Stop == true and Stop == true", true},
        Case{"(Status == running or Stop == true) and Stop == true", false},
        Case{"not Stop == true and Status == running", true},
        Case{"not (Stop == false or Status == running)", false},
        Case{"not not Stop == false", true},
        // A key that a map does not have equals no value, and neither does null.
        Case{R"(Meta.nobody == "")", false}, Case{R"(Meta.nobody != "")", true},
        Case{"Meta.nobody is nil", true}, Case{"Meta is nil", false}, Case{"Meta is not nil", true},
        Case{"Periodic is nil", true}, Case{"Periodic is not nil", false},
        Case{"Periodic.Spec is nil", true}, Case{"None is nil", false},
        Case{"Meta.nobody not contains x", true}, Case{"Stop == f", true}, Case{"Stop == 0", true},
        Case{"Index == 9007199254740993", true}, Case{"Index == 9007199254740992", false},
        Case{R"(Tab == "a\tb")", true}, Case{R"(Path == "/a/b")", true},
        Case{R"("/Meta/odd.key" == 1)", true}, Case{R"("dc1" in "/Datacenters")", true},
        Case{R"("/TaskGroups/1/Name" == h)", true}, Case{"TaskGroups.0.Name == g", true},
        Case{R"(TaskGroups["1"].Tasks.0.Driver == exec)", true},
        Case{"TaskGroups.0.Tasks.0.Config.nothing.at.all is empty", true}, Case{"any == y", true},
        // Loops.
        Case{"all Datacenters as d { d matches `^dc` }", true},
        Case{"all Datacenters as d { d == dc1 }", false},
        Case{"any Datacenters as d { d == dc1 }", true}, Case{"any None as d { d == dc1 }", false},
        Case{"all None as d { d == dc1 }", true}, Case{"any Periodic as d { d == dc1 }", false},
        Case{"all Meta.nobody as d { d == dc1 }", true},
        Case{"any TaskGroups as g { g.Name == h and g.Count == 2 }", true},
        Case{"any TaskGroups as g { g.Name == g and g.Count == 2 }", false},
        Case{"any TaskGroups as i, g { i == 1 and g.Name == h }", true},
        Case{"any TaskGroups as i, _ { i == 2 }", false},
        Case{"any TaskGroups as _, g { g.Tasks is not empty }", true},
        Case{"any Meta as k { k == owner }", true},
        Case{"any Meta as k, v { k == owner and v == me }", true},
        Case{"any Meta as k, v { k == owner and v == 1 }", false},
        Case{"all TaskGroups as g { any g.Tasks as t { t.Driver == exec } }", true},
        Case{"any TaskGroups as g { all g.Tasks as t { t.Driver == mock } }", false},
        Case{"any TaskGroups as g { any g.Tasks as t { t.Driver == mock and "
             "g.Name == h and Status == running } }",
             true},
        Case{"Stop == true or any TaskGroups as g { g.Count == 2 }", true},
        Case{"not (any TaskGroups as g { g.Count == 2 }) and Stop == false", false},
        // An operand that decides the result spares the other one.
        Case{"Status == running or Nothing == x", true}));

struct Mistake {
  const char* filter;
  const char* error;
};
// In quotes, since CTest misreads an empty name and one that ends with a backslash.
void PrintTo(const Mistake& one, std::ostream* out) { *out << std::quoted(one.filter); }

class ListFilterMistakeTest : public ::testing::TestWithParam<Mistake> {};

TEST_P(ListFilterMistakeTest, IsTold) {
  const Result<ListFilter> filter = ListFilter::Parse(GetParam().filter);
  ListFilter::Budget budget;
  const Result<bool> chosen = filter.ok() ? filter->Chooses(Element(), &budget) : filter.error();
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.code(), Code::kInvalidArgument);
  EXPECT_THAT(chosen.error().message(), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    All, ListFilterMistakeTest,
    ::testing::Values(
        Mistake{"", "expected a field or a value, not the end, at character 1"},
        Mistake{"Status",
                "expected ==, !=, contains, matches, in, is empty, or is nil, not the end"},
        Mistake{"Status = running", "not \"=\", at character 8"},
        Mistake{"Status == ", "expected a value"}, Mistake{"Status == (", "expected a value"},
        Mistake{R"(Status == "run)", "without its closing quote at character 11"},
        Mistake{R"(Status == "a\q")", "escape"}, Mistake{R"(Status == "a\)", "closing quote"},
        Mistake{R"("a" == Status)", "a value comes before \"in\" only"},
        Mistake{"(Status == a", "expected \")\""}, Mistake{"Status == a)", "or the end"},
        Mistake{"Status == a Stop == b", "or the end"}, Mistake{"Meta[owner] == me", "in quotes"},
        Mistake{"Meta. == me", "the name of a field"}, Mistake{"a in", "expected a field"},
        Mistake{"not", "expected a field"},
        Mistake{"Status is full", "expected \"empty\" or \"nil\", not \"full\""},
        Mistake{"Status matches `(r`", "not a regular expression (missing ): (r)"},
        Mistake{"Status matches `(a{1000}){1000}`", "not a regular expression"},
        Mistake{"Status matches `((a{30}){30}\\pL{300}){300}`", "not a regular expression"},
        Mistake{"any None as d d == a }", "expected \"{\""},
        Mistake{"any None as d { d == a", "expected \"}\""},
        Mistake{"any None as { d == a }", "expected a name"},
        Mistake{"any None as _ { d == a }", "expected \",\" and a name"},
        Mistake{"any None as d, { d == a }", "expected a name"},
        Mistake{"any None as d, d { d == a }", "\"d\" cannot be used as a placeholder for both"},
        Mistake{"any None as d {}", "expected a field"},
        // These can be read; the mistake shows only at an element.
        Mistake{"Priority matches 5", "value of type int is not convertible to []byte: Priority"},
        Mistake{"Nothing == x",
                "error finding value in datum: /Nothing at part 0: couldn't find key: struct field "
                "with name \"Nothing\""},
        Mistake{"any TaskGroups as g { g.Nmae == x }",
                "/g/Nmae at part 1: couldn't find key: struct field with name \"Nmae\""},
        Mistake{"TaskGroups.2.Name == x", "part 1: index 2 is out of range (length = 2)"},
        Mistake{"TaskGroups.x.Name == x", "part 1: index x is out of range (length = 2)"},
        Mistake{"Status.x == y", "/Status/x: at part 1, invalid value kind: string"},
        Mistake{"any Meta as k { k.x == 1 }", "/k references a string so /k/x is invalid"},
        Mistake{"any Status as s { s == a }", "Status is not a list or a map"},
        Mistake{"Priority == high", "Priority is a int, and \"high\" is none"},
        Mistake{"Stop == high", "Stop is a bool, and \"high\" is none"},
        Mistake{"Meta == x", "unable to find suitable primitive comparison function"},
        Mistake{"Priority contains 5",
                "cannot perform in/contains operations on type int for selector: \"Priority\""},
        Mistake{"Status is nil", "cannot perform is-nil operations on type string"},
        Mistake{"Stop is empty", "cannot perform is-empty operations on type bool"}));

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

TEST(ListFilterLimitTest, ItLooksAtSoMuchAndNoMore) {
  nlohmann::json element;
  for (int i = 0; i < 200; ++i) element["A"].push_back(i);
  const auto filter = ListFilter::Parse("all A as a { all A as b { all A as c { c != -1 } } }");
  ASSERT_TRUE(filter.ok()) << filter.error().message();
  ListFilter::Budget budget{.steps = 100'000};
  const Result<bool> chosen = filter->Chooses(element, &budget);
  ASSERT_FALSE(chosen.ok()) << "eight million comparisons";
  EXPECT_THAT(chosen.error().message(), HasSubstr("looks at too much"));
  // All elements of a list share one budget; long texts and lists take more of it.
  const auto costs = [&element](const char* text) {
    ListFilter::Budget left;
    const std::size_t before = left.steps;
    EXPECT_TRUE(ListFilter::Parse(text)->Chooses(element, &left).ok()) << text;
    return before - left.steps;
  };
  element["Long"] = std::string(64'000, 'x');
  EXPECT_EQ(costs("A.0 == 0"), 1u);
  EXPECT_GE(costs("A contains 7"), 200u);
  EXPECT_GE(costs("Long contains y"), 1000u);
  EXPECT_GE(costs("Long matches `y$`"), 1000u);
}

TEST(ListFilterLimitTest, FieldsThatItLooksAtAreKnown) {
  const auto filter =
      ListFilter::Parse("not (any A as a { B.x == 1 }) and (\"/C/y\" == 1 or D is nil)");
  ASSERT_TRUE(filter.ok());
  for (const char* field : {"A", "B", "C", "D"}) EXPECT_TRUE(filter->LooksAt(field)) << field;
  EXPECT_FALSE(filter->LooksAt("x"));
}

TEST(ListFilterLimitTest, NoBytesMakeItFail) {
  // Every text of up to three of these pieces is read to its end, whether valid or not.
  const std::string pieces[] = {"a",        "\"",    "`",         "\\",    "(",
                                ")",        "[",     "]",         ".",     "==",
                                "!",        "=",     " matches ", " not ", " in ",
                                " is nil ", " and ", "any ",      " as ",  "{",
                                "}",        ",",     "_",         "\xff",  std::string(1, '\0')};
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
