// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/base/result.h"
#include "host/client/api_client.h"

namespace drover {

// Reads the specification of a volume from FILE ("-": standard input) and sends it to PATH.
// The namespace of the specification counts before that of the options. Returns the volume in the
// answer.
Result<nlohmann::json> SendVolumeSpec(ApiClient* client, const std::string& path,
                                      const std::string& file);

}  // namespace drover
