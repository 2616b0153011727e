// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "host/driver/driver.h"

// These functions convert the values that a driver returns to the JSON of an answer.
namespace drover {

nlohmann::json ErrorJson(const Error& error);
nlohmann::json FingerprintJson(const Fingerprint& fingerprint);
nlohmann::json ExitJson(const ExitResult& exit);
nlohmann::json StatusJson(const TaskStatus& status);
nlohmann::json UsageJson(const TaskUsage& usage);
nlohmann::json ProgressJson(const TaskProgress& progress);

}  // namespace drover
