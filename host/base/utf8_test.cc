// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace drover {
namespace {

using namespace std::string_view_literals;

TEST(Utf8Test, ReadsCharactersOfEachLength) {
  const std::pair<std::string_view, char32_t> characters[] = {
      {"a", U'a'}, {"\0"sv, 0},        {"\x7f", 0x7f},           {"é", U'é'},
      {"€", U'€'}, {"\ud7ff", 0xd7ff}, {"\U0010ffff", 0x10ffff}, {"😀", U'😀'}};
  for (const auto& [text, value] : characters) {
    const Utf8Character first = FirstCharacter(std::string(text) + "x");
    EXPECT_EQ(first.length, text.size());
    EXPECT_EQ(first.value, value);
  }
}

TEST(Utf8Test, RefusesWhatIsNoCharacter) {
  for (const std::string_view text :
       {"\x80", "\xbf", "\xc3", "\xc3(", "\xe2\x82", "\xe2(\xac", "\xf0\x9f\x98",
        "\xf8\x88\x80\x80\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80",
        "\xf0\x80\x80\x80",              // overlong forms
        "\xed\xa0\x80", "\xed\xbf\xbf",  // surrogates
        "\xf4\x90\x80\x80", "\xff", "\xfe"}) {
    EXPECT_EQ(FirstCharacter(text).length, 0u) << text;
  }
}

TEST(Utf8Test, FindsTheFirstByteThatIsNotUtf8) {
  EXPECT_EQ(ValidLength(""), 0u);
  EXPECT_EQ(ValidLength("aé€😀"), 10u);
  EXPECT_EQ(ValidLength("aé\xff€"), 3u);
  EXPECT_EQ(ValidLength("a\xe2\x82"), 1u);
}

}  // namespace
}  // namespace drover
