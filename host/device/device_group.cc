// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/device/device_group.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "host/base/unseen_text.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr std::size_t kMostName = 128;

Error Mistake(const std::string& what) { return Error(Code::kInternal, "its devices: " + what); }

// Checks a text that operators and jobs write. The first two parts of a name hold no slash, since
// slashes separate the parts in jobs.
Status CheckName(std::string_view text, const char* what, bool may_have_slash) {
  const bool plain = std::ranges::none_of(text, [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) == 0x7f;
  });
  if (text.empty() || text.size() > kMostName || !plain || HasUnseen(text)) {
    return Mistake(std::string("the ") + what + " " + Quoted(text) +
                   " must be 1 to 128 bytes without spaces and control characters");
  }
  if (!may_have_slash && text.find('/') != text.npos) {
    return Mistake(std::string("the ") + what + " " + Quoted(text) + " holds a slash");
  }
  return {};
}

Status CheckGroupName(const DeviceName& name) {
  DROVER_TRY(CheckName(name.vendor, "vendor", false));
  DROVER_TRY(CheckName(name.type, "type", false));
  const std::string_view model = name.name;
  if (model.ends_with('/')) return Mistake("the name " + Quoted(model) + " ends with a slash");
  return CheckName(model, "name", true);
}

// Checks the names of GROUPS and the ids of their instances. Works for groups and for statistics.
template <typename Groups>
Status CheckNames(const Groups& groups) {
  if (groups.size() > kMostDeviceGroups) {
    return Mistake("there are more than " + std::to_string(kMostDeviceGroups) + " groups");
  }
  std::set<DeviceName> names;
  std::size_t instances = 0;
  for (const auto& group : groups) {
    DROVER_TRY(CheckGroupName(group.name));
    if (!names.insert(group.name).second) {
      return Mistake("the group " + Quoted(group.name.Text()) + " is there twice");
    }
    instances += group.instances.size();
    if (instances > kMostDeviceInstances) {
      return Mistake("there are more than " + std::to_string(kMostDeviceInstances) + " of them");
    }
    std::set<std::string_view> ids;
    for (const auto& instance : group.instances) {
      DROVER_TRY(CheckName(instance.id, "id", true));
      if (instance.id.find(',') != std::string::npos) {
        return Mistake("the id " + Quoted(instance.id) + " holds a comma");
      }
      if (!ids.insert(instance.id).second) {
        return Mistake("the id " + Quoted(instance.id) + " is twice in the group " +
                       Quoted(group.name.Text()));
      }
    }
  }
  return {};
}

}  // namespace

Status CheckDeviceGroups(const DeviceGroups& groups) {
  DROVER_TRY(CheckNames(groups));
  for (const DeviceGroup& group : groups) {
    if (group.attributes.size() > kMostDeviceValues) {
      return Mistake("the group " + Quoted(group.name.Text()) + " has more than " +
                     std::to_string(kMostDeviceValues) + " attributes");
    }
    for (const auto& [name, value] : group.attributes) {
      DROVER_TRY(CheckName(name, "attribute", true));
    }
  }
  return {};
}

Status CheckDeviceStats(const DeviceStats& stats) {
  DROVER_TRY(CheckNames(stats));
  for (const DeviceGroupStats& group : stats) {
    for (const DeviceInstanceStats& instance : group.instances) {
      if (instance.values.size() > kMostDeviceValues) {
        return Mistake("the device " + Quoted(instance.id) + " has more than " +
                       std::to_string(kMostDeviceValues) + " statistics");
      }
    }
  }
  return {};
}

DeviceStats StatsOf(const DeviceStats& stats, const std::vector<AllocatedDevice>& devices) {
  DeviceStats out;
  for (const AllocatedDevice& device : devices) {
    DeviceGroupStats found{device.group};
    std::set<std::string_view> wanted(device.ids.begin(), device.ids.end());
    for (const DeviceGroupStats& group : stats) {
      if (group.name != device.group) continue;
      for (const DeviceInstanceStats& instance : group.instances) {
        if (wanted.erase(instance.id) != 0) found.instances.push_back(instance);
      }
    }
    if (!found.instances.empty()) out.push_back(std::move(found));
  }
  return out;
}

void MarkUnhealthy(const std::string& why, DeviceGroups* groups) {
  for (DeviceGroup& group : *groups) {
    for (DeviceInstance& instance : group.instances) {
      instance.healthy = false;
      instance.health_description = why;
    }
  }
}

}  // namespace drover
