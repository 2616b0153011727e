// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/kit_fault.h"

#include <algorithm>
#include <iterator>

namespace drover {
namespace {

constexpr Duration kMostDelay = 60s;

Result<KitFault> WithValue(KitFault fault, const std::string& value) {
  if (fault.kind == "kill-at") {
    const auto known = std::find(std::begin(kKillSteps), std::end(kKillSteps), value);
    if (!value.empty() && known == std::end(kKillSteps)) {
      std::string names;
      for (const char* step : kKillSteps) names += (names.empty() ? "" : ", ") + std::string(step);
      return Error(Code::kInvalidArgument,
                   "fault kill-at=" + value + ": there is no such step: the steps are " + names);
    }
    fault.step = value;
    return fault;
  }
  const Result<Duration> delay = ParseDuration(value);
  if (!delay.ok() || *delay <= Duration(0) || *delay > kMostDelay) {
    return Error(Code::kInvalidArgument, "fault " + fault.kind + "=" + value +
                                             ": give a duration of at most a minute, such as " +
                                             fault.kind + "=5s");
  }
  fault.delay = *delay;
  return fault;
}

}  // namespace

Result<KitFault> ParseKitFault(const std::string& text) {
  KitFault fault;
  if (text.empty()) return fault;
  const std::size_t equals = text.find('=');
  fault.kind = text.substr(0, equals);
  for (const KitFaultKind& known : kKitFaults) {
    if (fault.kind != known.kind) continue;
    if (known.value == nullptr && equals != std::string::npos) {
      return Error(Code::kInvalidArgument, "fault " + fault.kind + " has no value");
    }
    if (known.value == nullptr) return fault;
    const bool given = equals != std::string::npos;
    return WithValue(std::move(fault), given ? text.substr(equals + 1) : known.value);
  }
  std::string names;
  for (const KitFaultKind& known : kKitFaults) {
    names += (names.empty() ? "" : ", ") + std::string(known.kind);
  }
  return Error(Code::kInvalidArgument,
               "there is no fault \"" + fault.kind + "\": the faults are " + names);
}

}  // namespace drover
