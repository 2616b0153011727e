// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/hcl/is_json.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(IsJsonTest, TheFirstCharacterTells) {
  for (const char* text : {"{}", " \t\r\n{\"Job\": {}}", "[", "\xef\xbb\xbf{}", "{ nonsense"}) {
    EXPECT_TRUE(IsJsonText(text)) << text;
  }
  for (const char* text : {"", "  ", "job \"web\" {}", "# {\n", "/* { */ job {", "\xef\xbb\xbfjob",
                           "x = {}", "\"{\""}) {
    EXPECT_FALSE(IsJsonText(text)) << text;
  }
}

}  // namespace
}  // namespace drover
