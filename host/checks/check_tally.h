// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/checks/check_result.h"
#include "host/spec/blocks/service.h"

namespace drover {

// Decides how many answers in a row change the status of a check.
class CheckTally {
 public:
  explicit CheckTally(const ServiceCheck& check);

  // Counts the answer of a run, which is not kPending. Returns the status of the check after it.
  CheckStatus Count(CheckStatus answer);
  CheckStatus status() const { return status_; }

 private:
  const int successes_wanted_;
  const int failures_to_critical_;
  const int failures_to_warning_;
  CheckStatus status_;
  int successes_ = 0;
  int failures_ = 0;
};

}  // namespace drover
