// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/acl/acl.h"
#include "host/state/records.h"

namespace drover {

// Returns JOB as the filter of a client with ACL may examine it. A client that may only list jobs
// must not find out by filters what the lists do not show, such as the environment of a task.
nlohmann::json JobForFilter(const Acl& acl, const JobRecord& job);

}  // namespace drover
