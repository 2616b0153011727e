// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/device.h"

namespace drover {

bool DeviceName::IsOf(std::string_view wanted) const {
  const std::size_t first = wanted.find('/');
  if (first == std::string_view::npos) return wanted == type;
  const std::string_view rest = wanted.substr(first + 1);
  const std::size_t second = rest.find('/');
  if (wanted.substr(0, first) != vendor || rest.substr(0, second) != type) return false;
  return second == std::string_view::npos || rest.substr(second + 1) == name;
}

}  // namespace drover
