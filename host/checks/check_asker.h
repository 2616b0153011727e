// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/checks/check_plan.h"
#include "host/checks/check_result.h"

namespace drover {

// Asks checks, one run at a time.
class CheckAsker {
 public:
  virtual ~CheckAsker() = default;
  // Runs the check of PLAN once. CONTEXT ends at the timeout of the check, or a little later for a
  // script. Returns soon after that, with the answer that the run has failed.
  virtual Co<CheckAnswer> Ask(Context context, std::shared_ptr<const CheckPlan> plan) = 0;
};

}  // namespace drover
