// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/change_policy.h"

namespace drover {

std::string_view DelayFunctionName(ReschedulePolicy::DelayFunction function) {
  switch (function) {
    case ReschedulePolicy::DelayFunction::kConstant:
      return "constant";
    case ReschedulePolicy::DelayFunction::kExponential:
      return "exponential";
    case ReschedulePolicy::DelayFunction::kFibonacci:
      return "fibonacci";
  }
  return "";
}

std::string_view DisconnectReconcileName(DisconnectPolicy::Reconcile reconcile) {
  switch (reconcile) {
    case DisconnectPolicy::Reconcile::kBestScore:
      return "best_score";
    case DisconnectPolicy::Reconcile::kKeepOriginal:
      return "keep_original";
    case DisconnectPolicy::Reconcile::kKeepReplacement:
      return "keep_replacement";
    case DisconnectPolicy::Reconcile::kLongestRunning:
      return "longest_running";
  }
  return "";
}

std::string_view PayloadRuleName(ParameterizedPolicy::Payload payload) {
  switch (payload) {
    case ParameterizedPolicy::Payload::kOptional:
      return "optional";
    case ParameterizedPolicy::Payload::kRequired:
      return "required";
    case ParameterizedPolicy::Payload::kForbidden:
      return "forbidden";
  }
  return "";
}

}  // namespace drover
