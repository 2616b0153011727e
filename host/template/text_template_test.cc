// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/template/text_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <random>
#include <string>

namespace drover {
namespace {

using ::testing::HasSubstr;

const nlohmann::json& Data() {
  static const nlohmann::json data = nlohmann::json::parse(R"({
    "ID": "web", "Priority": 50, "Share": 0.5, "Stop": false, "None": null, "Empty": [],
    "Allocs": [{"ID": "a1", "Status": "running"}, {"ID": "b2", "Status": "failed"}],
    "Meta": {"owner": "me", "odd key": "1"}, "Evil": "\u001b[2J"})");
  return data;
}

struct Case {
  const char* text;
  const char* shown;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.text; }

class TextTemplateTest : public ::testing::TestWithParam<Case> {};

TEST_P(TextTemplateTest, Writes) {
  const Result<TextTemplate> parsed = TextTemplate::Parse(GetParam().text);
  ASSERT_TRUE(parsed.ok()) << parsed.error().message();
  const Result<std::string> shown = parsed->Render(Data());
  ASSERT_TRUE(shown.ok()) << shown.error().message();
  EXPECT_EQ(*shown, GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(
    All, TextTemplateTest,
    ::testing::Values(
        Case{"", ""}, Case{"plain } text", "plain } text"}, Case{"{{.ID}}!", "web!"},
        Case{"{{ .Priority }} {{.Share}} {{.Stop}}", "50 0.5 false"},
        Case{"{{.Meta.owner}} {{$.Meta.owner}}", "me me"},
        Case{"{{.Nothing}} {{.Nothing.more}} {{.None}}", "<no value> <no value> <no value>"},
        Case{"{{.Meta}} {{.Empty}}", "map[odd key:1 owner:me] []"},
        Case{"{{range .Allocs}}{{.ID}} {{end}}", "a1 b2 "},
        Case{"{{range $i, $a := .Allocs}}{{$i}}={{$a.ID}} {{end}}", "0=a1 1=b2 "},
        Case{"{{range $k, $v := .Meta}}{{$k}}={{$v}};{{end}}", "odd key=1;owner=me;"},
        Case{"{{range .Empty}}x{{else}}none{{end}}", "none"},
        Case{"{{range .Allocs}}{{$.ID}}/{{.ID}} {{end}}", "web/a1 web/b2 "},
        Case{"{{if .Stop}}stopped{{else}}runs{{end}}", "runs"},
        Case{"{{if .Stop}}a{{else if .Meta}}b{{else}}c{{end}}", "b"},
        Case{"{{if .Stop}}a{{else if .Empty}}b{{else}}c{{end}}", "c"},
        Case{"{{with .Meta}}{{.owner}}{{end}}{{with .None}}x{{else}}y{{end}}", "mey"},
        Case{"{{$name := .ID}}{{$name}}", "web"}, Case{"a {{- .ID -}}  b", "awebb"},
        Case{"{{/* not shown */}}x", "x"}, Case{"{{\"}}\"}}", "}}"},
        Case{"{{len .Allocs}} {{len .ID}} {{.Allocs | len}}", "2 3 2"},
        Case{"{{index .Allocs 1 \"ID\"}} {{index .Meta \"odd key\"}}", "b2 1"},
        Case{"{{(index .Allocs 0).Status}}", "running"},
        Case{"{{range .Allocs}}{{if eq .Status \"running\"}}{{.ID}}{{end}}{{end}}", "a1"},
        Case{"{{eq .ID \"x\" \"web\"}} {{ne .ID \"web\"}} {{lt .Priority 51}} {{ge .Share 1.5}}",
             "true false true false"},
        Case{"{{printf \"%x %s\" 255}} {{printf \"x\" 1}}", "ff %!s(MISSING) x%!(EXTRA int=1)"},
        Case{"{{define \"a\"}}<{{.}}>{{end}}{{range .Allocs}}{{template \"a\" .ID}}{{end}}",
             "<a1><b2>"},
        Case{"{{and .ID .Stop}} {{or .Stop .ID}} {{not .Stop}}", "false web true"},
        Case{R"({{printf "%-5s|%5d|%05.1f|%q|%v%%" .ID .Priority .Share .ID .Stop}})",
             R"(web  |   50|000.5|"web"|false%)"},
        Case{R"({{.ID | printf "%s-%s" "job"}})", "job-web"},
        Case{R"({{print .ID "x" 1 2}}{{println 1 "x"}})", "webx1 21 x\n"},
        Case{"{{json .Allocs}}",
             R"([{"ID":"a1","Status":"running"},{"ID":"b2","Status":"failed"}])"}));

struct Mistake {
  const char* text;
  const char* told;
};
void PrintTo(const Mistake& one, std::ostream* out) { *out << one.text; }

class TextTemplateMistakeTest : public ::testing::TestWithParam<Mistake> {};

TEST_P(TextTemplateMistakeTest, IsTold) {
  const Result<TextTemplate> parsed = TextTemplate::Parse(GetParam().text);
  const Result<std::string> shown = parsed.ok() ? parsed->Render(Data()) : parsed.error();
  ASSERT_FALSE(shown.ok()) << *shown;
  EXPECT_EQ(shown.code(), Code::kInvalidArgument);
  EXPECT_THAT(shown.error().message(), HasSubstr(GetParam().told));
}

INSTANTIATE_TEST_SUITE_P(
    All, TextTemplateMistakeTest,
    ::testing::Values(
        Mistake{"{{.ID", "template:1:1: unclosed action"},
        Mistake{"{{ID}}", "template:1:3: function \"ID\" not defined"},
        Mistake{"{{if .ID}}x", "no {{end}}"}, Mistake{"{{if .ID}}x{{else}}", "no {{end}}"},
        Mistake{"x{{end}}", "unexpected {{end}}"}, Mistake{"{{}}", "missing value for command"},
        Mistake{"{{.ID \"x\"}}", "is not a method but has arguments"},
        Mistake{"{{$x}}", "undefined variable \"$x\""},
        Mistake{"{{range .ID}}{{end}}", "range can't iterate over a value of type string"},
        Mistake{"{{index .Allocs 9}}", "index out of range: 9"},
        Mistake{"{{lt .ID 1}}", "incompatible types for comparison"},
        Mistake{"{{key \"x\"}}", "function \"key\" not defined"},
        Mistake{"{{\"x}}", "unterminated quoted string"},
        Mistake{"{{(.ID}}", "unclosed left paren"}));

TEST(TextTemplateDataTest, CannotSteerATerminal) {
  const Result<TextTemplate> parsed = TextTemplate::Parse("{{.Evil}}{{.}}{{json .}}");
  ASSERT_TRUE(parsed.ok());
  const Result<std::string> shown = parsed->Render(Data());
  ASSERT_TRUE(shown.ok());
  EXPECT_EQ(shown->find('\x1b'), std::string::npos) << *shown;
}

TEST(TextTemplateLimitTest, DeepOnesAreRefused) {
  std::string text, parentheses;
  for (int i = 0; i < 1000; ++i) {
    text += "{{if 1}}";
    parentheses += "(";
  }
  EXPECT_FALSE(TextTemplate::Parse(text).ok());
  EXPECT_FALSE(TextTemplate::Parse("{{" + parentheses + "}}").ok());
}

TEST(TextTemplateLimitTest, NoBytesMakeItFail) {
  std::mt19937 random(7);
  const std::string pieces[] = {"{{", "}}",  "range ", "if ",  "else",    "end",     ".",
                                "ID", ".ID", "\"x\"",  "`",    "$x",      ":=",      "|",
                                "(",  ")",   "- ",     " -",   "printf ", "\"%5s\"", "1",
                                "/*", "*/",  "len ",   "\xff", "with ",   "eq ",     ","};
  for (int i = 0; i < 20000; ++i) {
    std::string text = "{{";
    for (unsigned n = random() % 12; n > 0; --n) text += pieces[random() % std::size(pieces)];
    const Result<TextTemplate> parsed = TextTemplate::Parse(text);
    if (parsed.ok()) (void)parsed->Render(Data());
  }
}

}  // namespace
}  // namespace drover
