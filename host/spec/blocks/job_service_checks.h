// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/spec/job_place.h"

namespace drover {

// Adds the faults of the services of GROUP and of its tasks. AT is the place of the group. A
// service that names no provider is checked as one of Consul, which permits more. [part of
// CheckJob]
void CheckServices(const TaskGroup& group, const JobPlace& at);

}  // namespace drover
