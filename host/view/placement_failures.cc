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
  // Returns "1 of 3 nodes". A count above that of all nodes counts allocations instead.
  const auto share = [&failure](const json& count) {
    const std::int64_t some = count.is_number_integer() ? count.get<std::int64_t>() : 0;
    const std::int64_t all = NumberField(failure, "NodesEvaluated");
    return some <= all ? std::to_string(some) + " of " + std::to_string(all) + " nodes"
                       : Nodes(some);
  };
  for (const auto& [name, count] : MapField(failure, "ClassFiltered").items()) {
    lines->push_back("  * the class \"" + Printable(name) + "\" excludes " + share(count));
  }
  for (const auto& [name, count] : MapField(failure, "ConstraintFiltered").items()) {
    lines->push_back("  * the constraint \"" + Printable(name) + "\" excludes " + share(count));
  }
  for (const auto& [name, count] : MapField(failure, "DimensionExhausted").items()) {
    lines->push_back("  * " + Printable(name) + " exhausted on " + share(count));
  }
}

}  // namespace

std::vector<std::string> PlacementFailureLines(const json& failures) {
  std::vector<std::string> lines;
  for (const auto& [group, failure] : AsMap(failures).items()) AddGroup(group, failure, &lines);
  return lines;
}

}  // namespace drover
