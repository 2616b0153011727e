// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/placement_failures.h"

#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

std::string Nodes(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " node" : " nodes");
}

void AddGroup(const std::string& group, const json& failure, std::vector<std::string>* lines) {
  const std::int64_t missing = NumberField(failure, "CoalescedFailures") + 1;
  lines->push_back("task group \"" + Printable(group) + "\": " + std::to_string(missing) +
                   (missing == 1 ? " allocation" : " allocations") + " could not be placed");
  if (NumberField(failure, "NodesEvaluated") == 0) lines->push_back("  * no node was eligible");
  if (NumberField(failure, "NodesInPool") == 0) {
    const std::string pool = RawField(failure, "NodePool");
    if (!pool.empty()) {
      lines->push_back("  * no ready node is in the node pool \"" + Printable(pool) + "\"");
    }
  }
  for (const auto& [datacenter, count] : MapField(failure, "NodesAvailable").items()) {
    if (count != 0) continue;
    lines->push_back("  * no node is in the datacenter \"" + Printable(datacenter) + "\"");
  }
  const auto add = [&](const char* field, const std::string& what) {
    for (const auto& [name, count] : MapField(failure, field).items()) {
      lines->push_back("  * " + what + " \"" + Printable(name) +
                       "\": " + Nodes(count.is_number_integer() ? count.get<std::int64_t>() : 0));
    }
  };
  add("ConstraintFiltered", "excluded by the constraint");
  add("DimensionExhausted", "no room left of");
}

}  // namespace

std::vector<std::string> PlacementFailureLines(const json& failures) {
  std::vector<std::string> lines;
  for (const auto& [group, failure] : AsMap(failures).items()) AddGroup(group, failure, &lines);
  return lines;
}

}  // namespace drover
