// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/volume.h"

namespace drover {

std::string SourceOf(const VolumeRequest& request, int index) {
  return request.per_alloc ? request.source + "[" + std::to_string(index) + "]" : request.source;
}

bool Writes(const VolumeRequest& request) {
  return !request.read_only && request.access_mode != access_mode::kReaderOnly;
}

}  // namespace drover
