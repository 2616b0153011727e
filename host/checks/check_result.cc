// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_result.h"

#include <algorithm>

#include "host/base/utf8.h"

namespace drover {

std::string_view CheckStatusName(CheckStatus status) {
  switch (status) {
    case CheckStatus::kPending:
      return "pending";
    case CheckStatus::kSuccess:
      return "success";
    case CheckStatus::kWarning:
      return "warning";
    case CheckStatus::kFailure:
      return "failure";
  }
  return "unknown";
}

std::string CheckOutput(std::string_view output) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  output = output.substr(0, kMostCheckOutput);
  std::string text;
  while (!output.empty()) {
    const std::size_t length = FirstCharacter(output).length;
    const std::string_view next = length == 0 ? kReplacement : output.substr(0, length);
    if (text.size() + next.size() > kMostCheckOutput) break;
    text += next;
    output.remove_prefix(std::max<std::size_t>(1, length));
  }
  return text;
}

}  // namespace drover
