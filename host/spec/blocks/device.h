// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/spec/blocks/constraint.h"

namespace drover {

// The most devices that a task may ask for, in requests and in instances of one request.
inline constexpr std::size_t kMostDeviceRequests = 64;
inline constexpr std::int64_t kMostDevices = 1024;

// Names a group of devices that differ only in their ids.
struct DeviceName {
  std::string vendor;  // such as "nvidia"
  std::string type;    // such as "gpu"
  std::string name;    // the model, such as "1080ti"

  auto operator<=>(const DeviceName&) const = default;
  std::string Text() const { return vendor + "/" + type + "/" + name; }
  // Returns whether this group is one that a request for WANTED means: "TYPE", "VENDOR/TYPE" or
  // "VENDOR/TYPE/NAME". A name may hold further slashes.
  bool IsOf(std::string_view wanted) const;
};

// The devices that a task asks for: a device block of its resources.
struct DeviceRequest {
  std::string name;  // see DeviceName::IsOf
  std::int64_t count = 1;
  std::vector<Constraint> constraints;
  std::vector<Affinity> affinities;

  bool operator==(const DeviceRequest&) const = default;
};

// Devices of one group that a task of an allocation has.
struct AllocatedDevice {
  DeviceName group;
  std::vector<std::string> ids;  // of the instances

  bool operator==(const AllocatedDevice&) const = default;
};
// The devices of an allocation by task. They contain no empty lists.
using AllocatedDevices = std::map<std::string, std::vector<AllocatedDevice>>;

}  // namespace drover
