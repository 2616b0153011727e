// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "host/spec/blocks/volume.h"
#include "host/spec/job_members.h"

namespace drover {

// Reads the volumes of a group. IN are the members of the group. [part of ParseJob]
void ReadVolumes(const JobMembers& in, VolumeRequests* volumes);
void ReadVolumeMount(const JobMembers& in, VolumeMount* mount);

// These return what the functions above read; null if there is nothing. [part of JobToJson]
nlohmann::json VolumesToJson(const VolumeRequests& volumes);
nlohmann::json VolumeMountsToJson(const std::vector<VolumeMount>& mounts);

}  // namespace drover
