// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/base/time.h"

namespace drover {

enum class CheckStatus { kPending, kSuccess, kWarning, kFailure };
std::string_view CheckStatusName(CheckStatus status);  // such as "success"

// What one run of a check has found.
struct CheckAnswer {
  CheckStatus status = CheckStatus::kFailure;
  int status_code = 0;  // of HTTP; 0 if there is none
  std::string output;   // any bytes

  bool operator==(const CheckAnswer&) const = default;
};

// The state of a check, after as many runs as its thresholds want.
struct CheckResult {
  CheckStatus status = CheckStatus::kPending;
  int status_code = 0;  // of the last run, as is the output
  std::string output = "nomad: waiting to run";
  WallTime timestamp = 0;
  bool has_run = false;
  TimePoint ran;  // when the last run ended, if there was one
};

// The most bytes of output that are kept of a run.
inline constexpr std::size_t kMostCheckOutput = 3072;
// Returns the beginning of OUTPUT, which comes from a task or from the network, as valid UTF-8.
std::string CheckOutput(std::string_view output);

}  // namespace drover
