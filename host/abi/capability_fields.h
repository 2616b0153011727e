// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover_capabilities.h"
#include "host/abi/abi_fields.h"

// The lists of abi_fields.h for the structs of drover_capabilities.h.
namespace drover {

template <typename V>
void Fields(V& v, drover_capabilities_args& s) {
  v(s.reserved);
}
template <typename V>
void Fields(V& v, drover_capabilities& s) {
  v(s.parallel_starts), v(s.says), v(s.can), v.template Array<drover_str>(s.network_modes);
  v.template Array<drover_str>(s.mount_kinds), v.template Array<drover_str>(s.propagations);
  v.template Array<drover_str>(s.signals), v.template Array<drover_str>(s.sensitive);
}

}  // namespace drover
