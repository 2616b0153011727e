// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/base/result.h"
#include "host/spec/job.h"

namespace drover {

// Reads the job of an allocation of the group GROUP, as a server sends it. The job has only that
// group: what the others say is carried out by other nodes. Parts that only servers carry out, such
// as constraints and the policies of scaling, are left out, since the allocation is placed. All
// other fields are read by the table of job fields, as in JobJson. An error names every field that
// this node cannot carry out, by its JSON pointer in the whole job. [any thread]
Result<Job> ReadWireJob(const nlohmann::json& job, const std::string& group);

}  // namespace drover
