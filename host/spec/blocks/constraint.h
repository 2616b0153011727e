// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace drover {

// A condition that the node must meet for a job, group or task, or that a device must meet. See
// scheduler/constraint.h and scheduler/device_fit.h.
struct Constraint {
  std::string left;  // a literal text, or ${...} for a value of the node or of the device
  std::string operand = "=";
  std::string right;

  bool operator==(const Constraint&) const = default;
};

// A wish about a device. A device that meets it counts WEIGHT more than one that does not.
struct Affinity {
  static constexpr int kMostWeight = 100;  // the least weight is -100, and 0 is none

  std::string left;
  std::string operand = "=";
  std::string right;
  int weight = 50;

  bool operator==(const Affinity&) const = default;
};

}  // namespace drover
