// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/allocation.h"

namespace drover {

std::string_view DesiredStatusName(DesiredStatus status) {
  switch (status) {
    case DesiredStatus::kRun:
      return "run";
    case DesiredStatus::kStop:
      return "stop";
    case DesiredStatus::kEvict:
      return "evict";
  }
  return "unknown";
}

std::string_view ClientStatusName(ClientStatus status) {
  switch (status) {
    case ClientStatus::kPending:
      return "pending";
    case ClientStatus::kRunning:
      return "running";
    case ClientStatus::kComplete:
      return "complete";
    case ClientStatus::kFailed:
      return "failed";
    case ClientStatus::kLost:
      return "lost";
    case ClientStatus::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::string CoreList(const std::vector<int>& cores) {
  std::string text;
  for (std::size_t first = 0, last = 0; first < cores.size(); first = ++last) {
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    if (!text.empty()) text += ",";
    text += std::to_string(cores[first]);
    if (last > first) text += "-" + std::to_string(cores[last]);
  }
  return text;
}

}  // namespace drover
