// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/state/records.h"

namespace drover {

// Returns a node that can register with servers.
inline NodeRecord WireNodeForTest() {
  NodeRecord node;
  node.id = "7f000001-1111-4222-8333-444455556666";
  node.name = "n1";
  node.attributes = {{"nomad.version", "1.10.5"}, {"network.mode.bridge", "br0"}};
  DriverRecord driver;
  driver.detected = true;
  driver.healthy = true;
  node.drivers["mock"] = driver;
  NodeInterface loopback;
  loopback.device = "lo";
  loopback.loopback = true;
  loopback.addresses = {{"127.0.0.1", false, false}};
  NodeInterface ethernet;
  ethernet.device = "eth0";
  ethernet.leads_out = true;
  ethernet.addresses = {{"10.0.0.5", false, true}};
  node.interfaces = {loopback, ethernet};
  node.cores = 4;
  node.core_ids = {0, 1};
  node.cpu_mhz = 4000;
  node.memory_mb = 2000;
  node.disk_mb = 10000;
  node.reserved_memory_mb = 100;
  return node;
}

}  // namespace drover
