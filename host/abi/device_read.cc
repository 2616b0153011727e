// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/device_read.h"

#include <cmath>
#include <utility>

#include "host/abi/abi_read.h"

namespace drover {
namespace {

// The end of the member MEMBER: an element of an array must have at least this many bytes.
#define DROVER_UP_TO(type, member) (offsetof(type, member) + sizeof(((type*)nullptr)->member))

// Reads a value without its name.
Result<DeviceValue> ReadValue(const drover_device_value& raw) {
  DeviceValue out;
  switch (raw.kind) {
    case DROVER_VALUE_TEXT: {
      DROVER_ASSIGN(out.value, ReadText(raw.text));
      return out;
    }
    case DROVER_VALUE_INTEGER:
      out.value = raw.integer;
      break;
    case DROVER_VALUE_NUMBER:
      // A number that is not finite would make the JSON of the API invalid.
      if (!std::isfinite(raw.number)) return Error(Code::kInternal, "a number is not finite");
      out.value = raw.number;
      break;
    case DROVER_VALUE_BOOLEAN:
      out.value = raw.integer != 0;
      return out;
    default:
      return Error(Code::kInternal, "a value of the unknown kind " + std::to_string(raw.kind));
  }
  DROVER_ASSIGN(out.unit, ReadText(raw.unit));
  return out;
}

Result<DeviceStat> ReadStat(const drover_device_value* from) {
  DROVER_ASSIGN(const drover_device_value raw, CopyStruct(from));
  DeviceStat stat;
  DROVER_ASSIGN(stat.name, ReadText(raw.name));
  DROVER_ASSIGN(stat.value, ReadValue(raw));
  DROVER_ASSIGN(stat.description, ReadText(raw.description));
  return stat;
}

template <typename Raw>
Result<DeviceName> ReadName(const Raw& raw) {
  DeviceName name;
  DROVER_ASSIGN(name.vendor, ReadText(raw.vendor));
  DROVER_ASSIGN(name.type, ReadText(raw.type));
  DROVER_ASSIGN(name.name, ReadText(raw.name));
  return name;
}

Result<DeviceInstance> ReadInstance(const drover_device_instance* from) {
  DROVER_ASSIGN(const drover_device_instance raw, CopyStruct(from));
  DeviceInstance instance;
  instance.healthy = raw.health == DROVER_HEALTHY;
  DROVER_ASSIGN(instance.id, ReadText(raw.id));
  DROVER_ASSIGN(instance.health_description, ReadText(raw.health_description));
  DROVER_ASSIGN(instance.pci_bus_id, ReadText(raw.pci_bus_id));
  return instance;
}

Result<DeviceGroup> ReadGroup(const drover_device_group* from) {
  DROVER_ASSIGN(const drover_device_group raw, CopyStruct(from));
  DeviceGroup group;
  DROVER_ASSIGN(group.name, ReadName(raw));
  DROVER_TRY(ReadArray<drover_device_value>(raw.attributes, DROVER_UP_TO(drover_device_value, unit),
                                            [&](const drover_device_value* at) -> Status {
                                              DROVER_ASSIGN(DeviceStat stat, ReadStat(at));
                                              group.attributes[std::move(stat.name)] =
                                                  std::move(stat.value);
                                              return {};
                                            }));
  DROVER_TRY(
      ReadArray<drover_device_instance>(raw.instances, DROVER_UP_TO(drover_device_instance, id),
                                        [&](const drover_device_instance* at) -> Status {
                                          DROVER_ASSIGN(DeviceInstance one, ReadInstance(at));
                                          group.instances.push_back(std::move(one));
                                          return {};
                                        }));
  return group;
}

Result<DeviceInstanceStats> ReadInstanceStats(const drover_device_instance_stats* from) {
  DROVER_ASSIGN(const drover_device_instance_stats raw, CopyStruct(from));
  DeviceInstanceStats stats;
  stats.timestamp = raw.timestamp;
  DROVER_ASSIGN(stats.id, ReadText(raw.id));
  if (raw.summary != nullptr) {
    DROVER_ASSIGN(stats.summary, ReadStat(raw.summary));
  }
  DROVER_TRY(ReadArray<drover_device_value>(raw.values, DROVER_UP_TO(drover_device_value, unit),
                                            [&](const drover_device_value* at) -> Status {
                                              DROVER_ASSIGN(DeviceStat stat, ReadStat(at));
                                              stats.values.push_back(std::move(stat));
                                              return {};
                                            }));
  return stats;
}

}  // namespace

Result<DeviceGroups> ReadDevices(const drover_devices* from) {
  DROVER_ASSIGN(const drover_devices raw, CopyStruct(from));
  DeviceGroups groups;
  DROVER_TRY(ReadArray<drover_device_group>(raw.groups,
                                            DROVER_UP_TO(drover_device_group, instances),
                                            [&](const drover_device_group* at) -> Status {
                                              DROVER_ASSIGN(DeviceGroup group, ReadGroup(at));
                                              groups.push_back(std::move(group));
                                              return {};
                                            }));
  DROVER_TRY(CheckDeviceGroups(groups));
  return groups;
}

Result<DeviceReservation> ReadReservation(const drover_reserve_result* from) {
  DROVER_ASSIGN(const drover_reserve_result raw, CopyStruct(from));
  DeviceReservation out;
  DROVER_ASSIGN(out.env, ReadPairs(raw.env));
  DROVER_TRY(ReadArray<drover_mount>(raw.mounts, DROVER_UP_TO(drover_mount, host_path),
                                     [&](const drover_mount* at) -> Status {
                                       DROVER_ASSIGN(const drover_mount mount, CopyStruct(at));
                                       TaskMount& to = out.mounts.emplace_back();
                                       to.read_only = mount.read_only != 0;
                                       DROVER_ASSIGN(to.task_path, ReadText(mount.task_path));
                                       DROVER_ASSIGN(to.host_path, ReadText(mount.host_path));
                                       DROVER_ASSIGN(to.propagation, ReadText(mount.propagation));
                                       return {};
                                     }));
  DROVER_TRY(ReadArray<drover_device>(raw.devices, DROVER_UP_TO(drover_device, permissions),
                                      [&](const drover_device* at) -> Status {
                                        DROVER_ASSIGN(const drover_device node, CopyStruct(at));
                                        TaskDevice& to = out.devices.emplace_back();
                                        DROVER_ASSIGN(to.task_path, ReadText(node.task_path));
                                        DROVER_ASSIGN(to.host_path, ReadText(node.host_path));
                                        DROVER_ASSIGN(to.permissions, ReadText(node.permissions));
                                        return {};
                                      }));
  DROVER_TRY(CheckReservation(out));
  return out;
}

Result<DeviceStats> ReadDeviceStats(const drover_device_stats* from) {
  DROVER_ASSIGN(const drover_device_stats raw, CopyStruct(from));
  DeviceStats stats;
  DROVER_TRY(ReadArray<drover_device_group_stats>(
      raw.groups, DROVER_UP_TO(drover_device_group_stats, instances),
      [&](const drover_device_group_stats* at) -> Status {
        DROVER_ASSIGN(const drover_device_group_stats group, CopyStruct(at));
        DeviceGroupStats& to = stats.emplace_back();
        DROVER_ASSIGN(to.name, ReadName(group));
        return ReadArray<drover_device_instance_stats>(
            group.instances, DROVER_UP_TO(drover_device_instance_stats, values),
            [&](const drover_device_instance_stats* one) -> Status {
              DROVER_ASSIGN(DeviceInstanceStats instance, ReadInstanceStats(one));
              to.instances.push_back(std::move(instance));
              return {};
            });
      }));
  DROVER_TRY(CheckDeviceStats(stats));
  return stats;
}

#undef DROVER_UP_TO

}  // namespace drover
