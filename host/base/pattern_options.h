// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <re2/re2.h>

namespace drover {

// The options for regular expressions that clients send. RE2 accepts the same syntax as Go. For
// every pattern, the time of a match grows only in proportion to the text. A pattern that needs
// more than 1 MiB of memory is refused.
inline re2::RE2::Options PatternOptions() {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(1 << 20);
  return options;
}

}  // namespace drover
