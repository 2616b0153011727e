// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/placement/constraint.h"

#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <compare>
#include <optional>
#include <set>
#include <string_view>

#include "host/base/pattern_options.h"
#include "host/placement/device_fit.h"
#include "host/placement/version_constraint.h"

namespace drover {
namespace {

using Value = std::optional<std::string>;

Value Find(const StringMap& map, std::string_view key) {
  const auto found = map.find(std::string(key));
  return found == map.end() ? std::nullopt : Value(found->second);
}

Value Resolve(const NodeRecord& node, std::string_view target) {
  if (!target.starts_with("${") || !target.ends_with("}")) return std::string(target);
  const std::string_view name = target.substr(2, target.size() - 3);
  if (name == "node.unique.id") return node.id;
  if (name == "node.unique.name") return node.name;
  if (name == "node.datacenter") return node.datacenter;
  if (name == "node.class") return node.node_class;
  if (name == "node.pool") return node.node_pool;
  if (name.starts_with("attr.")) return Find(node.attributes, name.substr(5));
  if (name.starts_with("meta.")) return Find(node.meta, name.substr(5));
  return std::nullopt;
}

std::optional<double> NumberOf(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Compares by value if both texts are numbers, and byte by byte otherwise.
std::partial_ordering Order(const std::string& left, const std::string& right) {
  const std::optional<double> a = NumberOf(left), b = NumberOf(right);
  if (a && b) return *a <=> *b;
  return left <=> right;
}

std::set<std::string> Parts(std::string_view list) {
  std::set<std::string> parts;
  while (true) {
    std::string_view part = list.substr(0, list.find(','));
    const std::size_t taken = part.size();
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    parts.emplace(part);
    if (taken == list.size()) return parts;
    list.remove_prefix(taken + 1);
  }
}

bool MatchesPattern(const std::string& text, const std::string& pattern) {
  const re2::RE2 compiled(pattern, PatternOptions());
  return compiled.ok() && re2::RE2::PartialMatch(text, compiled);
}

bool HasParts(const std::string& list, const std::string& wanted, bool all) {
  const std::set<std::string> have = Parts(list), parts = Parts(wanted);
  const auto has = [&have](const std::string& part) { return have.count(part) > 0; };
  return all ? std::all_of(parts.begin(), parts.end(), has)
             : std::any_of(parts.begin(), parts.end(), has);
}

Version::Form FormOf(const std::string& operand) {
  return operand == "semver" ? Version::Form::kSemver : Version::Form::kLoose;
}

bool IsVersionOperand(const std::string& operand) {
  return operand == "version" || operand == "semver";
}

bool HasVersion(const std::string& version, const std::string& operand, const std::string& wanted) {
  const auto constraint = VersionConstraint::Parse(wanted, FormOf(operand));
  return constraint.ok() && constraint->IsMetBy(version);
}

// Returns how many allocations a distinct_* constraint allows on the node; absent if it sets no
// limit.
std::optional<int> MostTogether(const Constraint& constraint) {
  if (constraint.operand == "distinct_hosts") {
    if (constraint.right == "false") return std::nullopt;
    return 1;
  }
  if (constraint.operand != "distinct_property") return std::nullopt;
  if (constraint.right.empty()) return 1;
  int most = 0;  // the conversion cannot fail: CheckJob accepts only numbers
  std::from_chars(constraint.right.data(), constraint.right.data() + constraint.right.size(), most);
  return most;
}

std::string TextOf(const Constraint& constraint) {
  std::string text = constraint.left.empty() ? "" : constraint.left + " ";
  text += constraint.operand;
  return constraint.right.empty() ? text : text + " " + constraint.right;
}

void AddMistakes(const std::vector<Constraint>& constraints, const std::string& place,
                 std::string* mistakes) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const std::string mistake = RightMistake(constraints[i].operand, constraints[i].right);
    if (mistake.empty()) continue;
    *mistakes += (mistakes->empty() ? "" : "; ") + place + "/Constraints/" + std::to_string(i) +
                 "/RTarget: " + mistake;
  }
}

}  // namespace

std::string RightMistake(const std::string& operand, const std::string& right) {
  if (right.starts_with("${")) return "";
  if (operand == "regexp") {
    const re2::RE2 pattern(right, PatternOptions());
    return pattern.ok() ? "" : "is not a regular expression: " + pattern.error();
  }
  if (!IsVersionOperand(operand)) return "";
  const auto versions = VersionConstraint::Parse(right, FormOf(operand));
  return versions.ok() ? "" : "is not a version constraint: " + versions.error().message();
}

bool HaveSame(const NodeRecord& a, const NodeRecord& b, const std::string& property) {
  const Value value = Resolve(a, property);
  return value && value == Resolve(b, property);
}

bool Meets(const NodeRecord& node, const Constraint& constraint) {
  return MeetsText(Resolve(node, constraint.left), constraint.operand,
                   Resolve(node, constraint.right));
}

bool MeetsText(const Value& left, const std::string& operand, const Value& right) {
  if (operand == "is_set") return left.has_value();
  if (operand == "is_not_set") return !left.has_value();
  if (operand == "!=" || operand == "not") return left != right;
  if (operand == "distinct_hosts") return true;
  if (operand == "distinct_property") return left.has_value();
  if (!left || !right) return false;
  if (operand == "=" || operand == "==" || operand == "is") return *left == *right;
  if (operand == "<") return Order(*left, *right) < 0;
  if (operand == "<=") return Order(*left, *right) <= 0;
  if (operand == ">") return Order(*left, *right) > 0;
  if (operand == ">=") return Order(*left, *right) >= 0;
  if (operand == "regexp") return MatchesPattern(*left, *right);
  if (IsVersionOperand(operand)) return HasVersion(*left, operand, *right);
  if (operand == "set_contains_any") return HasParts(*left, *right, false);
  // CheckJob accepts no operands except the two below and those above.
  return (operand == "set_contains" || operand == "set_contains_all") &&
         HasParts(*left, *right, true);
}

std::string UnmetConstraint(const Job& job, const TaskGroup& group, const NodeRecord& node,
                            const GroupCounts& here, const CountsOfProperty& alike) {
  const auto count = [&group](const GroupCounts& counts, bool of_job) {
    int sum = 0;
    for (const auto& [name, of_group] : counts) sum += of_job || name == group.name ? of_group : 0;
    return sum;
  };
  std::vector<const std::vector<Constraint>*> lists = {&job.constraints, &group.constraints};
  for (const Task& task : group.tasks) lists.push_back(&task.constraints);
  for (const auto* list : lists) {
    for (const Constraint& constraint : *list) {
      if (!Meets(node, constraint)) return TextOf(constraint);
      const std::optional<int> most = MostTogether(constraint);
      if (!most) continue;
      const bool is_wide = alike && constraint.operand == "distinct_property";
      const GroupCounts& counts = is_wide ? alike(constraint.left) : here;
      if (count(counts, list == &job.constraints) >= *most) return TextOf(constraint);
    }
  }
  for (const Network& network : group.networks) {
    if (!IsPluginNetwork(network.mode)) continue;
    if (!node.attributes.contains(NetworkAttribute(network.mode))) {
      return "missing network \"" + network.mode + "\"";
    }
  }
  return "";
}

Status CheckConstraints(const Job& job, const std::string& place) {
  std::string mistakes;
  AddMistakes(job.constraints, place, &mistakes);
  for (std::size_t g = 0; g < job.groups.size(); ++g) {
    const std::string group = place + "/TaskGroups/" + std::to_string(g);
    AddMistakes(job.groups[g].constraints, group, &mistakes);
    for (std::size_t t = 0; t < job.groups[g].tasks.size(); ++t) {
      AddMistakes(job.groups[g].tasks[t].constraints, group + "/Tasks/" + std::to_string(t),
                  &mistakes);
    }
  }
  const std::string of_devices = DeviceMistakes(job, place);
  if (!of_devices.empty()) mistakes += (mistakes.empty() ? "" : "; ") + of_devices;
  if (mistakes.empty()) return {};
  return Error(Code::kInvalidArgument, mistakes);
}

}  // namespace drover
