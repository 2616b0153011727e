// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/hcl/job_hcl.h"

#include <utility>

#include "host/hcl/hcl_diagnostics.h"
#include "host/hcl/job_of_hcl.h"
#include "host/hcl/job_schema.h"

namespace drover {

Result<HclJob> ReadJobHcl(HclRequest request) {
  request.schema = JobHclSchema();
  DROVER_ASSIGN(HclReply reply, DecodeHcl(request));
  HclJob read;
  read.diagnostics = std::move(reply.diagnostics);
  read.variables = std::move(reply.variables);
  if (reply.value.is_null()) return read;
  JobFaults faults;
  try {
    read.job = JobOfHcl(std::move(reply.value), &faults);
    if (request.places) read.places = TakePlaces(&read.job);
  } catch (const nlohmann::json::exception& e) {
    return HclNotUnderstood(e.what());
  }
  for (const JobFault& fault : faults.list()) {
    HclDiagnostic diagnostic;
    diagnostic.summary = "Invalid job";
    diagnostic.detail =
        fault.pointer.empty() ? fault.message : fault.pointer + ": " + fault.message;
    diagnostic.file = request.file;
    const HclPlace* const place = read.places.Find(fault.pointer);
    if (place != nullptr) diagnostic.SetPlace(*place);
    read.diagnostics.push_back(std::move(diagnostic));
  }
  if (!faults.empty()) read.job = nullptr;
  return read;
}

Error HclError(const HclRequest& request, const std::vector<HclDiagnostic>& diagnostics) {
  std::vector<HclDiagnostic> errors;
  for (const HclDiagnostic& one : diagnostics) {
    if (one.error) errors.push_back(one);
  }
  std::vector<HclSource> sources = request.variable_files;
  sources.push_back({request.file, request.text});
  const std::string count = std::to_string(errors.size());
  return Error(Code::kInvalidArgument, "it has " + count +
                                           (errors.size() == 1 ? " error:\n" : " errors:\n") +
                                           DiagnosticsText(errors, sources));
}

}  // namespace drover
