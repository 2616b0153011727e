// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/hcl/hcl_places.h"
#include "host/hcl/hcl_program.h"

namespace drover {

struct HclJob {
  nlohmann::json job;  // in the form of Nomad's API; null if a diagnostic is an error
  std::vector<std::string> variables;  // the names of those that the file declares
  std::vector<HclDiagnostic> diagnostics;
  HclPlaces places;  // empty unless they were asked for
};

// Reads a job file in HCL. REQUEST needs no schema. The job has every field that the file has, and
// is not checked. Blocks like DecodeHcl. [any thread]
Result<HclJob> ReadJobHcl(HclRequest request);

// Returns the errors among DIAGNOSTICS, which there must be, as one error. REQUEST is what was
// read.
Error HclError(const HclRequest& request, const std::vector<HclDiagnostic>& diagnostics);

}  // namespace drover
