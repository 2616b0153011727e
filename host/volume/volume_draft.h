// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/base/result.h"
#include "host/volume/volume_record.h"

namespace drover {

inline constexpr std::size_t kMostCapabilities = 16;
inline constexpr std::size_t kMostParameterBytes = std::size_t{64} << 10;

enum class VolumeRequestKind {
  kCreate,    // a plugin makes the volume
  kRegister,  // the volume is there already, at HostPath
};

// Reads a volume that a client wants to create or register. OBJECT is the member "Volume" of the
// request. Fields that the agent decides are ignored, and so are those of the other kind. The
// error is kInvalidArgument and lists all mistakes, each with its JSON pointer.
Result<VolumeRecord> ReadVolumeDraft(const nlohmann::json& object, VolumeRequestKind kind);

// Returns whether PATH can be that of a volume: absolute, of at most 4096 bytes, without control
// characters.
bool IsVolumePath(const std::string& path);

// Checks the name of a volume: 1 to 128 letters, digits and "-_.[]".
Status CheckVolumeName(const std::string& name);

}  // namespace drover
