// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover_node.h"
#include "host/abi/abi_fields.h"

// The list of abi_fields.h for the struct of drover_node.h.
namespace drover {

template <typename V>
void Fields(V& v, drover_node_info& s) {
  v(s.reserved), v(s.node_id), v(s.node_name), v(s.node_pool), v(s.datacenter), v(s.region);
  v(s.agent_version), v(s.state_dir), v(s.cache_dir), v(s.run_dir), v(s.cgroup_parent);
}

}  // namespace drover
