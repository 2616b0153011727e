// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover_task_env.h"
#include "host/abi/abi_fields.h"

// The lists of abi_fields.h for the structs of drover_task_env.h.
namespace drover {

template <typename V>
void Fields(V& v, drover_interpolate_args& s) {
  v(s.flags), v.template Array<drover_str>(s.texts);
}
template <typename V>
void Fields(V& v, drover_interpolate_result& s) {
  v(s.reserved), v.template Array<drover_str>(s.texts);
}

}  // namespace drover
