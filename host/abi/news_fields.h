// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover_news.h"
#include "host/abi/abi_fields.h"

// The lists of abi_fields.h for the struct of drover_news.h.
namespace drover {

template <typename V>
void Fields(V& v, drover_task_news& s) {
  v(s.type), v(s.run_id), v(s.health), v(s.paused), v.Pointer(s.handle), v.Pointer(s.network);
  v(s.text);
}

}  // namespace drover
