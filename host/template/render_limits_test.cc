// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <ostream>
#include <random>
#include <string>

#include "host/base/cpu_timer_for_test.h"
#include "host/template/fake_values_for_test.h"

// Templates that want too much end with an error, soon and without much memory.
namespace drover {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

struct Greedy {
  const char* text;
};
void PrintTo(const Greedy& one, std::ostream* out) { *out << one.text; }

class GreedyTemplateTest : public ::testing::TestWithParam<Greedy> {};

TEST_P(GreedyTemplateTest, EndsWithAnError) {
  FakeValues values;
  TemplateSpec spec;
  spec.text = GetParam().text;
  spec.limits.bytes = std::size_t{1} << 20;
  spec.limits.memory = std::size_t{16} << 20;
  spec.limits.steps = 200'000;
  const auto begin = std::chrono::steady_clock::now();
  const Result<RenderedTemplate> done = RenderTemplate(spec, &values);
  ASSERT_FALSE(done.ok()) << done->text.size();
  EXPECT_THAT(done.code(), AnyOf(Code::kResourceExhausted, Code::kInvalidArgument, Code::kTimeout))
      << done.error().message();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

INSTANTIATE_TEST_SUITE_P(
    All, GreedyTemplateTest,
    ::testing::Values(
        Greedy{"{{range 1000000000000}}{{end}}"},
        Greedy{"{{range loop 0 9223372036854775807}}{{end}}"},
        Greedy{"{{range loop 1000000000}}0123456789{{end}}"},
        Greedy{R"({{define "a"}}{{template "a"}}{{end}}{{template "a"}})"},
        Greedy{R"({{define "a"}}{{executeTemplate "a"}}{{end}}{{template "a"}})"},
        Greedy{
            R"({{define "a"}}{{template "b"}}{{template "b"}}{{end}}{{define "b"}}{{template "a"}}{{end}}{{template "a"}})"},
        Greedy{R"({{sprig_repeat 10000000000 "x"}})"},
        Greedy{R"({{sprig_repeat 9223372036854775807 "xy"}})"},
        Greedy{R"({{printf "%1000000d%1000000d" 1 2}})"},
        Greedy{R"({{$x := "x"}}{{range 64}}{{$x = print $x $x}}{{end}})"},
        Greedy{R"({{$x := "aa"}}{{range 64}}{{$x = replaceAll "a" $x $x}}{{end}})"},
        Greedy{R"({{$l := sprig_list 1}}{{range 64}}{{$l = sprig_concat $l $l}}{{end}})"},
        Greedy{R"({{$l := sprig_list 1}}{{range 64}}{{$l = sprig_list $l $l}}{{end}}{{$l}})"},
        Greedy{
            R"({{$l := sprig_list 1}}{{range 64}}{{$l = sprig_list $l $l}}{{end}}{{toJSON $l}})"},
        Greedy{
            R"({{$l := sprig_list 1}}{{range 64}}{{$l = sprig_list $l $l}}{{end}}{{toYAML $l}})"},
        Greedy{
            R"({{$l := sprig_list 1}}{{range 64}}{{$l = sprig_list $l $l}}{{end}}{{sprig_deepCopy $l}})"},
        Greedy{R"({{$l := sprig_list}}{{range 100000}}{{$l = sprig_list $l}}{{end}}{{$l}})"},
        Greedy{R"({{$d := sprig_dict}}{{$_ := sprig_set $d "d" $d}}{{$d}})"},
        Greedy{R"({{$d := sprig_dict}}{{$_ := sprig_set $d "d" $d}}{{toJSON $d}})"},
        Greedy{R"({{$d := sprig_dict}}{{$_ := sprig_set $d "d" $d}}{{sprig_deepCopy $d}})"},
        Greedy{
            R"({{$d := sprig_dict "x" (sprig_dict)}}{{$_ := sprig_set $d.x "x" $d}}{{toTOML $d}})"},
        Greedy{
            R"({{$x := sprig_repeat 1500000 "a"}}{{sprig_squote $x $x $x $x $x $x $x $x $x $x $x $x}})"},
        Greedy{R"({{$x := sprig_repeat 900000 "a"}}{{sprig_quote $x $x}})"},
        Greedy{
            R"({{$x := sprig_repeat 1500000 "a"}}{{sprig_dict $x 1 $x 2 $x 3 $x 4 $x 5 $x 6 $x 7 $x 8 $x 9 $x 10 $x 11 $x 12}})"},
        Greedy{
            R"({{$d := sprig_dict}}{{range loop 20000}}{{$_ := sprig_set $d (print .) .}}{{end}}{{len (sprig_keys $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d $d)}})"},
        Greedy{R"({{sprig_semverCompare (sprig_repeat 500000 "=1 ") "1.0.0"}})"},
        Greedy{R"({{sprig_clean (sprig_repeat 1500000 "/")}})"},
        Greedy{R"({{sprig_snakecase (sprig_repeat 1500000 "a")}})"},
        Greedy{R"({{sprig_until 1000000000}})"}, Greedy{R"({{indent 1000000000 "a"}})"},
        Greedy{R"({{sprig_seq 1 9223372036854775807}})"},
        Greedy{
            R"({{sprig_regexReplaceAll "" (sprig_repeat 100000 "a") (sprig_repeat 100000 "b")}})"}));

TEST(RenderLimitsTest, DeepTemplatesAreRefused) {
  std::string ifs, parentheses, lists, yaml;
  for (int i = 0; i < 20000; ++i) {
    ifs += "{{if 1}}";
    parentheses += "(";
    lists += "[";
    yaml += "- ";
  }
  EXPECT_THAT(Rendered(ifs), HasSubstr("nested too deep"));
  EXPECT_THAT(Rendered("{{" + parentheses + "}}"), HasSubstr("nested too deep"));
  EXPECT_THAT(Rendered("{{parseJSON \"" + lists + "\"}}"), HasSubstr("nested too deep"));
  EXPECT_THAT(Rendered("{{parseYAML \"" + yaml + "\"}}"), HasSubstr("error:"));
}

TEST(RenderLimitsTest, ATemplateAsksForOnlySoMuch) {
  EXPECT_THAT(Rendered("{{range loop 6000}}{{key (print .)}}{{end}}"),
              HasSubstr("asks for more than 5000 values"));
  EXPECT_THAT(Rendered(R"({{key (sprig_repeat 5000 "x")}})"), HasSubstr("more than 4096 bytes"));
  EXPECT_EQ(Rendered(R"({{range loop 6000}}{{key "a"}}{{end}})"), "");
}

TEST(RenderLimitsTest, ATemplateHasOnlySoManyWords) {
  std::string actions;
  for (int i = 0; i < 100'000; ++i) actions += "{{.}}";
  EXPECT_THAT(Rendered(actions), HasSubstr("more than 250000 words and marks"));
}

// Each match looks at the whole rest of the text, so a few steps take long.
TEST(RenderLimitsTest, AFunctionEndsInTimeAndNotWithAPart) {
  FakeValues values;
  TemplateSpec spec;
  spec.text = R"({{sprig_regexReplaceAll "a(.*b)?" (sprig_repeat 4000000 "a") "b"}})";
  spec.limits.time = std::chrono::milliseconds(300);
  spec.limits.steps = std::uint64_t{1} << 50;
  const auto begin = std::chrono::steady_clock::now();
  const Result<RenderedTemplate> late = RenderTemplate(spec, &values);
  EXPECT_EQ(late.code(), Code::kTimeout) << late.error().message();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  spec.text = R"({{sprig_regexFindAll "a" (sprig_repeat 100000 "a") -1}})";
  spec.limits.time = std::chrono::seconds(60);
  spec.limits.steps = 1000;
  EXPECT_EQ(RenderTemplate(spec, &values).code(), Code::kResourceExhausted);
}

// Such a match takes long itself, so the clock is looked at after each.
TEST(RenderLimitsTest, ALongMatchIsTheLastOneInTime) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::mt19937 random(1);
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += kDigits[random() % 16];
  const std::string pattern = "[0-9a-f]*[0-7][0-9a-f]{150}z";
  FakeValues values;
  TemplateSpec spec;
  const auto time = [&](const std::string& action) {
    spec.text = action;
    const auto begin = std::chrono::steady_clock::now();
    (void)RenderTemplate(spec, &values);
    return std::chrono::steady_clock::now() - begin;
  };
  values.Set("key", {"text"}, text);
  const auto one = time("{{regexMatch \"" + pattern + "\" (key \"text\")}}");
  spec.limits.time = std::chrono::milliseconds(100);
  EXPECT_LT(time("{{sprig_regexFindAll \"[0-9a-f](" + pattern + ")?\" (key \"text\") -1}}"),
            5 * one + std::chrono::seconds(1));
}

// Nothing in a search depends on the product of the lengths.
TEST(RenderLimitsTest, SearchesTakeNotLong) {
  const std::string begin =
      R"({{$a := sprig_repeat 4000000 "a"}}{{$b := print (sprig_repeat 2000000 "a") "b"}})";
  const CpuTimer timer;
  EXPECT_EQ(Rendered(begin + "{{contains $b $a}}"), "false");
  EXPECT_EQ(Rendered(begin + "{{in $a $b}}"), "false");
  EXPECT_EQ(Rendered(begin + "{{len (replaceAll $b $b $a)}}"), "4000000");
  EXPECT_EQ(Rendered(begin + "{{len (split $b $a)}}"), "1");
  EXPECT_EQ(Rendered(begin + R"({{len (trim $b (print "b" $a))}})"), "0");
  EXPECT_THAT(Rendered(begin + R"({{regexMatch "(x+x+)+(y+){1,100}(z+z+){1,100}w" $a}})"),
              AnyOf(HasSubstr("too large"), HasSubstr("false"), HasSubstr("error parsing")));
  EXPECT_LT(timer.Seconds(), 20 * kSanitizerFactor);
}

TEST(RenderLimitsTest, OneTextIsNotLongerThan32MiB) {
  EXPECT_THAT(Rendered(R"({{len (sprig_repeat 40000000 "a")}})"), HasSubstr("too many values"));
  EXPECT_EQ(Rendered(R"({{len (sprig_repeat 30000000 "a")}})"), "30000000");
}

TEST(RenderLimitsTest, ALargeMapIsNotCopiedWithoutEnd) {
  FakeValues values;
  TemplateSpec spec;
  spec.limits.steps = 100'000;
  spec.text = R"({{$d := sprig_dict}}{{range loop 10000}}{{$_ := sprig_set $d (print .) .}}{{end}})"
              R"({{range loop 1000}}{{range $d}}{{break}}{{end}}{{end}})";
  EXPECT_EQ(RenderTemplate(spec, &values).code(), Code::kResourceExhausted);
}

TEST(RenderLimitsTest, AYamlBombStaysSmall) {
  std::string bomb = "a0: &a0 [x, x]\\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before +
            "]\\n";
  }
  EXPECT_EQ(Rendered("{{len (parseYAML \"" + bomb + "\")}}"), "60");
}

TEST(RenderLimitsTest, NoBytesMakeItFail) {
  std::mt19937 random(11);
  const std::string pieces[] = {"{{",
                                "}}",
                                "{{- ",
                                " -}}",
                                "range ",
                                "if ",
                                "else ",
                                "end",
                                "with ",
                                "define \"a\"",
                                "template \"a\"",
                                "block \"b\" .",
                                "break",
                                "continue",
                                ".",
                                ".ID",
                                "\"x\"",
                                "`",
                                "'a'",
                                "$x",
                                ":=",
                                "=",
                                "|",
                                "(",
                                ")",
                                " ",
                                "printf ",
                                "\"%[1]*d%!\"",
                                "1",
                                "-2.5e9",
                                "/*",
                                "*/",
                                "len ",
                                "\xff",
                                "index ",
                                "slice ",
                                "sprig_dict ",
                                "sprig_list ",
                                "toJSON ",
                                "toYAML ",
                                "toTOML ",
                                "parseJSON ",
                                "parseYAML ",
                                "key ",
                                "nomadVar ",
                                ",",
                                "nil",
                                "true",
                                "sprig_substr ",
                                "sprig_splitn ",
                                "regexReplaceAll ",
                                "timestamp ",
                                "scratch",
                                ".Set ",
                                "loop "};
  FakeValues values;
  for (int i = 0; i < 30000; ++i) {
    TemplateSpec spec;
    spec.text = "{{";
    for (unsigned n = random() % 14; n > 0; --n) spec.text += pieces[random() % std::size(pieces)];
    spec.limits = {1 << 16, 1 << 20, 10'000, 20, std::chrono::milliseconds(1000), 100};
    (void)RenderTemplate(spec, &values);
  }
}

}  // namespace
}  // namespace drover
