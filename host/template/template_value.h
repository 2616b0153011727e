// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

// The values of templates are JSON. A missing value has the JSON type "discarded".

// Returns VALUE in the form in which Go prints it.
std::string TemplateText(const nlohmann::json& value);
// Returns true if {{if}} takes VALUE for true: VALUE is not missing, and neither zero nor empty.
bool TemplateTruth(const nlohmann::json& value);
// Returns the field KEY of VALUE, or a missing value if there is no such field.
nlohmann::json TemplateField(const nlohmann::json& value, const std::string& key);

bool IsTemplateFunction(const std::string& name);
// Calls the function NAME. The error explains why the function cannot use its arguments.
Result<nlohmann::json> CallTemplateFunction(const std::string& name,
                                            const std::vector<nlohmann::json>& arguments);

}  // namespace drover
