// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/table.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

std::string Plain(Terminal::Colour, std::string_view text) { return std::string(text); }

using Lines = std::vector<std::string>;

TEST(TableTest, ColumnsAreAsWideAsTheirWidestCell) {
  TextTable table({"ID", "Name"});
  EXPECT_TRUE(table.empty());
  table.Add({"1", "one"});
  table.Add({"1000", ""});
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(table.Lines(0, Plain), (Lines{"ID    Name", "1     one", "1000"}));
}

TEST(TableTest, CharactersCountAndNotBytes) {
  TextTable table({"A", "B"});
  table.Add({"grün", "x"});
  table.Add({"gray", "x"});
  EXPECT_EQ(table.Lines(0, Plain), (Lines{"A     B", "grün  x", "gray  x"}));
}

TEST(TableTest, TheWidestColumnIsCutOnANarrowTerminal) {
  TextTable table({"ID", "Description", "End"});
  table.Add({"12345678", "a long text that does not fit", "x"});
  const Lines lines = table.Lines(30, Plain);
  EXPECT_EQ(lines[1], "12345678  a long text th…  x");
  EXPECT_EQ(lines[0], "ID        Description      End");
}

TEST(TableTest, NoColumnVanishes) {
  TextTable table({"First", "Second"});
  table.Add({"abcdefghij", "äöüäöüäöüä"});
  EXPECT_EQ(table.Lines(5, Plain)[1], "abcde…  äöüäö…");
}

TEST(TableTest, PaintsNoMoreThanTheText) {
  const auto paint = [](Terminal::Colour, std::string_view text) {
    return "<" + std::string(text) + ">";
  };
  TextTable table({"A", "B"});
  table.Add({StatusCell("dead"), "x"});
  EXPECT_EQ(table.Lines(0, paint), (Lines{"<A>     <B>", "<dead>  x"}));
}

}  // namespace
}  // namespace drover
