// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover_device.h"
#include "host/abi/abi_fields.h"

// The lists of abi_fields.h for the structs of drover_device.h.
namespace drover {

template <typename V>
void Fields(V& v, drover_device_value& s) {
  v(s.kind), v(s.name), v(s.text), v(s.integer), v(s.number), v(s.unit), v(s.description);
}
template <typename V>
void Fields(V& v, drover_device_instance& s) {
  v(s.health), v(s.id), v(s.health_description), v(s.pci_bus_id);
}
template <typename V>
void Fields(V& v, drover_device_group& s) {
  v(s.reserved), v(s.vendor), v(s.type), v(s.name);
  v.template Array<drover_device_value>(s.attributes);
  v.template Array<drover_device_instance>(s.instances);
}
template <typename V>
void Fields(V& v, drover_devices& s) {
  v(s.type), v.template Array<drover_device_group>(s.groups);
}
template <typename V>
void Fields(V& v, drover_reserve_args& s) {
  v(s.reserved), v(s.vendor), v(s.type), v(s.name), v.template Array<drover_str>(s.ids);
}
template <typename V>
void Fields(V& v, drover_reserve_result& s) {
  v(s.reserved), v.template Array<drover_pair>(s.env), v.template Array<drover_mount>(s.mounts);
  v.template Array<drover_device>(s.devices);
}
template <typename V>
void Fields(V& v, drover_device_instance_stats& s) {
  v(s.reserved), v(s.id), v(s.timestamp), v.Pointer(s.summary);
  v.template Array<drover_device_value>(s.values);
}
template <typename V>
void Fields(V& v, drover_device_group_stats& s) {
  v(s.reserved), v(s.vendor), v(s.type), v(s.name);
  v.template Array<drover_device_instance_stats>(s.instances);
}
template <typename V>
void Fields(V& v, drover_device_stats& s) {
  v(s.type), v.template Array<drover_device_group_stats>(s.groups);
}

}  // namespace drover
