// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover_pause.h"
#include "host/abi/abi_fields.h"

// The lists of abi_fields.h for the struct of drover_pause.h.
namespace drover {

template <typename V>
void Fields(V& v, drover_pause_args& s) {
  v(s.paused);
}

}  // namespace drover
