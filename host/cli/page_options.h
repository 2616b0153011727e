// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/client/api_path.h"

namespace CLI {
class App;
}

namespace drover {

// The options of a command that lists records: which of them, and how many at once.
struct PageOptions {
  std::string filter;
  std::uint32_t per_page = 0;  // 0 for all in one page
  std::string page_token;

  // FILTER_EXAMPLE is for the help, such as "Path contains \"db\"".
  void Declare(CLI::App* command, const std::string& filter_example);
  // Adds what was given to QUERY.
  void AddTo(Query* query) const;
};

// Prints how to get the page with the token NEXT, unless NEXT is empty. Programs read standard
// output, so this goes to standard error.
void PrintNextPage(const std::string& next);

}  // namespace drover
