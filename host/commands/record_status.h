// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/base/result.h"
#include "host/cli/id_lookup.h"
#include "host/cli/output.h"
#include "host/client/api_client.h"

namespace drover {

// These functions print records in the way of the commands "job status", "alloc status" and so on.
// Each one is defined in the file of its command. VERBOSE prints ids in full. The functions return
// the exit code.

// VERBOSE lists also the older children of jobs that have many.
Result<int> ListJobs(ApiClient* client, Output* out, bool verbose);
Result<int> ShowJob(ApiClient* client, Output* out, const JobName& name, bool verbose);
// STATS also prints the statistics of devices.
Result<int> ShowAlloc(ApiClient* client, Output* out, const std::string& id, bool verbose,
                      bool stats = false);
Result<int> ShowEval(ApiClient* client, Output* out, const std::string& id, bool verbose);
Result<int> ShowNode(ApiClient* client, Output* out, const std::string& id, bool verbose);
Result<int> ShowVolume(ApiClient* client, Output* out, const std::string& id, bool verbose);
Result<int> ShowScalingPolicy(ApiClient* client, Output* out, const std::string& id, bool verbose);
Result<int> ShowNamespace(Output* out, const nlohmann::json& record);

}  // namespace drover
