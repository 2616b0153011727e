// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

// The values of templates are JSON. A missing value is "discarded".

// VALUE in the form in which Go would write it.
std::string TemplateText(const nlohmann::json& value);
// Whether {{if}} takes VALUE for true: it is there, and neither zero nor empty.
bool TemplateTruth(const nlohmann::json& value);
// The field KEY of VALUE; discarded when there is none.
nlohmann::json TemplateField(const nlohmann::json& value, const std::string& key);

bool IsTemplateFunction(const std::string& name);
// The error says what the function cannot do with its arguments.
Result<nlohmann::json> CallTemplateFunction(const std::string& name,
                                            const std::vector<nlohmann::json>& arguments);

}  // namespace drover
