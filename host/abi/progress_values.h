// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover_progress.h"
#include "host/abi/abi_fields.h"
#include "host/base/result.h"
#include "host/driver/task_progress.h"

namespace drover {

// The list of abi_fields.h for the struct of drover_progress.h.
template <typename V>
void Fields(V& v, drover_progress_report& s) {
  v(s.reserved), v(s.phase), v(s.done), v(s.total), v(s.unit), v(s.text);
}

// Copies a report of a driver, which is not trusted. Cuts its texts and makes them valid UTF-8 on
// one line. Returns an error if the report cannot be read. [any thread]
Result<TaskProgress> ReadProgress(const drover_progress_report* from);

}  // namespace drover
