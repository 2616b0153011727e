// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/shell_word.h"

#include <gtest/gtest.h>

#include <string_view>

namespace drover {
namespace {

TEST(ShellWordTest, QuotesText) {
  EXPECT_EQ(ShellWord("web.hcl"), "'web.hcl'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellWord(""), "''");
}

TEST(ShellWordTest, QuotesTextOnlyIfAShellNeedsIt) {
  for (const char* plain : {"web.nomad.hcl", "/a/b-c_d.json", "-", "../x@1:2,3+4"}) {
    EXPECT_EQ(ShortShellWord(plain), plain);
  }
  for (const char* odd : {"", "a b", "~/x", "$(x)", "a;b", "a*", "a=b", "#x", "a\nb", "\xc3\xbc"}) {
    EXPECT_EQ(ShortShellWord(odd), ShellWord(odd));
  }
}

}  // namespace
}  // namespace drover
