// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/hcl/hcl_diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

using testing::HasSubstr;
using testing::Not;

// Returns a fault in TEXT at the first place of MARKED.
HclDiagnostic FaultAt(const std::string& text, const std::string& marked) {
  HclDiagnostic fault;
  fault.file = "web.hcl";
  fault.summary = "Wrong";
  fault.detail = "It is wrong.";
  fault.byte = text.find(marked);
  fault.end_byte = fault.byte + marked.size();
  const std::string before = text.substr(0, fault.byte);
  fault.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  fault.column = 7;
  return fault;
}

// Returns the text of that fault, without its first line and its last.
std::string Snippet(const std::string& text, const std::string& marked) {
  const std::string all = DiagnosticsText({FaultAt(text, marked)}, {{"web.hcl", text}});
  const std::size_t first = all.find('\n') + 1;
  return all.substr(first, all.find("  It is wrong.\n") - first);
}

TEST(HclDiagnosticsTest, ShowsThePlaceAndTheLine) {
  const std::string text = "job \"a\" {\n  kind = 1\n}\n";
  EXPECT_EQ(DiagnosticsText({FaultAt(text, "kind")}, {{"other.hcl", "x"}, {"web.hcl", text}}),
            "web.hcl:2,7: Error: Wrong\n"
            "  2 |   kind = 1\n"
            "    |   ^^^^\n"
            "  It is wrong.\n");
}

TEST(HclDiagnosticsTest, ShowsAll) {
  const std::string text = "a = 1\nb = 2\n";
  HclDiagnostic warning = FaultAt(text, "b");
  warning.error = false;
  HclDiagnostic nowhere;
  nowhere.summary = "Unset variable";
  nowhere.detail = "First line.\n\nThird line.";
  EXPECT_EQ(DiagnosticsText({FaultAt(text, "1"), warning, nowhere}, {{"web.hcl", text}}),
            "web.hcl:1,7: Error: Wrong\n"
            "  1 | a = 1\n"
            "    |     ^\n"
            "  It is wrong.\n"
            "\n"
            "web.hcl:2,7: Warning: Wrong\n"
            "  2 | b = 2\n"
            "    | ^\n"
            "  It is wrong.\n"
            "\n"
            "Error: Unset variable\n"
            "  First line.\n"
            "\n"
            "  Third line.\n");
}

TEST(HclDiagnosticsTest, AFileWithoutItsTextHasOnlyThePlace) {
  EXPECT_EQ(DiagnosticsText({FaultAt("x", "x")}, {}),
            "web.hcl:1,7: Error: Wrong\n  It is wrong.\n");
}

TEST(HclDiagnosticsTest, APlaceBeyondTheTextIsNotShown) {
  HclDiagnostic fault = FaultAt("x", "x");
  fault.byte = 100;
  fault.end_byte = 50;
  EXPECT_EQ(DiagnosticsText({fault}, {{"web.hcl", "x"}}),
            "web.hcl:1,7: Error: Wrong\n  It is wrong.\n");
}

TEST(HclDiagnosticsTest, MarksStandBelowTheirTextAfterTabs) {
  EXPECT_EQ(Snippet("\ta\tkind = 1\n", "kind"),
            "  1 |     a   kind = 1\n"
            "    |         ^^^^\n");
}

TEST(HclDiagnosticsTest, MarksStandBelowTheirTextAfterWideCharacters) {
  EXPECT_EQ(Snippet("a = \"日本\" kind\n", "kind"),
            "  1 | a = \"日本\" kind\n"
            "    |            ^^^^\n");
  EXPECT_EQ(Snippet("a = \"日本\"\n", "日本"),
            "  1 | a = \"日本\"\n"
            "    |      ^^^^\n");
}

TEST(HclDiagnosticsTest, AnAccentTakesNoColumn) {
  EXPECT_EQ(Snippet("a = \"e\u0301\" kind\n", "kind"),
            "  1 | a = \"e\u0301\" kind\n"
            "    |         ^^^^\n");
}

TEST(HclDiagnosticsTest, WhatControlsTerminalsBecomesVisible) {
  const std::string text = "a = \"\x1b[2J\xff\u202e\" kind\n";
  EXPECT_EQ(Snippet(text, "kind"),
            "  1 | a = \"\\x1b[2J\\xff\\xe2\\x80\\xae\" kind\n"
            "    |                               ^^^^\n");
  HclDiagnostic fault;
  fault.file = "\x1b]0;a\x07.hcl";
  fault.summary = "\x1b[31m";
  fault.detail = "\rgone\n\x9b";
  EXPECT_EQ(DiagnosticsText({fault}, {}),
            "\\x1b]0;a\\x07.hcl: Error: \\x1b[31m\n  \\x0dgone\n  \\x9b\n");
}

TEST(HclDiagnosticsTest, ALongLineIsCutAroundThePlace) {
  const std::string text = std::string(5000, 'a') + "kind" + std::string(5000, 'b');
  EXPECT_EQ(Snippet(text, "kind"), "  1 | …" + std::string(60, 'a') + "kind" +
                                       std::string(36, 'b') + "…\n    |  " + std::string(60, ' ') +
                                       "^^^^\n");
  EXPECT_EQ(Snippet("kind" + std::string(5000, 'b'), "kind"),
            "  1 | kind" + std::string(96, 'b') + "…\n    | ^^^^\n");
  EXPECT_EQ(Snippet(std::string(5000, 'a') + "kind", "kind"),
            "  1 | …" + std::string(60, 'a') + "kind\n    |  " + std::string(60, ' ') + "^^^^\n");
}

TEST(HclDiagnosticsTest, AHugeLineCostsNoTime) {
  const std::string text = std::string(8'000'000, 'a') + "kind" + std::string(8'000'000, '\t');
  const std::vector<HclDiagnostic> many(100, FaultAt(text, "kind"));
  EXPECT_LT(DiagnosticsText(many, {{"web.hcl", text}}).size(), 100'000u);
  EXPECT_THAT(Snippet(text, "kind"), HasSubstr("aaakind    "));
}

TEST(HclDiagnosticsTest, TheMarkOfALongPlaceIsCut) {
  const std::string text = "a = " + std::string(5000, 'b');
  EXPECT_EQ(Snippet(text, std::string(5000, 'b')),
            "  1 | a = " + std::string(96, 'b') + "…\n    |     " + std::string(96, '^') + "\n");
}

TEST(HclDiagnosticsTest, APlaceOfSeveralLinesIsMarkedToTheEndOfItsFirst) {
  EXPECT_EQ(Snippet("a = {\n  b = 1\n}\n", "{\n  b = 1\n}"), "  1 | a = {\n    |     ^\n");
}

TEST(HclDiagnosticsTest, ThePlaceMayBeTheEndOfALineOrOfTheText) {
  EXPECT_EQ(Snippet("a =\nb = 1\n", "\n"), "  1 | a =\n    |    ^\n");
  HclDiagnostic end = FaultAt("a = 1\n", "a");
  end.byte = end.end_byte = 6;
  end.line = 2;
  EXPECT_THAT(DiagnosticsText({end}, {{"web.hcl", "a = 1\n"}}), HasSubstr("  2 | \n    | ^\n"));
}

TEST(HclDiagnosticsTest, TheEndOfALineOfWindowsIsNotShown) {
  EXPECT_THAT(Snippet("a = 1\r\nb\r\n", "1"), Not(HasSubstr("\\x0d")));
}

TEST(HclDiagnosticsTest, LinesAboveNineStandInTheSameColumn) {
  const std::string text = std::string(11, '\n') + "kind = 1\n";
  EXPECT_EQ(Snippet(text, "kind"), "  12 | kind = 1\n     | ^^^^\n");
}

}  // namespace
}  // namespace drover
