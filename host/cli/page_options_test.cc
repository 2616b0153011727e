// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/page_options.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(PageOptionsTest, OnlyWhatWasGivenIsAsked) {
  Query query = {{"namespace", "*"}};
  PageOptions page;
  page.AddTo(&query);
  EXPECT_EQ(query, (Query{{"namespace", "*"}}));
  page.filter = "Port == 80";
  page.per_page = 2;
  page.page_token = "default.b";
  page.AddTo(&query);
  EXPECT_EQ(query, (Query{{"namespace", "*"},
                          {"filter", "Port == 80"},
                          {"per_page", "2"},
                          {"next_token", "default.b"}}));
}

}  // namespace
}  // namespace drover
