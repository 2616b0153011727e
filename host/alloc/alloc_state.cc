// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/alloc_state.h"

namespace drover {

bool SameState(const AllocState& a, const AllocState& b) {
  // Records never change, so two that are equal are one object.
  return a.alloc == b.alloc && a.status == b.status && a.tasks == b.tasks &&
         a.network == b.network && a.phase == b.phase;
}

}  // namespace drover
