// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "host/template/fake_values_for_test.h"
#include "host/template/template_values.h"

// The language of Go's text/template, as its documentation describes it.
namespace drover {
namespace {

using ::testing::HasSubstr;

struct LanguageCase {
  const char* text;
  const char* shown;
};
void PrintTo(const LanguageCase& one, std::ostream* out) { *out << one.text; }

class LanguageTest : public ::testing::TestWithParam<LanguageCase> {};

TEST_P(LanguageTest, Renders) { EXPECT_EQ(Rendered(GetParam().text), GetParam().shown); }

INSTANTIATE_TEST_SUITE_P(
    Documentation, LanguageTest,
    ::testing::Values(  // the examples of pipelines
        LanguageCase{R"({{"\"output\""}})", R"("output")"},
        LanguageCase{R"({{`"output"`}})", R"("output")"},
        LanguageCase{R"({{printf "%q" "output"}})", R"("output")"},
        LanguageCase{R"({{"output" | printf "%q"}})", R"("output")"},
        LanguageCase{R"({{printf "%q" (print "out" "put")}})", R"("output")"},
        LanguageCase{R"({{"put" | printf "%s%s" "out" | printf "%q"}})", R"("output")"},
        LanguageCase{R"({{"output" | printf "%s" | printf "%q"}})", R"("output")"},
        LanguageCase{R"({{with "output"}}{{printf "%q" .}}{{end}})", R"("output")"},
        LanguageCase{R"({{with $x := "output" | printf "%q"}}{{$x}}{{end}})", R"("output")"},
        LanguageCase{R"({{with $x := "output"}}{{printf "%q" $x}}{{end}})", R"("output")"},
        LanguageCase{R"({{with $x := "output"}}{{$x | printf "%q"}}{{end}})", R"("output")"},
        // text and trim markers
        LanguageCase{"{{23 -}} < {{- 45}}", "23<45"}, LanguageCase{"{{- 1 -}} x", "1x"},
        LanguageCase{"a\n{{- /* a comment */ -}}\nb", "ab"}, LanguageCase{"{{-3}}", "-3"},
        // nested templates
        LanguageCase{
            R"({{define "T1"}}ONE{{end}}{{define "T2"}}TWO{{end}})"
            R"({{define "T3"}}{{template "T1"}} {{template "T2"}}{{end}}{{template "T3"}})",
            "ONE TWO"},
        LanguageCase{R"({{block "b" 7}}[{{.}}]{{end}})", "[7]"},
        LanguageCase{R"({{define "x"}}{{.}}{{end}}{{template "x" "in"}}{{template "x"}})",
                     "in<no value>"}));

INSTANTIATE_TEST_SUITE_P(
    Actions, LanguageTest,
    ::testing::Values(
        LanguageCase{"{{if 0}}a{{else if 1}}b{{else}}c{{end}}", "b"},
        LanguageCase{"{{with 0}}a{{else with 3}}{{.}}{{else}}c{{end}}", "3"},
        LanguageCase{"{{with 0}}a{{else}}b{{end}}", "b"},
        LanguageCase{"{{range 3}}{{.}}{{end}}{{range $i := 2}}{{$i}}{{end}}", "01201"},
        LanguageCase{"{{range 0}}a{{else}}none{{end}}", "none"},
        LanguageCase{"{{range $i, $e := sprig_list 7 8}}{{$i}}={{$e}} {{end}}", "0=7 1=8 "},
        LanguageCase{
            "{{range 9}}{{if eq . 2}}{{continue}}{{end}}{{if eq . 4}}{{break}}{{end}}{{.}}{{end}}",
            "013"},
        LanguageCase{"{{$x := 1}}{{range 3}}{{$x = .}}{{end}}{{$x}}", "2"},
        LanguageCase{"{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}", "21"},
        LanguageCase{R"({{range $k, $v := sprig_dict "b" 1 "a" 2}}{{$k}}{{$v}}{{end}})", "a2b1"},
        LanguageCase{"{{.}}{{.a}}{{.a.b}}{{$}}", "<no value><no value><no value><no value>"},
        LanguageCase{R"({{(sprig_dict "a" (sprig_dict "b" 3)).a.b}})", "3"}));

INSTANTIATE_TEST_SUITE_P(
    Functions, LanguageTest,
    ::testing::Values(
        LanguageCase{"{{and 1 0 2}} {{and 1 2}} {{or 0 \"\" 3 4}} {{or 0 \"\"}}|{{not 0}}",
                     "0 2 3 |true"},
        LanguageCase{"{{1 | and 0}}{{or 5 (index (sprig_list) 1)}}", "05"},
        LanguageCase{
            "{{eq 1 2 1}} {{ne \"a\" \"b\"}} {{lt 1 2}} {{le 2 2}} {{gt 1 2}} {{ge 1.5 1.5}}",
            "true true true true false true"},
        LanguageCase{"{{eq nil nil}}", "true"},
        LanguageCase{
            R"({{index (sprig_list 1 2 3) 1}} {{index (sprig_dict "a" 5) "a"}} {{index "abc" 1}})",
            "2 5 98"},
        LanguageCase{R"({{slice "abcdef" 1 3}} {{slice (sprig_list 1 2 3) 1}} {{slice "abc"}})",
                     "bc [2 3] abc"},
        LanguageCase{"{{len \"abc\"}} {{len (sprig_list 1 2)}}", "3 2"},
        LanguageCase{R"({{html "<a href='x'>&\"</a>"}})",
                     "&lt;a href=&#39;x&#39;&gt;&amp;&#34;&lt;/a&gt;"},
        LanguageCase{R"({{js "It's <x> & \"y\" = \n"}})",
                     R"(It\'s \u003Cx\u003E \u0026 \"y\" \u003D \u000A)"},
        LanguageCase{R"({{urlquery "a b&c=d/e~é"}})", "a+b%26c%3Dd%2Fe~%C3%A9"},
        LanguageCase{"{{print 1 2 \"a\" \"b\" 3}}|{{println 1 \"a\"}}", "1 2ab3|1 a\n"},
        LanguageCase{"{{'a'}} {{0x1F}} {{1e3}} {{1_000}} {{0b11}} {{017}}", "97 31 1000 1000 3 15"},
        LanguageCase{"{{print true nil 1.5}}", "true <nil> 1.5"}));

struct LanguageMistake {
  const char* text;
  const char* place;
  const char* told;
};
void PrintTo(const LanguageMistake& one, std::ostream* out) { *out << one.text; }

class LanguageMistakeTest : public ::testing::TestWithParam<LanguageMistake> {};

TEST_P(LanguageMistakeTest, HasItsPlace) {
  const std::string shown = Rendered(GetParam().text);
  EXPECT_THAT(shown,
              HasSubstr(std::string("error: template: template:") + GetParam().place + ": "));
  EXPECT_THAT(shown, HasSubstr(GetParam().told));
}

INSTANTIATE_TEST_SUITE_P(
    All, LanguageMistakeTest,
    ::testing::Values(
        LanguageMistake{"a\nb {{.x", "2:3", "unclosed action"},
        LanguageMistake{"{{nothing}}", "1:3", "function \"nothing\" not defined"},
        LanguageMistake{"{{if 1}}x", "1:3", "no {{end}}"},
        LanguageMistake{"x{{end}}", "1:4", "unexpected {{end}}"},
        LanguageMistake{"{{break}}", "1:3", "outside {{range}}"},
        LanguageMistake{"{{$x}}", "1:3", "undefined variable \"$x\""},
        LanguageMistake{"{{/* x", "1:3", "unclosed comment"},
        LanguageMistake{"{{\"x}}", "1:3", "unterminated quoted string"},
        LanguageMistake{"{{1 2}}", "1:3", "can't give argument to non-function"},
        LanguageMistake{"{{toUpper 1}}", "1:11", "expected string"},
        LanguageMistake{"{{toUpper}}", "1:3", "wrong number of args for toUpper: want 1 got 0"},
        LanguageMistake{"\n\n {{index (sprig_list 1) 4}}", "3:4", "index: index out of range: 4"},
        LanguageMistake{"{{range \"text\"}}{{end}}", "1:3", "range can't iterate over"},
        LanguageMistake{"{{template \"x\"}}", "1:3", "template \"x\" not defined"},
        LanguageMistake{R"({{define "a"}}1{{end}}{{define "a"}}2{{end}})", "1:23",
                        "multiple definition"},
        LanguageMistake{"{{lt 1 \"a\"}}", "1:3", "incompatible types for comparison"},
        LanguageMistake{"{{eq (sprig_list) (sprig_list)}}", "1:3", "non-comparable type"},
        LanguageMistake{R"({{(sprig_dict).a.b}})", "1:15", "nil pointer evaluating interface {}.b"},
        LanguageMistake{"{{call 1}}", "1:3", "non-function"},
        LanguageMistake{"{{1 | 2}}", "1:7", "non executable command"},
        LanguageMistake{"{{nil}}", "1:3", "nil is not a command"},
        LanguageMistake{"{{99999999999999999999}}", "1:3", "integer overflow"}));

TEST(RenderTemplateTest, DelimitersCanBeOthers) {
  FakeValues values;
  TemplateSpec spec;
  spec.text = "{{ .x }} [[ len `abc` ]] [[- /* c */ -]] <[[ 1 -]]\n>";
  spec.left = "[[";
  spec.right = "]]";
  const Result<RenderedTemplate> done = RenderTemplate(spec, &values);
  ASSERT_TRUE(done.ok()) << done.error().message();
  EXPECT_EQ(done->text, "{{ .x }} 3<1>");
}

TEST(RenderTemplateTest, MissingKeysAreNothingOrAnError) {
  EXPECT_EQ(Rendered(R"({{(sprig_dict "a" 1).b}})"), "<no value>");
  EXPECT_EQ(Rendered(R"({{("a=1" | splitToMap "," "=").b}}.)"), ".");
  EXPECT_THAT(Rendered(R"({{(sprig_dict "a" 1).b}})", nullptr, true),
              HasSubstr("map has no entry for key \"b\""));
  EXPECT_THAT(Rendered("{{.b}}", nullptr, true), HasSubstr("nil data; no entry for key \"b\""));
}

}  // namespace
}  // namespace drover
