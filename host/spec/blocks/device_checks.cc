// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/device_checks.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace drover {
namespace {

using job_checks::CheckText;

// Checks a constraint or an affinity of a device.
template <typename Rule>
void CheckRule(const Rule& rule, const JobPlace& at) {
  if (!IsOperand(rule.operand)) {
    (at / "Operand").Fault(Quoted(rule.operand) + " is not supported by this version");
  } else if (IsDistinct(rule.operand)) {
    (at / "Operand").Fault(Quoted(rule.operand) + " is for jobs and task groups");
  } else if (rule.left.empty()) {
    (at / "LTarget").Fault("is missing; write for example \"${device.attr.memory}\"");
  }
}

void CheckName(const std::string& name, const JobPlace& at) {
  if (!CheckText(name, at)) return;
  const bool hollow =
      name.front() == '/' || name.back() == '/' || name.find("//") != std::string::npos;
  if (hollow || name.find(' ') != std::string::npos) {
    at.Fault(Quoted(name) +
             " is no name of devices: write TYPE, VENDOR/TYPE or VENDOR/TYPE/NAME, such as "
             "\"nvidia/gpu\"");
  }
}

void CheckRequest(const DeviceRequest& request, const JobPlace& at) {
  CheckName(request.name, at / "Name");
  if (request.count < 1 || request.count > kMostDevices) {
    (at / "Count")
        .Fault("must be 1 to " + std::to_string(kMostDevices) + ", but is " +
               std::to_string(request.count));
  }
  for (std::size_t i = 0; i < request.constraints.size(); ++i) {
    CheckRule(request.constraints[i], at / "Constraints" / i);
  }
  for (std::size_t i = 0; i < request.affinities.size(); ++i) {
    const Affinity& affinity = request.affinities[i];
    CheckRule(affinity, at / "Affinities" / i);
    if (affinity.weight == 0 || std::abs(affinity.weight) > Affinity::kMostWeight) {
      (at / "Affinities" / i / "Weight")
          .Fault("must be -100 to 100, and not 0, but is " + std::to_string(affinity.weight));
    }
  }
}

}  // namespace

bool IsOperand(std::string_view operand) {
  static constexpr std::string_view kOperands[] = {"=",
                                                   "==",
                                                   "is",
                                                   "!=",
                                                   "not",
                                                   "<",
                                                   "<=",
                                                   ">",
                                                   ">=",
                                                   "regexp",
                                                   "set_contains",
                                                   "set_contains_all",
                                                   "set_contains_any",
                                                   "is_set",
                                                   "is_not_set",
                                                   "version",
                                                   "semver",
                                                   "distinct_hosts",
                                                   "distinct_property"};
  return std::ranges::find(kOperands, operand) != std::end(kOperands);
}

bool IsDistinct(std::string_view operand) {
  return operand == "distinct_hosts" || operand == "distinct_property";
}

void CheckDeviceRequests(const std::vector<DeviceRequest>& requests, const JobPlace& at) {
  if (requests.size() > kMostDeviceRequests) {
    at.Fault("a task may have at most " + std::to_string(kMostDeviceRequests) + " device blocks");
    return;
  }
  for (std::size_t i = 0; i < requests.size(); ++i) CheckRequest(requests[i], at / i);
}

}  // namespace drover
