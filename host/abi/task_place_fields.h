// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover_task_place.h"
#include "host/abi/abi_fields.h"

// The list of abi_fields.h for the struct of drover_task_place.h.
namespace drover {

template <typename V>
void Fields(V& v, drover_place& s) {
  v(s.reserved), v(s.cgroup), v.template Array<drover_pair>(s.directories);
  v(s.network_namespace), v(s.network);
}

}  // namespace drover
