// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/json_cutter.h"

namespace drover {

bool JsonCutter::AddOne(char c) {
  if (depth_ == 0 && c != '{') return false;
  if (rest_.size() < kMost) rest_ += c;
  if (escaped_) {
    escaped_ = false;
  } else if (in_text_) {
    escaped_ = c == '\\';
    in_text_ = c != '"';
  } else if (c == '"') {
    in_text_ = true;
  } else if (c == '{') {
    ++depth_;
  } else if (c == '}') {
    --depth_;
    return depth_ == 0;
  }
  return false;
}

}  // namespace drover
