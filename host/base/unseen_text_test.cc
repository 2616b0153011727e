// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/unseen_text.h"

#include <gtest/gtest.h>

#include <string>

namespace drover {
namespace {

TEST(UnseenTextTest, KnowsWhatChangesTheTextAroundIt) {
  // C1, soft hyphen, Arabic letter mark, zero width space, marks, separators, embeddings, isolates,
  // a byte order mark, a tag.
  for (const char* text :
       {"\u0080", "\u009b", "\u00ad", "\u061c", "\u200b", "\u200e", "\u200f", "\u2028", "\u2029",
        "\u202a", "\u202e", "\u2060", "\u2066", "\u2069", "\ufeff", "\U000e0041"}) {
    const std::string at_start = std::string(text) + "abc";
    EXPECT_EQ(UnseenLength(at_start), std::string(text).size()) << text;
    EXPECT_TRUE(HasUnseen("abc" + at_start));
  }
}

TEST(UnseenTextTest, KnowsAllFormats) {
  // The first and the last of each stretch of the category Cf in Unicode 15.
  for (const char* text :
       {"\u00ad",     "\u0600",     "\u0605",     "\u061c",     "\u06dd",     "\u070f",
        "\u0890",     "\u0891",     "\u08e2",     "\u180e",     "\u200b",     "\u200e",
        "\u200f",     "\u202a",     "\u202e",     "\u2060",     "\u2064",     "\u2066",
        "\u206f",     "\ufeff",     "\ufff9",     "\ufffb",     "\U000110bd", "\U000110cd",
        "\U00013430", "\U0001343f", "\U0001bca0", "\U0001bca3", "\U0001d173", "\U0001d17a",
        "\U000e0001", "\U000e0020", "\U000e007f"})
    EXPECT_EQ(UnseenLength(text), std::string(text).size()) << testing::PrintToString(text);
}

TEST(UnseenTextTest, LeavesLettersAndWhatIsNoText) {
  for (const char* text :
       {"", "a", "\u00e4", "\u4e2d", "\U0001f468\u200d\U0001f469", "\u05e9", "\u0634", "\u00a0",
        "\xe2\x80", "\xe2", "\x80\xae", "\xff", "\xe2\x28\xae"}) {
    EXPECT_FALSE(HasUnseen(text)) << text;
  }
}

}  // namespace
}  // namespace drover
