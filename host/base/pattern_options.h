// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <re2/re2.h>

namespace drover {

// The options for regular expressions that clients send. RE2 has the syntax of Go. Its time grows
// only with the text, for every pattern. A pattern that needs more than a MiB is refused.
inline re2::RE2::Options PatternOptions() {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(1 << 20);
  return options;
}

}  // namespace drover
