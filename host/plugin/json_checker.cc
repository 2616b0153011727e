// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/plugin/config_checker.h"

namespace drover {
namespace {

// For builds without the component schema: any JSON object is good.
class ObjectChecker : public ConfigChecker {
 public:
  Result<std::string> Normalize(const std::string&, const std::string& json, bool) const override {
    const auto value = nlohmann::json::parse(json, nullptr, false);
    if (!value.is_object()) {
      return Error(Code::kInvalidArgument, "the configuration is no JSON object");
    }
    return value.dump();
  }
};

}  // namespace

Result<std::unique_ptr<ConfigChecker>> NewSchemaChecker(const std::string&) {
  return std::unique_ptr<ConfigChecker>(std::make_unique<ObjectChecker>());
}

}  // namespace drover
