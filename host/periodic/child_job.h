// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/spec/job.h"
#include "host/state/records.h"

namespace drover {

// A request to start a child of a parameterized job.
struct DispatchDraft {
  std::string payload = {};  // base64; empty: none
  StringMap meta = {};
  std::string id_prefix = {};          // a part of the child's id
  int priority = 0;                    // 0: that of the parent
  std::string idempotency_token = {};  // empty: none
};

// A job that a parent starts, as a JobRecord has it.
struct ChildJob {
  std::shared_ptr<const Job> job;
  JobDocument json;  // shares that of the parent
};

// Returns the child that PARENT starts for the time LAUNCH. Its id is PARENT/periodic-SECONDS, and
// it is periodic no more.
ChildJob PeriodicChild(const JobRecord& parent, WallTime launch);

// Checks DRAFT against the rules of PARENT, and returns the child. Its id is
// PARENT/dispatch-[PREFIX-]SECONDS-HEX8. It is periodic if the parent is. The errors have the texts
// of the peer.
Result<ChildJob> DispatchedChild(const JobRecord& parent, const DispatchDraft& draft, WallTime now,
                                 const std::string& hex8);

}  // namespace drover
