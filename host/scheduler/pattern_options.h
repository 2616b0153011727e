// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <re2/re2.h>

namespace drover {

// Of the regular expressions that clients send. RE2 has the syntax of Go and takes time that grows
// with the text only, whatever is asked for; a pattern that needs more than a MiB is refused.
inline re2::RE2::Options PatternOptions() {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(1 << 20);
  return options;
}

}  // namespace drover
