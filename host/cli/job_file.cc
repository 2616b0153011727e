// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/job_file.h"

#include <cstdio>
#include <utility>

#include "host/artifact/check_sources.h"
#include "host/base/printable.h"
#include "host/render/check_templates.h"
#include "host/spec/job_json.h"

namespace drover {

Result<JobFile> ReadJobFile(const std::string& path, const HclOptions& options) {
  DROVER_ASSIGN(JobSource source, ReadJobSource(path, options));
  JobFile read;
  read.hcl_warnings = std::move(source.warnings);
  Result<Job> job = ParseJob(source.json, nullptr, &read.place, &read.warnings);
  if (!job.ok()) return source.places.WithPlaces(job.error()).WithContext("job file " + path);
  JobFaults faults;
  CheckTemplateTexts(*job, read.place, &faults);
  CheckArtifactSources(*job, read.place, &faults);
  if (!faults.empty()) {
    return source.places.WithPlaces(Error(faults.ToError())).WithContext("job file " + path);
  }
  read.places = std::move(source.places);
  read.job = std::move(*job);
  return read;
}

void PrintWarnings(const std::string& command, const std::string& file, const JobFile& job) {
  std::fputs(PrintableLines(job.hcl_warnings).c_str(), stderr);
  for (const JobFault& warning : job.warnings) {
    const std::string line = "warning: job file " + file + job.places.LineOf(warning.pointer) +
                             ": " + warning.pointer + ": " + warning.message;
    std::fprintf(stderr, "drover %s: %s\n", command.c_str(), PrintableLines(line).c_str());
  }
}

}  // namespace drover
