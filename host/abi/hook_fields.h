// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover_task_hooks.h"
#include "host/abi/abi_fields.h"

// The lists of abi_fields.h for the structs of drover_task_hooks.h.
namespace drover {

template <typename V>
void Fields(V& v, drover_hook_args& s) {
  v(s.stage), v(s.alloc_id), v(s.task_name), v(s.alloc_name), v(s.job_id), v(s.job_namespace);
  v(s.group_name), v(s.node_id), v(s.node_name), v(s.driver), v(s.user), v(s.alloc_dir);
  v(s.task_dir), v(s.local_dir), v(s.secrets_dir), v(s.log_dir);
  v.template Array<drover_pair>(s.meta), v.template Array<drover_pair>(s.data);
  v(s.run_id), v.Pointer(s.exit_result);
}
template <typename V>
void Fields(V& v, drover_hook_result& s) {
  v(s.keeps_data), v.template Array<drover_pair>(s.env), v.template Array<drover_mount>(s.mounts);
  v.template Array<drover_device>(s.devices), v.template Array<drover_pair>(s.data), v(s.event);
}

}  // namespace drover
