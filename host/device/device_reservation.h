// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/driver/driver.h"
#include "host/spec/blocks/device.h"

namespace drover {

// What a task needs to use its devices.
struct DeviceReservation {
  StringMap env = {};
  std::vector<TaskMount> mounts = {};
  std::vector<TaskDevice> devices = {};

  bool operator==(const DeviceReservation&) const = default;
};

inline constexpr std::size_t kMostReserved = 1024;  // mounts, nodes and variables
inline constexpr std::size_t kMostReservedBytes = std::size_t{256} << 10;  // as JSON

// Checks the answer of a plugin: absolute paths without "..", permissions of the letters "rwm",
// names of variables. The error names the first mistake.
Status CheckReservation(const DeviceReservation& reservation);

// Adds MORE to SUM. An error if both have a variable with different values, or the same path in
// the task for different things.
Status AddReservation(DeviceReservation more, DeviceReservation* sum);

// The texts in which the state of a task keeps a reservation. DecodeReservation returns an error
// for a text of another form.
std::string EncodeReservation(const DeviceReservation& reservation);
Result<DeviceReservation> DecodeReservation(const std::string& text);

// Returns a text that names DEVICES. It differs for different devices.
std::string DeviceList(const std::vector<AllocatedDevice>& devices);

}  // namespace drover
