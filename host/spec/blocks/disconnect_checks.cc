// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/disconnect_checks.h"

#include <optional>
#include <string>

#include "host/spec/job_limits.h"

namespace drover {
namespace {

void CheckWait(const std::optional<Duration>& wait, const JobPlace& at) {
  if (!wait) return;
  if (*wait < 0s) {
    at.Fault("must not be negative, but is " + FormatDuration(*wait));
  } else {
    job_checks::CheckLength(*wait, at);
  }
}

}  // namespace

void CheckDisconnect(const DisconnectPolicy& policy, const JobPlace& at) {
  CheckWait(policy.lost_after, at / "LostAfter");
  CheckWait(policy.stop_on_client_after, at / "StopOnClientAfter");
  if (policy.lost_after && policy.stop_on_client_after) {
    at.Fault(
        "has LostAfter and StopOnClientAfter; write one of them: an allocation that its node stops "
        "cannot come back");
  }
}

}  // namespace drover
