// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_tally.h"

#include <algorithm>

namespace drover {
namespace {

CheckStatus First(InitialStatus status) {
  switch (status) {
    case InitialStatus::kPassing:
      return CheckStatus::kSuccess;
    case InitialStatus::kWarning:
      return CheckStatus::kWarning;
    case InitialStatus::kCritical:
      return CheckStatus::kFailure;
    case InitialStatus::kNone:
      break;
  }
  return CheckStatus::kPending;
}

}  // namespace

CheckTally::CheckTally(const ServiceCheck& check)
    : successes_wanted_(std::max(1, check.success_before_passing)),
      failures_to_critical_(std::max(1, check.failures_before_critical)),
      failures_to_warning_(check.failures_before_warning > 0 ? check.failures_before_warning
                                                             : failures_to_critical_),
      status_(First(check.initial_status)) {}

CheckStatus CheckTally::Count(CheckStatus answer) {
  if (answer == CheckStatus::kFailure) {
    successes_ = 0;
    failures_ = std::min(failures_ + 1, std::max(failures_to_critical_, failures_to_warning_));
    if (failures_ >= failures_to_critical_) {
      status_ = CheckStatus::kFailure;
    } else if (failures_ >= failures_to_warning_) {
      status_ = CheckStatus::kWarning;
    }
  } else {
    failures_ = 0;
    successes_ = std::min(successes_ + 1, successes_wanted_);
    if (successes_ >= successes_wanted_) status_ = answer;
  }
  return status_;
}

}  // namespace drover
