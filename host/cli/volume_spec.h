// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/base/result.h"

namespace drover {

// Reads the specification of a volume in TEXT, in HCL of the first version or in JSON. FILE is its
// name, for errors. Returns the volume as the API takes it, in the member "Volume" of a request.
// Errors that are mistakes in TEXT are kInvalidArgument.
Result<nlohmann::json> ReadVolumeSpec(const std::string& file, const std::string& text);

// Reads a number of bytes such as "10GiB", "1.5 GB" or "4096". KB, MB, GB and TB, and K, M, G and T
// are powers of 1000, KiB, MiB, GiB and TiB of 1024.
Result<std::int64_t> ParseByteCount(const std::string& text);

}  // namespace drover
