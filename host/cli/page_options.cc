// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/page_options.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "host/base/printable.h"

namespace drover {

void PageOptions::Declare(CLI::App* command, const std::string& filter_example) {
  command->add_option("--filter", filter,
                      "Only those that this filter chooses: '" + filter_example + "'");
  command->add_option("--per-page", per_page, "At most so many of them");
  command->add_option("--page-token", page_token, "The page to print, as the one before it says");
}

void PageOptions::AddTo(Query* query) const {
  if (!filter.empty()) query->emplace_back("filter", filter);
  if (per_page > 0) query->emplace_back("per_page", std::to_string(per_page));
  if (!page_token.empty()) query->emplace_back("next_token", page_token);
}

void PrintNextPage(const std::string& next) {
  if (next.empty()) return;
  std::fprintf(stderr, "There are more: --page-token %s\n", Printable(next).c_str());
}

}  // namespace drover
