// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

// The values of templates are JSON; one that is not there is "discarded".

// VALUE as a template writes it, as Go would.
std::string TemplateText(const nlohmann::json& value);
// Whether {{if}} takes VALUE for true: it is there, and neither zero nor empty.
bool TemplateTruth(const nlohmann::json& value);
// What is called KEY in VALUE, an object; discarded when there is none.
nlohmann::json TemplateField(const nlohmann::json& value, const std::string& key);

bool IsTemplateFunction(const std::string& name);
// The error says what the function cannot do with its arguments.
Result<nlohmann::json> CallTemplateFunction(const std::string& name,
                                            const std::vector<nlohmann::json>& arguments);

}  // namespace drover
