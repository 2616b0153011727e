// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads lines {"schema": S, "value": V, "final": B}, and answers each with a line that has the
// result of host/schema. For differential.py.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "host/schema/schema.h"

int main() {
  using nlohmann::json;
  std::ios::sync_with_stdio(false);
  std::string line;
  while (std::getline(std::cin, line)) {
    const json request = json::parse(line);
    json answer;
    const auto schema = drover::Schema::Parse(request["schema"].dump());
    if (!schema.ok()) {
      answer["schema_error"] = schema.error().message();
    } else {
      const std::string value = request["value"].dump();
      const drover::Status valid = schema->Validate(value);
      answer["valid"] = valid.ok();
      if (!valid.ok()) answer["fault"] = valid.error().message();
      const auto normalized = schema->Normalize(value, request["final"]);
      if (normalized.ok()) {
        answer["normalized"] = json::parse(*normalized);
      } else {
        answer["normalize_fault"] = normalized.error().message();
      }
    }
    std::cout << answer.dump() << '\n';
  }
  return 0;
}
