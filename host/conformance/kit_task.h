// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/driver/driver.h"

namespace drover {

// A task called NAME as a node would describe it to its driver, with an allocation directory below
// DIRECTORY that is made if it is missing. Its driver_config_json is the caller's.
TaskConfig MakeKitTask(const std::string& directory, const std::string& name);

}  // namespace drover
