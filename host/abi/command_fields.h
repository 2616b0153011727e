// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover_command.h"
#include "host/abi/abi_fields.h"

// The lists of abi_fields.h for the structs of drover_command.h.
namespace drover {

template <typename V>
void Fields(V& v, drover_command_args& s) {
  v(s.reserved), v.template Array<drover_str>(s.argv), v.template Array<drover_pair>(s.env);
  v(s.work_dir), v(s.user), v(s.input), v(s.timeout), v(s.max_output), v(s.memory_limit);
}
template <typename V>
void Fields(V& v, drover_command_result& s) {
  v(s.flags), v.Pointer(s.exit_result), v(s.output), v(s.error);
}

}  // namespace drover
