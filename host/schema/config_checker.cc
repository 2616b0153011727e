// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/schema/config_checker.h"

#include "host/schema/schema.h"

namespace drover {
namespace {

class SchemaChecker : public ConfigChecker {
 public:
  explicit SchemaChecker(Schema schema) : schema_(std::move(schema)) {}
  Result<std::string> Normalize(const std::string& place, const std::string& json,
                                bool final) const override {
    return schema_.Normalize(json, final, place);
  }

 private:
  const Schema schema_;
};

}  // namespace

Result<std::unique_ptr<ConfigChecker>> NewSchemaChecker(const std::string& schema) {
  // A driver without a schema has no options.
  DROVER_ASSIGN(Schema parsed, Schema::Parse(schema.empty() ? R"({"type":"object"})" : schema));
  return std::unique_ptr<ConfigChecker>(std::make_unique<SchemaChecker>(std::move(parsed)));
}

}  // namespace drover
