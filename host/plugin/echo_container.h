// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "drover/drover.h"
#include "host/plugin/container.h"
#include "host/plugin/plugin_config.h"

namespace drover {

// The container that ISOLATION names, for one instance of DRIVER.
std::unique_ptr<DriverContainer> NewContainer(Isolation isolation, const drover_driver* driver);

}  // namespace drover
