// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/driver/driver.h"

namespace drover {

// Returns what TASK of GROUP wants and its driver cannot do, each as a sentence that names the
// field and the driver. AT_GROUP and AT_TASK are the JSON pointers of the two.
std::vector<std::string> DriverMistakes(const DriverInfo& driver, const TaskGroup& group,
                                        const Task& task, const std::string& at_group,
                                        const std::string& at_task);

}  // namespace drover
