// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "host/template/fake_values_for_test.h"

// The functions of consul-template and Sprig, as their documentation describes them.
namespace drover {
namespace {

using ::testing::HasSubstr;

struct FunctionCase {
  const char* text;
  const char* shown;
};
void PrintTo(const FunctionCase& one, std::ostream* out) { *out << one.text; }

class FunctionTest : public ::testing::TestWithParam<FunctionCase> {};

TEST_P(FunctionTest, Renders) { EXPECT_EQ(Rendered(GetParam().text), GetParam().shown); }

INSTANTIATE_TEST_SUITE_P(
    Texts, FunctionTest,
    ::testing::Values(
        FunctionCase{
            R"({{"hello world" | toUpper}} {{"HeLLo" | toLower}} {{"hello world" | toTitle}})",
            "HELLO WORLD hello Hello World"},
        FunctionCase{
            R"({{range (split " " "_a a_b 1a 1_b_c a'b a.1b a..b _.a a-b 'a")}}{{toTitle .}} {{end}})",
            "_A A_b 1A 1_B_c A'b A.1b A..B _.A A-B 'A "},
        FunctionCase{
            R"({{trim "!" "!!a!"}} {{trimPrefix "a" "ab"}} {{trimSuffix "b" "ab"}} {{trimSpace " x "}}.)",
            "a b a x."},
        FunctionCase{
            R"x({{"a.b" | replaceAll "." "_"}} {{"foo.bar" | regexReplaceAll "foo([.a-z]+)" "$1"}})x",
            "a_b .bar"},
        FunctionCase{
            R"x({{"foo.bar" | regexMatch "foo([.a-z]+)"}} {{"a,b" | split "," | join "-"}})x",
            "true a-b"},
        FunctionCase{R"({{range "a,b" | split ","}}[{{.}}]{{end}}{{"" | split ","}})", "[a][b][]"},
        FunctionCase{R"({{"a:1,b:2" | splitToMap "," ":"}})", "map[a:1 b:2]"},
        FunctionCase{"{{\"a\\n\\nb\" | indent 2}}", "  a\n\n  b"},
        FunctionCase{
            R"({{sprig_abbrev 5 "hello world"}} {{sprig_trunc 3 "hello"}} {{sprig_trunc -2 "hello"}})",
            "he... hel lo"},
        FunctionCase{
            R"({{sprig_snakecase "FirstName"}} {{sprig_kebabcase "HTTPServer"}} {{sprig_camelcase "http_server"}})",
            "first_name http-server HttpServer"},
        FunctionCase{
            R"({{sprig_quote "a" 1}} {{sprig_squote "a"}} {{sprig_cat "a" 1 "b"}} {{sprig_repeat 3 "ab"}})",
            R"("a" "1" 'a' a 1 b ababab)"},
        FunctionCase{
            R"({{sprig_initials "First Try"}} {{sprig_nospace "a b"}} {{sprig_title "a bc"}} {{sprig_untitle "Ab"}})",
            "FT ab A Bc ab"},
        FunctionCase{
            R"({{sprig_substr 0 3 "hello"}} {{sprig_plural "one" "many" 2}} {{sprig_wrap 5 "aa bb cc"}})",
            "hel many aa bb\ncc"},
        FunctionCase{R"({{sprig_nindent 2 "a"}}|{{sprig_replace " " "-" "a b"}})", "\n  a|a-b"}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, FunctionTest,
    ::testing::Values(
        FunctionCase{
            "{{add 1 2}} {{subtract 1 5}} {{multiply 2 2}} {{divide 2 10}} {{modulo 3 10}}",
            "3 4 4 5 1"},
        FunctionCase{"{{minimum 2 5}} {{maximum 2 5}} {{add 1 0.5}} {{5 | subtract 2}}",
                     "2 5 1.5 3"},
        FunctionCase{
            R"({{parseBool "true"}} {{parseInt "7"}} {{parseFloat "1.5"}} {{parseUint ""}})",
            "true 7 1.5 0"},
        FunctionCase{R"({{range loop 3}}{{.}}{{end}} {{range $i := loop 5 "8"}}{{$i}}{{end}})",
                     "012 567"},
        FunctionCase{
            "{{sprig_add 1 2 3}} {{sprig_mul 2 \"3\"}} {{sprig_div 7 2}} {{sprig_max 1 9 3}}",
            "6 6 3 9"},
        FunctionCase{"{{sprig_addf 0.1 0.2}} {{sprig_round 123.5555 3}} {{sprig_ceil 1.2}} "
                     "{{sprig_floor 1.8}}",
                     "0.3 123.556 2 1"},
        FunctionCase{
            "{{sprig_until 3}} {{sprig_untilStep 3 6 2}} {{sprig_seq 5}} {{sprig_seq 0 2 10}}",
            "[0 1 2] [3 5] 1 2 3 4 5 0 2 4 6 8 10"},
        FunctionCase{R"({{sprig_int "0x10"}} {{sprig_atoi "12x"}} {{sprig_toDecimal "777"}})",
                     "16 0 511"}));

INSTANTIATE_TEST_SUITE_P(
    Collections, FunctionTest,
    ::testing::Values(
        FunctionCase{
            R"({{in (sprig_list 1 2) 2}} {{sprig_list "a" "b" | contains "c"}} {{in "abc" "b"}})",
            "true false true"},
        FunctionCase{
            R"({{sprig_list 1 2 3 | containsAll (sprig_list 1 3)}} {{sprig_list 1 | containsAny (sprig_list 5)}})",
            "true false"},
        FunctionCase{
            R"({{sprig_list 1 | containsNone (sprig_list 5)}} {{sprig_list 1 | containsNotAll (sprig_list 1)}})",
            "true false"},
        FunctionCase{"{{$l := sprig_list 1 2 2 0}}{{sprig_first $l}}{{sprig_last $l}} {{sprig_rest "
                     "$l}} {{sprig_uniq $l}} {{sprig_compact $l}}",
                     "10 [2 2 0] [1 2 0] [1 2 2]"},
        FunctionCase{"{{sprig_append (sprig_list 1) 2}} {{sprig_prepend (sprig_list 1) 0}} "
                     "{{sprig_reverse (sprig_list 1 2)}}",
                     "[1 2] [0 1] [2 1]"},
        FunctionCase{"{{sprig_chunk 2 (sprig_list 1 2 3)}} {{sprig_concat (sprig_list 1) "
                     "(sprig_list 2)}} {{sprig_without (sprig_list 1 2) 1}}",
                     "[[1 2] [3]] [1 2] [2]"},
        FunctionCase{
            R"({{$d := sprig_dict "a" 1}}{{$_ := sprig_set $d "b" 2}}{{$d}} {{sprig_get $d "x"}}. {{sprig_hasKey $d "a"}})",
            "map[a:1 b:2] . true"},
        FunctionCase{
            R"({{sprig_merge (sprig_dict "a" 1) (sprig_dict "a" 2 "b" 3)}} {{sprig_mergeOverwrite (sprig_dict "a" 1) (sprig_dict "a" 2)}})",
            "map[a:1 b:3] map[a:2]"},
        FunctionCase{
            R"({{sprig_pick (sprig_dict "a" 1 "b" 2) "a"}} {{sprig_omit (sprig_dict "a" 1 "b" 2) "a"}} {{sprig_dig "a" "b" 0 (sprig_dict "a" (sprig_dict "b" 4))}})",
            "map[a:1] map[b:2] 4"},
        FunctionCase{R"({{explodeMap (sprig_dict "a/b" 1 "a/c" 2)}})", "map[a:map[b:1 c:2]]"},
        FunctionCase{
            R"({{scratch.Set "k" 1}}{{scratch.Get "k"}}{{scratch.Key "k"}}{{scratch.SetX "k" 2}}{{scratch.Get "k"}})",
            "1true1"},
        FunctionCase{
            R"({{scratch.MapSet "m" "b" 2}}{{scratch.MapSet "m" "a" 1}}{{scratch.MapValues "m"}})",
            "[1 2]"},
        FunctionCase{
            R"({{sprig_default "d" ""}} {{"x" | sprig_default "d"}} {{sprig_coalesce 0 "" 3}} {{sprig_ternary 1 2 true}})",
            "d x 3 1"},
        FunctionCase{
            R"({{sprig_typeOf 1}} {{sprig_typeOf (sprig_list)}} {{sprig_kindOf "x"}} {{sprig_kindIs "map" (sprig_dict)}})",
            "int []interface {} string true"}));

// Whoever may see the events of a task may not see its secrets.
TEST(FunctionErrorTest, HasNoTextOfAValue) {
  FakeValues values;
  values.Set("key", {"secret"}, "(hunter2: !!int x");
  for (const char* call :
       {"parseInt", "parseUint", "parseFloat", "parseBool", "sprig_urlParse", "parseYAML",
        "parseJSON", "base64Decode", "sprig_mustRegexMatch \"a\" | sprig_mustRegexMatch",
        "regexMatch (key \"secret\")", "sprig_semverCompare \"1\"",
        "sprig_semverCompare (key \"secret\") \"1.0.0\" | print"}) {
    const std::string shown = Rendered(std::string(R"({{key "secret" | )") + call + "}}", &values);
    EXPECT_EQ(shown.find("hunter2"), std::string::npos) << call << ": " << shown;
  }
  EXPECT_THAT(Rendered(R"({{key "secret" | parseInt}})", &values), HasSubstr("invalid syntax"));
}

INSTANTIATE_TEST_SUITE_P(
    Encodings, FunctionTest,
    ::testing::Values(
        FunctionCase{
            R"({{base64Encode "hello"}} {{base64Decode "aGVsbG8="}} {{base64URLEncode "?>~"}})",
            "aGVsbG8= hello Pz5-"},
        FunctionCase{R"({{sha256Hex "bladibla"}})",
                     "54cf4c66bcabb5c20e25331c01dd600b73369e97a947861bd8d3a0e0b8b3d70b"},
        FunctionCase{
            R"({{md5sum ""}} {{sprig_sha1sum ""}} {{sprig_adler32sum "abc"}})",
            "d41d8cd98f00b204e9800998ecf8427e da39a3ee5e6b4b0d3255bfef95601890afd80709 38600999"},
        FunctionCase{R"({{hmacSHA256Hex "somemessage" "somekey"}})",
                     "6116e95f2827172aa6ef8b22b883f6a77e966aefc129c6b8228ebd0aac74e98d"},
        FunctionCase{R"({{sprig_b32enc "hi"}} {{sprig_b32dec "NBUQ===="}})", "NBUQ==== hi"},
        FunctionCase{R"({{toJSON (sprig_dict "b" 1 "a" (sprig_list "<x>" 1.5 nil))}})",
                     R"({"a":["\u003cx\u003e",1.5,null],"b":1})"},
        FunctionCase{R"({{sprig_dict "a" "<x>" | toUnescapedJSON}})", R"({"a":"<x>"})"},
        FunctionCase{R"({{toJSONPretty (sprig_dict "a" (sprig_list 1) "e" (sprig_list))}})",
                     "{\n  \"a\": [\n    1\n  ],\n  \"e\": []\n}"},
        FunctionCase{
            R"({{with "{\"a\":{\"b\":[1,2.5]}}" | parseJSON}}{{.a.b}} {{index .a.b 0}}{{end}})",
            "[1 2.5] 1"},
        FunctionCase{
            "{{with \"a: [1, yes, ~, x]\\nb: {c: 0x10}\" | parseYAML}}{{.a}} {{.b.c}}{{end}}",
            "[1 true <nil> x] 16"},
        FunctionCase{R"({{sprig_dict "b" (sprig_list 1 "yes" "x: y" "") "a" nil | toYAML}})",
                     "a: null\nb:\n- 1\n- \"yes\"\n- 'x: y'\n- \"\""},
        FunctionCase{
            R"({{sprig_dict "a" 1 "b" (sprig_dict "c" "x" "d" (sprig_list 1 2)) | toTOML}})",
            "a = 1\n\n[b]\n  c = \"x\"\n  d = [1, 2]"}));

INSTANTIATE_TEST_SUITE_P(
    Others, FunctionTest,
    ::testing::Values(
        FunctionCase{"{{timestamp}} {{timestamp \"unix\"}} {{timestamp \"2006-01-02\"}}",
                     "2009-02-13T23:31:30Z 1234567890 2009-02-13"},
        FunctionCase{R"({{sprig_duration "95"}} {{sprig_durationRound "2400h5s"}})", "1m35s 3mo"},
        FunctionCase{
            R"({{(sprig_toDate "2006-01-02" "2017-12-31").Year}} {{sprig_unixEpoch (sprig_toDate "2006-01-02" "1970-01-02")}})",
            "2017 86400"},
        FunctionCase{
            R"({{$t := sprig_toDate "2006-01-02 15:04" "2017-12-31 23:30"}}{{$t.Month}} {{printf "%d" $t.Month}} {{eq $t.Month 12}} {{$t.Weekday}} {{$t.Month.String}} {{toJSON $t.Weekday}})",
            "December 12 true Sunday December 0"},
        FunctionCase{
            R"({{$t := sprig_toDate "2006-01-02 15:04" "2017-12-31 23:30"}}{{($t.Add 3600000000000).Format "2006-01-02 15:04"}} {{$d := $t.Sub (sprig_toDate "2006-01-02" "2017-12-31")}}{{$d}} {{$d.Hours}} {{printf "%d" $d}} {{toJSON $d}} {{toYAML $d}} {{($t.Add $d).Day}})",
            "2018-01-01 00:30 23h30m0s 23.5 84600000000000 84600000000000 23h30m0s 1"},
        FunctionCase{
            R"({{$t := sprig_toDate "2006-01-02" "2017-12-31"}}{{$u := $t.Add -1}}{{$t.After $u}} {{$t.Before $u}} {{$t.Equal $t}} {{$u.Sub $t}})",
            "true false true -1ns"},
        FunctionCase{
            R"({{sprig_regexFindAll "[2,4,6,8]" "123456789" -1}} {{sprig_regexSplit "z+" "pizza" -1}})",
            "[2 4 6 8] [pi a]"},
        FunctionCase{
            R"({{sprig_regexReplaceAll "a(x*)b" "-ab-axxb-" "${1}W"}} {{sprig_regexReplaceAllLiteral "a(x*)b" "-ab-axxb-" "${1}"}})",
            "-W-xxW- -${1}-${1}-"},
        FunctionCase{
            R"({{sprig_base "a/b.go"}} {{sprig_dir "a/b/c"}} {{sprig_ext "a.go"}} {{sprig_clean "a//b/../c"}} {{sprig_isAbs "/a"}})",
            "b.go a/b .go a/c true"},
        FunctionCase{
            R"({{(sprig_urlParse "http://u:p@h:8/p?q=1#f").host}} {{sprig_urlJoin (sprig_dict "scheme" "http" "host" "h" "path" "/p" "query" "q")}})",
            "h:8 http://h/p?q"},
        FunctionCase{
            R"({{sprig_semverCompare "^1.2.0" "1.3.4"}} {{sprig_semverCompare ">= 2" "1.9.9"}} {{sprig_semverCompare "~1.2" "1.2.9"}})",
            "true false true"},
        FunctionCase{R"({{define "t"}}[{{.}}]{{end}}{{executeTemplate "t" 3 | toUpper}})", "[3]"}));

TEST(RefusedFunctionTest, SaysWhatToDoInstead) {
  EXPECT_THAT(Rendered("{{with secret \"a\"}}{{end}}"), HasSubstr("read them with nomadVar"));
  EXPECT_THAT(Rendered("{{plugin \"ls\"}}"), HasSubstr("may not run programs"));
  EXPECT_THAT(Rendered("{{connect \"web\"}}"), HasSubstr("use service instead"));
  EXPECT_THAT(Rendered("{{sprig_genPrivateKey \"rsa\"}}"), HasSubstr("may not make keys"));
  EXPECT_THAT(Rendered("{{writeToFile \"/etc/x\" \"\" \"\" \"0644\" \"x\"}}"),
              HasSubstr("may not write"));
  EXPECT_THAT(Rendered("{{sprig_env \"HOME\"}}"), HasSubstr("not defined"));
}

}  // namespace
}  // namespace drover
