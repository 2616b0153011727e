// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "host/device/device_group.h"
#include "host/spec/job.h"

namespace drover {

// Returns whether GROUP meets CONSTRAINT. The text ${...} stands for a value of the group:
// device.vendor, device.type, device.model, device.ids (with commas) or device.attr.NAME. Any other
// text is a value as ParseDeviceValue reads it. Numbers are compared after their units. The other
// rules are those of Meets.
bool MeetsDevice(const DeviceGroup& group, const Constraint& constraint);

// Returns how much of the wishes of REQUEST the group meets: 1 if all, and less than 0 if it meets
// those with a negative weight. Returns 0 if there are no wishes.
double AffinityOf(const DeviceGroup& group, const DeviceRequest& request);

// Returns whether the instance ID of a group can be given away.
using IsFreeDevice = std::function<bool(const DeviceName& group, const std::string& id)>;

// Chooses healthy devices of GROUPS for each task of GROUP. A request gets devices of one group
// only: of those with enough free devices the one with the highest affinity, and of equal ones the
// first. No two requests get the same device. Absent if there are not enough.
std::optional<AllocatedDevices> ChooseDevices(const DeviceGroups& groups, const TaskGroup& group,
                                              const IsFreeDevice& is_free);

// Returns whether a task of GROUP asks for devices.
bool WantsDevices(const TaskGroup& group);

// Checks the patterns and versions in the constraints and affinities of the devices of JOB. See
// CheckConstraints, which calls this. PLACE is the JSON pointer of the job in its file. Returns the
// mistakes, each with its JSON pointer; empty if there are none.
std::string DeviceMistakes(const Job& job, const std::string& place);

}  // namespace drover
