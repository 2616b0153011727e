// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "host/base/result.h"

namespace drover {

// Checks configurations against one JSON Schema and converts them to the form that the schema
// declares.
class ConfigChecker {
 public:
  virtual ~ConfigChecker() = default;
  // See Driver::NormalizeConfigAt.
  virtual Result<std::string> Normalize(const std::string& place, const std::string& json,
                                        bool final) const = 0;
};

// Makes the checker for a schema. The error reports what is wrong with the schema.
using ConfigCheckerFactory =
    std::function<Result<std::unique_ptr<ConfigChecker>>(const std::string& schema)>;

// Makes a checker that uses host/schema.
Result<std::unique_ptr<ConfigChecker>> NewSchemaChecker(const std::string& schema);

}  // namespace drover
