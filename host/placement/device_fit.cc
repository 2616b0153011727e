// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/placement/device_fit.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "host/placement/constraint.h"

namespace drover {
namespace {

using DeviceOperand = std::optional<DeviceValue>;

std::string IdsOf(const DeviceGroup& group) {
  std::string ids;
  for (const DeviceInstance& instance : group.instances) {
    ids += (ids.empty() ? "" : ",") + instance.id;
  }
  return ids;
}

DeviceOperand Resolve(const DeviceGroup& group, std::string_view target) {
  if (!target.starts_with("${") || !target.ends_with("}")) return ParseDeviceValue(target);
  const std::string_view name = target.substr(2, target.size() - 3);
  if (name == "device.vendor") return DeviceValue{group.name.vendor};
  if (name == "device.type") return DeviceValue{group.name.type};
  if (name == "device.model") return DeviceValue{group.name.name};
  if (name == "device.ids") return DeviceValue{IdsOf(group)};
  constexpr std::string_view kAttribute = "device.attr.";
  if (!name.starts_with(kAttribute)) return std::nullopt;
  const auto found = group.attributes.find(std::string(name.substr(kAttribute.size())));
  return found == group.attributes.end() ? std::nullopt : DeviceOperand(found->second);
}

std::optional<std::string> TextOf(const DeviceOperand& value) {
  return value ? std::optional(value->Text()) : std::nullopt;
}

bool MeetsRule(const DeviceGroup& group, const std::string& left, const std::string& operand,
               const std::string& right) {
  const DeviceOperand a = Resolve(group, left), b = Resolve(group, right);
  const bool both = a && b;
  // A text that looks like a number is one, unless the other side is a text: a model may be "1080".
  const auto order = [&] {
    const bool a_is_text = std::holds_alternative<std::string>(a->value);
    const bool b_is_text = std::holds_alternative<std::string>(b->value);
    if (a_is_text == b_is_text) return Compare(*a, *b);
    return Compare(DeviceValue{a->Text()}, DeviceValue{b->Text()}) == 0
               ? std::partial_ordering::equivalent
               : std::partial_ordering::unordered;
  };
  if (operand == "=" || operand == "==" || operand == "is") return both && order() == 0;
  if (operand == "!=" || operand == "not")
    return both ? order() != 0 : a.has_value() != b.has_value();
  if (operand == "<") return both && order() < 0;
  if (operand == "<=") return both && order() <= 0;
  if (operand == ">") return both && order() > 0;
  if (operand == ">=") return both && order() >= 0;
  return MeetsText(TextOf(a), operand, TextOf(b));
}

// Returns the ids of the free and healthy devices of GROUP, at most COUNT.
std::vector<std::string> FreeOf(const DeviceGroup& group, std::int64_t count,
                                const IsFreeDevice& is_free) {
  std::vector<std::string> ids;
  for (const DeviceInstance& instance : group.instances) {
    if (static_cast<std::int64_t>(ids.size()) == count) break;
    if (instance.healthy && is_free(group.name, instance.id)) ids.push_back(instance.id);
  }
  return ids;
}

// Returns the devices for REQUEST; without ids if there are not enough.
AllocatedDevice Choose(const DeviceGroups& groups, const DeviceRequest& request,
                       const IsFreeDevice& is_free) {
  AllocatedDevice best;
  double best_affinity = 0;
  for (const DeviceGroup& group : groups) {
    if (!group.name.IsOf(request.name)) continue;
    const bool fits = std::ranges::all_of(request.constraints, [&](const Constraint& constraint) {
      return MeetsDevice(group, constraint);
    });
    if (!fits) continue;
    const double affinity = AffinityOf(group, request);
    if (!best.ids.empty() && affinity <= best_affinity) continue;
    std::vector<std::string> ids = FreeOf(group, request.count, is_free);
    if (static_cast<std::int64_t>(ids.size()) < request.count) continue;
    best = {group.name, std::move(ids)};
    best_affinity = affinity;
  }
  return best;
}

// Adds DEVICE to LIST, which has each group once.
void AddDevice(AllocatedDevice device, std::vector<AllocatedDevice>* list) {
  const auto same = std::ranges::find(*list, device.group, &AllocatedDevice::group);
  if (same == list->end()) {
    list->push_back(std::move(device));
  } else {
    same->ids.insert(same->ids.end(), device.ids.begin(), device.ids.end());
  }
}

}  // namespace

bool MeetsDevice(const DeviceGroup& group, const Constraint& constraint) {
  return MeetsRule(group, constraint.left, constraint.operand, constraint.right);
}

double AffinityOf(const DeviceGroup& group, const DeviceRequest& request) {
  double met = 0, whole = 0;
  for (const Affinity& affinity : request.affinities) {
    whole += std::abs(affinity.weight);
    if (MeetsRule(group, affinity.left, affinity.operand, affinity.right)) met += affinity.weight;
  }
  return whole > 0 ? met / whole : 0;
}

std::optional<AllocatedDevices> ChooseDevices(const DeviceGroups& groups, const TaskGroup& group,
                                              const IsFreeDevice& is_free) {
  AllocatedDevices chosen;
  std::map<DeviceName, std::set<std::string>> taken;
  const IsFreeDevice is_left = [&](const DeviceName& name, const std::string& id) {
    const auto of_group = taken.find(name);
    return (of_group == taken.end() || !of_group->second.contains(id)) && is_free(name, id);
  };
  for (const Task& task : group.tasks) {
    for (const DeviceRequest& request : task.devices) {
      AllocatedDevice device = Choose(groups, request, is_left);
      if (device.ids.empty()) return std::nullopt;
      taken[device.group].insert(device.ids.begin(), device.ids.end());
      AddDevice(std::move(device), &chosen[task.name]);
    }
  }
  return chosen;
}

bool WantsDevices(const TaskGroup& group) {
  return std::ranges::any_of(group.tasks, [](const Task& task) { return !task.devices.empty(); });
}

std::string DeviceMistakes(const Job& job, const std::string& place) {
  std::string mistakes;
  const auto check = [&mistakes](const std::string& operand, const std::string& right,
                                 const std::string& at) {
    const std::string mistake = RightMistake(operand, right);
    if (mistake.empty()) return;
    mistakes += (mistakes.empty() ? "" : "; ") + at + "/RTarget: " + mistake;
  };
  for (std::size_t g = 0; g < job.groups.size(); ++g) {
    for (std::size_t t = 0; t < job.groups[g].tasks.size(); ++t) {
      const std::vector<DeviceRequest>& devices = job.groups[g].tasks[t].devices;
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const std::string at = place + "/TaskGroups/" + std::to_string(g) + "/Tasks/" +
                               std::to_string(t) + "/Resources/Devices/" + std::to_string(d);
        for (std::size_t i = 0; i < devices[d].constraints.size(); ++i) {
          const Constraint& rule = devices[d].constraints[i];
          check(rule.operand, rule.right, at + "/Constraints/" + std::to_string(i));
        }
        for (std::size_t i = 0; i < devices[d].affinities.size(); ++i) {
          const Affinity& rule = devices[d].affinities[i];
          check(rule.operand, rule.right, at + "/Affinities/" + std::to_string(i));
        }
      }
    }
  }
  return mistakes;
}

}  // namespace drover
