// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/printable.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(PrintableTest, ShowsWhatWouldSteerTheTerminal) {
  EXPECT_EQ(Printable("\x1b[2Jx\r\ty\x7f"), "\\x1b[2Jx\\x0d\ty\\x7f");
  EXPECT_EQ(Printable("grün €😀"), "grün €😀");
  EXPECT_EQ(Printable("a\u202egnp.exe"), "a\\xe2\\x80\\xaegnp.exe");
  EXPECT_EQ(Printable("\xc2\x9b 31m\x9b\xff\xe2\x82"), "\\xc2\\x9b 31m\\x9b\\xff\\xe2\\x82");
  EXPECT_EQ(PrintableLines("a\x1b\n\n b"), "a\\x1b\n\n b");
}

}  // namespace
}  // namespace drover
