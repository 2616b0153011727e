// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/content_type.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(ContentTypeTest, ByNameOrByItsBeginning) {
  EXPECT_EQ(ContentTypeOf("a.json", "<html>"), "application/json");
  EXPECT_EQ(ContentTypeOf("a", ""), "text/plain; charset=utf-8");
  EXPECT_EQ(ContentTypeOf("a", "words\nand more\x1b[0m"), "text/plain; charset=utf-8");
  EXPECT_EQ(ContentTypeOf("a", " \n<!DocType HTML>"), "text/html; charset=utf-8");
  EXPECT_EQ(ContentTypeOf("a", "<?xml version=1?>"), "text/xml; charset=utf-8");
  EXPECT_EQ(ContentTypeOf("a", "\x89PNG\r\n\x1a\n"), "image/png");
  EXPECT_EQ(ContentTypeOf("a",
                          "\x7f"
                          "ELF\x02\x01\x01"),
            "application/octet-stream");
  EXPECT_EQ(ContentTypeOf("a", std::string(kSniffedBytes, 'x') + '\1'),
            "text/plain; charset=utf-8");
}

TEST(ContentTypeTest, NothingThatABrowserCarriesOut) {
  EXPECT_EQ(PassiveContentType("<script>alert(1)</script>"), "text/plain; charset=utf-8");
  EXPECT_EQ(PassiveContentType("<?xml version=1?><svg>"), "text/plain; charset=utf-8");
  EXPECT_EQ(PassiveContentType("%PDF-1.7"), "text/plain; charset=utf-8");
  EXPECT_EQ(PassiveContentType("GIF89a"), "image/gif");
}

}  // namespace
}  // namespace drover
